// An application master of Hadoop, played by the test, at a master that advises: what the scheduler makes of what it says,
// and which orders it receives.
#include <gmock/gmock.h>

#include "tests/master/fake_application.h"
#include "tests/master/master_fixture.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;
using Event = FakeApplication::Event;

class Advice : public MasterFixture {
 protected:
  Advice() {
    stop_master();
    settings_.advise = 4;
    start_master();
  }

  asio::awaitable<FakeApplication> connect_application() {
    FakeApplication application(co_await connect(wire::APPLICATION_MASTER));
    co_return application;
  }
  // With its job admitted, before it says what has happened.
  asio::awaitable<FakeApplication> admit_application(std::string policy, int tasks = 1) {
    FakeApplication application = co_await connect_application();
    application.submit(policy, tasks);
    const auto accepted = co_await application.next();
    EXPECT_TRUE(accepted && accepted->has_accepted());
    co_return application;
  }
  // With its job admitted and nothing told of the past.
  asio::awaitable<FakeApplication> make_application(std::string policy, int tasks = 1) {
    FakeApplication application = co_await admit_application(std::move(policy), tasks);
    application.synchronise();
    co_return application;
  }
  asio::awaitable<void> kill_job() {
    wire::Request request;
    request.mutable_kill_job()->set_job(1);
    const wire::Reply killed = co_await ask(request);
    EXPECT_TRUE(killed.error().empty()) << killed.error();
  }
  asio::awaitable<wire::Reply::Job> detail(std::uint32_t job = 1) {
    wire::Request request;
    request.mutable_describe_job()->set_job(job);
    request.mutable_describe_job()->set_tasks(true);
    const wire::Reply reply = co_await ask(request);
    co_return reply.job();
  }

  // A straggler was told to stop, has said that it will at 500, and two copies are to go on there.
  asio::awaitable<FakeApplication> make_cut_application() {
    FakeApplication application = co_await make_application("s-resume");
    application.start(0, 0);
    const wire::AdviceOrder order = co_await application.stand_still(0, 0, 100);
    EXPECT_TRUE(order.has_cut()) << order.what_case();
    EXPECT_EQ(order.cut().attempt(), 0u);
    EXPECT_GE(order.cut().at(), 100u);
    application.answer_cut(0, 0, 500);
    co_await expect_two_copies(application);
    co_return application;
  }
  asio::awaitable<void> expect_two_copies(FakeApplication& application) {
    for (const std::uint32_t number : {2u, 3u}) {
      const wire::AdviceOrder order = co_await application.next_order();
      EXPECT_EQ(order.add().begin(), 500u) << order.what_case();
      EXPECT_EQ(order.add().order(), number);
    }
  }
};

TEST_F(Advice, AStragglerStopsAtACutAndTheFirstCopyThatSucceedsIsTheTask) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await make_cut_application();
    EXPECT_EQ(application.known[0], 1u);
    application.start(0, 1, 500, 2);
    application.start(0, 2, 500, 3);
    application.seal(0, 0, 500);
    application.end(0, 0, Event::KILLED);
    application.end(0, 2, Event::SUCCEEDED);
    const wire::AdviceOrder order = co_await application.next_order();
    EXPECT_EQ(order.end().attempt(), 1u) << order.what_case();
    EXPECT_TRUE(order.end().started());
    const wire::Reply::Job mapped = co_await detail();
    EXPECT_EQ(mapped.summary().state(), wire::COMMITTING);
    application.end_job(true);
    const wire::JobSummary summary = co_await ended(1);
    EXPECT_EQ(summary.state(), wire::SUCCEEDED);
    const wire::Reply::Job job = co_await detail();
    EXPECT_EQ(job.tasks(0).segments_size(), 2);
    EXPECT_EQ(job.tasks(0).segments(0).range().end(), 500u);
    EXPECT_EQ(job.tasks(0).segments(0).attempt(), 0u);
    EXPECT_EQ(job.tasks(0).segments(1).attempt(), 2u);
    wire::Request logs;
    logs.mutable_read_logs()->set_job(1);
    const wire::Reply told = co_await ask(logs);
    EXPECT_THAT(told.logs().logs(0).text(), HasSubstr("of job_7_0001, attempt 0, on host-0"));
  });
}

TEST_F(Advice, CopiesEndIfWhatLiesBeforeThemWillNotBeSealedAndTheTaskBeginsAgain) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await make_cut_application();
    application.start(0, 1, 500, 2);
    application.start(0, 2, 500, 3);
    application.end(0, 0, Event::FAILED);
    for (const std::uint32_t attempt : {1u, 2u}) {
      const wire::AdviceOrder order = co_await application.next_order();
      EXPECT_EQ(order.end().attempt(), attempt) << order.what_case();
      application.end(0, attempt, Event::KILLED);
    }
    application.start(0, 3);
    application.end(0, 3, Event::SUCCEEDED);
    application.end_job(true);
    const wire::JobSummary summary = co_await ended(1);
    EXPECT_EQ(summary.state(), wire::SUCCEEDED);
    const wire::Reply::Job job = co_await detail();
    for (const wire::SegmentDetail& segment : job.tasks(0).segments()) EXPECT_EQ(segment.attempt(), 3u);
    EXPECT_EQ(job.tasks(0).attempts(1).state(), "lost");
  });
}

