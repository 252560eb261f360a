// Peers that are not let in, or not as far as they would like, over a real loopback connection.
#include <gtest/gtest.h>

#include <asio/buffer.hpp>
#include <vector>

#include "common/base/descriptor.h"
#include "common/net/sockets.h"
#include "master/base/settings.h"
#include "tests/master/master_fixture.h"

namespace ontime::test {
namespace {

using asio::awaitable;

class StrangerTest : public MasterFixture {
 protected:
  void with_tokens(const char* tokens) {
    stop_master();
    settings_.tokens = *net::Tokens::parse(tokens);
    start_master();
  }
};

wire::Request list_request() {
  wire::Request request;
  request.mutable_list_jobs();
  return request;
}

TEST_F(StrangerTest, AWrongTokenIsRefused) {
  stop_master();
  settings_.tokens = net::Tokens::single("secret");
  start_master();
  play([&]() -> awaitable<void> {
    const auto guessed = co_await connect(wire::CLIENT, "guess");
    EXPECT_EQ(guessed, nullptr);
    const auto knowing = co_await connect(wire::CLIENT, "secret");
    EXPECT_NE(knowing, nullptr);
  });
  EXPECT_EQ(master_->counters().refused, 1u);
}

asio::awaitable<wire::Reply> ask_on(std::shared_ptr<net::Connection> connection, wire::Request request) {
  connection->send(request);
  const auto payload = co_await connection->receive();
  wire::Reply reply;
  EXPECT_TRUE(payload && reply.ParseFromArray(payload->data(), static_cast<int>(payload->size())));
  co_return reply;
}

TEST_F(StrangerTest, ARequestBeyondItsRoleIsRefusedCountedAndDoesNothing) {
  with_tokens("read-only:eye\nsubmit:pen\nworker:hand\n");
  const wire::Request list = list_request();
  wire::Request kill;
  kill.mutable_kill_job()->set_job(1);
  play([&]() -> awaitable<void> {
    for (const char* token : {"eye", "hand"}) {
      const auto connection = co_await connect(wire::CLIENT, token);
      const wire::Reply submitted = co_await ask_on(connection, submission());
      EXPECT_TRUE(submitted.bad_input());
      EXPECT_NE(submitted.error().find("needs the role submit or admin"), std::string::npos) << submitted.error();
      const wire::Reply killed = co_await ask_on(connection, kill);
      EXPECT_NE(killed.error().find("No such job: job-1"), std::string::npos) << killed.error();
      const wire::Reply listed = co_await ask_on(connection, list);  // and goes on
      EXPECT_EQ(listed.jobs().jobs_size(), 0);
    }
    const auto writer = co_await connect(wire::CLIENT, "pen");
    const wire::Reply submitted = co_await ask_on(writer, submission());
    EXPECT_EQ(submitted.error(), "");
    const auto no_worker = co_await connect(wire::WORKER, "pen");
    EXPECT_EQ(no_worker, nullptr);
    const auto worker = co_await connect(wire::WORKER, "hand");
    EXPECT_NE(worker, nullptr);
  });
  EXPECT_EQ(master_->counters().forbidden, 2u);
  EXPECT_EQ(master_->counters().refused, 1u);
}

wire::Request kill_request(std::uint32_t job) {
  wire::Request request;
  request.mutable_kill_job()->set_job(job);
  return request;
}

TEST_F(StrangerTest, ASubmitterKillsItsOwnJobsAndNoOthersAlsoAfterARestart) {
  with_tokens("submit:alice:pen\nsubmit:bob:quill\nadmin:key\nread-only:eye\n");
  play([&]() -> awaitable<void> {
    const auto alice = co_await connect(wire::CLIENT, "pen");
    const wire::Reply submitted = co_await ask_on(alice, submission());
    EXPECT_EQ(submitted.submitted().job(), 1u);
  });
  stop_master();
  start_master();
  play([&]() -> awaitable<void> {
    const wire::Request kill = kill_request(1);
    for (const char* token : {"quill", "eye"}) {
      const auto other = co_await connect(wire::CLIENT, token);
      const wire::Reply refused = co_await ask_on(other, kill);
      EXPECT_TRUE(refused.bad_input());
      EXPECT_NE(refused.error().find("job-1 belongs to alice; killing it needs the role admin"), std::string::npos)
          << refused.error();
    }
    const auto alice = co_await connect(wire::CLIENT, "pen");
    const wire::Reply killed = co_await ask_on(alice, kill);
    EXPECT_EQ(killed.error(), "");
    EXPECT_EQ(killed.killed().state(), wire::KILLED);
  });
  EXPECT_EQ(master_->counters().forbidden, 2u);
}

TEST_F(StrangerTest, ARevokedTokenEndsItsConnectionsAndNoOthers) {
  with_tokens("submit:alice:pen\nread-only:eye\nworker:hand\n");
  const wire::Request list = list_request();
  play([&]() -> awaitable<void> {
    const auto alice = co_await connect(wire::CLIENT, "pen");
    const auto reader = co_await connect(wire::CLIENT, "eye");
    const auto worker = co_await connect(wire::WORKER, "hand");
    const std::size_t ended = master_->set_tokens(*net::Tokens::parse("read-only:eye\nsubmit:carol:chalk\n"));
    EXPECT_EQ(ended, 2u);
    const auto of_alice = co_await alice->receive();
    EXPECT_FALSE(of_alice);
    const auto of_worker = co_await worker->receive();
    EXPECT_FALSE(of_worker);
    const wire::Reply listed = co_await ask_on(reader, list);
    EXPECT_EQ(listed.error(), "");
    const auto again = co_await connect(wire::CLIENT, "pen");
    EXPECT_EQ(again, nullptr);
    const auto carol = co_await connect(wire::CLIENT, "chalk");
    EXPECT_NE(carol, nullptr);
  });
}

TEST_F(StrangerTest, ThoseWhoConnectAndSayNothingPushOutEachOtherAndNobodyElse) {
  constexpr std::size_t kSilent = master::kHalfOpenMax + 20;
  // Both ends of all connections are in this process.
  if (raise_descriptor_limit(~std::uint64_t{0}) < 2 * kSilent + 200)
    GTEST_SKIP() << "this process may not have that many descriptors";
  play([&]() -> awaitable<void> {
    net::Endpoint endpoint{"127.0.0.1", master_->port()};
    std::vector<asio::ip::tcp::socket> silent;
    for (std::size_t i = 0; i < kSilent; ++i) {
      auto socket = co_await net::connect(endpoint, std::chrono::minutes(1));
      EXPECT_TRUE(socket.has_value());
      silent.push_back(std::move(*socket));
    }
    const auto client = co_await connect(wire::CLIENT);
    EXPECT_NE(client, nullptr);
    char byte = 0;
    const auto [error, size] = co_await silent.front().async_read_some(asio::buffer(&byte, 1), net::no_throw);
    EXPECT_EQ(error, asio::error::eof);
  });
  EXPECT_GE(master_->counters().refused, 20u);
}

TEST_F(StrangerTest, VisitorsWhoAskForNothingPushOutEachOtherAndNobodyElse) {
  constexpr std::size_t kVisitors = master::kVisitorsMax + 20;
  if (raise_descriptor_limit(~std::uint64_t{0}) < 2 * kVisitors + 200)
    GTEST_SKIP() << "this process may not have that many descriptors";
  with_tokens("read-only:eye\nadmin:key\nworker:hand\n");
  const wire::Request list = list_request();
  play([&]() -> awaitable<void> {
    const auto admin = co_await connect(wire::CLIENT, "key");
    std::vector<std::shared_ptr<net::Connection>> visitors;
    for (std::size_t i = 0; i < kVisitors; ++i) visitors.push_back(co_await connect(wire::CLIENT, "eye"));
    const auto newcomer = co_await connect(wire::WORKER, "hand");
    EXPECT_NE(newcomer, nullptr);
    const wire::Reply of_admin = co_await ask_on(admin, list);
    EXPECT_EQ(of_admin.error(), "");
    const wire::Reply of_last = co_await ask_on(visitors.back(), list);
    EXPECT_EQ(of_last.error(), "");
    const auto pushed_out = co_await visitors.front()->receive();
    EXPECT_FALSE(pushed_out);
  });
  EXPECT_EQ(master_->counters().refused, 20u);
}

TEST_F(StrangerTest, AClientThatAsksForNothingForLongIsLetGoAndOneThatIsAnsweredIsNot) {
  stop_master();
  settings_.idle_max = std::chrono::milliseconds(20);
  start_master();
  play([&]() -> awaitable<void> {
    const std::uint32_t job = co_await submit();
    const auto waiting = co_await connect(wire::CLIENT);
    wire::Request wait;
    wait.mutable_describe_job()->set_job(job);
    wait.mutable_describe_job()->set_wait_ns(Duration(std::chrono::milliseconds(300)).count());
    waiting->send(wait);
    const auto idle = co_await connect(wire::CLIENT);
    const auto let_go = co_await idle->receive();
    EXPECT_FALSE(let_go);
    const auto answered = co_await waiting->receive();
    EXPECT_TRUE(answered);
  });
}

}  // namespace
}  // namespace ontime::test
