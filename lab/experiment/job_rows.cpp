#include "lab/experiment/job_rows.h"

#include <algorithm>
#include <limits>
#include <map>

#include "common/base/time.h"
#include "common/protocol/job_state.h"

namespace ontime::lab::experiment {
namespace {

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

double instant(const JobContext& context, std::int64_t unix_ns) {
  return seconds(Duration(unix_ns - context.begin_unix_ns));
}
double instant_or_never(const JobContext& context, std::int64_t unix_ns) {
  return unix_ns == 0 ? kNever : instant(context, unix_ns);
}

std::string state_of(wire::JobState state) {
  return protocol::has_ended(state) ? protocol::name_of(state) : "unfinished";
}

// What was known of the job before it ran.
JobRow planned_row(const JobContext& context) {
  auto row = context.key.begin<JobRow>();
  row.group = context.group->name;
  row.kind = name_of(context.planned->kind);
  row.planned = context.planned->at < kForEver ? context.planned->at : kNever;
  return row;
}

JobRow row_of(const JobContext& context, const wire::Reply::Job& job) {
  const wire::JobSummary& summary = job.summary();
  JobRow row = planned_row(context);
  row.tasks = summary.tasks();
  row.submitted = instant(context, summary.submitted_unix_ns());
  row.time = seconds(Duration(summary.elapsed_ns()));
  row.ended = row.submitted + row.time;
  row.deadline = seconds(Duration(summary.settings().deadline()));
  row.state = state_of(summary.state());
  row.met = row.state == "succeeded" && (row.deadline <= 0 || row.time <= row.deadline);
  row.attempts = summary.attempts_launched();
  for (const auto& task : job.tasks()) {
    for (const auto& attempt : task.attempts()) row.copies += attempt.speculative() ? 1 : 0;
  }
  row.input_bytes = summary.input_bytes();
  row.mapped_bytes = job.account().mapped_bytes();
  row.duplicated_bytes = job.account().duplicated_bytes();
  row.dropped_bytes = job.account().dropped_bytes();
  row.resumed_bytes = job.account().saved_bytes();
  row.machine = seconds(Duration(job.account().total_ns()));
  row.launch = seconds(Duration(job.account().launch_ns()));
  row.records = summary.records();
  return row;
}

AttemptRow attempt_of(const JobContext& context, const wire::TaskDetail& task, const wire::AttemptDetail& attempt) {
  auto row = context.key.begin<AttemptRow>();
  const std::uint64_t begin = task.split().begin();
  row.task = task.index();
  row.attempt = attempt.number();
  row.speculative = attempt.speculative();
  row.node = attempt.node_name();
  row.state = attempt.state();
  row.launched = instant(context, attempt.launched_unix_ns());
  row.started = instant_or_never(context, attempt.started_unix_ns());
  row.ended = instant_or_never(context, attempt.ended_unix_ns());
  row.from = attempt.start_offset() - std::min(begin, attempt.start_offset());
  row.to = attempt.offset() - std::min(begin, attempt.offset());
  return row;
}

void add_task(Results& results, const JobContext& context, const wire::TaskDetail& task) {
  std::vector<AttemptRow> attempts;
  for (const auto& attempt : task.attempts()) attempts.push_back(attempt_of(context, task, attempt));
  auto row = context.key.begin<TaskRow>();
  row.task = task.index();
  row.split_bytes = task.split().end() - task.split().begin();
  row.state = task.state();
  row.ended = kNever;
  row.attempts = static_cast<std::uint32_t>(attempts.size());
  row.segments = static_cast<std::uint32_t>(task.segments_size());
  for (const auto& segment : task.segments()) {
    if (segment.state() != "sealed" || segment.attempt() >= attempts.size()) continue;
    AttemptRow& by = attempts[segment.attempt()];
    by.sealed += segment.range().end() - segment.range().begin();
    row.ended = row.ended >= by.ended ? row.ended : by.ended;
  }
  results.tasks.push_back(std::move(row));
  results.attempts.insert(results.attempts.end(), attempts.begin(), attempts.end());
}

}  // namespace

JobContext context_of(const Scenario& scenario, const Run& run, std::size_t index, std::int64_t begin_unix_ns) {
  const PlannedJob& planned = run.jobs[index];
  const RowKey key{run.policy.name, run.repetition, static_cast<std::uint32_t>(index + 1)};
  return {key, &planned, &scenario.jobs[planned.group], begin_unix_ns};
}

void add_rows(Results& results, const JobContext& context, const wire::Reply::Job& job) {
  results.jobs.push_back(row_of(context, job));
  for (const auto& task : job.tasks()) add_task(results, context, task);
  for (const auto& copies : job.copies()) {
    auto row = context.key.begin<CopyRow>();
    row.reason = copies.reason();
    row.decisions = copies.decisions();
    row.attempts = copies.attempts();
    results.copies.push_back(std::move(row));
  }
}

void add_attempts(Results& results, const JobContext& context, const wire::Reply::Job& job) {
  Results all;
  for (const auto& task : job.tasks()) add_task(all, context, task);
  results.attempts.insert(results.attempts.end(), all.attempts.begin(), all.attempts.end());
}

void add_unfinished(Results& results, const JobContext& context, double deadline) {
  JobRow row = planned_row(context);
  row.tasks = context.planned->tasks;
  row.submitted = row.ended = row.time = kNever;
  row.deadline = deadline;
  row.state = "unfinished";
  results.jobs.push_back(std::move(row));
}

void settle_forecasts(Results& results) {
  std::map<std::uint32_t, bool> met;
  for (const JobRow& row : results.jobs) met[row.job] = row.met;
  for (ForecastRow& row : results.forecasts) row.met = met[row.job];
  Results::tables(results, [](const char*, auto& rows) {
    std::ranges::stable_sort(rows, {}, [](const RowKey& row) { return row.job; });
  });
}

}  // namespace ontime::lab::experiment
