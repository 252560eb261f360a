#pragma once
// Strong identifiers. Ids come from counters in the scheduler's state, never from a random source, so that the same
// events give the same ids. All of them order and print; none converts to another.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ontime {

template <class Tag>
struct Id {
  std::uint32_t value = 0;
  auto operator<=>(const Id&) const = default;
};

using JobId = Id<struct JobTag>;    // counts from 1 in order of submission; 0 is no job
using NodeId = Id<struct NodeTag>;  // counts from 1 in order of first registration; 0 is no node

// One map task: the mapping of one split.
struct TaskId {
  JobId job;
  std::uint32_t index = 0;  // counts from 0 in input order
  auto operator<=>(const TaskId&) const = default;
};

// One execution that works on segments of a task.
struct AttemptId {
  TaskId task;
  std::uint32_t number = 0;  // counts from 0 in order of launch; 0 is the original
  auto operator<=>(const AttemptId&) const = default;
};

std::string to_string(JobId id);      // "job-7"
std::string to_string(NodeId id);     // "node-2"
std::string to_string(TaskId id);     // "job-7/t00003"
std::string to_string(AttemptId id);  // "job-7/t00003/a1"

// The name of an attempt's output file below OUT/_attempts: "t00003-a1".
std::string attempt_file_name(AttemptId id);
// The name of the object that a segment's output is in a store, below OUT/_attempts: "t00003-a1.4096". `file_offset`:
// in the attempt's file.
std::string segment_object_name(const std::string& attempt_file, std::uint64_t file_offset);
// The name of a task's file in a committed output directory: "part-m-00003", or with an ending
// "part-m-00003.jsonl.zst".
std::string part_file_name(std::uint32_t task_index, const std::string& ending = {});
// Whether it is one of them, whatever it ends in.
bool is_part_file_name(std::string_view name, std::uint32_t task_index);

// Accepts "job-7" and "7"; nothing for any other text.
std::optional<JobId> parse_job_id(std::string_view text);

}  // namespace ontime
