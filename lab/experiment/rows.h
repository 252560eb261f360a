#pragma once
// Results of runs, as rows of tables. Instants are seconds after the run's beginning, NaN: not known or never. Each
// row lists its columns once, for writing and reading; names carry the unit.

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace ontime::lab::experiment {

// Whose row it is.
struct RowKey {
  std::string policy;
  std::uint32_t repetition = 0;
  std::uint32_t job = 0;  // in order of submission, from 1 on: the same job under every policy

  template <class Visit>
  void key_fields(Visit&& visit) {
    visit("policy", policy);
    visit("repetition", repetition);
    visit("job", job);
  }
};

struct JobRow : RowKey {
  std::string group;
  std::string kind;  // counted, noise, warm-up
  std::uint32_t tasks = 0;
  double planned = 0;
  double submitted = 0;
  double ended = 0;
  double time = 0;
  double deadline = 0;  // 0: none
  bool met = false;     // succeeded, and in time
  std::string state;    // succeeded, failed, killed, unfinished
  std::uint32_t attempts = 0;
  std::uint32_t copies = 0;  // of the attempts: speculative
  std::uint64_t input_bytes = 0;
  std::uint64_t mapped_bytes = 0;
  std::uint64_t duplicated_bytes = 0;
  std::uint64_t dropped_bytes = 0;
  std::uint64_t resumed_bytes = 0;  // not mapped again because an attempt went on from an offset
  double machine = 0;               // slot-seconds of its attempts
  double launch = 0;                // of them: before the first record
  std::uint64_t records = 0;

  bool is_counted() const { return kind == "counted"; }
  bool has_ended() const { return state != "unfinished"; }

  template <class Visit>
  void fields(Visit&& visit) {
    key_fields(visit);
    visit("group", group);
    visit("kind", kind);
    visit("tasks", tasks);
    visit("planned_s", planned);
    visit("submitted_s", submitted);
    visit("ended_s", ended);
    visit("time_s", time);
    visit("deadline_s", deadline);
    visit("met", met);
    visit("state", state);
    visit("attempts", attempts);
    visit("copies", copies);
    visit("input_bytes", input_bytes);
    visit("mapped_bytes", mapped_bytes);
    visit("duplicated_bytes", duplicated_bytes);
    visit("dropped_bytes", dropped_bytes);
    visit("resumed_bytes", resumed_bytes);
    visit("machine_s", machine);
    visit("launch_s", launch);
    visit("records", records);
  }
};

struct TaskRow : RowKey {
  std::uint32_t task = 0;
  std::uint64_t split_bytes = 0;
  std::string state;
  double ended = 0;  // of the last attempt that sealed something of it
  std::uint32_t attempts = 0;
  std::uint32_t segments = 0;

  template <class Visit>
  void fields(Visit&& visit) {
    key_fields(visit);
    visit("task", task);
    visit("split_bytes", split_bytes);
    visit("state", state);
    visit("ended_s", ended);
    visit("attempts", attempts);
    visit("segments", segments);
  }
};

struct AttemptRow : RowKey {
  std::uint32_t task = 0;
  std::uint32_t attempt = 0;
  bool speculative = false;
  std::string node;
  std::string state;  // succeeded, failed, killed, lost
  double launched = 0;
  double started = 0;  // first record
  double ended = 0;
  std::uint64_t from = 0;    // where it began, counted from the begin of the split
  std::uint64_t to = 0;      // how far it came, likewise
  std::uint64_t sealed = 0;  // bytes of the input that the answer has from it: 0: all of it was wasted

  template <class Visit>
  void fields(Visit&& visit) {
    key_fields(visit);
    visit("task", task);
    visit("attempt", attempt);
    visit("speculative", speculative);
    visit("node", node);
    visit("state", state);
    visit("launched_s", launched);
    visit("started_s", started);
    visit("ended_s", ended);
    visit("from_offset_bytes", from);
    visit("to_offset_bytes", to);
    visit("sealed_bytes", sealed);
  }
};

// Speculative attempts by the reason of the decision.
struct CopyRow : RowKey {
  std::string reason;
  std::uint32_t decisions = 0;
  std::uint32_t attempts = 0;

  template <class Visit>
  void fields(Visit&& visit) {
    key_fields(visit);
    visit("reason", reason);
    visit("decisions", decisions);
    visit("attempts", attempts);
  }
};

// What was expected of a running job.
struct ForecastRow : RowKey {
  double share = 0;  // of the deadline that had passed
  double pocd = 0;   // predicted; NaN: nothing could be said
  bool met = false;  // whether the job did

  template <class Visit>
  void fields(Visit&& visit) {
    key_fields(visit);
    visit("share_of_deadline", share);
    visit("predicted_pocd", pocd);
    visit("met", met);
  }
};

struct Results {
  std::vector<JobRow> jobs;
  std::vector<TaskRow> tasks;
  std::vector<AttemptRow> attempts;
  std::vector<CopyRow> copies;
  std::vector<ForecastRow> forecasts;

  void append(const Results& more);
};

// Busy slots of one run, at equal distances from the first submission of a counted job to the end of the last one.
struct UsePoint {
  double at = 0;
  double busy = 0;
};
std::vector<UsePoint> use_over_time(const std::vector<AttemptRow>& attempts, double begin, double end,
                                    std::size_t points = 200);

// Rows as comma-separated text with a line of titles, and back.
std::string csv_of(std::vector<JobRow> rows);
std::string csv_of(std::vector<TaskRow> rows);
std::string csv_of(std::vector<AttemptRow> rows);
std::string csv_of(std::vector<CopyRow> rows);
std::string csv_of(std::vector<ForecastRow> rows);

// One table by its file name: "jobs.csv" and so on.
struct NamedTable {
  std::string name;
  std::string text;
};
std::vector<NamedTable> tables_of(const Results& results);
// BadInput, with table and line, for what tables_of() has not written.
Result<Results> results_of(const std::vector<NamedTable>& tables);
const std::vector<std::string>& table_names();

}  // namespace ontime::lab::experiment
