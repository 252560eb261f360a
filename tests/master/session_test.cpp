// Workers and clients over a real loopback connection, against a whole master.
#include <gtest/gtest.h>

#include <asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <numeric>
#include <set>

#include "common/net/endpoint.h"
#include "common/output/manifest.h"
#include "tests/master/master_fixture.h"

// A false alarm of g++ 12, as in master/submissions/submissions.cpp.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using asio::awaitable;

using SessionTest = MasterFixture;

TEST_F(SessionTest, AWorkerIsWelcomedAndListed) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await connect_worker();
    worker.enlist("one", 3);
    const auto welcome = co_await worker.next_welcome();
    EXPECT_EQ(welcome->node(), 1u);
    EXPECT_EQ(welcome->heartbeat_interval_ns(), settings_.heartbeat.count());
    EXPECT_EQ(welcome->silence_max_ns(), std::max(master::kSilenceMin, settings_.node_timeout).count());
    EXPECT_FALSE(welcome->syncs_at_commit());
    EXPECT_EQ(welcome->fenced_size(), 0);
    wire::Request request;
    request.mutable_list_nodes();
    const wire::Reply reply = co_await ask(request);
    EXPECT_EQ(reply.nodes().nodes_size(), 1);
    EXPECT_EQ(reply.nodes().nodes(0).name(), "worker-one");
    EXPECT_EQ(reply.nodes().nodes(0).slots(), 3u);
    EXPECT_EQ(reply.nodes().nodes(0).state(), "live");
  });
}

TEST_F(SessionTest, AWorkerNeedNotSyncWhatTheJournalWouldLoseToo) {
  stop_master();
  settings_.journal_sync = false;
  start_master();
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await connect_worker();
    worker.enlist("one", 1);
    EXPECT_TRUE((co_await worker.next_welcome())->syncs_at_commit());
  });
}

TEST_F(SessionTest, WhatTheMasterMeasuresIsTold) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    for (int beat = 0; beat < 3; ++beat) {
      wire::ToMaster message;
      message.mutable_heartbeat();
      worker.send(message);
    }
    wire::Request request;
    request.mutable_list_nodes();
    wire::Measures measures;
    const auto beats = [&] {
      return std::accumulate(measures.heartbeat_lag().counts().begin(), measures.heartbeat_lag().counts().end(), 0ull);
    };
    do measures = (co_await ask(request)).nodes().measures();
    while (beats() < 2);  // from one to the next
    EXPECT_EQ(beats(), 2u);
    EXPECT_GE(measures.records(), 2u);  // a master has started, a node was added
    EXPECT_EQ(measures.journal().counts_size(), measures.journal().bounds_ns_size() + 1);
    EXPECT_EQ(measures.malformed(), 0u);
  });
}

TEST_F(SessionTest, AJobRunsFromSubmissionToItsOutput) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::uint32_t job = co_await submit();
    const auto setup = co_await worker.next_order();
    EXPECT_TRUE(setup->has_setup());
    EXPECT_EQ(setup->setup().spec().application(), "wordcount");
    EXPECT_TRUE(setup->setup().output().starts_with(output_ + "/_attempts/" + journal_.cluster() + "-"));
    EXPECT_TRUE(fs::is_directory(setup->setup().output()));
    const wire::Order::Launch launch = co_await worker.next_launch();
    EXPECT_EQ(launch.file().path(), input_);
    EXPECT_EQ(launch.file().size(), 14u);
    EXPECT_EQ(launch.range().end(), 14u);
    wire::Report begun = about(launch.attempt(), 1);
    begun.mutable_started();
    worker.report(begun);
    wire::Report sealed = seal(launch, 2, "one\t1\n");
    wire::Counter* counter = sealed.mutable_sealed()->mutable_output()->add_counters();
    counter->set_group("words");
    counter->set_name("all");
    counter->set_value(3);
    worker.report(sealed);
    const wire::JobSummary summary = co_await ended(job);
    EXPECT_EQ(summary.state(), wire::SUCCEEDED);
    EXPECT_EQ(summary.mapped_bytes(), 14u);
    EXPECT_EQ(summary.records(), 2u);
    EXPECT_EQ(summary.counters(0).value(), 3u);
    const auto forget = co_await worker.next_order();
    EXPECT_EQ(forget->forget().job(), job);
  });
  EXPECT_EQ(read_file(output_ + "/part-m-00000"), "one\t1\n");
  EXPECT_TRUE(fs::exists(output_ + "/_SUCCESS"));
  EXPECT_FALSE(fs::exists(output_ + "/_attempts"));
  const auto manifest = output::read_manifest(output_);
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->tasks[0].segments[0].node, "worker-one");
  EXPECT_EQ(manifest->counters.at("words").at("all"), 3u);
}

