// What a look of a policy of one's own costs at one job of 200 running tasks, of which one in twenty is a straggler:
//
//   bench_own_policy FILE [LOOKS]
//
// The policy in FILE plans LOOKS times (2000) for the same tasks, a second of theirs apart. Looks a second are by the
// clock; microseconds are processor time of this process, without the one that a policy in Python has.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "master/policies/own_policies.h"
#include "tests/policy/paced_world.h"

namespace ontime::scheduler {
namespace {

constexpr std::uint32_t kTasks = 200;

double processor_seconds(int who) {
  rusage used{};
  ::getrusage(who, &used);
  const auto seconds = [](timeval time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Looks once, when the tasks run, as often as it is asked to.
class Measured final : public Policy {
 public:
  Measured(std::unique_ptr<Policy> inner, int looks) : inner_(std::move(inner)), looks_(looks) {}

  Plan plan(const View& view) override {
    if (!is_due_) {
      is_due_ = true;
      return {{}, view.now + std::chrono::seconds(3)};
    }
    using Clock = std::chrono::steady_clock;
    const double used = processor_seconds(RUSAGE_SELF);
    const auto begin = Clock::now();
    std::size_t decisions = 0;
    for (int i = 0; i < looks_; ++i) {
      const View later{view.cluster, view.resources, view.jobs, view.now + i * std::chrono::seconds(1), view.waiting};
      decisions += inner_->plan(later).decisions.size();
    }
    const double took = seconds(Clock::now() - begin);
    const double took_here = processor_seconds(RUSAGE_SELF) - used;
    inner_.reset();
    std::printf(
        "%u tasks: %d looks in %.2f s by the clock, %.0f a second; %.1f us a look in this process; %zu decisions\n",
        kTasks, looks_, took, looks_ / took, 1e6 * took_here / looks_, decisions);
    return {};
  }

 private:
  std::unique_ptr<Policy> inner_;
  int looks_;
  bool is_due_ = false;
};

int run(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: bench_own_policy FILE [LOOKS]\n", stderr), 2;
  const int looks = argc > 2 ? std::atoi(argv[2]) : 2000;
  master::allow_own_policies(Duration::zero(),
                             [](const std::string& why) { std::fprintf(stderr, "%s\n", why.c_str()); });
  Settings settings;
  settings.make_policy = [looks](std::string_view name, const StringMap& parameters) -> std::unique_ptr<Policy> {
    return std::make_unique<Measured>(make_policy(name, parameters), looks);
  };
  test::PacedWorld world(settings);
  world.add_nodes(10, kTasks / 10 + 2);
  world.set_rate([](AttemptId id) { return id.task.index % 20 == 0 ? 10.0 : 100.0; });
  JobSpec spec;
  spec.policy = argv[1];
  spec.deadline = std::chrono::seconds(20);
  world.submit(kTasks, spec);
  world.run(std::chrono::seconds(4));
  return 0;
}

}  // namespace
}  // namespace ontime::scheduler

int main(int argc, char** argv) { return ontime::scheduler::run(argc, argv); }
