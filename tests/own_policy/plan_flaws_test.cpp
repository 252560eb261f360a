// Which plans of policies of one's own are carried out. Random ones, most of which name what is not there, must leave
// the scheduler as sound as ours do: the fixture checks its invariants after every step.
#include "scheduler/policies/plan_flaws.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <random>

#include "master/policies/own_policies.h"
#include "scheduler/policies/open_segments.h"
#include "tests/scheduler/random_history.h"

namespace ontime::scheduler {
namespace {

using namespace std::chrono_literals;

struct Seen {
  std::size_t sound = 0;
  std::size_t flawed = 0;
};

// Any decision about anything, near what is there. Most that flaw_of() objects to are left out, so that the others come
// to be carried out.
class Wild final : public Policy {
 public:
  Wild(std::uint32_t seed, Seen& seen) : random_(seed), seen_(seen) {}

  Plan plan(const View& view) override {
    Plan plan;
    plan.next_check = view.now + std::chrono::milliseconds(draw(900));
    for (std::uint32_t left = draw(12); left > 0; --left) {
      Decision decision = any(view);
      if (flaw_of(Plan{{decision}, {}}, view).empty() || draw(400) == 0) plan.decisions.push_back(std::move(decision));
    }
    ++(flaw_of(plan, view).empty() ? seen_.sound : seen_.flawed);
    return plan;
  }

 private:
  std::uint32_t draw(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
  }

  // A segment that is there, most of the time.
  std::pair<TaskId, ByteRange> any_segment(const View& view) {
    if (view.jobs.empty() || draw(20) == 0) return {{JobId{draw(9)}, draw(9)}, {draw(99), draw(99)}};
    const JobView& job = view.jobs[draw(static_cast<std::uint32_t>(view.jobs.size()))];
    if (job.job->tasks.empty()) return {{job.id, draw(2)}, {0, 1}};
    const std::uint32_t index = draw(job.job->tasks.size());
    const auto& segments = job.job->tasks[index].ledger.segments();
    return {{job.id, index}, segments[draw(static_cast<std::uint32_t>(segments.size()))].range};
  }

  std::uint64_t inside(ByteRange range) {
    return range.begin + draw(static_cast<std::uint32_t>(std::min<std::uint64_t>(range.size() + 2, 100)));
  }

  Decision any(const View& view) {
    const auto [task, range] = any_segment(view);
    const std::uint32_t copies = draw(30) == 0 ? 1'000'000'000 : draw(4);
    switch (draw(6)) {
      case 0:
        return Divide{task, range.begin, {inside(range), inside(range)}};
      case 1:
        return CloneTasks{task.job, copies};
      case 2:
        return EndAttempt{{task, draw(4)}};
      case 3:
        return Decline{task};
      case 4:
        return Note{task.job, draw(9) == 0 ? "\xff" : "text", {}, draw(9) == 0 ? "none" : ""};
      default:
        break;
    }
    Speculate decision{task, range.begin, WholeSegment{copies}};
    const Handover handover = draw(2) == 0 ? Handover::Ready : Handover::Predicted;
    if (draw(2) == 0) decision.work = SharedTail{inside(range), copies, handover};
    if (draw(2) == 0) decision.work = GivenTail{{{inside(range), copies}, {inside(range), draw(3)}}, handover};
    if (draw(9) == 0) decision.completion = std::numeric_limits<double>::infinity();
    return decision;
  }

