// Orders that are large: they are divided into messages that a connection has room for, and nothing overtakes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "master/actions/action_dispatcher.h"
#include "master/base/settings.h"
#include "scheduler/core/job_spec.h"
#include "tests/net/net_fixture.h"

namespace ontime::master {
namespace {

constexpr std::size_t kFileBytes = 3u << 20;
constexpr std::size_t kAroundAMessage = 1u << 20;  // what one may have beside the order that ends it
constexpr std::uint64_t kUnansweredMost = 2;       // heartbeats of a worker

using scheduler::InputFile;
using scheduler::InputPart;

// A job on groups of as many files, with as long names, as a group may have.
std::shared_ptr<const scheduler::JobSpec> job_on_groups(std::size_t groups) {
  auto spec = std::make_shared<scheduler::JobSpec>();
  spec->application = "wordcount";
  spec->files = {{"mapper.py", std::string(kFileBytes, 'x')}};
  const std::size_t name = scheduler::kGroupTextMax / scheduler::kGroupFilesMax;
  for (std::size_t i = 0; i < groups; ++i) {
    InputFile group{"/in", scheduler::kGroupFilesMax, "", Codec::Plain, 0};
    group.parts.assign(scheduler::kGroupFilesMax, InputPart{"/" + std::string(name - 1, 'a'), 1, ""});
    spec->inputs.push_back(std::move(group));
  }
  return spec;
}

scheduler::action::LaunchAttempt launch_of(JobId job, std::uint32_t task,
                                           std::shared_ptr<const scheduler::JobSpec> spec) {
  scheduler::action::LaunchAttempt launch;
  launch.attempt = {{job, task}, 0};
  launch.split.file = task;
  launch.split.range = launch.range = {0, scheduler::kGroupFilesMax};
  launch.tasks = static_cast<std::uint32_t>(spec->inputs.size());
  launch.spec = std::move(spec);
  return launch;
}

bool no_start(JobId, const std::shared_ptr<const InputFile>&, std::uint64_t,
              const std::function<void(std::optional<StartPoint>)>&) {
  return false;
}

class WorkerLinkTest : public net::NetTest {
 protected:
  void SetUp() override {
    auto [ours, workers] = make_pair({.outbox_bytes_max = kOutboxBytesMax});
    ours_ = ours;
    workers_ = workers;
    link_ = std::make_shared<WorkerLink>(ours_);
    link_->welcome({});
  }

  // As the worker does at its beats: as many as may be without an answer.
  void send_heartbeats() {
    for (; beats_ - answered_ < kUnansweredMost; ++beats_) {
      link_->take_heartbeat();
      link_->flush();
    }
  }

  // What the worker's end gets, each order in a word.
  asio::awaitable<void> receive(std::size_t orders) {
    while (words_.size() < orders) {
      const auto payload = co_await workers_->receive();
      if (!payload) co_return;
      ++messages_;
      longest_ = std::max(longest_, payload->size());
      wire::ToWorker message;
      EXPECT_TRUE(message.ParseFromArray(payload->data(), static_cast<int>(payload->size())));
      answered_ = message.orders().heartbeats();
      acknowledged_ = message.orders().acknowledged();
      for (const wire::Order& order : message.orders().orders()) words_.push_back(word_of(order));
      send_heartbeats();
    }
    workers_->close();
  }

  static std::string word_of(const wire::Order& order) {
    if (order.has_setup()) return "setup";
    if (order.has_kill()) return "kill " + std::to_string(order.kill().attempt().task());
    if (!order.has_launch()) return "?";
    return "launch " + std::to_string(order.launch().attempt().task()) + " of " +
           std::to_string(order.launch().file().parts_size());
  }

  std::shared_ptr<net::Connection> ours_;
  std::shared_ptr<net::Connection> workers_;
  std::shared_ptr<WorkerLink> link_;
  std::vector<std::string> words_;
  std::uint64_t beats_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::size_t messages_ = 0;
  std::size_t longest_ = 0;
};

TEST_F(WorkerLinkTest, DividesLargeLaunchesIntoMessagesAndKeepsTheirOrder) {
  constexpr std::uint32_t kLaunches = 40;  // together more than a connection may have queued
  const auto spec = job_on_groups(kLaunches);
  std::vector<std::string> expected{"setup"};
  for (std::uint32_t task = 0; task < kLaunches; ++task) {
    auto launch = launch_of(JobId{1}, task, spec);
    if (task == 1) launch.range = {10, 20};  // only files that the attempt maps are sent
    link_->order(launch, no_start);
    link_->order(scheduler::action::KillAttempt{{}, launch.attempt, "not needed"});
    expected.push_back("launch " + std::to_string(task) + " of " + (task == 1 ? "10" : "4096"));
    expected.push_back("kill " + std::to_string(task));
  }
  link_->flush();
  EXPECT_LE(ours_->queued_bytes(), kOutboxBytesMax);
  send_heartbeats();
  spawn(receive(expected.size()));
  run();
  EXPECT_EQ(words_, expected);
  EXPECT_GT(messages_, kLaunches / 2) << "none holds all of it";
  EXPECT_LE(longest_, kFileBytes + kAroundAMessage);
  EXPECT_EQ(ours_->fault(), net::PeerFault::None) << "it was never more than the connection has room for";
}

// A worker that has no answer sends nothing more. So nothing but the room may be waited for.
TEST_F(WorkerLinkTest, ASetUpThatWaitsLeavesWhenThereIsRoomWithTheAnswersToWhatHasComeMeanwhile) {
  for (std::uint32_t job = 1; job <= 2; ++job) link_->order(launch_of(JobId{job}, 0, job_on_groups(1)), no_start);
  link_->flush();
  send_heartbeats();
  link_->acknowledge(7);
  EXPECT_LT(ours_->queued_bytes(), 2 * kFileBytes) << "the second one waits";
  spawn(receive(3));
  run();
  EXPECT_EQ(words_, (std::vector<std::string>{"setup", "launch 0 of 4096", "setup"}));
  EXPECT_EQ(answered_, kUnansweredMost);
  EXPECT_EQ(acknowledged_, 7u);
}

TEST_F(WorkerLinkTest, NothingIsLeftOfWhatWaitsForAWorkerThatHasGone) {
  for (std::uint32_t job = 1; job <= 2; ++job) link_->order(launch_of(JobId{job}, 0, job_on_groups(1)), no_start);
  link_->flush();
  workers_->close();
  run();
  const std::weak_ptr<WorkerLink> link = link_;
  link_.reset();
  EXPECT_TRUE(link.expired());
}

// On a disk that may stand still: nobody waits for it but this worker, and that not for long.
class HeldOrders : public WorkerLinkTest {
 protected:
  using Then = std::function<void(std::optional<StartPoint>)>;

