// What people are told of a job: when, how often, and by whom it may be asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/protocol/notice.pb.h"
#include "master/clients/views.h"
#include "master/notices/job_notices.h"
#include "master/submissions/notify.h"
#include "tests/master/fake_application.h"
#include "tests/master/master_fixture.h"

// A false alarm of g++ 12, as in master/submissions/submissions.cpp.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace ontime::test {
namespace {

using asio::awaitable;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class NoticesTest : public MasterFixture {
 protected:
  NoticesTest() {
    settings_.notices.tell = [this](const std::string& bytes, std::function<void(const std::string&)> done) {
      wire::NoticeToTell notice;
      EXPECT_TRUE(notice.ParseFromString(bytes));
      told_.push_back(notice);
      pending_.push_back(std::move(done));
      if (answers_) done_all("");
    };
    restart();
  }

  void restart() {
    stop_master();
    pending_.clear();
    start_master();
  }
  void done_all(const std::string& problem) {
    for (const auto& done : std::exchange(pending_, {})) done(problem);
  }
  wire::Request asking_for(const std::vector<std::string>& notices, Duration deadline = Duration(0)) const {
    wire::Request request = submission();
    for (const std::string& notice : notices) request.mutable_submit()->add_notify(notice);
    request.mutable_submit()->mutable_settings()->set_deadline(deadline.count());
    return request;
  }
  wire::Request late_at_once() const { return asking_for({"late:b"}, std::chrono::milliseconds(1)); }
  // Maps the job's one task.
  awaitable<wire::JobSummary> finish(FakeWorker& worker, std::uint32_t job) {
    const wire::Order::Launch launch = co_await worker.next_launch();
    worker.report(seal(launch, 1, "x"));
    const wire::JobSummary summary = co_await ended(job);
    co_return summary;
  }
  // Until so many have been told and noted.
  awaitable<wire::JobSummary> noted(std::uint32_t job, int count) {
    for (;;) {
      const wire::Reply::Job reply = co_await describe(job);
      const auto& notices = reply.summary().notify();
      const auto told =
          std::count_if(notices.begin(), notices.end(), [](const auto& n) { return n.told_unix_ns() != 0; });
      if (told >= count) co_return reply.summary();
      co_await net::sleep_for(std::chrono::milliseconds(20));
    }
  }
  std::vector<std::string> conditions() const {
    std::vector<std::string> all;
    for (const wire::NoticeToTell& notice : told_) all.push_back(notice.when());
    return all;
  }

  std::vector<wire::NoticeToTell> told_;
  std::vector<std::function<void(const std::string&)>> pending_;
  bool answers_ = true;
};

TEST_F(NoticesTest, SayWhatHasHappenedAndNothingElse) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::vector<std::string> notices{"ended:mail", "failed:mail", "missed:mail",
                                           "late:http://127.0.0.1/x?secret"};
    wire::Request request = asking_for(notices, std::chrono::hours(1));
    const std::uint32_t job = co_await submit_request(request);
    const wire::JobSummary end = co_await finish(worker, job);
    EXPECT_EQ(end.state(), wire::SUCCEEDED);
    const wire::JobSummary summary = co_await noted(job, 1);
    EXPECT_THAT(conditions(), ElementsAre("ended"));
    EXPECT_EQ(told_.at(0).command(), "mail");
    EXPECT_EQ(told_.at(0).job().state(), wire::SUCCEEDED);
    EXPECT_THAT(told_.at(0).id(), HasSubstr("/job-1/0"));
    EXPECT_EQ(summary.notify(0).problem(), "");
    EXPECT_EQ(summary.notify(1).told_unix_ns(), 0);
    EXPECT_EQ(summary.notify(3).what(), "http://127.0.0.1/...");  // the rest may be a secret
  });
}

TEST_F(NoticesTest, SayThatAJobIsLateWhileItRunsAndThatItMissedAtItsEnd) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::vector<std::string> notices{"missed:a", "late:b", "failed:c"};
    wire::Request request = asking_for(notices, std::chrono::milliseconds(1));
    const std::uint32_t job = co_await submit_request(request);
    const wire::JobSummary running = co_await noted(job, 1);
    EXPECT_EQ(running.state(), wire::RUNNING);
    EXPECT_THAT(conditions(), ElementsAre("late"));
    co_await finish(worker, job);
    co_await noted(job, 2);
    EXPECT_THAT(conditions(), ElementsAre("late", "missed"));
  });
}

