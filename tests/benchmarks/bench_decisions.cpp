// What the master's decisions cost: one look of a policy at all running tasks, the carrying out of what it decides, and
// the handling of one heartbeat. The real scheduler, driven with events as the master drives it; what workers would
// say is made up.
//
//   bench_decisions [--tasks N] [--policy NAME] [--set KEY=VALUE]... [--profile] [--decisions | --heartbeats] [--repeat
//   N]
//
// --tasks: one size only (1000 to 1000000), instead of 10^3, 10^4, 10^5, 10^6. --profile: t_min and beta are known from
// earlier jobs; otherwise they are estimated from the running attempts. --decisions, --heartbeats: only those.
// --repeat: looks of each kind.
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "common/flags/flags.h"
#include "scheduler/core/scheduler.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;
// Processor time of the one thread there is: what others do on the machine does not count as much.
class Stopwatch {
 public:
  double milliseconds() const { return now() - begin_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  }
  double begin_ = now();
};

struct Options {
  std::string policy = "shed+";
  StringMap parameters;
  std::uint64_t tasks = 0;  // 0: all sizes
  bool profile = false;
  int repeat = 3;
};

constexpr std::uint64_t kTasksPerJob = 370;     // 2,700 jobs have 1,000,000 tasks
constexpr std::uint64_t kSplit = 128 << 20;     // bytes
constexpr double kUsual = 40;                   // seconds that a task takes
constexpr double kSlow = 8;                     // times as long: a straggler
constexpr int kStragglerShare = 20;             // one task in so many
constexpr std::uint64_t kFreePerThousand = 75;  // slots per 1000 tasks that are free for copies
constexpr Duration kDeadline = 100s;

// Plans as the policy inside does, and says what that took.
class Timed final : public Policy {
 public:
  struct Figures {
    int plans = 0;
    double milliseconds = 0;
    std::size_t decisions = 0;
    std::size_t copies = 0;
  };
  Timed(std::string_view name, const StringMap& parameters, Figures& figures)
      : inner_(scheduler::make_policy(name, parameters)), figures_(figures) {}

  JobOrder order() const override { return inner_->order(); }
  bool has_shares() const override { return inner_->has_shares(); }
  std::uint32_t share(JobId job) const override { return inner_->share(job); }
  bool plans_at_submission() const override { return inner_->plans_at_submission(); }
  Plan plan(const View& view) override {
    const Stopwatch watch;
    Plan plan = inner_->plan(view);
    figures_.milliseconds += watch.milliseconds();
    ++figures_.plans;
    figures_.decisions += plan.decisions.size();
    figures_.copies += copies_of(plan);
    return plan;
  }

 private:
  static std::size_t copies_of(const Plan& plan) {
    std::size_t copies = 0;
    for (const Decision& decision : plan.decisions) {
      if (const auto* speculate = std::get_if<Speculate>(&decision)) copies += scheduler::copies_of(*speculate);
    }
    return copies;
  }

  std::unique_ptr<Policy> inner_;
  Figures& figures_;
};

// A cluster in which `tasks` tasks run, one in twenty of them slowly.
class Workload {
 public:
  Workload(const Options& options, std::uint64_t tasks, std::uint32_t slots_per_node) : scheduler_(settings(options)) {
    if (options.profile) replay_profile();
    step_all(scheduler_.start(now_));
    const std::uint64_t slots = tasks + tasks * kFreePerThousand / 1000;
    for (std::uint64_t node = 0; node * slots_per_node < slots; ++node) add_node(slots_per_node);
    for (std::uint64_t done = 0; done < tasks; done += kTasksPerJob) {
      submit(options.policy, std::min(kTasksPerJob, tasks - done));
    }
    obey();
  }