// Otherwise what it had mapped by its first report would seem to have taken no time, and a straggler would look fast.
TEST_F(Advice, AnAttemptHasMappedSinceItsFirstRecordAndNotSinceItsFirstReport) {
  play([this]() -> asio::awaitable<void> {
    using std::chrono::hours;
    FakeApplication application = co_await make_application("none");
    application.start(0, 0, 0, 0, hours(2));
    application.progress(0, 0, 100, hours(1));
    wire::Reply::Job job = co_await detail();
    while (job.tasks(0).attempts_size() == 0 || job.tasks(0).attempts(0).started_unix_ns() == 0) job = co_await detail();
    const wire::AttemptDetail& attempt = job.tasks(0).attempts(0);
    const std::chrono::nanoseconds launch(attempt.started_unix_ns() - attempt.launched_unix_ns());
    EXPECT_GE(launch, hours(1));
    EXPECT_LT(launch, hours(2));
  });
}

TEST_F(Advice, ATaskIsJudgedThoughHadoopHasNotBegunWithThoseBeforeIt) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await make_application("s-resume", 2);
    application.start(1, 0);
    const wire::AdviceOrder order = co_await application.stand_still(1, 0, 100);
    EXPECT_EQ(order.cut().task(), 1u) << order.what_case();
  });
}

TEST_F(Advice, ALostConnectionLosesNoOrder) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await make_cut_application();
    application.leave();
    application = co_await connect_application();
    application.submit("s-resume");
    application.start(0, 0, 0, 1);
    application.answer_cut(0, 0, 500);
    application.synchronise();
    co_await expect_two_copies(application);
  });
}

TEST_F(Advice, AnotherMasterOnTheJournalLearnsAgainWhatRuns) {
  play([this]() -> asio::awaitable<void> { co_await make_cut_application(); });
  stop_master();
  start_master();
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await connect_application();
    application.submit("s-resume");
    application.start(0, 0, 0, 1);
    application.seal(0, 0, 500);
    application.start(0, 1, 500, 2);  // the other order came to nothing
    application.progress(0, 1, 900);
    application.synchronise();
    const wire::AdviceOrder order = co_await application.next_order();
    EXPECT_EQ(order.add().order(), 3u) << order.what_case();
    const wire::Reply::Job running = co_await detail();
    EXPECT_EQ(running.summary().attempts_launched(), 3u);
    EXPECT_EQ(running.tasks(0).attempts(1).offset(), 900u);
    EXPECT_EQ(running.tasks(0).attempts(1).state(), "running");
    application.end(0, 1, Event::SUCCEEDED);
    application.end_job(true);
    const wire::JobSummary summary = co_await ended(1);
    EXPECT_EQ(summary.state(), wire::SUCCEEDED);
  });
}

TEST_F(Advice, AnAttemptThatIsNotMentionedAgainIsLost) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await make_application("none", 2);
    application.start(0, 0);
    application.start(1, 0);
    for (std::uint32_t launched = 0; launched < 2;) {
      const wire::Reply::Job job = co_await detail();
      launched = job.summary().attempts_launched();
    }
    application.leave();
    application = co_await connect_application();
    application.submit("none", 2);
    application.start(1, 0, 0, 1);
    application.synchronise();
    application.progress(1, 0, 7);
    application.end(1, 0, Event::SUCCEEDED);
    application.end_job(false);
    co_await ended(1);
    const wire::Reply::Job job = co_await detail();
    EXPECT_EQ(job.tasks(0).attempts(0).state(), "lost");
    EXPECT_EQ(job.tasks(1).state(), "done");
    EXPECT_EQ(job.tasks(1).attempts_size(), 1);
  });
}

TEST_F(Advice, AnOrderThatIsNotCarriedOutIsGivenUp) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await make_application("clone");
    application.start(0, 0);
    const wire::AdviceOrder order = co_await application.next_order();
    EXPECT_EQ(order.add().order(), 2u) << order.what_case();
    EXPECT_EQ(order.add().begin(), 0u);
    application.end(0, 0, Event::KILLED, 2);
    application.end_job(false);
    const wire::JobSummary summary = co_await ended(1);
    EXPECT_EQ(summary.state(), wire::KILLED);
    EXPECT_THAT(summary.message(), HasSubstr("Hadoop says that it failed"));
    const wire::Reply::Job job = co_await detail();
    EXPECT_EQ(job.tasks(0).attempts(1).state(), "lost");
  });
}

