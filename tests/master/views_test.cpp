// What is made from the cluster's state: the plan of a commit, and what clients are shown.
#include "master/clients/views.h"

#include <gtest/gtest.h>

#include "master/clients/explanation.h"
#include "master/outputs/output.h"

namespace ontime::master {
namespace {

namespace fact = scheduler::fact;
using scheduler::Cluster;
using scheduler::Fact;

// A job over one plain and one compressed file, driven by records.
class ViewsTest : public testing::Test {
 protected:
  ViewsTest() {
    scheduler::JobSpec spec;
    spec.application = "a";
    spec.inputs = {{"/plain", 100, "1", Codec::Plain}, {"/packed.gz", 50, "2", Codec::Gzip}};
    spec.output = "/out";
    spec.split_bytes = 1000;
    apply(fact::MasterStarted{1});
    apply(fact::NodeAdded{NodeId{1}, "inc", "name-1", "host", 4});
    apply(fact::JobAccepted{JobId{1}, spec});
  }

  void apply(Fact fact) { cluster_.apply({from_unix_ns(++time_), std::move(fact)}); }
  static AttemptId attempt(std::uint32_t task, std::uint32_t number) { return {{JobId{1}, task}, number}; }

  void launch(std::uint32_t task, std::uint32_t number, ByteRange range) {
    apply(fact::AttemptLaunched{attempt(task, number), NodeId{1}, range, number > 0});
  }
  void cut(std::uint32_t task, std::uint32_t number, std::uint64_t begin, std::uint64_t at, bool release = false) {
    apply(fact::SegmentCut{attempt(task, number), begin, at, release});
  }
  void seal(std::uint32_t task, std::uint32_t number, ByteRange range, std::uint64_t offset, std::uint64_t length,
            std::uint64_t input_end = 0) {
    fact::SegmentSealed fact{attempt(task, number), range, input_end == 0 ? range.end : input_end, {}, {}};
    fact.output = {offset, length, 3, 77};
    fact.counters = {{{"g", "n"}, 1}};
    apply(fact);
  }
  // The compressed task, done in one go.
  void finish_packed() {
    launch(1, 0, {0, kUnknownEnd});
    seal(1, 0, {0, kUnknownEnd}, 0, 9, 333);
  }

