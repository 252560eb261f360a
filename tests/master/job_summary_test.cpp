// What a job's summary and its tasks say of it, driven by records.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "common/protocol/job_state.h"
#include "master/clients/views.h"

namespace ontime::master {
namespace {

namespace fact = scheduler::fact;

constexpr JobId kJob{1};

class JobSummaryTest : public testing::Test {
 protected:
  void accept(scheduler::JobSpec spec) {
    spec.inputs = {{"/in", 200, "1", Codec::Plain}};
    spec.split_bytes = 100;
    apply(fact::MasterStarted{1});
    apply(fact::NodeAdded{NodeId{1}, "incarnation", "name", "host", 4});
    apply(fact::JobAccepted{kJob, std::move(spec)});
  }
  void apply(scheduler::Fact fact) { cluster_.apply({from_unix_ns(++time_), std::move(fact)}); }
  const scheduler::Job& job() const { return *cluster_.find_job(kJob); }
  std::string state_of(std::uint32_t task) const { return state_name_of(job(), job().tasks[task]); }
  wire::JobSummary summary(ShowCounters counters = ShowCounters::No) const {
    return summary_of(kJob, job(), from_unix_ns(time_), counters);
  }

  scheduler::Cluster cluster_;
  std::int64_t time_ = 1000;
};

TEST(JobStates, HaveOneNameInEveryProgram) {
  for (int i = 0; i <= static_cast<int>(scheduler::JobState::Killed); ++i) {
    const auto state = static_cast<scheduler::JobState>(i);
    EXPECT_EQ(protocol::name_of(state_of(state)), scheduler::name_of(state));
    EXPECT_EQ(protocol::has_ended(state_of(state)), is_final(state));
  }
  EXPECT_EQ(protocol::names_of_job_states().size(), 6u);
  EXPECT_EQ(protocol::name_of(static_cast<wire::JobState>(99)), "unknown");
}

TEST_F(JobSummaryTest, ATaskThatIsNotDoneWhenItsJobEndsIsUnfinishedAndWaitsForNothing) {
  accept({});
  const AttemptId attempt{{kJob, 0}, 0};
  apply(fact::AttemptLaunched{attempt, NodeId{1}, {0, 100}});
  EXPECT_EQ(state_of(0), "running");
  apply(fact::SegmentSealed{attempt, {0, 100}, 100, {}, {}});
  EXPECT_EQ(state_of(0), "done");
  EXPECT_EQ(state_of(1), "waiting");
  apply(fact::JobEnded{kJob, scheduler::JobState::Failed, "boom"});
  EXPECT_EQ(state_of(0), "done");
  EXPECT_EQ(state_of(1), "unfinished");
}

TEST_F(JobSummaryTest, WhatAutoHasChosenIsShownWithItsReason) {
  scheduler::JobSpec spec;
  spec.policy = "auto";
  accept(spec);
  EXPECT_EQ(summary().policy_chosen(), "");
  scheduler::DecisionNote note;
  note.text = "auto chooses clone: there is room";
  note.policy = "clone";
  apply(fact::PolicyDecided{kJob, note});
  EXPECT_EQ(summary().policy_chosen(), "clone");
  EXPECT_EQ(summary().policy_choice(), "auto chooses clone: there is room");
}

TEST_F(JobSummaryTest, ThatDoingNothingWouldHaveBeenFasterIsShownToTheEnd) {
  accept({});
  EXPECT_EQ(summary().policy_harm(), "");
  scheduler::DecisionNote note;
  note.reason = scheduler::kSlowerThanNothing;
  note.text = "9 s earlier";
  apply(fact::PolicyDecided{kJob, note});
  EXPECT_EQ(summary().policy_harm(), "9 s earlier");
}

TEST_F(JobSummaryTest, WhatAJobWasIsShownWholeOfOneAndShortOfMany) {
  scheduler::JobSpec spec;
  spec.parameters = {{"command", std::string(300, 'x')}};
  spec.files = {{"mapper.py", "secret", false}};
  accept(spec);
  const wire::JobSummary one = summary(ShowCounters::Yes);
  EXPECT_EQ(one.parameters(0).value(), std::string(300, 'x'));
  EXPECT_EQ(one.input_files(), 1u);
  EXPECT_EQ(one.inputs(0), "/in");
  EXPECT_EQ(one.files(0), "mapper.py");
  EXPECT_EQ(one.SerializeAsString().find("secret"), std::string::npos);
  const wire::JobSummary of_many = summary();
  EXPECT_EQ(of_many.parameters(0).value(), std::string(100, 'x') + "...");
  EXPECT_EQ(of_many.inputs_size() + of_many.files_size(), 0);
}

}  // namespace
}  // namespace ontime::master