TEST_F(Advice, AJobThatIsKilledEndsOnHadoopTooNowAndAfterAReconnect) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await make_application("none");
    co_await kill_job();
    const wire::AdviceOrder order = co_await application.next_order();
    EXPECT_TRUE(order.has_end_job()) << order.what_case();
    application.leave();
    application = co_await make_application("none");
    const wire::AdviceOrder again = co_await application.next_order();
    EXPECT_TRUE(again.has_end_job()) << again.what_case();
  });
}

// As one does whose deadline has passed when it is named.
TEST_F(Advice, AJobThatIsKilledBeforeItHasSaidWhatHasHappenedEndsOnHadoopToo) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await admit_application("none");
    co_await kill_job();
    application.synchronise();
    const wire::AdviceOrder order = co_await application.next_order();
    EXPECT_TRUE(order.has_end_job()) << order.what_case();
  });
}

// Whatever Hadoop says about its end: nobody has asked the daemon to end it.
TEST_F(Advice, AJobThatHasEndedOnHadoopIsRefused) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await make_application("none");
    application.end_job(false, "killed by the queue");
    const wire::JobSummary summary = co_await ended(1);
    EXPECT_EQ(summary.state(), wire::KILLED);
    application = co_await connect_application();
    application.submit("none");
    const auto refused = co_await application.next();
    EXPECT_TRUE(refused && refused->has_refused());
  });
}

TEST_F(Advice, ATaskOfWhichNothingWasToldIsDoneWithItsJob) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await make_application("none", 6);
    for (std::uint32_t task = 0; task < 5; ++task) application.start(task, 0);  // one more than there are containers
    application.end_job(true);
    const wire::JobSummary summary = co_await ended(1);
    EXPECT_EQ(summary.state(), wire::SUCCEEDED);
    EXPECT_EQ(summary.tasks_done(), 6u);
    wire::Request request;
    request.mutable_list_nodes();
    const wire::Reply reply = co_await ask(request);
    EXPECT_EQ(reply.nodes().nodes_size(), 5);
    application = co_await connect_application();
    application.submit("none", 6);
    const auto refused = co_await application.next();
    EXPECT_TRUE(refused && refused->has_refused());
  });
}

TEST_F(Advice, AJobThatCannotBePlannedForIsRefusedInOneSentence) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await connect_application();
    application.submit("split-resume");
    const auto refused = co_await application.next();
    EXPECT_TRUE(refused && refused->has_refused());
    const std::string reason = refused ? refused->refused().reason() : "";
    EXPECT_THAT(reason, HasSubstr("choose shed+ or s-resume"));
    const auto nothing = co_await application.next();
    EXPECT_FALSE(nothing);
  });
}

TEST_F(Advice, RunsNoJobsItself) {
  play([this]() -> asio::awaitable<void> {
    const auto worker = co_await connect(wire::WORKER);
    EXPECT_EQ(worker, nullptr);
    const wire::Reply reply = co_await ask(submission());
    EXPECT_THAT(reply.error(), HasSubstr("advises Hadoop"));
  });
}

TEST_F(Advice, IsNotToBeHadFromAMasterWithoutIt) {
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await make_application("none");
    application.start(0, 0);
    co_await detail();
  });
  stop_master();
  settings_.advise = 0;
  start_master();
  play([this]() -> asio::awaitable<void> {
    const auto application = co_await connect(wire::APPLICATION_MASTER);
    EXPECT_EQ(application, nullptr);
    const wire::JobSummary summary = co_await ended(1);
    EXPECT_EQ(summary.state(), wire::KILLED);
    EXPECT_THAT(summary.message(), HasSubstr("without --advise"));
  });
}

TEST_F(Advice, AJobThatOnlyTheMasterHasDroppedIsRefusedAndNotEndedOnHadoop) {
  play([this]() -> asio::awaitable<void> { co_await make_application("none"); });
  stop_master();
  settings_.advise = 0;
  start_master();
  play([this]() -> asio::awaitable<void> { co_await ended(1); });
  stop_master();
  settings_.advise = 4;
  start_master();
  play([this]() -> asio::awaitable<void> {
    FakeApplication application = co_await connect_application();
    application.submit("none");
    const auto refused = co_await application.next();
    EXPECT_TRUE(refused && refused->has_refused());
    const std::string reason = refused ? refused->refused().reason() : "";
    EXPECT_THAT(reason, HasSubstr("ended already"));
    const auto nothing = co_await application.next();
    EXPECT_FALSE(nothing);
  });
}

TEST_F(Advice, EndsTheJobsThatAMasterWithoutItHasLeft) {
  stop_master();
  settings_.advise = 0;
  start_master();
  play([this]() -> asio::awaitable<void> { co_await submit(); });
  stop_master();
  settings_.advise = 4;
  start_master();
  play([this]() -> asio::awaitable<void> {
    const wire::JobSummary summary = co_await ended(1);
    EXPECT_EQ(summary.state(), wire::KILLED);
    EXPECT_THAT(summary.message(), HasSubstr("with --advise"));
  });
}

}  // namespace
}  // namespace ontime::test