  void be_patient(Duration time) {
    link_ = std::make_shared<WorkerLink>(ours_, time);
    link_->welcome({});
  }
  void launch(std::uint32_t task) {
    auto spec = std::make_shared<scheduler::JobSpec>();
    spec->inputs.assign(task + 1, {"/in.gz", 1000, "", Codec::Gzip});
    auto launch = launch_of(JobId{1}, task, spec);
    launch.range = {100, 200};
    link_->order(launch, [this](JobId, const auto&, std::uint64_t begin, Then then) {
      EXPECT_EQ(begin, 100u);
      asked_.push_back(std::move(then));
      return true;
    });
    link_->flush();
  }
  void begin_standby(std::uint32_t task, std::uint64_t begin) {
    auto spec = std::make_shared<scheduler::JobSpec>();
    spec->inputs.assign(1, {"/in.gz", 1000, "", Codec::Gzip});
    scheduler::action::BeginAttempt order;
    order.attempt = {{JobId{1}, task}, 0};
    order.range = {begin, begin + 100};
    order.spec = std::move(spec);
    link_->order(order, [this, begin](JobId, const auto&, std::uint64_t from, Then then) {
      EXPECT_EQ(from, begin);
      asked_.push_back(std::move(then));
      return true;
    });
    link_->flush();
  }
  static StartPoint place(std::uint64_t content) { return {{content, 1, 0}}; }
  // Receives so many orders; which launches begin where.
  asio::awaitable<void> receive_starts(std::size_t orders) {
    for (std::size_t seen = 0; seen < orders;) {
      const auto payload = co_await workers_->receive();
      if (!payload) co_return;
      wire::ToWorker message;
      EXPECT_TRUE(message.ParseFromArray(payload->data(), static_cast<int>(payload->size())));
      for (const wire::Order& order : message.orders().orders()) {
        ++seen;
        const auto content = [](const auto& from) {
          return from.has_start() ? static_cast<int>(from.start().point().content()) : -1;
        };
        if (order.has_launch()) starts_.push_back(content(order.launch().file()));
        if (order.has_begin()) starts_.push_back(content(order.begin()));
      }
    }
    workers_->close();
  }

  std::vector<Then> asked_;
  std::vector<int> starts_;
};

TEST_F(HeldOrders, LeaveInTheirOrderWithThePlacesToStartAt) {
  be_patient(std::chrono::hours(1));
  launch(0);
  launch(1);
  link_->order(scheduler::action::KillAttempt{{}, {{JobId{1}, 0}, 0}, "not needed"});
  link_->flush();
  ASSERT_EQ(asked_.size(), 2u);
  link_->take_heartbeat();
  link_->flush();
  asked_[1](place(90));
  asked_[0](std::nullopt);
  spawn(receive_starts(4));  // with the job's set-up
  run();
  EXPECT_EQ(starts_, (std::vector{-1, 90}));
}

TEST_F(HeldOrders, OfStandbysLeaveWithTheirPlacesToo) {
  be_patient(std::chrono::hours(1));
  begin_standby(0, 100);
  begin_standby(1, 300);
  ASSERT_EQ(asked_.size(), 2u);
  asked_[0](place(90));
  asked_[1](place(290));
  spawn(receive_starts(2));
  run();
  EXPECT_EQ(starts_, (std::vector{90, 290}));
}

// While one waits, what the worker says is answered by nothing: it leaves with the order.
TEST_F(HeldOrders, AreFollowedByTheAnswersToWhatHasComeMeanwhile) {
  be_patient(std::chrono::hours(1));
  launch(0);
  send_heartbeats();
  link_->acknowledge(7);
  link_->flush();
  EXPECT_EQ(asked_.size(), 1u);
  asked_[0](place(90));
  spawn(receive(2));
  run();
  EXPECT_EQ(words_, (std::vector<std::string>{"setup", "launch 0 of 0"}));
  EXPECT_EQ(answered_, kUnansweredMost);
  EXPECT_EQ(acknowledged_, 7u);
}

TEST_F(HeldOrders, LeaveNothingBehindForAWorkerThatHasGone) {
  be_patient(std::chrono::hours(1));
  launch(0);
  workers_->close();
  io_.restart();
  io_.poll();
  const std::weak_ptr<WorkerLink> link = link_;
  link_.reset();
  EXPECT_TRUE(link.expired());
  asked_[0](place(90));  // nobody is there to take it
  run();
}

TEST_F(HeldOrders, LeaveWithoutAPlaceThatDoesNotCome) {
  be_patient(Duration(0));
  launch(0);
  spawn(receive_starts(2));
  run();
  EXPECT_EQ(starts_, std::vector{-1});
  asked_[0](place(90));  // too late
  run();
}

}  // namespace
}  // namespace ontime::master
