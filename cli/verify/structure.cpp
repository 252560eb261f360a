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
  if (task.input >= manifest.inputs.size())
    verdict.add_problem(name + ": its input number " + std::to_string(task.input) + " is not in the list of inputs");
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

}  // namespace

void Verdict::add_problem(std::string problem) {
  if (problems.size() < kProblemsMost)
    problems.push_back(std::move(problem));
  else
    ++problems_untold;
}

void check_structure(const Manifest& manifest, Verdict& verdict) {
  std::map<std::uint32_t, std::vector<ByteRange>> splits;
  for (std::size_t i = 0; i < manifest.tasks.size(); ++i) {
    check_task(manifest, i, verdict);
    splits[manifest.tasks[i].input].push_back(manifest.tasks[i].split);
  }
  for (std::uint32_t i = 0; i < manifest.inputs.size(); ++i) check_input(manifest.inputs[i], splits[i], verdict);
}

}  // namespace ontime::cli
