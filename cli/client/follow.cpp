#include "cli/client/follow.h"

#include <chrono>
#include <thread>

#include "cli/show/job_text.h"

namespace ontime::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

}  // namespace

Result<wire::Reply::Job> follow(MasterClient& client, JobId job, ProgressView& view, Duration away_most) {
  const Duration poll = view.is_bar() ? 100ms : 1000ms;
  auto last_heard = Clock::now();
  for (;;) {
    auto reply = client.describe(job, false, poll);
    if (reply) {
      last_heard = Clock::now();
      if (has_ended(reply->summary())) return reply;
      view.update(progress_of(reply->summary()));
      continue;
    }
    if (reply.error().kind != ErrorKind::Unavailable || Clock::now() - last_heard > away_most) return reply.error();
    std::this_thread::sleep_for(50ms);
  }
}

}  // namespace ontime::cli
