// Orders that are large: they are divided into messages that a connection has room for, and nothing overtakes them.
#include "master/action_dispatcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "master/settings.h"
#include "scheduler/core/job_spec.h"
#include "tests/net/net_fixture.h"

namespace ontime::master {
namespace {

constexpr std::size_t kAroundAMessage = 1u << 20;  // what one may have beside the order that ends it

using scheduler::InputFile;
using scheduler::InputPart;

// A job on groups of as many files, with as long names, as a group may have.
std::shared_ptr<const scheduler::JobSpec> job_on_groups(std::size_t groups) {
  auto spec = std::make_shared<scheduler::JobSpec>();
  spec->application = "wordcount";
  spec->files = {{"mapper.py", std::string(3u << 20, 'x')}};
  const std::size_t name = scheduler::kGroupTextMax / scheduler::kGroupFilesMax;
  for (std::size_t i = 0; i < groups; ++i) {
    InputFile group{"/in", scheduler::kGroupFilesMax, "", scheduler::Codec::Plain, 0};
    group.parts.assign(scheduler::kGroupFilesMax, InputPart{"/" + std::string(name - 1, 'a'), 1, ""});
    spec->inputs.push_back(std::move(group));
  }
  return spec;
}

class WorkerLinkTest : public net::NetTest {
 protected:
  // What the worker's end gets, each order in a word; with every message the link has room for more, as with a
  // heartbeat.
  asio::awaitable<void> receive(std::shared_ptr<net::Connection> connection, WorkerLink& link, std::size_t orders) {
    while (words_.size() < orders) {
      const auto payload = co_await connection->receive();
      if (!payload) co_return;
      ++messages_;
      longest_ = std::max(longest_, payload->size());
      wire::ToWorker message;
      EXPECT_TRUE(message.ParseFromArray(payload->data(), static_cast<int>(payload->size())));
      for (const wire::Order& order : message.orders().orders()) words_.push_back(word_of(order));
      link.flush();
    }
    connection->close();
  }

  static std::string word_of(const wire::Order& order) {
    if (order.has_setup()) return "setup";
    if (order.has_kill()) return "kill " + std::to_string(order.kill().attempt().task());
    if (!order.has_launch()) return "?";
    return "launch " + std::to_string(order.launch().attempt().task()) + " of " +
           std::to_string(order.launch().file().parts_size());
  }

  std::vector<std::string> words_;
  std::size_t messages_ = 0;
  std::size_t longest_ = 0;
};

TEST_F(WorkerLinkTest, DividesLargeLaunchesIntoMessagesAndKeepsTheirOrder) {
  constexpr std::uint32_t kLaunches = 40;  // together more than a connection may have queued
  const auto spec = job_on_groups(kLaunches);
  auto [ours, workers] = make_pair({.outbox_bytes_max = kOutboxBytesMax});
  WorkerLink link(ours);
  link.welcome({});
  std::vector<std::string> expected{"setup"};
  for (std::uint32_t task = 0; task < kLaunches; ++task) {
    scheduler::action::LaunchAttempt launch;
    launch.attempt = {{JobId{1}, task}, 0};
    launch.split.file = task;
    launch.split.range = launch.range = {0, scheduler::kGroupFilesMax};
    if (task == 1) launch.range = {10, 20};  // only files that the attempt maps are sent
    launch.tasks = kLaunches;
    launch.spec = spec;
    link.order(launch, std::nullopt);
    link.order(scheduler::action::KillAttempt{{}, launch.attempt, "not needed"});
    expected.push_back("launch " + std::to_string(task) + " of " + (task == 1 ? "10" : "4096"));
    expected.push_back("kill " + std::to_string(task));
  }
  link.flush();
  EXPECT_LE(ours->queued_bytes(), kOutboxBytesMax);
  spawn(receive(workers, link, expected.size()));
  run();
  EXPECT_EQ(words_, expected);
  EXPECT_GT(messages_, kLaunches / 2) << "none holds all of it";
  EXPECT_LE(longest_, (3u << 20) + kAroundAMessage);
  EXPECT_EQ(ours->fault(), net::PeerFault::None) << "it was never more than the connection has room for";
}

}  // namespace
}  // namespace ontime::master