  std::mt19937 random_;
  Seen& seen_;
};

Settings settings(std::uint32_t seed, Seen& seen) {
  Settings settings;
  settings.make_policy = [seed, &seen](std::string_view, const StringMap&) {
    return master::guarded("wild", std::make_unique<Wild>(seed, seen), Duration::zero());
  };
  return settings;
}

RC_GTEST_PROP(PlanFlaws, WhateverAPolicyPlansTheInvariantsHoldAndJobsEnd, ()) {
  Seen seen;
  test::RandomHistory history(settings(*rc::gen::arbitrary<std::uint32_t>(), seen));
  const int steps = *rc::gen::inRange(0, 200);
  for (int i = 0; i < steps; ++i) {
    history.step();
    RC_ASSERT(!testing::Test::HasFailure());
  }
  history.settle();
  RC_ASSERT(!testing::Test::HasFailure());
  RC_ASSERT(history.all_ended());
  RC_CLASSIFY(seen.sound > 0, "has sound plans");
  RC_CLASSIFY(seen.flawed > 0, "has flawed plans");
}

// A job of three tasks of 100 bytes each, one of which runs.
class FlawOf : public testing::Test {
 protected:
  FlawOf() {
    world_.register_node("a", 1);
    job_ = world_.submit(300, 100);
  }

  std::string flaw_of(Decision decision) {
    const Outlook* outlook = world_.scheduler().outlook(job_);
    const std::vector<JobView> jobs{{job_, world_.cluster().find_job(job_), outlook, {}}};
    const View view{world_.cluster(), world_.scheduler().resources(), jobs, world_.now()};
    return scheduler::flaw_of(Plan{{std::move(decision)}, {}}, view);
  }
  TaskId task(std::uint32_t index) const { return {job_, index}; }

  test::World world_;
  JobId job_;
};

TEST_F(FlawOf, WhatIsThereMayBeAskedFor) {
  EXPECT_EQ(flaw_of(Speculate{task(0), 0, WholeSegment{1}}), "");
  EXPECT_EQ(flaw_of(Speculate{task(0), 0, SharedTail{50, 1}}), "");
  EXPECT_EQ(flaw_of(race_for(task(0), 0, 1, std::numeric_limits<double>::infinity())), "");  // it stands still
  EXPECT_EQ(flaw_of(Speculate{task(0), 0, GivenTail{{{50, 1}, {70, 0}}}}), "");
  EXPECT_EQ(flaw_of(Divide{task(2), 200, {230, 260}}), "");
  EXPECT_EQ(flaw_of(EndAttempt{{task(0), 0}}), "");
  EXPECT_EQ(flaw_of(CloneTasks{job_, 2}), "");
  EXPECT_EQ(flaw_of(Note{job_, "r = 2"}), "");
}

TEST_F(FlawOf, WhatIsNotThereIsNamed) {
  EXPECT_EQ(flaw_of(Speculate{task(3), 0, WholeSegment{1}}), "it names job-1/t00003, which is not there");
  EXPECT_EQ(flaw_of(Speculate{task(0), 7, WholeSegment{1}}),
            "it names a segment of job-1/t00000 that begins at 7, and none that is open does");
  EXPECT_EQ(flaw_of(EndAttempt{{task(1), 0}}), "it names job-1/t00001/a0, which is not there");
  EXPECT_EQ(flaw_of(CloneTasks{JobId{2}, 1}), "it names job-2, which is not there");
}

TEST_F(FlawOf, WhatASegmentCannotGiveIsRefused) {
  EXPECT_NE(flaw_of(Speculate{task(0), 0, WholeSegment{0}}), "");
  EXPECT_NE(flaw_of(Speculate{task(0), 0, WholeSegment{kCopiesMax + 1}}), "");
  EXPECT_NE(flaw_of(Speculate{task(0), 0, SharedTail{100, 1}}), "");
  EXPECT_NE(flaw_of(Speculate{task(0), 0, GivenTail{}}), "");
  EXPECT_NE(flaw_of(Speculate{task(0), 0, GivenTail{{{70, 1}, {50, 1}}}}), "");
  EXPECT_NE(flaw_of(Divide{task(2), 200, {200}}), "");
  EXPECT_NE(flaw_of(Divide{task(2), 200, {260, 230}}), "");
  EXPECT_NE(flaw_of(Note{job_, std::string(kNoteBytesMax + 1, 'x')}), "");
  EXPECT_NE(flaw_of(Note{job_, "none is better", {}, "none"}), "");
}

}  // namespace
}  // namespace ontime::scheduler
