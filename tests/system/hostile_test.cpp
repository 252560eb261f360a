// Peers that say what nobody should, to the real master while a job runs on it: each is disconnected and counted, and
// the job's answer stays exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/base/descriptor.h"
#include "common/protocol/client.pb.h"
#include "tests/system/hostile_peer.h"
#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

class Hostile : public PacedJobs {
 protected:
  void SetUp() override {
    cluster_.start_master();
    job_ = submit_paced("out");
  }
  // The cluster is none the worse for what was done to it.
  void TearDown() override {
    if (HasFatalFailure()) return;
    if (cluster_.workers() == 0) cluster_.add_worker(2);
    expect_right_answer(job_, "out");
  }
  void bring_an_honest_worker() {
    cluster_.add_worker(2);
    ASSERT_TRUE(eventually([&] { return has_begun(job_); }));
  }

  // As the master has counted.
  wire::Measures counted() {
    HostilePeer friendly(cluster_.address());
    wire::Request request;
    request.mutable_list_nodes();
    EXPECT_TRUE(friendly.greet(wire::CLIENT));
    EXPECT_TRUE(friendly.hear<wire::HelloReply>());
    EXPECT_TRUE(friendly.say(request));
    const auto reply = friendly.hear<wire::Reply>();
    EXPECT_TRUE(reply);
    return reply ? reply->nodes().measures() : wire::Measures();
  }

  std::unique_ptr<HostilePeer> admitted(wire::Role role) {
    auto peer = std::make_unique<HostilePeer>(cluster_.address());
    EXPECT_TRUE(peer->greet(role));
    const auto reply = peer->hear<wire::HelloReply>();
    EXPECT_TRUE(reply && reply->error().empty());
    return peer;
  }
  // A worker with one slot.
  std::unique_ptr<HostilePeer> enlisted(const std::string& incarnation) {
    auto peer = admitted(wire::WORKER);
    wire::ToMaster message;
    message.mutable_register_()->set_incarnation(incarnation);
    message.mutable_register_()->set_host("nowhere");
    message.mutable_register_()->set_slots(1);
    EXPECT_TRUE(peer->say(message));
    const auto welcome = peer->hear<wire::ToWorker>();
    EXPECT_TRUE(welcome && welcome->has_welcome());
    return peer;
  }
  static std::optional<wire::Order::Launch> next_launch(HostilePeer& worker) {
    for (;;) {
      const auto message = worker.hear<wire::ToWorker>();
      if (!message) return std::nullopt;
      for (const wire::Order& order : message->orders().orders()) {
        if (order.has_launch()) return order.launch();
      }
    }
  }
  // Until the master has ordered that attempt to be ended.
  static bool is_told_to_kill(HostilePeer& worker, const wire::Attempt& attempt) {
    for (;;) {
      const auto message = worker.hear<wire::ToWorker>();
      if (!message) return false;
      for (const wire::Order& order : message->orders().orders()) {
        if (order.has_kill() && order.kill().attempt().SerializeAsString() == attempt.SerializeAsString()) return true;
      }
    }
  }
  static wire::ToMaster seal(const wire::Attempt& attempt, std::uint64_t begin, std::uint64_t end,
                             std::uint64_t sequence) {
    wire::ToMaster message;
    wire::Report& report = *message.mutable_reports()->add_reports();
    report.set_sequence(sequence);
    *report.mutable_attempt() = attempt;
    report.mutable_sealed()->mutable_range()->set_begin(begin);
    report.mutable_sealed()->mutable_range()->set_end(end);
    report.mutable_sealed()->set_input_end(end);
    return message;
  }

  std::string job_;
};

TEST_F(Hostile, RandomBytesBeforeAndAfterTheGreetingEndTheConnection) {
  bring_an_honest_worker();
  std::mt19937 random(4711);
  const wire::Measures before = counted();
  for (int i = 0; i < 60; ++i) {
    std::string bytes(1 + random() % 3000, ' ');
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
    // Whatever length they seem to announce is made a small one: a large one is another test.
    bytes.replace(0, std::min<std::size_t>(4, bytes.size()), std::string("\x08\0\0\0", 4));
    bytes.resize(std::max<std::size_t>(bytes.size(), 12));
    std::unique_ptr<HostilePeer> peer;
    if (i % 3 == 0) peer = std::make_unique<HostilePeer>(cluster_.address());
    if (i % 3 == 1) peer = admitted(wire::CLIENT);
    if (i % 3 == 2) peer = admitted(wire::WORKER);
    peer->send(bytes);
    EXPECT_TRUE(peer->is_shown_out()) << i;
  }
  const wire::Measures after = counted();
  EXPECT_EQ(after.refused() - before.refused(), 20u);
  EXPECT_EQ(after.malformed() - before.malformed(), 40u);
}

TEST_F(Hostile, AFrameOfFourGigabytesIsNotWaitedFor) {
  bring_an_honest_worker();
  const wire::Measures before = counted();
  const std::string length(4, '\xff');
  HostilePeer stranger(cluster_.address());
  stranger.send(length);
  EXPECT_TRUE(stranger.is_shown_out());
  const auto client = admitted(wire::CLIENT);
  client->send(length);
  EXPECT_TRUE(client->is_shown_out());
  const auto worker = enlisted("greedy");
  worker->send(length);
  EXPECT_TRUE(worker->is_shown_out());
  const wire::Measures after = counted();
  EXPECT_EQ(after.refused() - before.refused(), 1u);
  EXPECT_EQ(after.malformed() - before.malformed(), 2u);
}