  // Workers do what they were asked to: attempts begin, and are cut where they should be.
  void obey() {
    for (const action::CutAttempt& cut : std::exchange(cuts_, {})) {
      const Attempt* attempt = scheduler_.cluster().find_live(cut.attempt);
      if (attempt == nullptr || !attempt->cut) continue;
      const std::uint64_t at = std::max(cut.at, attempt->offset + 1);
      if (at < attempt->held.end) step(event::CutAnswered{cut.node, cut.attempt, at, cut.release});
    }
    for (const AttemptId attempt : std::exchange(attempts_, {})) {
      if (scheduler_.cluster().find_live(attempt) != nullptr) step(event::AttemptStarted{node_of(attempt), attempt});
    }
  }
  // Every node reports how far its attempts are by now, or as many as are needed for so many attempts.
  void report(std::uint64_t attempts = std::numeric_limits<std::uint64_t>::max()) {
    std::uint64_t reported = 0;
    for (const event::Heartbeat& heartbeat : heartbeats()) {
      if (reported >= attempts) return;
      reported += heartbeat.attempts.size();
      step(heartbeat);
    }
  }
  std::vector<event::Heartbeat> heartbeats() const {
    std::vector<event::Heartbeat> all;
    for (const auto& [id, node] : scheduler_.cluster().nodes()) {
      event::Heartbeat heartbeat{id, {}};
      for (const AttemptId attempt : node.live) heartbeat.attempts.push_back({attempt, offset(attempt), 1, 1});
      all.push_back(std::move(heartbeat));
    }
    return all;
  }
  void step(const Event& event) { step_all(scheduler_.step(event, now_)); }
  void advance(Duration by) { now_ += by; }
  std::size_t jobs() const { return scheduler_.cluster().jobs().size(); }
  // Time passes until the policy looks; returns how long that step takes, in milliseconds. The look itself is in
  // figures().
  double decide() {
    constexpr Duration kPause = 100ms;
    figures_ = {};
    double took = 0;
    while (figures_.plans == 0) {
      now_ += kPause;
      const Stopwatch watch;
      step(event::TimePassed{});
      took = watch.milliseconds();
    }
    return took;
  }
  const Timed::Figures& figures() const { return figures_; }

 private:
  static constexpr TimePoint kBegin{1000s};

  Settings settings(const Options& options) {
    Settings settings;
    settings.node_timeout = 1h;
    settings.make_policy = [this, options](std::string_view name, const StringMap&) -> std::unique_ptr<Policy> {
      return std::make_unique<Timed>(name, options.parameters, figures_);
    };
    return settings;
  }

  void replay_profile() {
    math::DurationSample sample;
    for (int i = 0; i < 200; ++i) sample.add_finished((30 + 0.2 * i) / static_cast<double>(kSplit));
    for (int i = 0; i < 200; ++i) sample.add_launch(0.1);
    JobSpec spec;
    spec.application = "wordcount";
    scheduler_.replay({now_, fact::ProfileUpdated{profile_key(spec), sample}});
  }

  void add_node(std::uint32_t slots) {
    const std::string name = "n" + std::to_string(++nodes_);
    step(event::NodeRegistered{name, name, name, slots});
    step(event::NodeInventory{NodeId{nodes_}, {}});
  }

  void submit(const std::string& policy, std::uint64_t tasks) {
    JobSpec spec;
    spec.application = "wordcount";
    spec.inputs = {{"/input", tasks * kSplit, "1", Codec::Plain}};
    spec.output = "/out";
    spec.split_bytes = kSplit;
    spec.checkpoint_interval = Duration(0);
    spec.deadline = kDeadline;
    spec.policy = policy;
    step(event::JobSubmitted{1, std::move(spec)});
  }

  void step_all(const Step& step) {
    for (const Action& action : step.actions) {
      if (const auto* launch = std::get_if<action::LaunchAttempt>(&action)) attempts_.push_back(launch->attempt);
      if (const auto* cut = std::get_if<action::CutAttempt>(&action)) cuts_.push_back(*cut);
    }
  }

  NodeId node_of(AttemptId attempt) const { return scheduler_.cluster().find_attempt(attempt)->node; }

  // Spread over the tasks, and each task a little different from its neighbours.
  std::uint64_t offset(AttemptId id) const {
    const std::uint32_t mixed = ((id.task.job.value + id.number) * 2654435761u + id.task.index) * 2246822519u;
    const bool is_slow = (mixed >> 8) % kStragglerShare == 0;
    const double takes = kUsual * (0.75 + 0.5 * ((mixed >> 4) % 1000) / 1000.0) * (is_slow ? kSlow : 1);
    const Attempt& attempt = *scheduler_.cluster().find_attempt(id);
    const double done = std::min(0.99, seconds(now_ - attempt.launched_at) / takes);
    const auto mapped = static_cast<std::uint64_t>(done * static_cast<double>(kSplit));
    return std::clamp(attempt.start_offset + mapped, attempt.held.begin, attempt.held.end - 1);
  }

