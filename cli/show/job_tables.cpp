// The tables of `ontime jobs`, `job` and `nodes` (declared in job_text.h), from the fields that --json shows.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/show/job_json.h"
#include "cli/show/job_text.h"
#include "cli/show/lateness.h"
#include "cli/show/table.h"
#include "common/base/ids.h"
#include "common/base/units.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;

using Cut = Table::Cut;

enum class Unit { Text, Number, Bytes, Seconds, Nanoseconds };

// A column shows one field of each row's JSON value.
struct Shown {
  const char* title;
  const char* field;  // a JSON pointer
  Unit unit = Unit::Text;
  Cut cut = Cut::No;
  int rank = 0;  // as Table::Column's
};

// Failed and lost red, succeeded green, what somebody ended or took out yellow.
Colour colour_of_state(std::string_view state) {
  if (state == "failed" || state == "lost" || state == "late") return Colour::Red;
  if (state == "succeeded") return Colour::Green;
  if (state == "killed" || state == "draining" || state == "drained" || state == "at risk") return Colour::Yellow;
  return Colour::None;
}

// What the colour of a cell in this column tells of the row.
std::string state_in(const Json& row, std::string_view title, const std::string& cell) {
  if (title == "STATE") return cell;
  return title == "DEADLINE" && row["lateness"].is_string() ? row["lateness"].get<std::string>() : "";
}

std::string cell_of(const Json& row, const Shown& column) {
  const Json::json_pointer field(column.field);
  if (!row.contains(field)) return "";
  const Json& value = row.at(field);
  if (value.is_null()) return "-";
  if (column.unit == Unit::Bytes) return format_size(value.get<std::uint64_t>());
  if (column.unit == Unit::Nanoseconds) return format_duration(Duration(value.get<std::int64_t>()));
  if (column.unit == Unit::Seconds) return format_duration(Duration(std::llround(value.get<double>() * 1e9)));
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string table_of(const std::vector<Shown>& columns, const std::vector<Json>& rows, const char* if_empty,
                     Look look) {
  std::vector<Table::Column> titles;
  for (const Shown& column : columns)
    titles.push_back({column.title, column.unit == Unit::Text ? Align::Left : Align::Right, column.cut, column.rank});
  Table table(std::move(titles));
  for (const Json& row : rows) {
    std::vector<Table::Cell> cells;
    for (const Shown& column : columns) {
      const std::string cell = cell_of(row, column);
      cells.emplace_back(cell, colour_of_state(state_in(row, column.title, cell)));
    }
    table.add_row(std::move(cells));
  }
  return table.empty() ? if_empty : table.to_string(look);
}

std::string range_text(const Json& range) {
  return range["begin"].dump() + ".." + (range["end"].is_null() ? "end" : range["end"].dump());
}

// "2 sealed, 1 open"
std::string segments_text(const Json& task) {
  std::map<std::string, int, std::greater<>> counts;
  for (const Json& segment : task["segments"]) ++counts[segment["state"].get<std::string>()];
  std::string text;
  for (const auto& [state, count] : counts) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + state;
  return text;
}

// "1.4/2" and "3.1 GiB/8.0 GiB".
void add_machine(const wire::MachineUse& use, Json& row) {
  std::array<char, 32> cpu{};
  std::snprintf(cpu.data(), cpu.size(), "%.1f/%u", use.busy_cores(), use.cores());
  row["cpu"] = cpu.data();
  row["memory"] = format_size(use.used_bytes()) + "/" + format_size(use.memory_bytes());
}

// "node-3 (w3) is held back as slow for 43 s more: its last 4 attempts ..."
std::string hold_text(const wire::NodeSummary& node) {
  return printable(to_string(NodeId{node.node()}) + " (" + node.name() + ") is held back as " + node.hold().cause() +
                   " for " + format_duration(Duration(node.hold().left_ns())) + " more: " + node.hold().reason()) +
         "\n";
}

Json job_row(const wire::JobSummary& job) {
  Json row = job_value(job);
  row["standing"] = lateness_text(job);
  row["set"] = settings_text(job);
  row["progress"] = std::to_string(job.tasks_done()) + "/" + std::to_string(job.tasks());
  row["done"] = std::to_string(static_cast<int>(fraction_done(progress_of(job)) * 100)) + "%";
  row["submitted"] = local_time(job.submitted_unix_ns());
  row["plans"] = job.settings().policy() + (job.policy_chosen().empty() ? "" : ": " + job.policy_chosen());
  return row;
}

// What a task's first row says of it.
Json task_row(Json task) {
  const auto path = task["path"].get<std::string>();
  task["task"] = task_name(task["task"].get<std::uint32_t>());
  task["file"] = path.substr(path.rfind('/') + 1);
  task["split"] = range_text(task);
  task["parts"] = segments_text(task);
  task.erase("attempts");
  return task;
}

Json attempt_row(Json attempt) {
  const auto message = attempt["message"].get<std::string>();
  attempt["attempt"] = "a" + attempt["attempt"].dump() + (attempt["speculative"].get<bool>() ? "*" : "");
  attempt["message"] = message.substr(0, message.find('\n'));
  // From the launch to the end; of one that goes on, nothing: this program's clock need not be the master's.
  if (!attempt["ended_unix_ns"].is_null() && !attempt["launched_unix_ns"].is_null()) {
    attempt["time"] = format_duration(
        Duration(attempt["ended_unix_ns"].get<std::int64_t>() - attempt["launched_unix_ns"].get<std::int64_t>()));
  }
  return attempt;
}

}  // namespace

