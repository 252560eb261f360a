#include <algorithm>
#include <map>

#include "cli/verify/verify.h"
#include "common/base/ids.h"

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
  if (task.part != part_file_name(task.index))
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
  for (std::uint64_t i = task.input; i < std::uint64_t{task.input} + task.files && i < manifest.inputs.size(); ++i) {
    const output::Input& input = manifest.inputs[i];
    if (input.codec != "plain")
      verdict.add_problem("input '" + input.path + "' is not plain, and task " + std::to_string(task.index) +
                          " maps it with other files");
    splits[static_cast<std::uint32_t>(i)].push_back({0, input.size});
    bytes += input.size;
  }
  if (task.split != ByteRange{0, bytes})
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

}  // namespace ontime::cli
