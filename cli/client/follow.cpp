#include "cli/client/follow.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "cli/show/job_json.h"
#include "cli/show/job_text.h"
#include "common/base/units.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kForecastInterval = 1s;
constexpr int kForecastsMost = 50;   // of running jobs in a list: each looks at all open tasks of one
constexpr auto kAbsenceToTell = 1s;  // of the master; a restart is shorter

}  // namespace

Result<wire::Reply::Job> follow(MasterClient& client, JobId job, ProgressView& view, Duration away_most) {
  const Duration poll = view.is_bar() ? 100ms : 1000ms;
  auto last_heard = Clock::now();
  auto last_forecast = Clock::time_point{};
  wire::Forecast forecast;
  bool is_away_told = false;
  for (;;) {
    const bool wants_forecast = Clock::now() - last_forecast >= kForecastInterval;
    auto reply = client.describe(job, {.forecast = wants_forecast, .account_at_end = true}, poll);
    if (reply) {
      last_heard = Clock::now();
      is_away_told = false;
      if (protocol::has_ended(reply->summary())) return reply;
      if (wants_forecast) {
        forecast = reply->summary().forecast();
        last_forecast = last_heard;
      }
      *reply->mutable_summary()->mutable_forecast() = forecast;
      view.update(progress_of(reply->summary()));
      continue;
    }
    const auto away = Clock::now() - last_heard;
    if (reply.error().kind != ErrorKind::Unavailable || away > away_most) return reply.error();
    if (away > kAbsenceToTell && !std::exchange(is_away_told, true)) {
      view.say("the master is away; " + to_string(job) + " is safe with it and is waited for, for up to " +
               format_duration(away_most));
    }
    std::this_thread::sleep_for(50ms);
  }
}

Status add_forecasts(MasterClient& client, wire::Reply::Jobs& jobs) {
  int asked = 0;
  for (wire::JobSummary& job : *jobs.mutable_jobs()) {
    if (protocol::has_ended(job) || job.settings().deadline() == 0 || ++asked > kForecastsMost) continue;
    const auto one = client.describe(JobId{job.job()}, {.forecast = true});
    if (!one && one.error().kind == ErrorKind::BadInput) continue;  // it was forgotten meanwhile
    if (!one) return one.error();
    if (one->summary().has_forecast()) *job.mutable_forecast() = one->summary().forecast();
  }
  return {};
}

std::uint32_t slots_if_late(MasterClient& client, const wire::JobSummary& job) {
  if (!missed_its_deadline(job)) return 0;
  const auto nodes = client.list_nodes();
  std::uint32_t slots = 0;
  if (!nodes) return slots;
  for (const wire::NodeSummary& node : nodes->nodes())
    if (node.state() == "live") slots += node.slots();
  return slots;
}

ExitCode report_end(const wire::Reply::Job& job, ReportStyle style) {
  const auto& summary = job.summary();
  const bool succeeded = summary.state() == wire::SUCCEEDED;
  std::string text;
  if (style.json)
    text = job_json(job, style.tasks, style.explained);
  else if (style.tasks)
    text = tasks_table(job, look_of(STDOUT_FILENO)) + "\n";
  if (!style.json && style.explained != nullptr) text += explained_text(*style.explained, false) + "\n";
  if (!style.json && !style.quiet && succeeded)
    text += summary_text(summary, style.application_directories) + hint_text(job, style.slots) + speculation_text(job);
  std::fputs(text.c_str(), stdout);
  if (!succeeded) {
    std::fflush(stdout);
    std::fprintf(stderr, "ontime: %s\n", failure_text(summary).c_str());
    return ExitCode::Failed;
  }
  return missed_its_deadline(summary) ? ExitCode::Late : ExitCode::Done;
}

}  // namespace ontime::cli
