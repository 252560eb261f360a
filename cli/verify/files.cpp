#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "cli/verify/verify.h"
#include "common/base/crc32c.h"
#include "common/files/roots.h"
#include "common/output/attempt_log.h"

namespace ontime::cli {
namespace {

using output::Manifest;
using output::Task;

constexpr std::size_t kReadBytes = 1u << 20;

// Nothing if the bytes cannot be read.
std::optional<std::uint32_t> checksum(int file, const output::Segment& segment, const ByteProgress& read_so_far) {
  std::vector<char> buffer(std::min<std::uint64_t>(segment.length, kReadBytes));
  std::uint32_t crc = 0;
  for (std::uint64_t done = 0; done < segment.length;) {
    const auto size = std::min<std::uint64_t>(segment.length - done, kReadBytes);
    const auto got = pread(file, buffer.data(), size, static_cast<off_t>(segment.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    crc = crc32c(crc, buffer.data(), static_cast<std::size_t>(got));
    done += static_cast<std::uint64_t>(got);
    read_so_far(done);
  }
  return crc;
}

std::uint64_t declared_length(const Task& task) {
  std::uint64_t length = 0;
  for (const auto& segment : task.segments) length += segment.length;
  return length;
}

void check_part(const FinishedOutput& output, const Task& task, Verdict& verdict, const ByteProgress& progress) {
  const auto name = "part file '" + task.part + "'";
  const auto opened = files::open_regular(output.directory(), task.part);
  if (!opened) return verdict.add_problem(name + " " + opened.error().message);
  const Descriptor file(*opened);
  struct stat status {};
  const auto size = fstat(*opened, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  if (size != declared_length(task))
    return verdict.add_problem(name + " has " + std::to_string(size) + " bytes instead of " +
                               std::to_string(declared_length(task)));
  std::uint64_t before = 0;
  for (const auto& segment : task.segments) {
    const auto crc = checksum(*opened, segment, [&](std::uint64_t done) { progress(before + done); });
    if (!crc)
      verdict.add_problem(name + ": bytes " + std::to_string(segment.offset) + " to " +
                          std::to_string(segment.offset + segment.length) + " cannot be read");
    else if (*crc != segment.crc32c)
      verdict.add_problem(checksum_problem(task.part, segment, *crc));
    before += segment.length;
  }
}

void check_names(const FinishedOutput& output, Verdict& verdict) {
  std::set<std::string> expected{output::kManifestName, output::kSuccessName, output::kLogsName};
  for (const auto& task : output.manifest().tasks) expected.insert(task.part);
  std::set<std::string> unexpected;
  std::error_code error;
  const auto held = "/proc/self/fd/" + std::to_string(output.directory());
  for (std::filesystem::directory_iterator entry(held, error), end; !error && entry != end; entry.increment(error)) {
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

void check_files(const FinishedOutput& output, Verdict& verdict, const ByteProgress& progress) {
  check_names(output, verdict);
  std::uint64_t before = 0;
  for (const auto& task : output.manifest().tasks) {
    check_part(output, task, verdict, [&](std::uint64_t done) { progress(before + done); });
    before += declared_length(task);
  }
}

Result<Verdict> verify_directory(const std::string& directory, const ByteProgress& progress) {
  const auto output = FinishedOutput::open(directory);
  if (!output) return output.error();
  Verdict verdict;
  check_structure(output->manifest(), verdict);
  check_files(*output, verdict, progress);
  return verdict;
}

}  // namespace ontime::cli