TEST_F(NoticesTest, OfTheMasterAreOfHadoopsJobsToo) {
  settings_.advise = 1;
  settings_.notices.otherwise = {"missed:a", "failed:b"};
  restart();
  play([&]() -> awaitable<void> {
    FakeApplication application(co_await connect(wire::APPLICATION_MASTER));
    application.submit("none");
    const auto accepted = co_await application.next();
    EXPECT_TRUE(accepted && accepted->has_accepted());
    application.synchronise();
    application.end_job(false, "no reducer came");
    co_await noted(1, 1);
    EXPECT_THAT(conditions(), ElementsAre("failed"));
    EXPECT_THAT(told_.at(0).job().message(), HasSubstr("no reducer came"));
  });
}

TEST_F(NoticesTest, AreNotRepeatedByTheNextMaster) {
  std::uint32_t job = 0;
  play([&]() -> awaitable<void> {
    job = co_await submit_request(late_at_once());
    co_await noted(job, 1);
  });
  restart();
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    co_await finish(worker, job);  // its end is looked at as well
    const wire::Reply::Job reply = co_await describe(job);
    EXPECT_NE(reply.summary().notify(0).told_unix_ns(), 0);
  });
  EXPECT_EQ(told_.size(), 1u);
}

// Nobody knows whether it was told before the crash, so the next master tells it again, and both have the same id.
TEST_F(NoticesTest, ThatWereUnderWayInACrashAreToldAgainUnderTheSameId) {
  answers_ = false;
  std::uint32_t job = 0;
  play([&]() -> awaitable<void> {
    job = co_await submit_request(late_at_once());
    while (told_.empty()) co_await net::sleep_for(std::chrono::milliseconds(1));
  });
  answers_ = true;
  restart();
  play([&]() -> awaitable<void> { co_await noted(job, 1); });
  ASSERT_EQ(told_.size(), 2u);
  EXPECT_EQ(told_[0].id(), told_[1].id());
}

// A server may take a minute, in which its job is looked at again and again.
TEST_F(NoticesTest, ThatAreUnderWayAreNotToldAgain) {
  answers_ = false;
  play([&]() -> awaitable<void> {
    co_await submit_request(late_at_once());
    while (told_.empty()) co_await net::sleep_for(std::chrono::milliseconds(1));
    wire::Request other = late_at_once();
    other.mutable_submit()->set_output(output_ + "2");
    co_await submit_request(other);
    while (told_.size() < 2) co_await net::sleep_for(std::chrono::milliseconds(1));
    EXPECT_THAT(told_[1].id(), HasSubstr("/job-2/0"));
  });
}

TEST_F(NoticesTest, ThatCannotBeToldSayWhyAndAreNotTriedAgain) {
  answers_ = false;
  play([&]() -> awaitable<void> {
    const std::uint32_t job = co_await submit_request(late_at_once());
    while (told_.empty()) co_await net::sleep_for(std::chrono::milliseconds(1));
    done_all("nobody listens");
    const wire::JobSummary summary = co_await noted(job, 1);
    EXPECT_EQ(summary.notify(0).problem(), "nobody listens");
  });
  restart();
  EXPECT_EQ(told_.size(), 1u);
}

TEST_F(NoticesTest, OfManyJobsAreToldAFewAtATime) {
  answers_ = false;
  play([&]() -> awaitable<void> {
    for (std::size_t i = 0; i < master::Notices::kAtOnce; ++i) {
      wire::Request request = late_at_once();
      request.mutable_submit()->add_notify("late:another");
      request.mutable_submit()->set_output(output_ + std::to_string(i));
      co_await submit_request(request);
    }
    while (told_.size() < master::Notices::kAtOnce) co_await net::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(pending_.size(), master::Notices::kAtOnce);
    answers_ = true;
    done_all("");
    while (told_.size() < 2 * master::Notices::kAtOnce) co_await net::sleep_for(std::chrono::milliseconds(1));
  });
}

