#include "common/base/ids.h"

#include <cstdio>

#include "common/base/units.h"

namespace ontime {
namespace {

// Digits padded with zeros to five, so that names sort as numbers for the usual sizes of jobs.
std::string padded(std::uint32_t number) {
  char text[16];
  std::snprintf(text, sizeof text, "%05u", number);
  return text;
}

}  // namespace

std::string to_string(JobId id) { return "job-" + std::to_string(id.value); }
std::string to_string(NodeId id) { return "node-" + std::to_string(id.value); }
std::string to_string(TaskId id) { return to_string(id.job) + "/t" + padded(id.index); }
std::string to_string(AttemptId id) { return to_string(id.task) + "/a" + std::to_string(id.number); }

std::string attempt_file_name(AttemptId id) { return "t" + padded(id.task.index) + "-a" + std::to_string(id.number); }

std::string segment_object_name(const std::string& attempt_file, std::uint64_t file_offset) {
  return attempt_file + "." + std::to_string(file_offset);
}

std::string part_file_name(std::uint32_t task_index, const std::string& ending) {
  return "part-m-" + padded(task_index) + ending;
}

bool is_part_file_name(std::string_view name, std::uint32_t task_index) {
  const std::string stem = part_file_name(task_index);
  return name.starts_with(stem) && (name.size() == stem.size() || name[stem.size()] == '.');
}

std::optional<JobId> parse_job_id(std::string_view text) {
  if (text.starts_with("job-")) text.remove_prefix(4);
  const auto number = number_in<std::uint32_t>(text);
  return number && *number > 0 ? std::optional(JobId{*number}) : std::nullopt;
}

}  // namespace ontime