TEST_F(SessionTest, AJobIsSetUpOncePerSessionBeforeItsFirstLaunch) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker("one", 2);
    wire::Request request = submission();
    request.mutable_submit()->set_split_bytes(5);  // three tasks
    co_await submit_request(request);
    const auto order = co_await worker.next_order();
    EXPECT_TRUE(order->has_setup());
    const wire::Order::Launch first = co_await worker.next_launch();
    const wire::Order::Launch second = co_await worker.next_launch();
    EXPECT_EQ(second.attempt().task(), 1u);
    worker.report(seal(first, 1, ""));
    const auto third = co_await worker.next_order();
    EXPECT_TRUE(third->has_launch());
    EXPECT_EQ(third->launch().attempt().task(), 2u);
  });
}

// As many megabytes at once as a connection never takes.
TEST_F(SessionTest, ManyJobsWithLargeParametersAreSetUpWithoutLosingTheWorker) {
  constexpr std::uint32_t kJobs = 30;
  play([&]() -> awaitable<void> {
    for (std::uint32_t i = 0; i < kJobs; ++i) {
      wire::Request request = submission();
      request.mutable_submit()->set_output(output_ + std::to_string(i));
      for (int parameter = 0; parameter < 15; ++parameter) {
        wire::Entry* entry = request.mutable_submit()->add_parameters();
        entry->set_key("p" + std::to_string(parameter));
        entry->set_value(std::string(60'000, 'x'));
      }
      co_await submit_request(request);
    }
    FakeWorker worker = co_await make_worker("one", kJobs);
    std::set<std::uint32_t> launched;
    asio::steady_timer heart(*io_);
    const std::function<void()> beat = [&] {
      wire::ToMaster heartbeat;
      heartbeat.mutable_heartbeat();
      worker.send(heartbeat);
      heart.expires_after(std::chrono::milliseconds(1));
      heart.async_wait([&beat](const asio::error_code& error) {
        if (!error) beat();
      });
    };
    beat();
    while (launched.size() < kJobs) {
      const auto order = co_await worker.next_order();
      if (!order) break;
      if (order->has_launch()) launched.insert(order->launch().attempt().job());
    }
    EXPECT_EQ(launched.size(), kJobs);
  });
}

TEST_F(SessionTest, AReportIsAcknowledgedOnlyWhenItIsDurable) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    co_await submit();
    const wire::Order::Launch launch = co_await worker.next_launch();
    const int before = worker.messages;
    journal_.shut();
    worker.report(seal(launch, 1, "x"));
    while (!journal_.is_waiting()) co_await net::sleep_for(std::chrono::milliseconds(1));
    EXPECT_FALSE(fs::exists(output_ + "/_SUCCESS"));
    EXPECT_EQ(worker.messages, before);
    journal_.open();
    co_await worker.until_acknowledged(1);
  });
}

TEST_F(SessionTest, AReportThatComesTwiceIsAcknowledgedAndCountsOnce) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::uint32_t job = co_await submit();
    const wire::Order::Launch launch = co_await worker.next_launch();
    const wire::Report sealed = seal(launch, 1, "x");
    worker.report(sealed);
    worker.report(sealed);
    co_await worker.until_acknowledged(1);
    const auto end = co_await ended(job);
    EXPECT_EQ(end.records(), 2u);
  });
}

