#include "cli/result/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <future>
#include <optional>
#include <utility>

#include "common/base/crc32c.h"
#include "common/base/ids.h"
#include "common/files/disk.h"
#include "common/files/roots.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kRecordBytesMost = std::size_t{1} << 30;

// Nothing if that is no regular file.
std::optional<std::uint64_t> size_of(int directory, const char* name) {
  struct stat status {};
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) return {};
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

Result<FinishedOutput> FinishedOutput::open(const std::string& name) {
  auto local = LocalOutput::whole(name);
  if (!local) return local.error();
  FinishedOutput output;
  output.local_ = std::move(*local);
  output.directory_ = std::make_shared<Descriptor>(files::open(output.local_->directory(), files::kDirectory));
  const int descriptor = output.directory_->get();
  if (descriptor < 0) return bad_input("cannot open the directory '" + name + "': " + std::strerror(errno));
  output.name_ = name;
  if (!size_of(descriptor, output::kSuccessName))
    return bad_input("'" + name + "' has no _SUCCESS: its job has not finished, has failed, or it is no output " +
                     "directory of a job");
  auto manifest = output::read_manifest(descriptor, name);
  if (!manifest) return manifest.error();
  output.manifest_ = std::make_shared<const output::Manifest>(std::move(*manifest));
  return output;
}

Result<std::vector<PartFile>> part_files(const FinishedOutput& output) {
  std::vector<PartFile> parts;
  for (const auto& task : output.manifest().tasks) {
    std::uint64_t length = 0;
    for (const auto& segment : task.segments) length += segment.length;
    if (!is_part_file_name(task.part, task.index))
      return failed("the manifest in '" + output.name() + "' names a part file '" + task.part +
                    "', which no job writes");
    parts.push_back({output.directory(), output.name() + "/" + task.part, &task, output.manifest().codec});
    if (size_of(output.directory(), task.part.c_str()) != length)
      return failed("part file '" + parts.back().path +
                    "' is missing, is no regular file, or has another length than " +
                    "it was written with; 'ontime verify " + output.name() + "' tells what is damaged");
  }
  return parts;
}

Result<std::shared_ptr<Descriptor>> open_part(const PartFile& part) {
  const auto file = files::open_regular(part.directory, part.task->part);
  if (!file) return failed("part file '" + part.path + "' " + file.error().message);
  return std::make_shared<Descriptor>(*file);
}

std::string checksum_problem(const std::string& part, const output::Segment& segment, std::uint32_t found) {
  return fmt::format(
      "part file '{}', bytes {} to {}: checksum {:08x} instead of {:08x}; the output was changed after the job", part,
      segment.offset, segment.offset + segment.length, found, segment.crc32c);
}

ReadBytes read_range(int descriptor, std::uint64_t begin, std::uint64_t end) {
  return [descriptor, at = begin, end](char* to, std::size_t most) mutable -> Result<std::size_t> {
    const auto wanted = std::min<std::uint64_t>(most, end - at);
    ssize_t got = 0;
    do got = pread(descriptor, to, wanted, static_cast<off_t>(at));
    while (got < 0 && errno == EINTR);
    if (got < 0) return failed(std::strerror(errno));
    at += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  };
}

Result<std::string_view> FileWindow::read_more() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (buffer_.size() - end_ < block_bytes_) buffer_.resize(std::max(end_ + block_bytes_, 2 * end_));
  const auto got = read_(buffer_.data() + end_, buffer_.size() - end_);
  if (!got) return got.error();
  const std::string_view more(buffer_.data() + end_, *got);
  end_ += more.size();
  return more;
}

RecordReader::RecordReader(ReadBytes read, std::string path, std::uint64_t offset, app::RecordBytes record_bytes,
                           std::size_t block_bytes)
    : path_(std::move(path)), window_(std::move(read), block_bytes), record_bytes_(record_bytes), offset_(offset) {}

RecordReader::RecordReader(const std::shared_ptr<Descriptor>& file, std::string path, std::uint64_t begin,
                           std::uint64_t end, app::RecordBytes record_bytes, std::size_t block_bytes)
    : RecordReader(
          [file, path, read = read_range(file->get(), begin, end)](char* to, std::size_t most) -> Result<std::size_t> {
            auto got = read(to, most);
            if (!got) return failed("cannot read '" + path + "': " + got.error().message);
            return got;
          },
          path, begin, record_bytes, block_bytes) {}

Result<RecordReader> RecordReader::open(const PartFile& part, app::RecordBytes record_bytes, std::size_t block_bytes) {
  auto content = PartContent::open(part);
  if (!content) return content.error();
  return RecordReader([content = std::move(*content)](char* to, std::size_t most) { return content->read(to, most); },
                      part.path, 0, record_bytes, block_bytes);
}

Result<bool> RecordReader::advance() {
  window_.drop(whole_);
  offset_ += whole_;
  whole_ = size_ = 0;
  for (std::size_t searched = 0;;) {
    const std::string_view bytes = window_.bytes();
    if (record_bytes_ > 0 && bytes.size() >= record_bytes_) {
      whole_ = size_ = record_bytes_;
      return true;
    }
    const std::size_t feed = record_bytes_ > 0 ? std::string_view::npos : bytes.find('\n', searched);
    if (feed != std::string_view::npos) {
      size_ = feed;
      whole_ = feed + 1;
      return true;
    }
    searched = bytes.size();
    auto more = read_more();
    if (!more) return more;
    if (!*more) break;
  }
  whole_ = size_ = window_.bytes().size();  // the last line may lack its end
  if (whole_ > 0 && record_bytes_ > 0) return failed("'" + path_ + "' ends in the middle of a record");
  return whole_ > 0;
}

Result<bool> RecordReader::read_more() {
  if (window_.bytes().size() > kRecordBytesMost)
    return failed("'" + path_ + "' has a line longer than 1 GiB, which is no answer");
  const auto more = window_.read_more();
  if (!more) return more.error();
  return !more->empty();
}

Status for_each_line(const PartFile& part, const std::function<Status(std::string_view)>& visit) {
  auto reader = RecordReader::open(part);
  if (!reader) return reader.error();
  for (;;) {
    const auto there = reader->advance();
    if (!there) return there.error();
    if (!*there) return {};
    if (auto status = visit(reader->record()); !status) return status;
  }
}

Status in_parallel(std::size_t count, std::size_t threads,
                   const std::function<Status(std::size_t thread, std::size_t item)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take_some = [&](std::size_t thread) -> Status {
    for (std::size_t item = next++; item < count; item = next++) {
      Status status = work(thread, item);
      if (status) continue;
      next = count;
      return status;
    }
    return {};
  };
  std::vector<std::future<Status>> running;
  for (std::size_t thread = 0; thread < std::min(count, threads); ++thread)
    running.push_back(std::async(std::launch::async, take_some, thread));
  Status first;
  for (auto& one : running) {
    Status status = one.get();
    if (first && !status) first = std::move(status);
  }
  return first;
}

}  // namespace ontime::cli
