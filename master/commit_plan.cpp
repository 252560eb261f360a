#include "master/commit_plan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/check.h"

namespace ontime::master {
namespace {

using scheduler::Job;
using scheduler::Task;

const char* name_of(scheduler::Codec codec) {
  switch (codec) {
    case scheduler::Codec::Plain:
      return "plain";
    case scheduler::Codec::Gzip:
      return "gzip";
    case scheduler::Codec::Zstd:
      return "zstd";
  }
  return "unknown";
}

output::Task manifest_task(const scheduler::Cluster& cluster, TaskId id, const Task& task) {
  output::Task result;
  result.index = id.index;
  result.input = task.file;
  result.split = task.ledger.split();
  result.part = part_file_name(id.index);
  std::uint64_t offset = 0;
  for (const scheduler::Segment& segment : task.ledger.segments()) {
    ONTIME_CHECK(segment.sealed, "only a job whose segments are sealed is committed");
    const scheduler::Node* node = cluster.find_node(task.attempts.at(segment.attempt).node);
    result.segments.push_back({segment.range, attempt_file_name({id, segment.attempt}),
                               node == nullptr ? std::string() : node->name, offset, segment.output.length,
                               segment.output.records, segment.output.crc32c});
    offset += segment.output.length;
  }
  return result;
}

Part make_part(TaskId id, const Task& task) {
  Part part;
  part.name = part_file_name(id.index);
  const std::uint32_t attempt = task.ledger.segments().front().attempt;
  bool is_alone = true;  // also segments without output: an attempt that lost them may still be writing to the file
  for (const scheduler::Segment& segment : task.ledger.segments()) {
    is_alone = is_alone && segment.attempt == attempt;
    if (segment.output.length == 0) continue;
    part.length += segment.output.length;
    Piece piece{attempt_file_name({id, segment.attempt}), segment.output.file_offset, segment.output.length};
    Piece* last = part.pieces.empty() ? nullptr : &part.pieces.back();
    if (last != nullptr && last->file == piece.file && last->offset + last->length == piece.offset) {
      last->length += piece.length;
    } else {
      part.pieces.push_back(std::move(piece));
    }
  }
  part.may_rename = is_alone && part.pieces.size() == 1 && part.pieces.front().offset == 0 &&
                    task.attempts.at(attempt).state == scheduler::AttemptState::Succeeded;
  return part;
}

}  // namespace

CommitPlanner::CommitPlanner(const scheduler::Cluster& cluster, JobId id) : cluster_(cluster), id_(id) {
  const Job& job = *cluster.find_job(id);
  plan_.directory = job.spec.output;
  output::Manifest& manifest = plan_.manifest;
  manifest.claim = job.spec.claim;
  manifest.job = to_string(id);
  manifest.application = job.spec.application;
  manifest.parameters.insert(job.spec.parameters.begin(), job.spec.parameters.end());
  manifest.policy = job.spec.policy;
  for (const auto& [key, value] : job.counters) manifest.counters[key.first][key.second] = value;
  manifest.inputs.reserve(job.spec.inputs.size());
  plan_.parts.reserve(job.tasks.size());
  manifest.tasks.reserve(job.tasks.size());
}

bool CommitPlanner::add(std::size_t count) {
  const Job& job = *cluster_.find_job(id_);
  for (; next_input_ < job.spec.inputs.size(); ++next_input_) {
    if (count-- == 0) return false;
    const scheduler::InputFile& input = job.spec.inputs[next_input_];
    plan_.manifest.inputs.push_back({input.path, input.size, input.mtime_ns, name_of(input.codec)});
  }
  for (; next_task_ < job.tasks.size(); ++next_task_) {
    if (count-- == 0) return false;
    const TaskId task{id_, next_task_};
    plan_.parts.push_back(make_part(task, job.tasks[next_task_]));
    plan_.manifest.tasks.push_back(manifest_task(cluster_, task, job.tasks[next_task_]));
  }
  return true;
}

CommitPlan make_commit_plan(const scheduler::Cluster& cluster, JobId id) {
  CommitPlanner planner(cluster, id);
  planner.add(std::numeric_limits<std::size_t>::max());
  return planner.take();
}

}  // namespace ontime::master