std::string jobs_table(const wire::Reply::Jobs& jobs, Look look) {
  std::vector<Shown> columns{{"JOB", "/job"},
                             {"OWNER", "/owner", Unit::Text, Cut::End, 6},
                             {"APPLICATION", "/application", Unit::Text, Cut::End},
                             {"PARAMETERS", "/set", Unit::Text, Cut::End, 4},
                             {"POLICY", "/plans", Unit::Text, Cut::End, 7},
                             {"STATE", "/state"},
                             {"TASKS", "/progress", Unit::Number, Cut::No, 3},
                             {"DONE", "/done", Unit::Number},
                             {"INPUT", "/input_bytes", Unit::Bytes, Cut::No, 8},
                             {"ELAPSED", "/elapsed_seconds", Unit::Seconds, Cut::No, 2},
                             {"DEADLINE", "/standing"},
                             {"SUBMITTED", "/submitted", Unit::Text, Cut::No, 5},
                             {"OUTPUT", "/output", Unit::Text, Cut::Begin, 9}};
  std::vector<Json> rows;
  for (const auto& job : jobs.jobs()) rows.push_back(job_row(job));
  const bool have_names =
      std::ranges::any_of(jobs.jobs(), [](const auto& job) { return !job.settings().name().empty(); });
  if (have_names) columns.insert(columns.begin() + 1, {"NAME", "/name", Unit::Text, Cut::End});
  std::string text = table_of(columns, rows, "no jobs\n", look);
  if (rows.empty() || jobs.older() == 0) return text;
  return text + "and " + std::to_string(jobs.older()) + " older; 'ontime jobs --latest 0' lists all\n";
}

std::string nodes_table(const wire::Reply::Nodes& nodes, Look look) {
  static const std::vector<Shown> columns{{"NODE", "/node"},
                                          {"NAME", "/name", Unit::Text, Cut::End},
                                          {"HOST", "/host", Unit::Text, Cut::End, 1},
                                          {"STATE", "/state"},
                                          {"SLOTS", "/slots", Unit::Number},
                                          {"BUSY", "/busy", Unit::Number},
                                          {"CPU", "/cpu", Unit::Number, Cut::No, 3},
                                          {"MEMORY", "/memory", Unit::Number, Cut::No, 2},
                                          {"SILENT", "/silent_seconds", Unit::Seconds},
                                          {"FAILED", "/attempts_failed", Unit::Number},
                                          {"HELD", "/cause"}};
  std::vector<Json> rows;
  std::string holds;
  for (const auto& node : nodes.nodes()) {
    rows.push_back(node_value(node));
    if (node.has_machine()) add_machine(node.machine(), rows.back());
    rows.back()["cause"] = node.has_hold() ? Json(node.hold().cause()) : Json(nullptr);
    if (node.has_hold()) holds += hold_text(node);
  }
  return table_of(columns, rows, "no workers; 'ontime-worker --master HOST:PORT' starts one\n", look) + holds;
}

