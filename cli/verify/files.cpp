#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "cli/result/answer.h"
#include "cli/verify/verify.h"
#include "common/base/crc32c.h"

namespace ontime::cli {
namespace {

using output::Manifest;
using output::Task;

constexpr std::size_t kBlockBytes = 1u << 20;

// An open part file.
class PartFile {
 public:
  explicit PartFile(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {}
  ~PartFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  std::uint64_t size() const {
    struct stat status {};
    return fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

  // Nothing if the bytes cannot be read.
  std::optional<std::uint32_t> checksum(std::uint64_t offset, std::uint64_t length, const ByteProgress& read_so_far) {
    std::uint32_t crc = 0;
    for (std::uint64_t done = 0; done < length;) {
      const auto size = std::min<std::uint64_t>(length - done, kBlockBytes);
      const auto got = pread(descriptor_, buffer_.data(), size, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return {};
      crc = crc32c(crc, buffer_.data(), static_cast<std::size_t>(got));
      done += static_cast<std::uint64_t>(got);
      read_so_far(done);
    }
    return crc;
  }

 private:
  int descriptor_;
  std::vector<char> buffer_ = std::vector<char>(kBlockBytes);
};

std::string hex(std::uint32_t value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%08x", value);
  return text.data();
}

std::uint64_t declared_length(const Task& task) {
  std::uint64_t length = 0;
  for (const auto& segment : task.segments) length += segment.length;
  return length;
}

void check_part(const std::string& directory, const Task& task, Verdict& verdict, const ByteProgress& progress) {
  PartFile part(directory + "/" + task.part);
  if (!part.is_open()) {
    verdict.add_problem("part file '" + task.part + "' cannot be read: " + std::strerror(errno));
    return;
  }
  const auto size = part.size();
  if (size != declared_length(task)) {
    verdict.add_problem("part file '" + task.part + "' has " + std::to_string(size) + " bytes instead of " +
                        std::to_string(declared_length(task)));
    return;
  }
  std::uint64_t before = 0;
  for (const auto& segment : task.segments) {
    const auto crc =
        part.checksum(segment.offset, segment.length, [&](std::uint64_t done) { progress(before + done); });
    const auto place = "part file '" + task.part + "', bytes " + std::to_string(segment.offset) + " to " +
                       std::to_string(segment.offset + segment.length);
    if (!crc)
      verdict.add_problem(place + ": cannot be read");
    else if (*crc != segment.crc32c)
      verdict.add_problem(place + ": checksum " + hex(*crc) + " instead of " + hex(segment.crc32c) +
                          "; the output was changed after the job");
    before += segment.length;
  }
}

void check_names(const std::string& directory, const Manifest& manifest, Verdict& verdict) {
  std::set<std::string> expected{output::kManifestName, output::kSuccessName};
  for (const auto& task : manifest.tasks) expected.insert(task.part);
  std::set<std::string> unexpected;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    auto name = entry->path().filename().string();
    if (!expected.contains(name)) unexpected.insert(std::move(name));
  }
  if (error) verdict.add_problem("the directory cannot be listed: " + error.message());
  for (const auto& name : unexpected) verdict.add_problem("'" + name + "' does not belong to the output");
}

}  // namespace

std::uint64_t declared_output_bytes(const Manifest& manifest) {
  std::uint64_t bytes = 0;
  for (const auto& task : manifest.tasks) bytes += declared_length(task);
  return bytes;
}

void check_files(const std::string& directory, const Manifest& manifest, Verdict& verdict,
                 const ByteProgress& progress) {
  check_names(directory, manifest, verdict);
  std::uint64_t before = 0;
  for (const auto& task : manifest.tasks) {
    check_part(directory, task, verdict, [&](std::uint64_t done) { progress(before + done); });
    before += declared_length(task);
  }
}

Result<Verdict> verify_directory(const std::string& directory, const ByteProgress& progress) {
  const auto manifest = read_finished(directory);
  if (!manifest) return manifest.error();
  Verdict verdict;
  check_structure(*manifest, verdict);
  check_files(directory, *manifest, verdict, progress);
  return verdict;
}

}  // namespace ontime::cli
