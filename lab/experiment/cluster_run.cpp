#include <algorithm>
#include <cmath>
#include <thread>

#include "cli/job_request.h"
#include "common/flags/flags.h"
#include "common/protocol/job_state.h"
#include "lab/experiment/backend.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

using namespace cli;
namespace {

using namespace std::chrono_literals;

constexpr auto kPollEvery = 100ms;
constexpr auto kPollSoon = 20ms;  // while the next job waits for the end of one
constexpr auto kRestMost = 20ms;
constexpr auto kKillPatience = 2s;
constexpr auto kAwayMost = 30s;  // a master that is being started again

bool is_one_by_one(const Run& run) {
  return std::any_of(run.jobs.begin(), run.jobs.end(), [](const PlannedJob& job) { return job.at == kForEver; });
}

}  // namespace

bool ClusterRun::is_due(std::size_t index) const {
  const double at = setup_.run.jobs[index].at;
  if (at == kForEver) return index > 0 && jobs_[index - 1].has_ended;
  return at <= now();
}

bool ClusterRun::is_over() const {
  if (now() >= setup_.scenario.horizon) return true;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    if (is_counted(i) && !jobs_[i].has_ended) return false;
  }
  return true;
}

Result<wire::JobSpec> ClusterRun::spec_of(std::size_t index) {
  const PlannedJob& planned = setup_.run.jobs[index];
  const JobGroup& group = setup_.scenario.jobs[planned.group];
  auto settings = settings_of(setup_.scenario, setup_.run, planned.group, planned.kind, setup_.baselines);
  if (!settings) return settings.error();
  JobOptions options;
  static_cast<JobSettings&>(options) = *std::move(settings);
  options.policy = flags::with_whole_path(options.policy);
  options.application = group.work.application;
  options.parameters = {group.work.parameters.begin(), group.work.parameters.end()};
  options.inputs = setup_.inputs.of(group, planned.tasks);
  options.output = setup_.outputs + "/" + std::to_string(index + 1);
  options.splits = planned.tasks;
  jobs_[index].deadline = seconds(options.deadline);
  jobs_[index].output = options.output;
  return make_job_spec(options, current_directory());
}

Status ClusterRun::submit(std::size_t index) {
  const auto spec = spec_of(index);
  if (!spec) return spec.error();
  const auto submitted = client_.submit(*spec);
  if (!submitted) return submitted.error();
  Job& job = jobs_[index];
  job.id = JobId{submitted->job()};
  job.submitted = Clock::now();
  const std::uint32_t wanted = setup_.run.jobs[index].tasks;
  if (submitted->tasks() == wanted) return {};
  return bad_input("a job of '" + setup_.scenario.jobs[setup_.run.jobs[index].group].name + "' has " +
                   std::to_string(submitted->tasks()) + " tasks instead of " + std::to_string(wanted) +
                   "; its input cannot be divided so");
}

Status ClusterRun::submit_what_is_due() {
  while (next_ < jobs_.size() && is_due(next_)) {
    if (auto done = submit(next_); !done) return done;
    ++next_;
  }
  return {};
}

Status ClusterRun::ask_forecasts() {
  const auto& shares = setup_.scenario.forecast_at;
  for (std::size_t i = 0; i < next_; ++i) {
    Job& job = jobs_[i];
    if (job.has_ended || job.deadline <= 0 || !is_counted(i) || job.next_forecast >= shares.size()) continue;
    const double share = shares[job.next_forecast];
    if (std::chrono::duration<double>(Clock::now() - job.submitted).count() < share * job.deadline) continue;
    ++job.next_forecast;
    const auto reply = client_.describe(job.id, {.forecast = true});
    if (!reply) return reply.error();
    if (protocol::has_ended(reply->summary())) continue;
    auto row = context_of(i).key.begin<ForecastRow>();
    row.share = share;
    const auto& forecast = reply->summary().forecast();
    row.pocd = forecast.has_pocd() ? forecast.pocd() : std::nan("");
    results_.forecasts.push_back(std::move(row));
  }
  return {};
}

Status ClusterRun::poll() {
  if (Clock::now() < poll_at_) return {};
  poll_at_ = Clock::now() + (is_one_by_one(setup_.run) ? kPollSoon : kPollEvery);
  const auto all = client_.list_jobs();
  if (!all) return all.error();
  heard_at_ = Clock::now();
  for (const wire::JobSummary& summary : all->jobs()) {
    const auto mine =
        std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.id.value == summary.job(); });
    if (mine == jobs_.end() || mine->has_ended || summary.job() == 0) continue;
    const auto index = static_cast<std::size_t>(mine - jobs_.begin());
    if (begin_unix_ns_ == 0) {
      begin_unix_ns_ = summary.submitted_unix_ns() - std::chrono::nanoseconds(mine->submitted - begin_).count();
    }
    if (!protocol::has_ended(summary)) continue;
    if (auto taken = take(index, summary); !taken) return taken;
  }
  show();
  return {};
}

Status ClusterRun::take(std::size_t index, const wire::JobSummary& summary) {
  const auto whole = client_.describe(jobs_[index].id, {.tasks = true, .account = true});
  if (!whole) return whole.error();
  add_rows(results_, context_of(index), *whole);
  jobs_[index].has_ended = true;
  jobs_[index].has_succeeded = summary.state() == wire::SUCCEEDED;
  if (summary.state() == wire::FAILED && is_counted(index)) {
    return failed("job " + std::to_string(index + 1) + " has failed: " + summary.message());
  }
  return {};
}

void ClusterRun::show() {
  if (!setup_.show) return;
  RunProgress progress;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    if (!is_counted(i)) continue;
    ++progress.jobs;
    progress.ended += jobs_[i].has_ended ? 1 : 0;
  }
  setup_.show(progress);
}

// Until something is due, or a little while.
void ClusterRun::rest() {
  auto until = std::min(poll_at_, Clock::now() + kRestMost);
  if (next_ < jobs_.size() && setup_.run.jobs[next_].at < kForEver) {
    const auto at =
        begin_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(setup_.run.jobs[next_].at));
    until = std::min(until, at);
  }
  std::this_thread::sleep_until(until);
}

void ClusterRun::kill_what_is_left() {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const Job& job = jobs_[i];
    if (job.has_ended) continue;
    add_unfinished(results_, context_of(i), job.deadline);
    if (job.id.value == 0 || !client_.kill(job.id)) continue;
    // Its attempts have occupied slots all the same.
    const auto killed = client_.describe(job.id, {.tasks = true, .account = true}, kKillPatience);
    if (killed) add_attempts(results_, context_of(i), *killed);
  }
}

Result<Results> ClusterRun::carry_out() {
  begin_ = poll_at_ = heard_at_ = Clock::now();
  jobs_.resize(setup_.run.jobs.size());
  while (!is_over()) {
    if (auto wanted = setup_.watch(); !wanted) return wanted.error();
    Status status = submit_what_is_due();
    if (status) status = ask_forecasts();
    if (status) status = poll();
    const bool may_pass = !status && status.error().kind == ErrorKind::Unavailable;
    if (!status && (!may_pass || Clock::now() - heard_at_ > kAwayMost)) return status.error();
    rest();
  }
  kill_what_is_left();
  settle_forecasts(results_);
  return std::move(results_);
}

std::string ClusterRun::output_of(std::size_t index) const {
  return jobs_[index].has_succeeded ? jobs_[index].output : std::string();
}

}  // namespace ontime::lab::experiment
