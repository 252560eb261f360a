#include "lab/experiment/job_rows.h"

#include <algorithm>
#include <limits>
#include <map>

#include "common/base/time.h"

namespace ontime::lab::experiment {
namespace {

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

class Converter {
 public:
  Converter(Results& results, const JobContext& context) : results_(results), context_(context) {}
  void add(const wire::Reply::Job& job);

 private:
  double instant(std::int64_t unix_ns) const { return seconds(Duration(unix_ns - context_.begin_unix_ns)); }
  double instant_or_never(std::int64_t unix_ns) const { return unix_ns == 0 ? kNever : instant(unix_ns); }
  template <class Row>
  Row keyed() const {
    Row row;
    static_cast<RowKey&>(row) = context_.key;
    return row;
  }
  void add_job(const wire::Reply::Job& job);
  void add_task(const wire::TaskDetail& task);
  AttemptRow attempt_of(const wire::TaskDetail& task, const wire::AttemptDetail& attempt) const;

  Results& results_;
  const JobContext& context_;
};

std::string state_of(wire::JobState state) {
  if (state == wire::SUCCEEDED) return "succeeded";
  if (state == wire::FAILED) return "failed";
  return state == wire::KILLED ? "killed" : "unfinished";
}

void Converter::add_job(const wire::Reply::Job& job) {
  const wire::JobSummary& summary = job.summary();
  JobRow row = keyed<JobRow>();
  row.group = context_.group->name;
  row.kind = name_of(context_.planned->kind);
  row.tasks = summary.tasks();
  row.planned = context_.planned->at < kForEver ? context_.planned->at : kNever;
  row.submitted = instant(summary.submitted_unix_ns());
  row.time = seconds(Duration(summary.elapsed_ns()));
  row.ended = row.submitted + row.time;
  row.deadline = seconds(Duration(summary.deadline_ns()));
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
  results_.jobs.push_back(std::move(row));
}

AttemptRow Converter::attempt_of(const wire::TaskDetail& task, const wire::AttemptDetail& attempt) const {
  AttemptRow row = keyed<AttemptRow>();
  const std::uint64_t begin = task.split().begin();
  row.task = task.index();
  row.attempt = attempt.number();
  row.speculative = attempt.speculative();
  row.node = attempt.node_name();
  row.state = attempt.state();
  row.launched = instant(attempt.launched_unix_ns());
  row.started = instant_or_never(attempt.started_unix_ns());
  row.ended = instant_or_never(attempt.ended_unix_ns());
  row.from = attempt.start_offset() - std::min(begin, attempt.start_offset());
  row.to = attempt.offset() - std::min(begin, attempt.offset());
  return row;
}

void Converter::add_task(const wire::TaskDetail& task) {
  std::vector<AttemptRow> attempts;
  for (const auto& attempt : task.attempts()) attempts.push_back(attempt_of(task, attempt));
  TaskRow row = keyed<TaskRow>();
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
  results_.tasks.push_back(std::move(row));
  results_.attempts.insert(results_.attempts.end(), attempts.begin(), attempts.end());
}

void Converter::add(const wire::Reply::Job& job) {
  add_job(job);
  for (const auto& task : job.tasks()) add_task(task);
  for (const auto& copies : job.copies()) {
    CopyRow row = keyed<CopyRow>();
    row.reason = copies.reason();
    row.decisions = copies.decisions();
    row.attempts = copies.attempts();
    results_.copies.push_back(std::move(row));
  }
}

}  // namespace

void add_rows(Results& results, const JobContext& context, const wire::Reply::Job& job) {
  Converter(results, context).add(job);
}

void add_attempts(Results& results, const JobContext& context, const wire::Reply::Job& job) {
  Results all;
  Converter(all, context).add(job);
  results.attempts.insert(results.attempts.end(), all.attempts.begin(), all.attempts.end());
}

void add_unfinished(Results& results, const JobContext& context, double deadline) {
  JobRow row;
  static_cast<RowKey&>(row) = context.key;
  row.group = context.group->name;
  row.kind = name_of(context.planned->kind);
  row.tasks = context.planned->tasks;
  row.planned = context.planned->at < kForEver ? context.planned->at : kNever;
  row.submitted = row.ended = row.time = kNever;
  row.deadline = deadline;
  row.state = "unfinished";
  results.jobs.push_back(std::move(row));
}

void settle_forecasts(Results& results) {
  std::map<std::uint32_t, bool> met;
  for (const JobRow& row : results.jobs) met[row.job] = row.met;
  for (ForecastRow& row : results.forecasts) row.met = met[row.job];
  const auto by_job = [](const auto& a, const auto& b) { return a.job < b.job; };
  std::stable_sort(results.jobs.begin(), results.jobs.end(), by_job);
  std::stable_sort(results.tasks.begin(), results.tasks.end(), by_job);
  std::stable_sort(results.attempts.begin(), results.attempts.end(), by_job);
  std::stable_sort(results.copies.begin(), results.copies.end(), by_job);
  std::stable_sort(results.forecasts.begin(), results.forecasts.end(), by_job);
}

}  // namespace ontime::lab::experiment