TEST_F(SessionTest, ReportsOfUnknownAndForeignAttemptsAreAcknowledgedAndChangeNothing) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    FakeWorker stranger = co_await make_worker("two");
    const std::uint32_t job = co_await submit();
    const wire::Order::Launch launch = co_await worker.next_launch();
    wire::Report unknown = seal(launch, 1, "x");
    unknown.mutable_attempt()->set_number(7);
    stranger.report(unknown);
    stranger.report(seal(launch, 2, "x"));
    wire::Report other_job = about(launch.attempt(), 3);
    other_job.mutable_attempt()->set_job(99);
    other_job.mutable_started();
    stranger.report(other_job);
    co_await stranger.until_acknowledged(3);
    const wire::Reply::Job description = co_await describe(job);
    EXPECT_EQ(description.summary().tasks_done(), 0u);
    EXPECT_EQ(description.tasks(0).attempts_size(), 1);
  });
}

TEST_F(SessionTest, HeartbeatsMoveTheProgressOfAJob) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::uint32_t job = co_await submit();
    const wire::Order::Launch launch = co_await worker.next_launch();
    wire::ToMaster message;
    wire::AttemptProgress* progress = message.mutable_heartbeat()->add_attempts();
    *progress->mutable_attempt() = launch.attempt();
    progress->set_offset(8);
    worker.send(message);
    wire::Reply::Job description;
    do {
      description = co_await describe(job);
    } while (description.summary().mapped_bytes() == 0);
    EXPECT_EQ(description.summary().mapped_bytes(), 8u);
    EXPECT_EQ(description.tasks(0).attempts(0).offset(), 8u);
    EXPECT_EQ(description.tasks(0).state(), "running");
    EXPECT_EQ(description.tasks(0).segments(0).state(), "open");
  });
}

TEST_F(SessionTest, EveryHeartbeatIsAnsweredThoughThereAreNoOrders) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    wire::ToMaster message;
    message.mutable_heartbeat();
    for (std::uint64_t taken = 0; taken < 3;) {
      worker.send(message);
      co_await worker.until_heard(++taken);
    }
  });
}

TEST_F(SessionTest, AFatalFailureFailsTheJobWithItsStderrAndRemovesTheOutput) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::uint32_t job = co_await submit();
    const wire::Order::Launch launch = co_await worker.next_launch();
    wire::Report report = about(launch.attempt(), 1);
    report.mutable_ended()->set_failure(wire::BAD_RECORD);
    report.mutable_ended()->set_message("A record is too long.");
    report.mutable_ended()->set_stderr_tail("line one\nline \xff two\n");
    worker.report(report);
    const wire::JobSummary summary = co_await ended(job);
    EXPECT_EQ(summary.state(), wire::FAILED);
    EXPECT_NE(summary.message().find("A record is too long."), std::string::npos) << summary.message();
    EXPECT_NE(summary.message().find("line ? two"), std::string::npos) << summary.message();
    const wire::Reply::Job description = co_await describe(job);
    EXPECT_EQ(description.tasks(0).attempts(0).state(), "failed");
    EXPECT_NE(description.tasks(0).attempts(0).message().find("too long"), std::string::npos);
    while (fs::exists(output_)) co_await net::sleep_for(std::chrono::milliseconds(1));
  });
}

TEST_F(SessionTest, AKilledJobIsKilledOnItsWorkersToo) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::uint32_t job = co_await submit();
    const wire::Order::Launch launch = co_await worker.next_launch();
    wire::Request request;
    request.mutable_kill_job()->set_job(job);
    const auto killed = co_await ask(request);
    EXPECT_EQ(killed.killed().state(), wire::KILLED);
    const auto kill = co_await worker.next_order();
    EXPECT_TRUE(kill->has_kill());
    const auto end = co_await ended(job);
    EXPECT_EQ(end.state(), wire::KILLED);
    while (fs::exists(output_)) co_await net::sleep_for(std::chrono::milliseconds(1));
  });
}

