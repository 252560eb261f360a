#include "worker/agent/session/master_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "common/net/coroutine.h"
#include "tests/worker/agent/fake_master.h"

namespace ontime::worker {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// Takes orders and remembers them; runs one attempt of task 5.
class Orders final : public OrderTaker {
 public:
  Status begin_session(const wire::ToWorker::Welcome& welcome) override {
    ++sessions;
    for (const wire::Attempt& attempt : welcome.fenced()) fenced.push_back(attempt.task());
    if (on_session) on_session();
    return {};
  }
  Status obey(const wire::Order& order) override {
    if (!order.has_kill()) return bad_input("an order that does not fit");
    killed.push_back(order.kill().attempt().task());
    return {};
  }
  void add_progress(google::protobuf::RepeatedPtrField<wire::AttemptProgress>& to) override {
    to.Add()->mutable_attempt()->set_task(5);
    if (on_progress) on_progress();
  }

  int sessions = 0;
  std::vector<std::uint32_t> fenced;
  std::vector<std::uint32_t> killed;
  std::function<void()> on_session;
  std::function<void()> on_progress;
};

class MasterLinkTest : public testing::Test {
 protected:
  MasterLink::Options options() {
    MasterLink::Options result;
    result.masters = master.endpoint();
    result.token = "secret";
    result.name = "left";
    result.incarnation = "abc";
    result.slots = 3;
    result.machine_use = [] { return MachineUse{1.5, 2, 300, 4000}; };
    result.leaves_at = std::chrono::steady_clock::now() + 1h;
    result.pause_min = 1ms;
    result.pause_max = 5ms;
    return result;
  }
  void start(MasterLink::Options with) {
    link.emplace(io.get_executor(), std::move(with), reports, orders);
    asio::co_spawn(io, link->run(), [this](std::exception_ptr exception, Error error) {
      net::AbortOnException{"link"}(exception);
      end = std::move(error);
      io.stop();
    });
  }

  // Runs the script to its end, or to the link's, against a started link; a script that hangs fails.
  using Script = std::function<asio::awaitable<void>()>;
  void play(const Script& script) {
    if (!link) start(options());
    bool is_done = false;
    asio::co_spawn(io, script, [&](std::exception_ptr exception) {
      net::AbortOnException{"script"}(exception);
      is_done = true;
      io.stop();
    });
    io.run_for(30s);
    EXPECT_TRUE(is_done || end);
  }

  void report(std::uint32_t task) {
    wire::Report report;
    report.mutable_attempt()->set_task(task);
    report.mutable_started();
    reports.append(std::move(report));
  }

  static std::vector<std::uint64_t> numbers(const google::protobuf::RepeatedPtrField<wire::Report>& of) {
    std::vector<std::uint64_t> result;
    for (const wire::Report& each : of) result.push_back(each.sequence());
    return result;
  }

  asio::io_context io{1};
  test::FakeMaster master{io};
  ReportLog reports;
  Orders orders;
  std::optional<MasterLink> link;
  std::optional<Error> end;
};

TEST_F(MasterLinkTest, GivesUpWhenNobodyAnswersWithinTheConnectTimeout) {
  auto with = options();
  with.connect_timeout = 20ms;
  master.stop_listening();
  start(with);
  io.run_for(30s);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, ErrorKind::Unavailable);
  EXPECT_THAT(end->message, HasSubstr("start ontime-master there or name another with --master"));
  EXPECT_THAT(end->message, HasSubstr(net::to_string(with.masters)));
}

TEST_F(MasterLinkTest, EndsAtOnceWhenItIsRefused) {
  start(options());
  asio::co_spawn(io, master.refuse("the token is wrong"), net::AbortOnException{"script"});
  io.run_for(30s);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, ErrorKind::BadInput);
  EXPECT_THAT(end->message, HasSubstr("the token is wrong"));
}

TEST_F(MasterLinkTest, KeepsTryingUntilAMasterAppears) {
  play([this]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    master.hang_up();  // before the welcome
    co_await master.accept("c1");
    master.welcome(10ms);
    co_await master.receive_heartbeat();
  });
  EXPECT_EQ(orders.sessions, 1);
}