TEST_F(NoticesTest, OfTheMasterAreForJobsThatAskForNone) {
  settings_.notices.otherwise = {"ended:operator"};
  restart();
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::uint32_t job = co_await submit();
    co_await finish(worker, job);
    co_await noted(job, 1);
  });
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_[0].command(), "operator");
}

TEST_F(NoticesTest, ThatRunCommandsNeedTheMastersLeave) {
  settings_.notices.command_right = std::nullopt;
  restart();
  play([&]() -> awaitable<void> {
    const std::vector<std::string> command{"ended:rm -r /"};
    const std::vector<std::string> url{"ended:http://127.0.0.1/told"};
    wire::Request first = asking_for(command);
    const wire::Reply refused = co_await ask(first);
    EXPECT_THAT(refused.error(), HasSubstr("--notify-commands"));
    wire::Request second = asking_for(url);
    const wire::Reply taken = co_await ask(second);
    EXPECT_EQ(taken.error(), "");
  });
}

TEST_F(NoticesTest, ThatRunCommandsNeedItAgainOnceSeveralOwnersMayCome) {
  play([&]() -> awaitable<void> {
    const auto two = net::Tokens::parse("admin:a-secret\nsubmit:bob:another\n");
    EXPECT_TRUE(two.has_value());
    master_->set_tokens(*two);
    auto connection = co_await connect(wire::Role::CLIENT, "another");
    const std::vector<std::string> command{"ended:id"};
    EXPECT_TRUE(connection->send(asking_for(command)));
    const auto payload = co_await connection->receive();
    wire::Reply reply;
    EXPECT_TRUE(payload && reply.ParseFromArray(payload->data(), static_cast<int>(payload->size())));
    EXPECT_THAT(reply.error(), HasSubstr("--notify-commands"));
  });
}

TEST(Notify, IsReadAsPeopleWriteIt) {
  const auto pocd = master::read_notify("pocd<0.25:mail -s 'late: soon' ops");
  ASSERT_TRUE(pocd) << pocd.error().message;
  EXPECT_EQ(pocd->when, master::Notify::When::Pocd);
  EXPECT_EQ(pocd->below, 0.25);
  EXPECT_EQ(pocd->what, "mail -s 'late: soon' ops");
  EXPECT_FALSE(pocd->is_url);
  const auto posted = master::read_notify("ended:https://hooks.example/T0/secret");
  ASSERT_TRUE(posted) << posted.error().message;
  EXPECT_TRUE(posted->is_url);
  EXPECT_EQ(posted->shown(), "https://hooks.example/...");
}

TEST(Notify, ThatMakesNoSenseIsRefusedInOneSentence) {
  for (const std::string text : {"", "late", "later:x", "pocd<1:x", "pocd<0:x", "pocd<0.5x:x", "pocd<:x", "pocd>0.5:x",
                                 "ended:", "ended: ", "ended:http://", "ended:http://user@host/"}) {
    const auto notify = master::read_notify(text);
    ASSERT_FALSE(notify.has_value()) << text;
    EXPECT_EQ(notify.error().kind, ErrorKind::BadInput);
  }
  EXPECT_FALSE(master::read_notify("ended:" + std::string(master::kNoticeBytesMax, 'x')).has_value());
}

TEST(Notify, IsCheckedAgainstItsJobAndTheRoots) {
  const auto refusal = [](std::vector<std::string> notices, const master::NoticeRules& rules, Duration deadline) {
    scheduler::JobSpec spec;
    spec.notify = std::move(notices);
    spec.deadline = deadline;
    const Status status = master::choose_notices(spec, rules);
    return status ? "" : status.error().message;
  };
  const auto roots = files::Roots::make({"https://hooks.example/team"});
  ASSERT_TRUE(roots) << roots.error().message;
  EXPECT_THAT(refusal({"late:x"}, {}, Duration(0)), HasSubstr("deadline"));
  EXPECT_EQ(refusal({"late:x"}, {}, Duration(1)), "");
  EXPECT_EQ(refusal({"ended:https://hooks.example/team/1"}, {{}, *roots}, Duration(0)), "");
  EXPECT_THAT(refusal({"ended:https://hooks.example/other"}, {{}, *roots}, Duration(0)), HasSubstr("--input-root"));
  EXPECT_THAT(refusal(std::vector<std::string>(master::kNoticesMax + 1, "ended:x"), {}, Duration(0)), HasSubstr("16"));
}