  Cluster cluster_;
  std::int64_t time_ = 1000;
};

TEST_F(ViewsTest, ATaskOfOneAttemptIsRenamed) {
  launch(0, 0, {0, 100});
  cut(0, 0, 0, 40);
  seal(0, 0, {0, 40}, 0, 5);
  seal(0, 0, {40, 100}, 5, 6);
  finish_packed();
  const CommitPlan plan = make_commit_plan(commit_of(cluster_, JobId{1}));
  ASSERT_EQ(plan.parts.size(), 2u);
  EXPECT_TRUE(plan.parts[0].may_rename);
  EXPECT_EQ(plan.parts[0].length, 11u);
  ASSERT_EQ(plan.parts[0].extents.size(), 2u);
  for (const Extent& extent : plan.parts[0].extents) EXPECT_EQ(extent.file, "t00000-a0");
  EXPECT_TRUE(plan.parts[1].may_rename);
}

TEST_F(ViewsTest, TheManifestTellsWhereEverySegmentLies) {
  launch(0, 0, {0, 100});
  cut(0, 0, 0, 40);
  seal(0, 0, {0, 40}, 0, 5);
  seal(0, 0, {40, 100}, 5, 6);
  finish_packed();
  const output::Manifest manifest = make_commit_plan(commit_of(cluster_, JobId{1})).manifest;
  EXPECT_EQ(manifest.job, "job-1");
  EXPECT_EQ(manifest.inputs[1].codec, "gzip");
  EXPECT_EQ(manifest.tasks[0].segments[1].range, (ByteRange{40, 100}));
  EXPECT_EQ(manifest.tasks[0].segments[1].offset, 5u);
  EXPECT_EQ(manifest.tasks[0].segments[1].node, "name-1");
  EXPECT_EQ(manifest.tasks[1].split, (ByteRange{0, 333}));  // the real end, which the submission did not know
  EXPECT_EQ(manifest.counters.at("g").at("n"), 3u);
}

TEST_F(ViewsTest, TheManifestListsTheFilesOfAGroup) {
  scheduler::JobSpec spec;
  spec.inputs = {{"/first", 9, "v", Codec::Plain}, {"/a", 7, "", Codec::Plain}};
  spec.inputs[1].parts = {{"/a", 3, "1"}, {"/b", 4, "2"}};
  spec.inputs.push_back({"/last", 5, "w", Codec::Plain});
  spec.split_bytes = 9;
  apply(fact::JobAccepted{JobId{2}, spec});
  for (std::uint32_t task = 0; task < 3; ++task) {
    const AttemptId id{{JobId{2}, task}, 0};
    const ByteRange range{0, spec.inputs[task].size};
    apply(fact::AttemptLaunched{id, NodeId{1}, range, false});
    apply(fact::SegmentSealed{id, range, range.end, {}, {}});
  }
  const output::Manifest manifest = make_commit_plan(commit_of(cluster_, JobId{2})).manifest;
  ASSERT_EQ(manifest.inputs.size(), 4u);
  EXPECT_EQ(manifest.inputs[2].path, "/b");
  EXPECT_EQ(manifest.inputs[2].size, 4u);
  EXPECT_EQ(manifest.inputs[2].version, "2");
  EXPECT_EQ(manifest.inputs[2].codec, "plain");
  ASSERT_EQ(manifest.tasks.size(), 3u);
  EXPECT_EQ(manifest.tasks[1].input, 1u);
  EXPECT_EQ(manifest.tasks[1].files, 2u);
  EXPECT_EQ(manifest.tasks[1].split, (ByteRange{0, 7}));
  EXPECT_EQ(manifest.tasks[2].input, 3u);
  EXPECT_EQ(manifest.tasks[2].files, 1u);
}

TEST_F(ViewsTest, ATaskOfSeveralAttemptsIsStitchedInInputOrder) {
  launch(0, 0, {0, 100});
  cut(0, 0, 0, 40, true);
  launch(0, 1, {40, 100});
  seal(0, 1, {40, 100}, 0, 6);
  seal(0, 0, {0, 40}, 0, 5);
  finish_packed();
  const Part part = make_commit_plan(commit_of(cluster_, JobId{1})).parts[0];
  EXPECT_FALSE(part.may_rename);
  ASSERT_EQ(part.extents.size(), 2u);
  EXPECT_EQ(part.extents[0].file, "t00000-a0");
  EXPECT_EQ(part.extents[1].file, "t00000-a1");
}

TEST_F(ViewsTest, TheFileOfAnAttemptThatWasKilledIsCopied) {
  launch(0, 0, {0, 100});
  cut(0, 0, 0, 40);
  seal(0, 0, {0, 40}, 0, 5);
  launch(0, 1, {40, 100});
  seal(0, 1, {40, 100}, 0, 0);  // lost the rest of its work to another, which had nothing to say
  apply(fact::AttemptEnded{attempt(0, 0), scheduler::AttemptEnd::Killed, "lost a race"});
  finish_packed();
  EXPECT_FALSE(make_commit_plan(commit_of(cluster_, JobId{1})).parts[0].may_rename);
}

TEST_F(ViewsTest, GarbageBeforeOrBetweenTheSegmentsIsLeftOut) {
  launch(0, 0, {0, 100});
  cut(0, 0, 0, 40);
  seal(0, 0, {0, 40}, 3, 5);
  seal(0, 0, {40, 100}, 20, 6);
  finish_packed();
  const Part part = make_commit_plan(commit_of(cluster_, JobId{1})).parts[0];
  EXPECT_FALSE(part.may_rename);
  EXPECT_EQ(part.length, 11u);
  ASSERT_EQ(part.extents.size(), 2u);
  EXPECT_EQ(part.extents[1].offset, 20u);
}

TEST_F(ViewsTest, OfRacingAttemptsTheFurthestCounts) {
  launch(0, 0, {0, 100});
  cut(0, 0, 0, 40);
  seal(0, 0, {0, 40}, 0, 5);
  launch(0, 1, {40, 100});
  launch(0, 2, {40, 100});
  for (const auto& [number, offset] : {std::pair{0u, 60u}, {1u, 75u}, {2u, 50u}}) {
    cluster_.observe_progress({attempt(0, number), offset, 0, 0}, from_unix_ns(++time_));
  }
  const scheduler::Job& job = *cluster_.find_job(JobId{1});
  EXPECT_EQ(reached_bytes(job), 35u);
  const wire::JobSummary summary = summary_of(JobId{1}, job, from_unix_ns(time_ + 5), ShowCounters::Yes);
  EXPECT_EQ(summary.mapped_bytes(), 75u);
  EXPECT_EQ(summary.attempts_running(), 3u);
  EXPECT_EQ(summary.input_bytes(), 150u);
  EXPECT_EQ(summary.ended_unix_ns(), 0);
  EXPECT_EQ(summary.counters_size(), 1);
}

TEST_F(ViewsTest, AJobThatDoesNotRunWaitsForASlotOrForWorkers) {
  const scheduler::Job& job = *cluster_.find_job(JobId{1});
  cluster_.observe_node(NodeId{1}, scheduler::NodeState::Silent, false, from_unix_ns(++time_));
  EXPECT_EQ(waiting_for(job, cluster_), "workers");
  cluster_.observe_node(NodeId{1}, scheduler::NodeState::Live, true, from_unix_ns(++time_));
  EXPECT_EQ(waiting_for(job, cluster_), "a slot");
  launch(0, 0, {0, 100});
  apply(scheduler::fact::AttemptEnded{attempt(0, 0), scheduler::AttemptEnd::Failed, "boom"});
  EXPECT_EQ(waiting_for(job, cluster_), "a worker on which it has not failed");
  apply(scheduler::fact::DutyChanged{NodeId{1}, scheduler::Duty::Drains});
  EXPECT_EQ(waiting_for(job, cluster_), "a worker that is not drained");
  apply(scheduler::fact::DutyChanged{NodeId{1}, scheduler::Duty::Serves});
  apply(scheduler::fact::DutyChanged{NodeId{1}, scheduler::Duty::Drains});
  EXPECT_EQ(waiting_for(job, cluster_), "a worker that is not drained");
  apply(scheduler::fact::DutyChanged{NodeId{1}, scheduler::Duty::Serves});
  launch(0, 1, {0, 100});
  EXPECT_EQ(waiting_for(job, cluster_), "");
}

TEST_F(ViewsTest, TasksAreShownFromAnyOneOn) {
  finish_packed();
  wire::Reply::Job reply;
  const AttemptMessages failures;
  const TaskViews views(cluster_, failures);
  views.append_to(reply, JobId{1}, *cluster_.find_job(JobId{1}), {.first = 1});
  ASSERT_EQ(reply.tasks_size(), 1);
  EXPECT_EQ(reply.tasks(0).index(), 1u);
  EXPECT_EQ(reply.tasks(0).state(), "done");
  EXPECT_EQ(reply.tasks(0).segments(0).range().end(), 333u);
  EXPECT_EQ(reply.tasks(0).attempts(0).state(), "succeeded");
  EXPECT_EQ(reply.next_task(), 0u);
  reply.Clear();
  views.append_to(reply, JobId{1}, *cluster_.find_job(JobId{1}), {.first = 5});
  EXPECT_EQ(reply.tasks_size(), 0);
}

TEST_F(ViewsTest, AJobTooLargeForOneReplyIsContinued) {
  scheduler::JobSpec spec;
  spec.inputs = {{"/" + std::string(4000, 'x'), 10'000, "1", Codec::Plain}};
  spec.split_bytes = 1;
  apply(fact::JobAccepted{JobId{2}, spec});
  const scheduler::Job& job = *cluster_.find_job(JobId{2});
  const AttemptMessages failures;
  const TaskViews views(cluster_, failures);
  std::uint32_t first = 0;
  std::uint32_t seen = 0;
  int replies = 0;
  do {
    wire::Reply::Job reply;
    views.append_to(reply, JobId{2}, job, {.first = first});
    EXPECT_LT(reply.ByteSizeLong(), 20u << 20);
    seen += static_cast<std::uint32_t>(reply.tasks_size());
    first = reply.next_task();
    ++replies;
  } while (first != 0);
  EXPECT_EQ(seen, 10'000u);
  EXPECT_GT(replies, 1);
}

// What a policy decided ----------------------------------------------------------------------------------------------

class ExplanationTest : public ViewsTest {
 protected:
  static constexpr std::int64_t kSecond = 1'000'000'000;

  void at(std::int64_t second) { time_ = 1003 + second * kSecond; }  // after submission
  void decide(scheduler::DecisionNote note) { apply(fact::PolicyDecided{JobId{1}, std::move(note)}); }
  scheduler::DecisionNote takeover(std::uint32_t task, std::uint64_t segment, std::uint64_t at, std::uint32_t copies) {
    scheduler::DecisionNote note;
    note.what = scheduler::DecisionNote::What::Speculate;
    note.task = task;
    note.attempt = 0;
    note.reason = "late";
    note.segment = segment;
    note.resume_at = at;
    note.copies = copies;
    note.release = true;
    note.completion = 16;
    note.pocd_before = 0.25;
    note.pocd_after = std::numeric_limits<double>::quiet_NaN();
    return note;
  }
  void copy(std::uint32_t task, std::uint32_t number, ByteRange range) {
    apply(fact::AttemptLaunched{attempt(task, number), NodeId{1}, range, true});
  }
  const scheduler::Job& job() const { return *cluster_.find_job(JobId{1}); }
  wire::Reply::Explained explained(wire::Request::Explain request = {}) const {
    wire::Reply::Explained reply;
    // Slice by slice it is the same as at once.
    const Explanation explanation(cluster_, job(), from_unix_ns(time_));
    Explanation::Telling telling;
    EXPECT_TRUE(explanation.append_to(reply, request, telling));
    wire::Reply::Explained sliced;
    for (telling = {}; !explanation.append_to(sliced, request, telling, 1);) {
    }
    EXPECT_EQ(sliced.SerializeAsString(), reply.SerializeAsString());
    return reply;
  }
};

TEST_F(ExplanationTest, CopiesAreFoundUnderTheDecisionThatLaunchedThem) {
  launch(0, 0, {0, 100});
  at(2);
  decide(takeover(0, 0, 40, 1));
  cut(0, 0, 0, 40, true);
  copy(0, 1, {40, 100});
  at(4);
  decide(takeover(0, 40, 70, 1));
  cut(0, 1, 40, 70, true);
  copy(0, 2, {70, 100});
  at(5);
  seal(0, 0, {0, 40}, 0, 1);
  seal(0, 1, {40, 70}, 0, 1);
  seal(0, 2, {70, 100}, 0, 1);
  const auto reply = explained();
  ASSERT_EQ(reply.tasks_size(), 1);
  const wire::ExplainedTask& task = reply.tasks(0);
  EXPECT_EQ(task.state(), "done");
  EXPECT_NEAR(static_cast<double>(task.done_ns()), 5e9, 100);
  ASSERT_EQ(task.decisions_size(), 2);
  const wire::DecisionDetail& first = task.decisions(0);
  EXPECT_NEAR(static_cast<double>(first.at_ns()), 2e9, 100);
  EXPECT_EQ(first.what(), "speculate");
  EXPECT_EQ(first.reason(), "late");
  EXPECT_EQ(first.resume_at(), 40u);
  EXPECT_EQ(first.completion_ns(), 16 * kSecond);
  EXPECT_EQ(first.pocd_before(), 0.25);
  EXPECT_FALSE(first.has_pocd_after());
  ASSERT_EQ(first.fates_size(), 1);
  EXPECT_EQ(first.fates(0).attempt(), 1u);
  EXPECT_EQ(first.fates(0).state(), "succeeded");
  EXPECT_EQ(first.fates(0).saved_bytes(), 40u);
  ASSERT_EQ(task.decisions(1).fates_size(), 1);
  EXPECT_EQ(task.decisions(1).fates(0).attempt(), 2u);
  EXPECT_EQ(task.decisions(1).fates(0).saved_bytes(), 30u);
  EXPECT_TRUE(task.clones().empty());
}

TEST_F(ExplanationTest, WhatIsAboutTheWholeJobStandsApart) {
  scheduler::DecisionNote note;
  note.text = "r = 1";
  decide(note);
  scheduler::DecisionNote clone;
  clone.what = scheduler::DecisionNote::What::Clone;
  clone.reason = "clone";
  clone.copies = 1;
  decide(clone);
  launch(0, 0, {0, 100});
  copy(0, 1, {0, 100});
  const auto reply = explained();
  ASSERT_EQ(reply.decisions_size(), 2);
  EXPECT_EQ(reply.decisions(0).text(), "r = 1");
  ASSERT_EQ(reply.tasks_size(), 1);
  ASSERT_EQ(reply.tasks(0).clones_size(), 1);
  wire::Reply::Job counted;
  Explanation(cluster_, job(), from_unix_ns(time_)).tally(counted);
  ASSERT_EQ(counted.copies_size(), 1);
  EXPECT_EQ(counted.copies(0).reason(), "clone");
  EXPECT_EQ(counted.copies(0).attempts(), 1u);
}

TEST_F(ExplanationTest, DecisionsComeBeforeDeclinesWhenThereIsRoomForOne) {
  cluster_.observe_declined({JobId{1}, 0}, scheduler::Reason::TooYoung, from_unix_ns(time_ + kSecond));
  decide(takeover(1, 0, 10, 1));
  wire::Request::Explain request;
  request.set_tasks_max(1);
  const auto one = explained(request);
  ASSERT_EQ(one.tasks_size(), 1);
  EXPECT_EQ(one.tasks(0).index(), 1u);
  EXPECT_EQ(one.tasks_left_out(), 1u);
  const auto both = explained();
  ASSERT_EQ(both.tasks_size(), 2);
  EXPECT_EQ(both.tasks(0).declined().reason(), "too-young");
  EXPECT_EQ(both.tasks_left_out(), 0u);
  request.set_tasks_max(0);
  request.set_first_task(1);
  EXPECT_EQ(explained(request).tasks_size(), 1);
  request.set_task(0);
  EXPECT_EQ(explained(request).tasks(0).index(), 0u);
}

TEST_F(ExplanationTest, ASummaryTellsThePolicyAndItsParameters) {
  const wire::JobSummary summary = summary_of(JobId{1}, job(), from_unix_ns(time_), ShowCounters::No);
  EXPECT_EQ(summary.settings().policy(), "none");
  EXPECT_EQ(summary.settings().estimator(), "chronos");
  EXPECT_EQ(summary.settings().checkpoint_interval(), 5 * kSecond);
}

TEST(Views, WhatIsNotKnownIsAbsent) {
  scheduler::Forecast forecast;
  forecast.median = std::numeric_limits<double>::infinity();
  forecast.low = 1.5;
  const wire::Forecast view = view_of(forecast, scheduler::Job{});
  EXPECT_FALSE(view.has_pocd());
  EXPECT_FALSE(view.has_median_ns());
  EXPECT_EQ(view.low_ns(), 1'500'000'000);
  EXPECT_EQ(view.durations().source(), "assumed");
}

}  // namespace
}  // namespace ontime::master