TEST_F(Hostile, AWorkerOfAnotherClusterIsToldSoAndShownOut) {
  const wire::Measures before = counted();
  HostilePeer peer(cluster_.address());
  peer.greet(wire::WORKER, "another-cluster");
  const auto reply = peer.hear<wire::HelloReply>();
  ASSERT_TRUE(reply);
  EXPECT_NE(reply->error().find("another-cluster"), std::string::npos) << reply->error();
  EXPECT_TRUE(peer.is_shown_out());
  EXPECT_EQ(counted().refused() - before.refused(), 1u);
}

// Byte by byte, each as late as it can be; and a worker that greets and then keeps quiet.
TEST_F(Hostile, WhoSpeaksTooSlowlyIsShownOut) {
  bring_an_honest_worker();
  const wire::Measures before = counted();
  HostilePeer slow(cluster_.address());
  HostilePeer quiet(cluster_.address());
  EXPECT_TRUE(quiet.greet(wire::WORKER));
  EXPECT_TRUE(quiet.hear<wire::HelloReply>());
  std::string greeting(60, '\0');
  greeting[0] = 56;
  for (const char byte : greeting) {
    if (!slow.send({&byte, 1})) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  EXPECT_LT(slow.said().size(), greeting.size());
  EXPECT_TRUE(slow.is_shown_out());
  EXPECT_TRUE(quiet.is_shown_out());
  EXPECT_EQ(counted().refused() - before.refused(), 2u);
}

TEST_F(Hostile, ThousandsWhoSayNothingKeepNobodyOut) {
  bring_an_honest_worker();
  constexpr std::size_t kSilent = 3000;
  if (raise_descriptor_limit(~std::uint64_t{0}) < kSilent + 200)
    GTEST_SKIP() << "this process may not have that many descriptors";
  const wire::Measures before = counted();
  std::vector<std::unique_ptr<HostilePeer>> silent;
  for (std::size_t i = 0; i < kSilent; ++i) {
    silent.push_back(std::make_unique<HostilePeer>(cluster_.address()));
    ASSERT_TRUE(silent.back()->is_connected());
  }
  EXPECT_TRUE(eventually([&] { return counted().refused() - before.refused() >= kSilent - 1024; }));
  EXPECT_TRUE(silent.front()->is_shown_out());
  EXPECT_EQ(cluster_.client({"jobs"}).status, 0);
}

// All that a worker said, once more: on its connection a second registration ends it; on a new one it is the same
// worker again, whose reports count once.
TEST_F(Hostile, RepeatedFramesChangeNothing) {
  const wire::Measures before = counted();
  const auto worker = enlisted("parrot");
  const auto launch = next_launch(*worker);
  ASSERT_TRUE(launch);
  wire::ToMaster failure;
  wire::Report& report = *failure.mutable_reports()->add_reports();
  report.set_sequence(1);
  *report.mutable_attempt() = launch->attempt();
  report.mutable_ended()->set_failure(wire::CRASHED);
  report.mutable_ended()->set_message("a failure that is reported again and again");
  EXPECT_TRUE(worker->say(failure));
  const std::string said = worker->said();
  for (int i = 0; i < 5; ++i) {
    HostilePeer again(cluster_.address());
    again.send(said);
    EXPECT_TRUE(again.hear<wire::Challenge>());
    EXPECT_TRUE(again.hear<wire::HelloReply>());
    again.send(said);
    EXPECT_TRUE(again.is_shown_out());
  }
  EXPECT_TRUE(worker->is_shown_out());
  EXPECT_EQ(counted().malformed() - before.malformed(), 5u);
  EXPECT_LE(cluster_.job(job_)["attempts_failed"], 1);
}

TEST_F(Hostile, OffsetsBeyondTheSplitAndOthersAttemptsAreNotBelieved) {
  const auto worker = enlisted("liar");
  const auto launch = next_launch(*worker);
  ASSERT_TRUE(launch);
  wire::ToMaster progress;
  wire::AttemptProgress& reached = *progress.mutable_heartbeat()->add_attempts();
  *reached.mutable_attempt() = launch->attempt();
  reached.set_offset(launch->split().end() + 1'000'000);
  EXPECT_TRUE(worker->say(progress));
  wire::ToMaster alive;  // or it would be given up for its silence where this takes long
  alive.mutable_heartbeat();
  cluster_.add_worker(2);
  ASSERT_TRUE(eventually([&] { return worker->say(alive) && has_begun(job_); }));
  // Attempts of the other worker, and of a job that there is not.
  std::uint64_t sequence = 0;
  for (std::uint32_t task = 0; task < 6; ++task) {
    wire::Attempt attempt;
    attempt.set_job(launch->attempt().job());
    attempt.set_task(task);
    if (task == launch->attempt().task()) attempt.set_number(1);
    EXPECT_TRUE(worker->say(seal(attempt, 0, 1'000'000'000, ++sequence)));
    attempt.set_job(77);
    EXPECT_TRUE(worker->say(seal(attempt, 0, 1'000'000'000, ++sequence)));
  }
  EXPECT_TRUE(worker->say(seal(launch->attempt(), launch->range().begin(), launch->split().end() + 1000, ++sequence)));
  EXPECT_TRUE(is_told_to_kill(*worker, launch->attempt()));
}

}  // namespace
}  // namespace ontime::test
