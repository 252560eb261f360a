// What many clients, and peers that do not read what they are sent, do to a master: over real loopback connections.
#include <gtest/gtest.h>

#include "master/base/settings.h"
#include "tests/master/master_fixture.h"

namespace ontime::test {
namespace {

using asio::awaitable;

class CrowdTest : public MasterFixture {
 protected:
  // On a connection of its own.
  awaitable<int> count_jobs() {
    wire::Request list;
    list.mutable_list_jobs();
    const wire::Reply reply = co_await ask(list);
    EXPECT_EQ(reply.error(), "");
    co_return reply.jobs().jobs_size();
  }
};

// Each heartbeat lists attempts that are not live: the master orders each to be ended.
wire::ToMaster stale_heartbeat() {
  wire::ToMaster message;
  for (std::uint32_t task = 0; task < 4000; ++task) {
    wire::Attempt* attempt = message.mutable_heartbeat()->add_attempts()->mutable_attempt();
    attempt->set_job(77);
    attempt->set_task(task);
  }
  return message;
}

TEST_F(CrowdTest, AListOfManyNodesComesPartByPart) {
  play([&]() -> awaitable<void> {
    constexpr std::uint32_t kNodes = 1500;  // of more than 100 bytes each
    for (std::uint32_t i = 0; i < kNodes; ++i) {
      FakeWorker worker = co_await connect_worker();
      worker.enlist(std::string(50, 'n') + std::to_string(i), 1);
      co_await worker.next_welcome();
    }
    std::uint32_t listed = 0;
    std::uint32_t parts = 0;
    std::uint32_t first = 0;
    do {
      wire::Request request;
      request.mutable_list_nodes()->set_first_node(first);
      const wire::Reply reply = co_await ask(request);
      EXPECT_LT(reply.ByteSizeLong(), 2 * master::kReplyBytesMax);
      for (const auto& node : reply.nodes().nodes()) EXPECT_EQ(node.node(), ++listed);
      first = reply.nodes().next_node();
      ++parts;
    } while (first != 0);
    EXPECT_EQ(listed, kNodes);
    EXPECT_GT(parts, 1u);
  });
}

TEST_F(CrowdTest, AWorkerThatTakesNoOrdersIsDisconnectedWhenTheyAreTooManyAndOthersAreServed) {
  play([&]() -> awaitable<void> {
    FakeWorker deaf = co_await make_worker("deaf", 1);
    const wire::ToMaster heartbeat = stale_heartbeat();
    while (master_->counters().stuck == 0) {
      deaf.send(heartbeat);
      const int none = co_await count_jobs();
      EXPECT_EQ(none, 0);
    }
    const auto closed = co_await deaf.is_closed();
    EXPECT_TRUE(closed);
    co_await make_worker("another");
  });
  EXPECT_EQ(master_->counters().stuck, 1u);
  EXPECT_EQ(master_->counters().malformed, 0u);
}

TEST_F(CrowdTest, AClientThatDoesNotReadItsAnswersIsDisconnectedAndOthersAreServed) {
  stop_master();
  settings_.stuck_max = std::chrono::milliseconds(100);
  start_master();
  play([&]() -> awaitable<void> {
    const auto deaf = co_await connect(wire::CLIENT);
    wire::Request unknown;  // answered with a sentence, a hundred times as long
    unknown.mutable_describe_job()->set_job(1);
    while (master_->counters().stuck == 0) {
      for (int i = 0; i < 1000; ++i) deaf->send(unknown);
      const int none = co_await count_jobs();
      EXPECT_EQ(none, 0);
    }
  });
  EXPECT_EQ(master_->counters().stuck, 1u);
}

TEST_F(CrowdTest, AListMayBeLimitedToTheNewestJobsAndGoesOnWhereItIsAskedTo) {
  play([&]() -> awaitable<void> {
    for (const char* const name : {"a", "b", "c"}) {
      wire::Request request = submission();
      request.mutable_submit()->set_output(directory_ / name);
      co_await submit_request(request);
    }
    wire::Request latest;
    latest.mutable_list_jobs()->set_latest(2);
    const wire::Reply two = co_await ask(latest);
    EXPECT_EQ(two.jobs().jobs_size(), 2);
    EXPECT_EQ(two.jobs().jobs(0).job(), 2u);
    EXPECT_EQ(two.jobs().older(), 1u);
    EXPECT_EQ(two.jobs().next_job(), 0u);
    wire::Request rest;
    rest.mutable_list_jobs()->set_first_job(3);
    const wire::Reply one = co_await ask(rest);
    EXPECT_EQ(one.jobs().jobs_size(), 1);
    const int all = co_await count_jobs();
    EXPECT_EQ(all, 3);
  });
}

}  // namespace
}  // namespace ontime::test
