#include "worker/runner/run_clock.h"

#include <thread>

namespace ontime::worker {
namespace {

class SteadyRunClock final : public RunClock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }
  void sleep_until(TimePoint then) override { std::this_thread::sleep_until(then); }
};

}  // namespace

RunClock& steady_run_clock() {
  static SteadyRunClock clock;
  return clock;
}

}  // namespace ontime::worker
