#include "master/history/history_store.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/little_endian.h"
#include "common/files/file_system.h"
#include "master/recording/block.h"

namespace ontime::history {
namespace {

constexpr std::string_view kMagic = "ONTIMEH1";
constexpr std::size_t kSizeBytes = 8;  // how long the content is: blocks that are missing at the end are noticed
constexpr mode_t kNobodyElse = 0600;

std::string pack(std::string_view content) {
  recording::BlockMaker blocks;
  std::string bytes = std::string(kMagic) + little_endian(content.size(), kSizeBytes);
  for (std::uint32_t sequence = 0; !content.empty(); ++sequence) {
    const std::string_view part = content.substr(0, recording::kBlockBytesMax);
    bytes += blocks.make(part, sequence);
    content.remove_prefix(part.size());
  }
  return bytes;
}

// Nothing if that is not what pack() makes.
std::optional<std::string> unpack(std::string_view bytes) {
  const std::size_t head = kMagic.size() + kSizeBytes;
  if (bytes.size() < head || !bytes.starts_with(kMagic)) return std::nullopt;
  const std::uint64_t size = from_little_endian(bytes.substr(kMagic.size(), kSizeBytes));
  if (size > HistoryStore::kContentMax) return std::nullopt;
  bytes.remove_prefix(head);
  recording::BlockUnpacker blocks;
  std::string content;
  for (std::uint32_t sequence = 0; !bytes.empty(); ++sequence) {
    if (bytes.size() < recording::kBlockHeaderBytes) return std::nullopt;
    const std::string_view header_bytes = bytes.substr(0, recording::kBlockHeaderBytes);
    const auto header = recording::read_block_header(header_bytes);
    bytes.remove_prefix(header_bytes.size());
    if (!header || header->sequence != sequence || header->stored_size > bytes.size()) return std::nullopt;
    if (header->size > size - content.size()) return std::nullopt;
    if (!blocks.unpack(*header, header_bytes, bytes.substr(0, header->stored_size), content)) return std::nullopt;
    bytes.remove_prefix(header->stored_size);
  }
  return content.size() == size ? std::optional(std::move(content)) : std::nullopt;
}

// At most `size` bytes; errno says why there is nothing.
std::optional<std::string> read_file(const std::string& path, std::uint64_t size) {
  const Descriptor file = files::open(path, O_RDONLY | files::kPlainFile);
  if (!file) return std::nullopt;
  std::string bytes(size, '\0');
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    at += static_cast<std::size_t>(got);
  }
  bytes.resize(at);
  return bytes;
}

}  // namespace

std::string HistoryStore::path_of(JobId job) const { return directory_ + "/" + to_string(job); }

void HistoryStore::open(const std::set<JobId>& remembered) {
  struct Found {
    std::filesystem::file_time_type written;
    JobId job;
    std::uint64_t bytes;
  };
  std::vector<Found> found;
  std::vector<std::string> left_over;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    const auto job = parse_job_id(entry->path().filename().string());
    std::error_code problem;
    const std::uint64_t bytes = entry->file_size(problem);
    if (job && !problem && path == path_of(*job) && remembered.contains(*job))
      found.push_back({entry->last_write_time(problem), *job, bytes});
    else
      left_over.push_back(path);
  }
  for (const std::string& path : left_over) files::remove(path);
  std::ranges::sort(
      found, [](const Found& a, const Found& b) { return std::pair(a.written, a.job) < std::pair(b.written, b.job); });
  for (const Found& file : found) add(file.job, file.bytes);
  make_room(0);
}

void HistoryStore::add(JobId job, std::uint64_t bytes) {
  files_[job] = {bytes, ++writes_};
  bytes_ += bytes;
}

void HistoryStore::forget(JobId job) {
  const auto found = files_.find(job);
  if (found == files_.end()) return;
  bytes_ -= found->second.bytes;
  files_.erase(found);
  files::remove(path_of(job));
}

// False: so much is never there.
bool HistoryStore::make_room(std::uint64_t bytes) {
  if (bytes > bytes_max_) return false;
  while (bytes_ > bytes_max_ - bytes)
    forget(std::ranges::min_element(files_, {}, [](const auto& file) { return file.second.order; })->first);
  return true;
}

Status HistoryStore::write(JobId job, std::string_view content) {
  forget(job);
  if (content.size() > kContentMax) return failed("It is larger than any file of a job may be.");
  const std::string bytes = pack(content);
  if (!make_room(bytes.size())) return failed("It is larger than all files together may be; see --history-limit.");
  const int problem = files::make_directory(directory_, 0700);
  if (problem != 0 && problem != EEXIST) return files::system_error("make the directory", directory_, problem);
  const std::string unfinished = path_of(job) + ".new";
  Status status = files::replace_file(path_of(job), unfinished, bytes, kNobodyElse);
  if (status)
    add(job, bytes.size());
  else
    files::remove(unfinished);
  return status;
}

Result<std::string> HistoryStore::read(JobId job) {
  const auto found = files_.find(job);
  if (found == files_.end()) return failed("There is no '" + path_of(job) + "' any more.");
  const auto bytes = read_file(path_of(job), found->second.bytes);
  const int problem = bytes ? 0 : errno;
  auto content = bytes ? unpack(*bytes) : std::nullopt;
  if (content) return std::move(*content);
  forget(job);
  if (problem != 0) return files::system_error("read", path_of(job), problem);
  return failed("'" + path_of(job) + "' is damaged.");
}

}  // namespace ontime::history
