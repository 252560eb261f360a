#include "cli/client/follow.h"

#include <chrono>
#include <optional>
#include <thread>

#include "cli/show/job_text.h"

namespace ontime::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kForecastInterval = 1s;

}  // namespace

Result<wire::Reply::Job> follow(MasterClient& client, JobId job, ProgressView& view, Duration away_most) {
  const Duration poll = view.is_bar() ? 100ms : 1000ms;
  auto last_heard = Clock::now();
  auto last_forecast = Clock::time_point{};
  std::optional<double> pocd;
  for (;;) {
    const bool wants_forecast = Clock::now() - last_forecast >= kForecastInterval;
    auto reply = client.describe(job, {.forecast = wants_forecast, .account_at_end = true}, poll);
    if (reply) {
      last_heard = Clock::now();
      if (has_ended(reply->summary())) return reply;
      ProgressState state = progress_of(reply->summary());
      if (wants_forecast) {
        pocd = state.pocd;
        last_forecast = last_heard;
      }
      state.pocd = pocd;
      view.update(std::move(state));
      continue;
    }
    if (reply.error().kind != ErrorKind::Unavailable || Clock::now() - last_heard > away_most) return reply.error();
    std::this_thread::sleep_for(50ms);
  }
}

}  // namespace ontime::cli
