// What an application master says of its job, and which policies Hadoop can carry out.
#include "master/advice/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace ontime::master {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000'000;

wire::ToAdvisor::Job job_under(const std::string& policy) {
  wire::ToAdvisor::Job job;
  job.set_id("job_1_0001");
  job.set_application("org.example.WordCount$Map");
  job.mutable_settings()->set_policy(policy);
  job.mutable_settings()->set_deadline(60 * kSecond);
  job.set_resumable(true);
  job.set_has_reducers(true);
  for (const std::uint64_t length : {100, 30, 0}) job.add_tasks()->set_length(length);
  job.mutable_tasks(0)->set_path("/in/a");
  return job;
}

void set(wire::ToAdvisor::Job& job, const std::string& name, const std::string& value) {
  wire::Entry* entry = job.mutable_settings()->add_policy_parameters();
  entry->set_key(name);
  entry->set_value(value);
}

std::string refusal_of(const wire::ToAdvisor::Job& job) {
  const auto spec = advised_job(job, {});
  return spec ? "" : spec.error().message;
}

TEST(AdvisedJob, HasEachSplitAsAnInputOfItsOwn) {
  wire::ToAdvisor::Job job = job_under("shed+");
  job.set_elapsed_ns(20 * kSecond);
  const auto spec = advised_job(job, {});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_TRUE(spec->advised);
  EXPECT_EQ(spec->claim, "job_1_0001");
  EXPECT_EQ(spec->output, "");
  EXPECT_EQ(spec->application, "org-example-wordcount-map");
  EXPECT_EQ(spec->deadline, std::chrono::seconds(40));
  EXPECT_EQ(spec->checkpoint_interval, Duration(0));
  const std::vector<scheduler::Split> splits = scheduler::make_splits(*spec);
  ASSERT_EQ(splits.size(), 3u);
  EXPECT_EQ(splits[0].range, (ByteRange{0, 100}));
  EXPECT_EQ(splits[1].range, (ByteRange{0, 30}));
  EXPECT_EQ(splits[2].range, (ByteRange{0, 1}));
  EXPECT_EQ(spec->inputs[1].path, "/in/a");
}

TEST(AdvisedJob, KeepsADeadlineThatHasPassed) {
  wire::ToAdvisor::Job job = job_under("shed+");
  job.set_elapsed_ns(90 * kSecond);
  EXPECT_GT(advised_job(job, {})->deadline, Duration(0));
}

TEST(AdvisedJob, IsPlannedForByWhatAutoWouldChooseAndHadoopCanCarryOut) {
  wire::ToAdvisor::Job job = job_under("");
  EXPECT_EQ(advised_job(job, {})->policy, "shed+");
  EXPECT_EQ(advised_job(job, {})->policy_parameters.at("release"), "yes");
  EXPECT_EQ(advised_job(job, {})->policy_parameters.at("late"), "mantri");
  EXPECT_EQ(advised_job(job, {})->policy_parameters.at("handover"), "predicted");
  EXPECT_EQ(advised_job(job, {"late", {}})->policy, "late");
  job.set_resumable(false);
  EXPECT_EQ(advised_job(job, {})->policy, "s-restart");
  job.mutable_settings()->set_deadline(0);
  EXPECT_EQ(advised_job(job, {})->policy, "mantri");
}

TEST(AdvisedJob, RunsUnderEveryPolicyThatTheDocumentationNames) {
  for (const char* policy :
       {"shed+", "shed", "s-resume", "s-restart", "clone", "hadoop", "late", "mantri", "none", "auto"}) {
    EXPECT_EQ(refusal_of(job_under(policy)), "") << policy;
  }
}

TEST(AdvisedJob, IsRefusedAPolicyThatHadoopHasNoPlaceFor) {
  wire::ToAdvisor::Job job = job_under("split-resume");
  EXPECT_THAT(refusal_of(job), HasSubstr("reducers fetch the output of one attempt"));
  job.set_has_reducers(false);
  EXPECT_THAT(refusal_of(job), HasSubstr("the output of one attempt of each map task is committed"));
  EXPECT_THAT(refusal_of(job_under("none-such")), HasSubstr("none-such"));
}

TEST(AdvisedJob, ThatCannotBeCutIsCopiedFromItsBegin) {
  for (const char* policy : {"shed+", "shed", "s-resume"}) {
    wire::ToAdvisor::Job job = job_under(policy);
    job.set_resumable(false);
    set(job, "beta", "3");
    set(job, "handover", "ready");
    const auto spec = advised_job(job, {});
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->policy, "s-restart") << policy;
    EXPECT_EQ(spec->policy_parameters.at("beta"), "3");
    EXPECT_FALSE(spec->policy_parameters.contains("handover"));
    job.mutable_settings()->set_deadline(0);
    EXPECT_EQ(advised_job(job, {})->policy, "mantri") << policy;
    set(job, "nonsense", "1");
    EXPECT_THAT(refusal_of(job), HasSubstr("nonsense"));
  }
}

TEST(AdvisedJob, IsRefusedAParameterThatHadoopCannotCarryOut) {
  wire::ToAdvisor::Job job = job_under("shed+");
  set(job, "release", "no");
  EXPECT_THAT(refusal_of(job), HasSubstr("release=yes only"));
  job = job_under("s-resume");
  set(job, "handover", "ready");
  EXPECT_THAT(refusal_of(job), HasSubstr("handover=predicted only"));
  job = job_under("late");
  set(job, "xi", "0.2");
  EXPECT_THAT(refusal_of(job), HasSubstr("xi"));
}

TEST(AdvisedJob, IsRefusedWithoutAnIdOrTasksOrWithSplitsLongerThanFiles) {
  wire::ToAdvisor::Job job = job_under("none");
  job.clear_id();
  EXPECT_THAT(refusal_of(job), HasSubstr("no id"));
  job = job_under("none");
  job.clear_tasks();
  EXPECT_THAT(refusal_of(job), HasSubstr("no map tasks"));
  job.add_tasks()->set_length(std::numeric_limits<std::uint64_t>::max());
  EXPECT_THAT(refusal_of(job), HasSubstr("longer than any file"));
}

TEST(AdvisedJob, IsRefusedIfTheCopiesOfItsPathsWouldFillTheMemory) {
  wire::ToAdvisor::Job job = job_under("none");
  job.mutable_tasks(0)->set_path("/" + std::string(1000, 'a'));
  while (job.tasks_size() < 70'000) job.add_tasks()->set_length(1);
  EXPECT_THAT(refusal_of(job), HasSubstr("64 MiB"));
}

TEST(AdviceEvent, IsRefusedWhereItCannotBe) {
  wire::AttemptEvent event;
  EXPECT_FALSE(check_event(event, 1));  // says nothing
  event.mutable_progress()->set_offset(7);
  EXPECT_TRUE(check_event(event, 1));
  EXPECT_FALSE(check_event(event, 0));
  event.mutable_progress()->set_offset(std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(check_event(event, 1));
  event.mutable_started()->set_age_ns(-1);
  EXPECT_FALSE(check_event(event, 1));
  event.mutable_ended();
  EXPECT_FALSE(check_event(event, 1));
  event.mutable_ended()->set_outcome(wire::AttemptEvent::KILLED);
  EXPECT_TRUE(check_event(event, 1));
  event.set_attempt(kHadoopAttemptsMax);
  EXPECT_FALSE(check_event(event, 1));
}

}  // namespace
}  // namespace ontime::master
