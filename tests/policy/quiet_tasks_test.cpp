// split-resume leaves out tasks at which it has found nothing to do and which have not been reported since. What it
// decides must be what it decides when it looks at all of them: the same to the last bit, in histories drawn at random
// and in a cluster that runs as clusters do.
#include "scheduler/policies/split_resume/quiet_tasks.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/split_resume/split_resume.h"
#include "tests/policy/paced_world.h"
#include "tests/scheduler/random_history.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler::test {
namespace {

using namespace std::chrono_literals;

struct Seen {
  std::size_t plans = 0;
};

// The open segments that nobody holds, of tasks that were launched.
std::set<SegmentKey> looked_for(const Job& job) {
  std::set<SegmentKey> unheld;
  for (std::uint32_t index = 0; index < job.tasks.made().size(); ++index) {
    const Task& task = job.tasks[index];
    if (task.attempts.empty()) continue;
    task.ledger.for_each_open_from_back([&](const Segment& segment) {
      const auto holds = [&](const Attempt& attempt) { return attempt.holds(segment.range.begin); };
      if (std::ranges::none_of(task.attempts, holds)) unheld.insert({index, segment.range.begin});
    });
  }
  return unheld;
}

// Plans with both, and does what one says.
class Both final : public Policy {
 public:
  explicit Both(Seen& seen) : seen_(seen) {
    Parameters parameters("split-resume", none_);
    remembers_ = make_split_resume(parameters);
    forgets_ = make_forgetful_split_resume(parameters);
  }
  JobOrder order() const override { return remembers_->order(); }
  Plan plan(const View& view) override {
    for (const JobView& job : view.jobs) EXPECT_EQ(*job.unheld, looked_for(*job.job));
    Plan plan = remembers_->plan(view);
    const std::string expected = in_words(forgets_->plan(view));
    EXPECT_EQ(in_words(plan), expected);
    ++seen_.plans;
    return plan;
  }

 private:
  const StringMap none_;
  Seen& seen_;
  std::unique_ptr<Policy> remembers_, forgets_;
};

Settings compared(Seen& seen) {
  Settings settings;
  settings.make_policy = [&seen](std::string_view, const StringMap&) { return std::make_unique<Both>(seen); };
  return settings;
}

void report(World& world, AttemptId id, std::uint64_t offset, bool by_runner) {
  const Attempt& attempt = world.attempt(id);
  AttemptProgress progress{.attempt = id, .offset = offset, .records = offset};
  const Duration age = world.now() - attempt.started_at;
  if (by_runner) progress.segment = {age, 500ms, age, offset - attempt.start_offset, 1 + attempt.segment.moves};
  world.send(event::Heartbeat{attempt.node, {progress}});
}

struct Looked {
  std::vector<std::uint32_t> at;
  std::uint32_t ending = 0;
  bool has_passed_all = false;
};

// Remembers each task that it has not found quiet, and says which these were.
class Counting final : public Policy {
 public:
  Counting(std::vector<Looked>& looks, const double& horizon) : looks_(looks), horizon_(horizon) {}
  JobOrder order() const override { return JobOrder::Fifo; }
  Plan plan(const View& view) override {
    const JobView& job = view.jobs.front();
    const auto tasks = static_cast<std::uint32_t>(job.job->tasks.size());
    const math::Durations durations = durations_of(view, job, {});
    const Target target;
    const QuietTasks::Look look{job, durations, durations, target, 0, horizon_, tasks, true};
    const std::vector<std::uint32_t> looked_at = tasks_.begin(look);
    for (const std::uint32_t task : looked_at) tasks_.remember(task, open_segments(job, task));
    tasks_.end(looked_at);
    looks_.push_back({looked_at, tasks_.ending(), tasks_.has_passed_all()});
    Plan plan;
    plan.next_check = view.now + 1s;
    return plan;
  }

