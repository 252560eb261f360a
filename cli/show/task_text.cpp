// The tables of `ontime job` that go into tasks (declared in job_text.h).
#include <algorithm>
#include <map>

#include "cli/show/job_text.h"
#include "cli/show/table.h"
#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/units.h"

namespace ontime::cli {
namespace {

std::string task_name(std::uint32_t index) {
  const auto name = attempt_file_name(AttemptId{TaskId{JobId{0}, index}, 0});
  return name.substr(0, name.find('-'));
}

std::string range_text(const wire::Range& range) {
  return std::to_string(range.begin()) + ".." + (range.end() == kUnknownEnd ? "end" : std::to_string(range.end()));
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "2 sealed, 1 open"
std::string segments_text(const wire::TaskDetail& task) {
  std::map<std::string, int, std::greater<>> counts;
  for (const auto& segment : task.segments()) ++counts[segment.state()];
  std::string text;
  for (const auto& [state, count] : counts) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + state;
  return text;
}

// From the launch to the end; of one that goes on, nothing: this program's clock need not be the master's.
std::string time_text(const wire::AttemptDetail& attempt) {
  if (attempt.ended_unix_ns() == 0 || attempt.launched_unix_ns() == 0) return "";
  return format_duration(Duration(attempt.ended_unix_ns() - attempt.launched_unix_ns()));
}

bool is_shown(const wire::TaskDetail& task, bool open_only) { return !open_only || task.state() != "done"; }

std::vector<std::string> attempt_cells(const wire::AttemptDetail& attempt) {
  return {"a" + std::to_string(attempt.number()) + (attempt.speculative() ? "*" : ""),
          attempt.node_name(),
          attempt.state(),
          std::to_string(attempt.start_offset()),
          std::to_string(attempt.offset()),
          time_text(attempt),
          attempt.message().substr(0, attempt.message().find('\n'))};
}

}  // namespace

std::string tasks_table(const wire::Reply::Job& job, bool open_only) {
  Table table({{"TASK"},
               {"FILE"},
               {"SPLIT"},
               {"STATE"},
               {"SEGMENTS"},
               {"ATTEMPT"},
               {"NODE"},
               {"STATE"},
               {"FROM", Align::Right},
               {"OFFSET", Align::Right},
               {"TIME", Align::Right},
               {"MESSAGE"}});
  for (const auto& task : job.tasks()) {
    if (!is_shown(task, open_only)) continue;
    std::vector<std::string> row{task_name(task.index()), file_name(task.path()), range_text(task.split()),
                                 task.state(), segments_text(task)};
    if (task.attempts().empty()) {
      row.resize(12);
      table.add_row(row);
    }
    for (const auto& attempt : task.attempts()) {
      const auto cells = attempt_cells(attempt);
      row.insert(row.end(), cells.begin(), cells.end());
      table.add_row(row);
      row.assign(5, "");
    }
  }
  return table.empty() ? "no tasks\n" : table.to_string();
}

std::string segments_table(const wire::Reply::Job& job, bool open_only) {
  Table table({{"TASK"}, {"SEGMENT"}, {"STATE"}, {"ATTEMPT"}, {"RECORDS", Align::Right}, {"OUTPUT", Align::Right}});
  for (const auto& task : job.tasks()) {
    if (!is_shown(task, open_only)) continue;
    for (const auto& segment : task.segments()) {
      const bool is_sealed = segment.state() == "sealed";
      table.add_row({task_name(task.index()), range_text(segment.range()), segment.state(),
                     is_sealed ? "a" + std::to_string(segment.attempt()) : "",
                     is_sealed ? std::to_string(segment.records()) : "",
                     is_sealed ? format_size(segment.output_bytes()) : ""});
    }
  }
  return table.empty() ? "no segments\n" : table.to_string();
}

}  // namespace ontime::cli