std::string accounts_table(const wire::Reply::Jobs& jobs, Look look) {
  static const std::vector<Shown> columns{{"POLICY", "/policy"},
                                          {"JOBS", "/jobs", Unit::Number},
                                          {"MAPPED", "/bytes/mapped", Unit::Bytes},
                                          {"USEFUL", "/bytes/useful", Unit::Bytes},
                                          {"DUPLICATED", "/bytes/duplicated", Unit::Bytes},
                                          {"DROPPED", "/bytes/dropped", Unit::Bytes},
                                          {"MACHINE", "/machine_ns/total", Unit::Nanoseconds},
                                          {"OF USE", "/machine_ns/useful", Unit::Nanoseconds},
                                          {"LAUNCH", "/machine_ns/launch", Unit::Nanoseconds},
                                          {"SAVED", "/saved/ns", Unit::Nanoseconds}};
  std::vector<Json> rows;
  for (const auto& policy : jobs.accounts()) {
    rows.push_back(account_value(policy.account()));
    rows.back()["policy"] = policy.policy();
    rows.back()["jobs"] = policy.jobs();
  }
  return table_of(columns, rows, "no jobs\n", look);
}

std::string tasks_table(const wire::Reply::Job& job, Look look) {
  static const std::vector<Shown> columns{{"TASK", "/task"},
                                          {"FILE", "/file", Unit::Text, Cut::Begin, 2},
                                          {"SPLIT", "/split", Unit::Text, Cut::No, 4},
                                          {"STATE", "/state"},
                                          {"SEGMENTS", "/parts", Unit::Text, Cut::No, 3},
                                          {"ATTEMPT", "/try/attempt"},
                                          {"NODE", "/try/node_name", Unit::Text, Cut::End},
                                          {"STATE", "/try/state"},
                                          {"FROM", "/try/start_offset", Unit::Number, Cut::No, 5},
                                          {"OFFSET", "/try/offset", Unit::Number, Cut::No, 1},
                                          {"TIME", "/try/time", Unit::Number},
                                          {"MESSAGE", "/try/message", Unit::Text, Cut::End}};
  std::vector<Json> rows;
  for (const auto& detail : job.tasks()) {
    const Json task = task_value(detail);
    Json row = task_row(task);
    if (task["attempts"].empty()) rows.push_back(row);
    for (const Json& attempt : task["attempts"]) {
      row["try"] = attempt_row(attempt);
      rows.push_back(std::move(row));
      row = Json::object();
    }
  }
  return table_of(columns, rows, "no tasks\n", look);
}

std::string segments_table(const wire::Reply::Job& job, Look look) {
  static const std::vector<Shown> columns{{"TASK", "/task"},
                                          {"SEGMENT", "/range"},
                                          {"STATE", "/state"},
                                          {"ATTEMPT", "/name"},
                                          {"RECORDS", "/records", Unit::Number},
                                          {"OUTPUT", "/output_bytes", Unit::Bytes}};
  std::vector<Json> rows;
  for (const auto& detail : job.tasks()) {
    const Json task = task_value(detail);
    for (Json segment : task["segments"]) {
      segment["task"] = task_name(detail.index());
      segment["range"] = range_text(segment);
      if (segment["attempt"].is_null()) {  // it is open: there is nothing to say of it yet
        segment.erase("records");
        segment.erase("output_bytes");
      } else {
        segment["name"] = "a" + segment["attempt"].dump();
      }
      rows.push_back(std::move(segment));
    }
  }
  return table_of(columns, rows, "no segments\n", look);
}

std::string more_tasks_text(const std::string& command, std::uint32_t next_task) {
  return "perhaps more: '" + command + " --first " + std::to_string(next_task) + "' goes on, '" + command +
         " --tasks 0' lists all\n";
}

}  // namespace ontime::cli