TEST(Notify, HoldsByTheStateOfItsJob) {
  const auto now_holding = [](scheduler::JobState state, Duration deadline, Duration age) {
    scheduler::JobSpec spec;
    spec.deadline = deadline;
    scheduler::Job job(spec);
    job.state = state;
    job.submitted_at = from_unix_ns(100);
    if (scheduler::is_final(state)) job.ended_at = job.submitted_at + age;
    std::vector<std::string> holding;
    for (const std::string when : {"late", "missed", "failed", "ended", "stuck", "pocd<0.5"}) {
      if (master::holds(*master::read_notify(when + ":x"), job, job.submitted_at + age)) holding.push_back(when);
    }
    return holding;
  };
  using scheduler::JobState;
  EXPECT_THAT(now_holding(JobState::Running, Duration(9), Duration(9)), IsEmpty());
  EXPECT_THAT(now_holding(JobState::Running, Duration(0), Duration(10)), IsEmpty());
  EXPECT_THAT(now_holding(JobState::Committing, Duration(9), Duration(10)), ElementsAre("late"));
  EXPECT_THAT(now_holding(JobState::Succeeded, Duration(9), Duration(9)), ElementsAre("ended"));
  EXPECT_THAT(now_holding(JobState::Killed, Duration(9), Duration(9)), UnorderedElementsAre("late", "missed", "ended"));
  EXPECT_THAT(now_holding(JobState::Failed, Duration(9), Duration(10)),
              UnorderedElementsAre("late", "missed", "failed", "ended"));
}

class JobNoticesTest : public testing::Test {
 protected:
  static scheduler::JobSpec spec(const std::string& notice, Duration attempt_timeout = Duration(0)) {
    scheduler::JobSpec spec;
    spec.notify = {notice};
    spec.deadline = std::chrono::hours(1);
    spec.attempt_timeout = attempt_timeout;
    return spec;
  }
  static TimePoint at(int seconds) { return from_unix_ns(0) + std::chrono::seconds(seconds); }
};

TEST_F(JobNoticesTest, OfALowPocdAreDueAtTheSecondReadingBelowIt) {
  master::JobNotices notices(spec("pocd<0.5:x"), at(0));
  notices.foresee(0.4, at(10));
  notices.foresee(0.5, at(11));  // not below
  notices.foresee(0.1, at(12));
  notices.foresee(0.1, at(12));  // a client asks at the same time
  EXPECT_FALSE(notices.is_due(0));
  notices.foresee(0.4, at(13));
  EXPECT_TRUE(notices.is_due(0));
  notices.foresee(0.9, at(14));
  EXPECT_TRUE(notices.is_due(0)) << "it was low, and somebody is to hear of it";
}

TEST_F(JobNoticesTest, OfAJobThatWaitsForWorkersAreDueAfterAMinuteAndNeverWhileItWaitsForASlot) {
  const scheduler::Job job(spec("stuck:x"));
  master::JobNotices notices(job.spec, at(0));
  notices.look(job, {0, master::kWaitsForSlot}, at(100));
  notices.look(job, {0, "workers"}, at(159));
  EXPECT_FALSE(notices.is_due(0));
  notices.look(job, {0, "workers"}, at(160));
  EXPECT_TRUE(notices.is_due(0));
}

TEST_F(JobNoticesTest, OfAJobWhoseAttemptsMapNothingNewAreDueAfterTheirTimeOut) {
  const scheduler::Job job(spec("stuck:x", std::chrono::seconds(30)));
  master::JobNotices notices(job.spec, at(0));
  notices.look(job, {50, ""}, at(29));
  notices.look(job, {20, ""}, at(58));  // an attempt was ended, and its work begins again
  EXPECT_FALSE(notices.is_due(0));
  notices.look(job, {50, ""}, at(59));
  EXPECT_TRUE(notices.is_due(0));
}

}  // namespace
}  // namespace ontime::test
