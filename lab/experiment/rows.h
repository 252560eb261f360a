#pragma once
// Results of runs, as rows of tables. Instants are seconds after the run's beginning, NaN: not known or never. The
// files hold them with Digits::Millionths (lab/results/rows.h).

#include <cstdint>
#include <string>
#include <vector>

#include "lab/results/rows.h"

namespace ontime::lab::experiment {

// Whose row it is.
struct RowKey {
  std::string policy;
  std::uint32_t repetition = 0;
  std::uint32_t job = 0;  // in order of submission, from 1 on: the same job under every policy

  // A row that is so far only that.
  template <class Row>
  Row begin() const {
    Row row;
    static_cast<RowKey&>(row) = *this;
    return row;
  }
  template <class Row, class Visit>
  static void key_fields(Row& row, Visit&& visit) {
    visit_all(visit, "policy", row.policy, "repetition", row.repetition, "job", row.job);
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

  template <class Row, class Visit>
  static void fields(Row& row, Visit&& visit) {
    key_fields(row, visit);
    visit_all(visit, "group", row.group, "kind", row.kind, "tasks", row.tasks);
    visit_all(visit, "planned_s", row.planned, "submitted_s", row.submitted, "ended_s", row.ended, "time_s", row.time);
    visit_all(visit, "deadline_s", row.deadline, "met", row.met, "state", row.state);
    visit_all(visit, "attempts", row.attempts, "copies", row.copies);
    visit_all(visit, "input_bytes", row.input_bytes, "mapped_bytes", row.mapped_bytes);
    visit_all(visit, "duplicated_bytes", row.duplicated_bytes, "dropped_bytes", row.dropped_bytes);
    visit_all(visit, "resumed_bytes", row.resumed_bytes, "machine_s", row.machine, "launch_s", row.launch, "records",
              row.records);
  }
};

struct TaskRow : RowKey {
  std::uint32_t task = 0;
  std::uint64_t split_bytes = 0;
  std::string state;
  double ended = 0;  // of the last attempt that sealed something of it
  std::uint32_t attempts = 0;
  std::uint32_t segments = 0;

  template <class Row, class Visit>
  static void fields(Row& row, Visit&& visit) {
    key_fields(row, visit);
    visit_all(visit, "task", row.task, "split_bytes", row.split_bytes, "state", row.state);
    visit_all(visit, "ended_s", row.ended, "attempts", row.attempts, "segments", row.segments);
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

  template <class Row, class Visit>
  static void fields(Row& row, Visit&& visit) {
    key_fields(row, visit);
    visit_all(visit, "task", row.task, "attempt", row.attempt, "speculative", row.speculative);
    visit_all(visit, "node", row.node, "state", row.state);
    visit_all(visit, "launched_s", row.launched, "started_s", row.started, "ended_s", row.ended);
    visit_all(visit, "from_offset_bytes", row.from, "to_offset_bytes", row.to, "sealed_bytes", row.sealed);
  }
};

// Speculative attempts by the reason of the decision.
struct CopyRow : RowKey {
  std::string reason;
  std::uint32_t decisions = 0;
  std::uint32_t attempts = 0;

  template <class Row, class Visit>
  static void fields(Row& row, Visit&& visit) {
    key_fields(row, visit);
    visit_all(visit, "reason", row.reason, "decisions", row.decisions, "attempts", row.attempts);
  }
};

// What was expected of a running job.
struct ForecastRow : RowKey {
  double share = 0;  // of the deadline that had passed
  double pocd = 0;   // predicted; NaN: nothing could be said
  bool met = false;  // whether the job did

  template <class Row, class Visit>
  static void fields(Row& row, Visit&& visit) {
    key_fields(row, visit);
    visit_all(visit, "share_of_deadline", row.share, "predicted_pocd", row.pocd, "met", row.met);
  }
};

struct Results {
  std::vector<JobRow> jobs;
  std::vector<TaskRow> tasks;
  std::vector<AttemptRow> attempts;
  std::vector<CopyRow> copies;
  std::vector<ForecastRow> forecasts;

  // Each table with the name of its file.
  template <class Tables, class Visit>
  static void tables(Tables& results, Visit&& visit) {
    visit("jobs.csv", results.jobs);
    visit("tasks.csv", results.tasks);
    visit("attempts.csv", results.attempts);
    visit("copies.csv", results.copies);
    visit("forecasts.csv", results.forecasts);
  }

  void append(const Results& more) {
    const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    add(jobs, more.jobs);
    add(tasks, more.tasks);
    add(attempts, more.attempts);
    add(copies, more.copies);
    add(forecasts, more.forecasts);
  }
};

}  // namespace ontime::lab::experiment
