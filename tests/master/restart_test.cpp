// A master that begins on what the one before it has left: its journal, its workers, outputs half made.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/master/master_fixture.h"

// A false alarm of g++ 12, as in master/submissions/submissions.cpp.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using asio::awaitable;

class ClockTest : public MasterFixture {
 protected:
  static constexpr Duration kTenYears = std::chrono::hours(10 * 365 * 24);

  // A journal that began at one time, and in which a job was accepted at another one and killed an hour later.
  void start_on_journal(TimePoint begun, TimePoint accepted) {
    stop_master();
    const scheduler::fact::JobEnded ended{JobId{3}, scheduler::JobState::Killed, "killed"};
    std::vector<scheduler::JournalRecord> written{{begun, scheduler::fact::MasterStarted{40}},
                                                  {accepted, scheduler::fact::JobAccepted{JobId{3}, {}}},
                                                  {accepted + std::chrono::hours(1), ended}};
    EXPECT_TRUE(journal_.append(written));
    start_master();
  }
};

// A machine that starts at 1970, say: then everything lies in the future, and nothing could be put right again.
TEST_F(ClockTest, ThatIsBeforeTheJournalBeganChangesNothingInIt) {
  const TimePoint ahead = master::Clock::wall_now() + kTenYears;
  start_on_journal(ahead, ahead);
  play([&]() -> awaitable<void> {
    const wire::Reply::Job old = co_await describe(3);
    EXPECT_EQ(from_unix_ns(old.summary().submitted_unix_ns()), ahead);
    EXPECT_EQ(from_unix_ns(old.summary().ended_unix_ns()), ahead + std::chrono::hours(1));
    const wire::Reply::Job fresh = co_await describe(co_await submit());
    EXPECT_GE(fresh.summary().submitted_unix_ns(), old.summary().ended_unix_ns());
  });
}

// As a master has left it whose machine's clock was ten years ahead.
TEST_F(ClockTest, ThatWasFarAheadOnceIsNotKept) {
  const TimePoint now = master::Clock::wall_now();
  start_on_journal(now - std::chrono::hours(1), now + kTenYears);
  play([&]() -> awaitable<void> {
    const TimePoint soon = now + std::chrono::hours(1);
    const wire::Reply::Job old = co_await describe(3);
    EXPECT_LT(from_unix_ns(old.summary().ended_unix_ns()), soon);
    EXPECT_LE(old.summary().submitted_unix_ns(), old.summary().ended_unix_ns());
    const wire::Reply::Job fresh = co_await describe(co_await submit());
    EXPECT_LT(from_unix_ns(fresh.summary().submitted_unix_ns()), soon);
    EXPECT_GE(fresh.summary().submitted_unix_ns(), old.summary().ended_unix_ns());
  });
}

using RestartTest = MasterFixture;

TEST_F(RestartTest, ARestartedMasterAdoptsWhatRunsAndFencesWhatDoesNot) {
  std::uint32_t job = 0;
  wire::Order::Launch launch;
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker("one", 2);
    wire::Request request = submission();
    request.mutable_submit()->set_split_bytes(7);  // two tasks
    job = co_await submit_request(request);
    launch = co_await worker.next_launch();
    const wire::Order::Launch second = co_await worker.next_launch();
    worker.report(seal(second, 1, "2"));
    co_await worker.until_acknowledged(1);
  });
  stop_master();
  start_master();
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await connect_worker();
    wire::ToMaster::Register more;
    *more.add_running()->mutable_attempt() = launch.attempt();
    wire::Attempt* unknown = more.add_running()->mutable_attempt();
    *unknown = launch.attempt();
    unknown->set_number(9);
    worker.enlist("one", 2, more);
    const auto welcome = co_await worker.next_welcome();
    EXPECT_EQ(welcome->fenced_size(), 1);
    EXPECT_EQ(welcome->fenced(0).number(), 9u);
    worker.report(seal(launch, 2, "1"));
    const wire::JobSummary summary = co_await ended(job);
    EXPECT_EQ(summary.state(), wire::SUCCEEDED);
    EXPECT_EQ(summary.attempts_launched(), 2u);
  });
  EXPECT_EQ(read_file(output_ + "/part-m-00000") + read_file(output_ + "/part-m-00001"), "12");
}

TEST_F(RestartTest, ARestartedMasterRepeatsAnInterruptedCommit) {
  std::uint32_t job = 0;
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    job = co_await submit();
    const wire::Order::Launch launch = co_await worker.next_launch();
    const int batches = journal_.batches();
    worker.report(seal(launch, 1, "x"));
    while (journal_.batches() == batches) co_await net::sleep_for(std::chrono::milliseconds(1));
  });
  stop_master();
  start_master();
  play([&]() -> awaitable<void> {
    const wire::JobSummary summary = co_await ended(job);
    EXPECT_EQ(summary.state(), wire::SUCCEEDED);
  });
  EXPECT_EQ(read_file(output_ + "/part-m-00000"), "x");
  EXPECT_TRUE(fs::exists(output_ + "/_SUCCESS"));
}

TEST_F(RestartTest, ARestartedMasterDiscardsWhatTheLastOneCouldNot) {
  std::string attempts;
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const std::uint32_t job = co_await submit();
    attempts = fs::directory_iterator(output_ + "/_attempts")->path();
    wire::Request request;
    request.mutable_kill_job()->set_job(job);
    co_await ask(request);
    while (fs::exists(output_)) co_await net::sleep_for(std::chrono::milliseconds(1));
  });
  stop_master();
  write_file(attempts + "/t00000-a0", "half");  // as if it had come no further
  write_file(output_ + "/part-m-00000", "whole");
  start_master();
  play([&]() -> awaitable<void> {
    while (fs::exists(output_)) co_await net::sleep_for(std::chrono::milliseconds(1));
  });
}

// A master died between the claim and the job.
TEST_F(RestartTest, AClaimThatNoJobHasIsTakenOverAndAnyOtherIsNot) {
  fs::create_directories(output_ + "/_attempts/" + journal_.cluster() + "-0123456789abcdef");
  play([&]() -> awaitable<void> { co_await submit(); });
  EXPECT_FALSE(fs::exists(output_ + "/_attempts/" + journal_.cluster() + "-0123456789abcdef"));
  const std::string other = directory_ / "other";
  fs::create_directories(other + "/_attempts/another-0123456789abcdef");
  play([&]() -> awaitable<void> {
    wire::Request request = submission();
    request.mutable_submit()->set_output(other);
    const auto in_use = co_await ask(request);
    EXPECT_NE(in_use.error().find("is being used by another job"), std::string::npos);
  });
}

}  // namespace
}  // namespace ontime::test