  TimePoint now_ = kBegin;
  Timed::Figures figures_;
  Scheduler scheduler_;
  std::vector<AttemptId> attempts_;  // to begin
  std::vector<action::CutAttempt> cuts_;
  std::uint32_t nodes_ = 0;
};

// One look after all have been reported, one more, and one after few have: what it costs should grow with these.
void measure_decision(const Options& options, std::uint64_t tasks) {
  constexpr std::uint64_t kFew = 1000;
  Workload cluster(options, tasks, 64);
  cluster.advance(10s);
  const auto look = [&](const char* what, std::uint64_t reported) {
    cluster.obey();
    cluster.report(reported);
    const double step = cluster.decide();
    const Timed::Figures& figures = cluster.figures();
    std::printf(
        "%9lu tasks %5zu jobs, %-14s: plan %8.3f ms, carried out %8.3f ms;"
        " %zu decisions, %zu copies\n",
        static_cast<unsigned long>(tasks), cluster.jobs(), what, figures.milliseconds, step - figures.milliseconds,
        figures.decisions, figures.copies);
    std::fflush(stdout);
  };
  for (int i = 0; i < options.repeat; ++i) look("all reported", tasks);
  for (int i = 0; i < options.repeat; ++i) look("1,000 reported", kFew);
}

void measure_heartbeats(const Options& options, std::uint64_t tasks, std::uint32_t slots_per_node) {
  Workload cluster(options, tasks, slots_per_node);
  cluster.advance(1s);
  cluster.report();
  cluster.advance(200ms);
  std::vector<Event> events;
  std::size_t attempts = 0;
  for (event::Heartbeat& heartbeat : cluster.heartbeats()) {
    attempts += heartbeat.attempts.size();
    events.emplace_back(std::move(heartbeat));
  }
  std::shuffle(events.begin(), events.end(), std::mt19937(1));  // neighbours in memory do not report one after another
  const Stopwatch watch;
  for (const Event& event : events) cluster.step(event);
  const double took = 1000 * watch.milliseconds();
  std::printf("%9lu tasks, nodes with %2u attempts: %6.3f us a heartbeat, %6.3f us an attempt\n",
              static_cast<unsigned long>(tasks), slots_per_node, took / static_cast<double>(events.size()),
              took / static_cast<double>(attempts));
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  Options options;
  bool only_decisions = false, only_heartbeats = false;
  std::vector<std::string> names;
  for (const PolicyDescription& policy : policies()) names.emplace_back(policy.name);
  CLI::App app("Measures the scheduler alone: a policy's decision, its carrying out, the handling of heartbeats.");
  flags::add_whole(app, "--tasks", options.tasks, {1000, 1'000'000}, "This size only (default 10^3 to 10^6)");
  app.add_option("--policy", options.policy, "Whose decision")->check(flags::one_of(names))->capture_default_str();
  flags::add_settings(app, "-s,--set", options.parameters, "A parameter of the policy; repeatable");
  app.add_flag("--profile", options.profile, "t_min and beta are known from earlier jobs");
  auto* decisions = app.add_flag("--decisions", only_decisions, "Measure no heartbeats");
  app.add_flag("--heartbeats", only_heartbeats, "Measure no decisions")->excludes(decisions);
  flags::add_whole(app, "--repeat", options.repeat, {1, 1000}, "Looks of each kind");
  flags::parse_or_exit(app, argc, argv);
  std::vector<std::uint64_t> sizes{1000, 10'000, 100'000, 1'000'000};
  if (options.tasks > 0) sizes = {options.tasks};
  for (const std::uint64_t tasks : sizes) {
    if (!only_heartbeats) measure_decision(options, tasks);
  }
  for (const std::uint64_t tasks : sizes) {
    if (only_decisions) break;
    for (const std::uint32_t slots : {4u, 16u, 64u}) measure_heartbeats(options, tasks, slots);
  }
  return 0;
}

}  // namespace
}  // namespace ontime::scheduler

int main(int argc, char** argv) { return ontime::scheduler::run(argc, argv); }