TEST_F(MasterLinkTest, RegistersWithEverythingItHas) {
  report(1);
  orders.on_progress = [this] { report(2); };  // of an attempt that is found to be over
  play([this]() -> asio::awaitable<void> { co_await master.accept("c1"); });
  EXPECT_EQ(master.hello.role(), wire::WORKER);
  EXPECT_EQ(master.hello.cluster(), "");
  EXPECT_EQ(master.registration.incarnation(), "abc");
  EXPECT_EQ(master.registration.name(), "left");
  EXPECT_EQ(master.registration.slots(), 3u);
  EXPECT_THAT(numbers(master.registration.unacknowledged()), ElementsAre(1, 2));
  ASSERT_EQ(master.registration.running_size(), 1);
  EXPECT_EQ(master.registration.running(0).attempt().task(), 5u);
}

TEST_F(MasterLinkTest, SendsHeartbeatsWithAllAttemptsAndNowAndThenTheUseOfItsMachine) {
  wire::ToMaster beat;
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    master.welcome(5ms);
    beat = co_await master.receive_heartbeat();
  });
  EXPECT_EQ(beat.heartbeat().machine().used_bytes(), 300u);
  ASSERT_EQ(beat.heartbeat().attempts_size(), 1);
  EXPECT_EQ(beat.heartbeat().attempts(0).attempt().task(), 5u);
}

TEST_F(MasterLinkTest, BundlesTheReportsOfOneTurn) {
  wire::ToMaster message;
  orders.on_session = [this] {
    report(1);
    report(2);
  };
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    master.welcome(10ms);
    message = co_await master.receive();
  });
  EXPECT_THAT(numbers(message.reports().reports()), ElementsAre(1, 2));
}

TEST_F(MasterLinkTest, SendsAfterTheWelcomeWhatHappenedSinceTheRegistration) {
  wire::ToMaster message;
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    report(1);
    co_await net::sleep_for(Duration(0));
    master.welcome(10ms);
    message = co_await master.receive();
  });
  EXPECT_THAT(numbers(message.reports().reports()), ElementsAre(1));
}

TEST_F(MasterLinkTest, ResendsInOrderWhatWasNotAcknowledgedAndNamesItsCluster) {
  orders.on_session = [this] {
    if (orders.sessions == 1) {
      for (std::uint32_t task = 1; task <= 4; ++task) report(task);
    }
  };
  play([this]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    master.welcome(10ms);
    const wire::ToMaster sent = co_await master.receive();
    EXPECT_EQ(sent.reports().reports_size(), 4);
    master.send_orders(2, 8);  // the kill shows that the acknowledgement was taken
    while (orders.killed.empty()) co_await master.receive_heartbeat();
    master.hang_up();
    co_await master.accept("c1");
  });
  EXPECT_EQ(master.hello.cluster(), "c1");
  EXPECT_THAT(numbers(master.registration.unacknowledged()), ElementsAre(3, 4));
  EXPECT_EQ(reports.unacknowledged().size(), 2u);
}

TEST_F(MasterLinkTest, PassesOnOrdersAndFencedAttempts) {
  play([this]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    master.welcome(5ms, 5);
    master.send_orders(0, 7);
    while (orders.killed.empty()) co_await master.receive_heartbeat();
  });
  EXPECT_THAT(orders.fenced, ElementsAre(5));
  EXPECT_THAT(orders.killed, ElementsAre(7));
}

// Each of these makes the worker leave, and come again with all it has.
class Misfit : public MasterLinkTest, public testing::WithParamInterface<std::function<void(test::FakeMaster&)>> {};

TEST_P(Misfit, MasterIsLeftAndTriedAgain) {
  bool is_left = false;
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    GetParam()(master);
    is_left = co_await master.is_left();
    co_await master.accept("c1");
    master.welcome(5ms);
    co_await master.receive_heartbeat();
  });
  EXPECT_TRUE(is_left);
  EXPECT_FALSE(end);
}

INSTANTIATE_TEST_SUITE_P(
    MasterLink, Misfit,
    testing::Values([](test::FakeMaster& master) { master.send_garbage(); },
                    [](test::FakeMaster& master) { master.send_orders(0); },  // before the welcome
                    [](test::FakeMaster& master) { master.send({}); },
                    [](test::FakeMaster& master) { master.welcome(0ms); },
                    [](test::FakeMaster& master) { master.welcome(24h); },
                    [](test::FakeMaster& master) {
                      master.welcome(5ms);
                      master.welcome(5ms);
                    },
                    [](test::FakeMaster& master) {
                      master.welcome(5ms);
                      master.send_orders(99);  // never reported
                    },
                    [](test::FakeMaster& master) {
                      master.welcome(5ms);
                      wire::ToWorker message;
                      message.mutable_orders()->add_orders()->mutable_forget();  // refused by the order taker
                      master.send(message);
                    }));