TEST_F(SessionTest, ANewSessionOfAWorkerClosesItsOlderOne) {
  play([&]() -> awaitable<void> {
    FakeWorker older = co_await make_worker("one");
    FakeWorker newer = co_await make_worker("one");
    const auto closed = co_await older.is_closed();
    EXPECT_TRUE(closed);
    co_await submit();
    const auto relaunch = co_await newer.next_launch();
    EXPECT_EQ(relaunch.attempt().number(), 0u);
  });
}

TEST_F(SessionTest, AnAttemptThatAReturningWorkerDoesNotHaveIsLaunchedAgain) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    co_await submit();
    const auto launch = co_await worker.next_launch();
    EXPECT_EQ(launch.attempt().number(), 0u);
    FakeWorker again = co_await make_worker("one");
    const auto relaunch = co_await again.next_launch();
    EXPECT_EQ(relaunch.attempt().number(), 1u);
  });
}

TEST_F(SessionTest, AReturningWorkersReportsComeBeforeItsInventory) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::uint32_t job = co_await submit();
    const wire::Order::Launch launch = co_await worker.next_launch();
    FakeWorker again = co_await connect_worker();
    wire::ToMaster::Register more;
    *more.add_unacknowledged() = seal(launch, 5, "x");  // and not among the running any more
    again.enlist("one", 1, more);
    co_await again.until_acknowledged(5);
    const wire::Reply::Job description = co_await describe(job);
    EXPECT_EQ(description.summary().attempts_launched(), 1u);
    const auto end = co_await ended(job);
    EXPECT_EQ(end.state(), wire::SUCCEEDED);
  });
}

TEST_F(SessionTest, WhatCannotBeSubmittedIsRefusedInOneSentence) {
  play([&]() -> awaitable<void> {
    wire::Request missing = submission();
    missing.mutable_submit()->set_inputs(0, directory_ / "missing");
    const wire::Reply no_input = co_await ask(missing);
    EXPECT_EQ(no_input.error(),
              "The input '" + (directory_ / "missing") + "' cannot be read: No such file or directory.");
    EXPECT_TRUE(no_input.bad_input());
    wire::Request policy = submission();
    policy.mutable_submit()->mutable_settings()->set_policy("magic");
    const auto no_policy = co_await ask(policy);
    EXPECT_NE(no_policy.error().find("there is no policy 'magic'; choose one of: none"), std::string::npos);
    EXPECT_FALSE(fs::exists(output_));
    write_file(output_ + "/precious", "x");
    const auto not_empty = co_await ask(submission());
    EXPECT_NE(not_empty.error().find("is not empty"), std::string::npos);
  });
}

TEST_F(SessionTest, TwoJobsCannotShareAnOutputDirectory) {
  play([&]() -> awaitable<void> {
    co_await submit();
    const auto in_use = co_await ask(submission());
    EXPECT_NE(in_use.error().find("is being used by another job"), std::string::npos);
  });
}

TEST_F(SessionTest, AJobThatIsNotThereIsNamed) {
  play([&]() -> awaitable<void> {
    wire::Request request;
    request.mutable_describe_job()->set_job(42);
    const wire::Reply reply = co_await ask(request);
    EXPECT_NE(reply.error().find("No such job: job-42"), std::string::npos);
    EXPECT_TRUE(reply.bad_input());
    wire::Request kill;
    kill.mutable_kill_job()->set_job(0);
    const auto no_job = co_await ask(kill);
    EXPECT_NE(no_job.error().find("No such job: job-0"), std::string::npos);
    wire::Request list;
    list.mutable_list_jobs();
    const auto listed = co_await ask(list);
    EXPECT_EQ(listed.jobs().jobs_size(), 0);
  });
}

TEST_F(SessionTest, AReplyIsNotSentBeforeWhatItTellsIsDurable) {
  play([&]() -> awaitable<void> {
    const auto connection = co_await connect(wire::CLIENT);
    journal_.shut();
    EXPECT_TRUE(connection->send(submission()));
    while (!journal_.is_waiting()) co_await net::sleep_for(std::chrono::milliseconds(1));
    journal_.open();
    const auto payload = co_await connection->receive();
    EXPECT_TRUE(payload.has_value());
  });
}

}  // namespace
}  // namespace ontime::test