 private:
  std::vector<Looked>& looks_;
  const double& horizon_;
  QuietTasks tasks_;
};

TEST(QuietTasks, AreThoseThatHaveNotBeenReportedSinceTheyWereLookedAt) {
  std::vector<Looked> looks;
  double horizon = 0;
  Settings settings;
  settings.make_policy = [&](std::string_view, const StringMap&) { return std::make_unique<Counting>(looks, horizon); };
  World world(settings);
  world.register_node("n", 4);
  JobSpec spec;
  spec.deadline = 1000s;
  world.submit(4'000'000, 1'000'000, spec);
  const auto launched = world.take<action::LaunchAttempt>();
  ASSERT_EQ(launched.size(), 4u);
  for (const auto& launch : launched) world.start_attempt(launch.attempt);
  world.pass(1s);
  for (const auto& launch : launched)
    report(world, launch.attempt, world.attempt(launch.attempt).start_offset + 100'000, false);
  world.pass(1s);  // they are looked at
  world.pass(1s);
  EXPECT_EQ(looks.back().at, std::vector<std::uint32_t>{});
  EXPECT_FALSE(looks.back().has_passed_all);
  const std::size_t before = looks.size();
  report(world, launched[0].attempt, 300'000, false);  // at the pace of the others
  world.pass(1s);
  ASSERT_GT(looks.size(), before);
  EXPECT_EQ(looks[before].at, std::vector<std::uint32_t>{0}) << "it has moved";
  EXPECT_FALSE(looks[before].has_passed_all);
  EXPECT_EQ(looks[before].ending, 0u);
  world.pass(1s);
  // They have mapped a tenth in the first of some ten seconds.
  horizon = 100;
  world.pass(1s);
  EXPECT_EQ(looks.back().at, std::vector<std::uint32_t>{}) << "their ends have come near, of none only some";
  EXPECT_EQ(looks.back().ending, 4u);
  EXPECT_FALSE(looks.back().has_passed_all);
  horizon = 0;
  world.pass(1s);
  EXPECT_EQ(looks.back().ending, 0u) << "a horizon that moves back takes a pass";
  EXPECT_TRUE(looks.back().has_passed_all);
}

RC_GTEST_PROP(QuietTasks, DecideAsIfAllWereLookedAtInHistoriesDrawnAtRandom, ()) {
  Seen seen;
  RandomHistory history(compared(seen));
  const int steps = *rc::gen::inRange(50, 300);
  for (int i = 0; i < steps; ++i) history.step();
  RC_ASSERT(!::testing::Test::HasFailure());
}

// Attempts at many tasks, at paces of their own that change now and then; only some are reported before a look, cuts
// are answered late or never, attempts fail, and fresh ones take over.
RC_GTEST_PROP(QuietTasks, DecideAsIfAllWereLookedAtWhereOnlySomeWereReported, ()) {
  Seen seen;
  World world(compared(seen));
  constexpr std::uint64_t kSplitBytes = 12'000'000;
  for (int node = 0; node < 4; ++node) world.register_node("n" + std::to_string(node), 8);
  const std::uint64_t tasks = *rc::gen::inRange<std::uint64_t>(4, 28);
  JobSpec spec;
  spec.deadline = std::chrono::seconds(*rc::gen::element(0, 60, 200, 100'000));
  spec.checkpoint_interval = *rc::gen::element(Duration(0), Duration(5s));
  world.submit(tasks * kSplitBytes, kSplitBytes, spec);
  const bool are_alike = *rc::gen::arbitrary<bool>();        // so that all are quiet for a while
  const bool by_runner = *rc::gen::arbitrary<bool>();        // paces are by the clocks of runners
  std::vector<std::pair<AttemptId, std::uint64_t>> running;  // bytes a second
  for (int second = 0; second < 80; ++second) {
    for (const auto& launch : world.take<action::LaunchAttempt>()) {
      running.emplace_back(launch.attempt,
                           1 + 1000 * (are_alike ? 100 : *rc::gen::element(20, 90, 100, 105, 110, 130)));
      if (*rc::gen::inRange(0, 10) > 0) world.start_attempt(launch.attempt);
    }
    for (const auto& cut : world.take<action::CutAttempt>()) {
      const Attempt* attempt = world.cluster().find_live(cut.attempt);
      if (attempt == nullptr || !attempt->cut || *rc::gen::inRange(0, 4) == 0) continue;
      const std::uint64_t at = std::max(cut.at, attempt->offset + 1);
      if (at < attempt->held.end) world.answer_cut(cut.attempt, at, cut.release);
    }
    const int share = *rc::gen::element(0, 1, 5, 10);  // of ten
    for (auto& [id, rate] : running) {
      const Attempt* attempt = world.cluster().find_live(id);
      if (attempt == nullptr || attempt->state != AttemptState::Running || attempt->standby) continue;
      if (*rc::gen::inRange(0, 10) >= share) continue;
      if (second > 20 && *rc::gen::inRange(0, 40) == 0) rate = 1 + rate / 4;
      const double took = seconds(world.now() - attempt->reported_at);
      const auto offset = attempt->offset + static_cast<std::uint64_t>(took * static_cast<double>(rate));
      if (offset < attempt->held.end)
        report(world, id, offset, by_runner);
      else
        world.seal_all(id);
    }
    if (*rc::gen::inRange(0, 30) == 0 && !running.empty())
      world.fail(running[*rc::gen::inRange<std::size_t>(0, running.size())].first, "x", FailureKind::Attempt);
    world.pass(std::chrono::milliseconds(*rc::gen::inRange(100, 2000)));
  }
  RC_ASSERT(!::testing::Test::HasFailure());
  RC_ASSERT(seen.plans > 0u);
}

}  // namespace
}  // namespace ontime::scheduler::test
