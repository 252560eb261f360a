#include "lab/verbs/seen_job.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/client/exported_job.h"
#include "cli/web/report_page.h"
#include "master/clients/explanation.h"
#include "scheduler/core/account.h"
#include "scheduler/forecast/forecast.h"

namespace ontime::lab {

SeenJob see_job(const scheduler::Scheduler& scheduler, JobId id, TimePoint now,
                const master::AttemptMessages& messages, const master::ForecastTrack& forecasts) {
  const scheduler::Cluster& cluster = scheduler.cluster();
  const scheduler::Job& job = *cluster.find_job(id);
  SeenJob seen;
  *seen.job.mutable_summary() = master::summary_of(id, job, now, master::ShowCounters::Yes);
  *seen.job.mutable_account() = master::view_of(scheduler::account(job, now));
  const master::Explanation explanation(cluster, job, now);
  explanation.tally(seen.job);
  wire::Request::Explain all;
  all.set_job(id.value);
  do {
    master::Explanation::Telling telling;
    all.set_first_task(seen.explained.next_task());
    seen.explained.clear_next_task();
    explanation.append_to(seen.explained, all, telling);
  } while (seen.explained.next_task() != 0);
  master::append_held_nodes(seen.explained, job, scheduler, now);
  forecasts.append_to(seen.job);
  if (!cli::draws_attempts(seen.job.summary())) {
    master::OverviewMaker maker(cluster, id, job, now);
    maker.look(job);
    *seen.job.mutable_overview() = maker.view(job, messages);
    return seen;
  }
  const master::TaskViews views(cluster, messages);
  do {
    const std::uint32_t first = seen.job.next_task();
    seen.job.clear_next_task();
    views.append_to(seen.job, id, job, {.first = first});
  } while (seen.job.next_task() != 0);
  return seen;
}

std::string page_of(const SeenJob& seen) { return cli::report_page(seen.job, seen.explained); }

void ForecastWatch::look(const scheduler::Scheduler& scheduler, JobId id, TimePoint now) {
  const scheduler::Job* job = scheduler.cluster().find_job(id);
  if (job == nullptr || now < next_) return;
  const auto forecast = scheduler::forecast(scheduler, id, now);
  if (!forecast) return;
  const Duration elapsed = now - job->submitted_at;
  track_.add(elapsed, master::view_of(*forecast, *job));
  next_ = now + std::max<Duration>(std::chrono::milliseconds(100), elapsed / 100);
}

master::ForecastTrack track_of(const JobOutcome& job) {
  master::ForecastTrack track;
  for (const ForecastReading& reading : job.forecasts) {
    wire::Forecast forecast;
    if (std::isfinite(reading.pocd)) forecast.set_pocd(reading.pocd);
    if (const auto low = master::instant_of(reading.low)) forecast.set_low_ns(*low);
    if (const auto median = master::instant_of(reading.median)) forecast.set_median_ns(*median);
    if (const auto high = master::instant_of(reading.high)) forecast.set_high_ns(*high);
    track.add(from_seconds(reading.share * job.deadline), forecast);
  }
  return track;
}

}  // namespace ontime::lab
