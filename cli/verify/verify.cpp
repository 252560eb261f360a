#include "cli/verify/verify.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/base/crc32c.h"
#include "common/base/ids.h"
#include "common/files/roots.h"
#include "common/output/attempt_log.h"

namespace ontime::cli {
namespace {

using output::Manifest;
using output::Task;

std::string range_in_words(ByteRange range) {
  return "[" + std::to_string(range.begin) + ", " + (range.is_open_ended() ? "end" : std::to_string(range.end)) + ")";
}

// Says where `ranges`, in this order, leave a gap in `whole`, overlap, or reach beyond it; empty if they tile it.
std::string tiling_defect(const std::vector<ByteRange>& ranges, ByteRange whole) {
  std::uint64_t at = whole.begin;
  for (const auto& range : ranges) {
    if (range.begin > at) return "bytes " + range_in_words({at, range.begin}) + " are missing";
    if (range.begin < at) return "bytes " + range_in_words({range.begin, std::min(at, range.end)}) + " are there twice";
    if (range.end < range.begin) return range_in_words(range) + " ends before it begins";
    at = range.end;
  }
  if (at < whole.end) return "bytes " + range_in_words({at, whole.end}) + " are missing";
  if (at > whole.end) return "bytes " + range_in_words({whole.end, at}) + " lie beyond the end";
  return "";
}

void check_segments(const Task& task, const std::string& name, Verdict& verdict) {
  std::vector<ByteRange> ranges;
  std::uint64_t offset = 0;
  for (const auto& segment : task.segments) {
    ranges.push_back(segment.range);
    if (segment.offset != offset)
      verdict.add_problem(name + ": the output of segment " + range_in_words(segment.range) + " is declared at byte " +
                          std::to_string(segment.offset) + " of its part file, but the one before ends at " +
                          std::to_string(offset));
    offset = segment.offset + segment.length;
    verdict.records += segment.records;
    verdict.output_bytes += segment.length;
    verdict.content_bytes += segment.content_length();
    ++verdict.segments;
  }
  const auto defect = tiling_defect(ranges, task.split);
  if (!defect.empty())
    verdict.add_problem(name + ": its segments do not tile the split " + range_in_words(task.split) + ": " + defect);
}

void check_task(const Manifest& manifest, std::size_t index, Verdict& verdict) {
  const auto& task = manifest.tasks[index];
  const auto name = "task " + std::to_string(task.index);
  if (task.index != index)
    verdict.add_problem("the manifest's task number " + std::to_string(index) + " calls itself " +
                        std::to_string(task.index));
  if (!is_part_file_name(task.part, task.index))
    verdict.add_problem(name + ": its part file is called '" + task.part + "' instead of '" +
                        part_file_name(task.index) + "'");
  if (task.input >= manifest.inputs.size() || task.files > manifest.inputs.size() - task.input)
    verdict.add_problem(name + ": its input number " + std::to_string(std::uint64_t{task.input} + task.files - 1) +
                        " is not in the list of inputs");
  if (!task.split.is_open_ended()) verdict.input_bytes += task.split.end - task.split.begin;
  ++verdict.tasks;
  check_segments(task, name, verdict);
}

void check_input(const output::Input& input, std::vector<ByteRange> splits, Verdict& verdict) {
  std::sort(splits.begin(), splits.end());
  if (const auto length = input.codec == "plain" ? input.size : input.content_bytes;
      input.codec == "plain" || length > 0) {
    const auto defect = tiling_defect(splits, {0, length});
    if (!defect.empty())
      verdict.add_problem("input '" + input.path + "' of " + std::to_string(length) +
                          " bytes is not tiled by its splits: " + defect);
  } else if (splits.size() != 1 || splits.front().begin != 0 || splits.front().is_open_ended()) {
    verdict.add_problem("compressed input '" + input.path + "' is not covered by exactly one split from its begin");
  }
}

using Splits = std::map<std::uint32_t, std::vector<ByteRange>>;  // of each input

// The task of several files has all of each.
void add_group(const Manifest& manifest, const Task& task, Splits& splits, Verdict& verdict) {
  std::uint64_t bytes = 0;
  bool is_plain = true;
  for (std::uint64_t i = task.input; i < std::uint64_t{task.input} + task.files && i < manifest.inputs.size(); ++i) {
    const output::Input& input = manifest.inputs[i];
    is_plain = is_plain && input.codec == "plain";
    splits[static_cast<std::uint32_t>(i)].push_back({0, input.size});
    bytes += input.size;
  }
  const bool is_whole =
      is_plain ? task.split == ByteRange{0, bytes} : task.split.begin == 0 && !task.split.is_open_ended();
  if (!is_whole)
    verdict.add_problem("task " + std::to_string(task.index) + ": its split " + range_in_words(task.split) +
                        " is not all of its " + std::to_string(task.files) + " files, which have " +
                        std::to_string(bytes) + " bytes");
}

}  // namespace

void Verdict::add_problem(std::string problem) {
  if (problems.size() < kProblemsMost)
    problems.push_back(std::move(problem));
  else
    ++problems_untold;
}

void check_structure(const Manifest& manifest, Verdict& verdict) {
  Splits splits;
  std::uint64_t grouped = 0;
  for (std::size_t i = 0; i < manifest.tasks.size(); ++i) {
    const Task& task = manifest.tasks[i];
    check_task(manifest, i, verdict);
    if (task.files > 1) grouped += task.files;
    if (grouped > manifest.inputs.size())
      return verdict.add_problem("the tasks up to number " + std::to_string(i) +
                                 " map more files than there are inputs");
    if (task.files > 1)
      add_group(manifest, task, splits, verdict);
    else
      splits[task.input].push_back(task.split);
  }
  for (std::uint32_t i = 0; i < manifest.inputs.size(); ++i) check_input(manifest.inputs[i], splits[i], verdict);
}

namespace {

constexpr std::size_t kCheckedBytes = 1u << 20;

// Nothing if the bytes cannot be read.
std::optional<std::uint32_t> checksum(int file, const output::Segment& segment, const ByteProgress& read_so_far) {
  const std::uint64_t block = std::min<std::uint64_t>(segment.length, kCheckedBytes);
  FileWindow window(file, segment.offset, segment.offset + segment.length, block);
  std::uint32_t crc = 0;
  for (std::uint64_t done = 0; done < segment.length; read_so_far(done)) {
    const auto more = window.read_more();
    if (!more || more->empty()) return {};
    crc = crc32c(crc, more->data(), more->size());
    done += more->size();
    window.drop(more->size());
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
  if (!opened && faccessat(output.directory(), task.part.c_str(), R_OK, AT_EACCESS) != 0 && errno == EACCES)
    ++verdict.unreadable;
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

// What file systems and desktops leave in any directory that somebody looks at.
bool is_left_by_system(std::string_view name) {
  return name == ".DS_Store" || name == "Thumbs.db" || name == "desktop.ini" || name.starts_with(".nfs") ||
         name.starts_with(".fuse_hidden") || name.starts_with("._");
}

void check_names(const FinishedOutput& output, Verdict& verdict) {
  std::set<std::string> expected{output::kManifestName, output::kSuccessName, output::kLogsName};
  for (const auto& task : output.manifest().tasks) expected.insert(task.part);
  std::set<std::string> unexpected;
  std::error_code error;
  const auto held = "/proc/self/fd/" + std::to_string(output.directory());
  for (std::filesystem::directory_iterator entry(held, error), end; !error && entry != end; entry.increment(error)) {
    auto name = entry->path().filename().string();
    if (!expected.contains(name) && !is_left_by_system(name)) unexpected.insert(std::move(name));
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