TEST_F(MasterLinkTest, LeavesAMasterThatDoesNotWelcomeIt) {
  auto with = options();
  with.reply_timeout = 50ms;
  start(with);
  bool is_left = false;
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    is_left = co_await master.is_left();
  });
  EXPECT_TRUE(is_left);
}

TEST_F(MasterLinkTest, EndsWhenAnotherClusterHasTakenThePlaceOfItsMaster) {
  play([this]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    master.welcome(5ms);
    co_await master.receive_heartbeat();
    master.hang_up();
    co_await master.refuse("this is cluster c2, not c1");
    co_await net::sleep_for(1h);  // the end of the link ends it
  });
  ASSERT_TRUE(end);
  EXPECT_THAT(end->message, HasSubstr("c2"));
}

// The end of the connection was swallowed on the way: nothing comes any more, and nobody says that it is over.
TEST_F(MasterLinkTest, LeavesAMasterThatHasFallenSilentAndComesAgainWithAllItHas) {
  report(1);
  bool is_left = false;
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    master.stops_answering();
    master.welcome(5ms, test::FakeMaster::kNone, 50ms);
    is_left = co_await master.is_left();
    co_await master.accept("c1");
  });
  EXPECT_TRUE(is_left);
  EXPECT_THAT(numbers(master.registration.unacknowledged()), ElementsAre(1));
}

TEST_F(MasterLinkTest, StaysWithAMasterThatAnswersItsHeartbeats) {
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    master.welcome(5ms, test::FakeMaster::kNone, 50ms);
    for (int i = 0; i < 50; ++i) co_await master.receive_heartbeat();
  });
  EXPECT_EQ(orders.sessions, 1);
}

// On a slow link, as the worker sees it: what it has sent is not answered yet.
TEST_F(MasterLinkTest, ReportsDoNotQueueBehindHeartbeats) {
  std::uint64_t beats = 0;
  wire::ToMaster last;
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    master.stops_answering();
    master.welcome(5ms);
    co_await net::sleep_for(100ms);  // many beats
    report(1);
    for (;; ++beats) {
      last = co_await master.receive_any();
      if (!last.has_heartbeat()) break;
    }
  });
  EXPECT_TRUE(last.has_reports());
  EXPECT_LE(beats, Pulse::kOnTheirWay);
}

TEST_F(MasterLinkTest, LeavesAMasterThatHasTakenWhatWasNeverSent) {
  bool is_left = false;
  wire::ToWorker message;
  message.mutable_orders()->set_heartbeats(1000);
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    master.welcome(5ms);
    master.send(message);
    is_left = co_await master.is_left();
  });
  EXPECT_TRUE(is_left);
}

// What happens to a worker that leaves.
class Leaving final : public LeaveEvents {
 public:
  void on_released() override { ++released; }
  void on_session_over() override { ++sessions_over; }
  int released = 0;
  int sessions_over = 0;
};

TEST_F(MasterLinkTest, SaysThatItLeavesAndAgainWithEachConnection) {
  Leaving leaving;
  wire::ToMaster message;
  orders.on_session = [&] { link->leave(leaving, false); };
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    EXPECT_FALSE(master.registration.has_leave());
    master.welcome(10ms);
    message = co_await master.receive();
    EXPECT_TRUE(message.has_leave());
    master.hang_up();
    co_await master.accept("c1");
  });
  EXPECT_TRUE(master.registration.has_leave());
  EXPECT_FALSE(master.registration.leave().at_once());
  EXPECT_EQ(leaving.sessions_over, 1);
}

TEST_F(MasterLinkTest, SaysHowMuchTimeIsLeftWithEachConnection) {
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    const std::int64_t first = master.registration.leaves_in_ns();
    master.hang_up();
    co_await master.accept("c1");
    EXPECT_LT(master.registration.leaves_in_ns(), first);
  });
}

TEST_F(MasterLinkTest, AReleaseIsForAWorkerThatLeaves) {
  Leaving leaving;
  wire::ToWorker release;
  release.mutable_orders()->add_orders()->mutable_release();
  play([&]() -> asio::awaitable<void> {
    co_await master.accept("c1");
    master.welcome(10ms);
    master.send(release);
    const bool is_left = co_await master.is_left();
    EXPECT_TRUE(is_left);
    EXPECT_EQ(leaving.released, 0);
    link->leave(leaving, true);
    co_await master.accept("c1");
    EXPECT_TRUE(master.registration.leave().at_once());
    master.welcome(10ms);
    master.send(release);
    while (leaving.released == 0) co_await net::sleep_for(1ms);
  });
}

}  // namespace
}  // namespace ontime::worker
