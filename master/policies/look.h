#pragma once
// A look at a View for a policy in another process: tables of numbers and texts, whose columns are described once, in
// look_columns.cpp. Python makes its names of that description and reads the numbers where they arrive; a plan then
// names rows of these tables.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/core/cluster.h"
#include "scheduler/policies/policy.h"

namespace ontime::master {

struct JobRow {
  const scheduler::View* view;
  const scheduler::JobView* job;
  scheduler::math::Durations durations;
  std::size_t first_task = 0;
  std::size_t open_tasks = 0;
};

// A task that is not done.
struct TaskRow {
  std::size_t job_row;
  const scheduler::JobView* job;
  std::uint32_t index;
  std::size_t first_segment = 0;
  std::size_t segments = 0;
  std::size_t first_attempt = 0;
  std::size_t attempts = 0;

  const scheduler::Task& task() const { return job->job->tasks[index]; }
  TaskId id() const { return {job->id, index}; }
};

// One of its open segments.
struct SegmentRow {
  std::size_t task_row;
  TaskId task;
  const scheduler::Segment* segment;
  double completion;
  std::size_t racers = 0;
  bool is_changing = false;
};

// One of its live attempts.
struct AttemptRow {
  std::size_t task_row;
  const scheduler::JobView* job;
  AttemptId id;
  const scheduler::Attempt* attempt;
  scheduler::Pace pace;
  std::optional<std::size_t> node_row;
};

// A task that was done after the look before.
struct DoneRow {
  std::size_t job_row;
  const scheduler::JobView* job;
  std::uint32_t index;
  TimePoint done_at;

  const scheduler::Task& task() const { return job->job->tasks[index]; }
};

struct NodeRow {
  const scheduler::View* view;
  NodeId id;
  const scheduler::Node* node;
};

// A job that the policy saw before and that has ended since.
struct EndedRow {
  JobId id;
  const scheduler::Job* job;
};

// In this order, each thing beside those that it belongs to. Good as long as the view is.
struct Look {
  std::vector<const scheduler::View*> views;  // the one
  std::vector<JobRow> jobs;
  std::vector<TaskRow> tasks;
  std::vector<SegmentRow> segments;
  std::vector<AttemptRow> attempts;
  std::vector<DoneRow> done;
  std::vector<NodeRow> nodes;
  std::vector<EndedRow> ended;
};

// Jobs of the looks before, and which of their tasks were shown as done; no tasks: the job is not planned any more.
using Seen = std::map<JobId, std::vector<bool>>;

// Brings `seen` up to this look.
Look look_at(const scheduler::View& view, Seen& seen);

// [{"name": "jobs", "columns": [["id", "q", "what it holds"], ...]}, ...], in the order of Look. A column holds "q",
// whole numbers of 64 bits with a sign, "d", double precision, or "s", texts.
nlohmann::json tables_of_looks();
// For each table: the number of its rows, 64 bits, and its columns one after the other, all in this machine's byte
// order; then the bytes of all texts. A text's number is where it begins among them, times 2^32, plus its size.
std::string encode(const Look& look);

}  // namespace ontime::master
