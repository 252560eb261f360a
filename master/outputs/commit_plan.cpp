#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/compression.h"
#include "master/outputs/output.h"

namespace ontime::master {
namespace {

using scheduler::Task;

// The files, those of a group one after another. `first`: for each input, the index of its first file.
std::vector<output::Input> manifest_inputs(const scheduler::JobSpec& spec, std::vector<std::uint32_t>& first) {
  std::vector<output::Input> files;
  files.reserve(scheduler::count_files(spec));
  for (const scheduler::InputFile& input : spec.inputs) {
    first.push_back(static_cast<std::uint32_t>(files.size()));
    for (const scheduler::InputPart& part : input.parts)
      files.push_back({part.path, part.size, part.version, name_of(part.codec)});
    if (input.parts.empty())
      files.push_back({input.path, input.size, input.version, name_of(input.codec), input.content_bytes});
  }
  return files;
}

// What all part files of a job have in common.
struct PartsLook {
  std::string ending;  // of their names
  bool are_compressed = false;
};

output::Task manifest_task(const std::map<NodeId, std::string>& node_names, TaskId id, const Task& task,
                           const PartsLook& look) {
  output::Task result;
  result.index = id.index;
  result.split = task.ledger.split();
  result.part = part_file_name(id.index, look.ending);
  std::uint64_t offset = 0;
  for (const scheduler::Segment& segment : task.ledger.segments()) {
    ONTIME_CHECK(segment.sealed, "only a job whose segments are sealed is committed");
    const auto node = node_names.find(task.attempts.at(segment.attempt).node);
    result.segments.push_back(
        {segment.range, attempt_file_name({id, segment.attempt}),
         node == node_names.end() ? std::string() : node->second, offset, segment.output.length, segment.output.records,
         segment.output.crc32c,
         look.are_compressed ? std::optional<std::uint64_t>(+segment.output.content_length) : std::nullopt});
    offset += segment.output.length;
  }
  return result;
}

Part make_part(TaskId id, const Task& task, const PartsLook& look) {
  Part part;
  part.name = part_file_name(id.index, look.ending);
  const std::uint32_t attempt = task.ledger.segments().front().attempt;
  bool is_alone = true;  // also segments without output: an attempt that lost them may still be writing to the file
  bool is_whole = true;  // its segments lie in the part as in the file
  for (const scheduler::Segment& segment : task.ledger.segments()) {
    is_alone = is_alone && segment.attempt == attempt;
    if (segment.output.length == 0) continue;
    is_whole = is_whole && segment.output.file_offset == part.length;
    part.length += segment.output.length;
    part.extents.push_back(
        {attempt_file_name({id, segment.attempt}), segment.output.file_offset, segment.output.length});
  }
  part.may_rename = is_alone && is_whole && !part.extents.empty() &&
                    task.attempts.at(attempt).state == scheduler::AttemptState::Succeeded;
  return part;
}

}  // namespace

// As if the input were empty, but for its length.
void empty(output::Task& task) {
  output::Segment whole = task.segments.front();
  whole.range = task.split;
  whole.offset = whole.length = whole.records = 0;
  whole.crc32c = 0;
  if (whole.compressed_from) whole.compressed_from = 0;
  task.segments = {std::move(whole)};
}

CommitPlan make_commit_plan(const scheduler::action::CommitOutput& commit) {
  const scheduler::JobSpec& spec = *commit.spec;
  const std::span<const Task> tasks = commit.tasks.list;
  CommitPlan plan;
  output::Manifest& manifest = plan.manifest;
  manifest.claim = spec.claim;
  manifest.job = to_string(commit.job);
  manifest.owner = spec.owner;
  manifest.application = spec.application;
  manifest.parameters.insert(spec.parameters.begin(), spec.parameters.end());
  manifest.policy = spec.policy;
  if (const auto compression = read_compression(spec.compress)) manifest.codec = compression->codec;
  for (const auto& [key, value] : commit.counters)
    manifest.counters[key.first][key.second] = static_cast<std::int64_t>(value);
  std::vector<std::uint32_t> first_files;
  manifest.inputs = manifest_inputs(spec, first_files);
  for (const auto& [path, why] : spec.skip.inputs) manifest.left_out.push_back({path, why});
  for (const auto& [file, why] : commit.left_out) manifest.left_out.push_back({spec.inputs[file].path, why});
  const PartsLook look{parts_ending(spec), manifest.codec != Codec::Plain};
  plan.parts.reserve(tasks.size());
  manifest.tasks.reserve(tasks.size());
  for (std::uint32_t index = 0; index < tasks.size(); ++index) {
    const TaskId task{commit.job, index};
    const bool is_left_out = commit.left_out.contains(tasks[index].file);
    plan.parts.push_back(is_left_out ? Part{part_file_name(index, look.ending), 0, {}, false}
                                     : make_part(task, tasks[index], look));
    output::Task& written = manifest.tasks.emplace_back(manifest_task(commit.node_names, task, tasks[index], look));
    if (is_left_out) empty(written);
    written.input = first_files.at(tasks[index].file);
    written.files = std::max<std::uint32_t>(static_cast<std::uint32_t>(spec.inputs[tasks[index].file].parts.size()), 1);
  }
  return plan;
}

}  // namespace ontime::master
