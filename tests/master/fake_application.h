#pragma once
// The Speculator of a Hadoop application master, as the master that advises it sees it.

#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/net/connection.h"
#include "common/net/coroutine.h"
#include "common/protocol/advise.pb.h"

namespace ontime::test {

inline constexpr std::uint64_t kSplitBytes = 1'000'000'000;

class FakeApplication {
 public:
  using Event = wire::AttemptEvent;

  explicit FakeApplication(std::shared_ptr<net::Connection> connection) : connection_(std::move(connection)) {}

  // Its tasks are so long that an attempt that stands still is late, whatever the machine does meanwhile.
  void submit(const std::string& policy, int tasks = 1) {
    static const std::map<std::string, std::string> kAtOnce = {{"tau_est", "10ms"}, {"tau_kill", "1h"}, {"r", "1"},
                                                               {"t_min", "1s"},     {"beta", "1.5"},    {"t_avg", "1ms"},
                                                               {"fit", "flags"}};
    wire::ToAdvisor message;
    wire::ToAdvisor::Job& job = *message.mutable_job();
    job.set_id("job_7_0001");
    job.mutable_settings()->set_policy(policy);
    job.mutable_settings()->set_deadline(20ll * 1'000'000'000);
    job.set_resumable(true);
    for (const auto& [name, value] : kAtOnce) {
      if (policy != "s-resume" && (policy != "clone" || name == "tau_est")) continue;
      wire::Entry* entry = job.mutable_settings()->add_policy_parameters();
      entry->set_key(name);
      entry->set_value(value);
    }
    while (job.tasks_size() < tasks) job.add_tasks()->set_length(kSplitBytes);
    EXPECT_TRUE(connection_->send(message));
  }
  void synchronise() {
    wire::ToAdvisor message;
    message.mutable_synchronised();
    EXPECT_TRUE(connection_->send(message));
  }
  void end_job(bool succeeded, const std::string& why = "") {
    wire::ToAdvisor message;
    message.mutable_job_ended()->set_succeeded(succeeded);
    message.mutable_job_ended()->set_message(why);
    EXPECT_TRUE(connection_->send(message));
  }
  void start(std::uint32_t task, std::uint32_t attempt, std::uint64_t begin = 0, std::uint32_t order = 0,
             std::chrono::nanoseconds age = {}) {
    Event event = about(task, attempt);
    event.mutable_started()->set_begin(begin);
    event.mutable_started()->set_order(order);
    event.mutable_started()->set_age_ns(age.count());
    event.mutable_started()->set_node("host-" + std::to_string(attempt));
    say(event);
  }
  void progress(std::uint32_t task, std::uint32_t attempt, std::uint64_t offset, std::chrono::nanoseconds mapping = {}) {
    Event event = about(task, attempt);
    event.mutable_progress()->set_offset(offset);
    event.mutable_progress()->set_mapping_ns(mapping.count());
    say(event);
  }
  void answer_cut(std::uint32_t task, std::uint32_t attempt, std::uint64_t at) {
    Event event = about(task, attempt);
    event.mutable_cut()->set_at(at);
    say(event);
  }
  void seal(std::uint32_t task, std::uint32_t attempt, std::uint64_t at) {
    Event event = about(task, attempt);
    event.mutable_sealed()->set_at(at);
    say(event);
  }
  void end(std::uint32_t task, std::uint32_t attempt, Event::Outcome outcome, std::uint32_t order = 0) {
    Event event = about(task, attempt);
    event.mutable_ended()->set_outcome(outcome);
    event.mutable_ended()->set_order(order);
    say(event);
  }
  // The next message that is no sign of life; nothing once the master has closed the connection.
  asio::awaitable<std::optional<wire::ToApplication>> next() {
    for (;;) {
      const Result<std::string_view> payload = co_await connection_->receive();
      if (!payload) co_return std::nullopt;
      wire::ToApplication message;
      EXPECT_TRUE(message.ParseFromArray(payload->data(), static_cast<int>(payload->size())));
      if (!message.has_alive()) co_return message;
    }
  }
  // The next order that asks for something.
  asio::awaitable<wire::AdviceOrder> next_order() {
    while (orders_.empty()) {
      const std::optional<wire::ToApplication> message = co_await next();
      if (!message) {
        ADD_FAILURE() << "no order came";
        co_return wire::AdviceOrder();
      }
      for (const wire::AdviceOrder& order : message->orders().orders()) {
        if (order.has_known()) known[order.known().attempt()] = order.known().order();
        if (!order.has_note() && !order.has_known()) orders_.push_back(order);
      }
    }
    const wire::AdviceOrder order = orders_.front();
    orders_.erase(orders_.begin());
    co_return order;
  }
  // Says again and again where the attempt stands, until an order comes.
  asio::awaitable<wire::AdviceOrder> stand_still(std::uint32_t task, std::uint32_t attempt, std::uint64_t offset) {
    const auto has_heard = std::make_shared<bool>(false);
    asio::co_spawn(connection_->executor(), report_until(has_heard, task, attempt, offset),
                   net::AbortOnException{"report_until"});
    const wire::AdviceOrder order = co_await next_order();
    *has_heard = true;
    co_return order;
  }
  void leave() { connection_->close(); }

  std::map<std::uint32_t, std::uint32_t> known;  // by Hadoop's numbers: those of the master, as orders

 private:
  static Event about(std::uint32_t task, std::uint32_t attempt) {
    Event event;
    event.set_task(task);
    event.set_attempt(attempt);
    return event;
  }
  asio::awaitable<void> report_until(std::shared_ptr<bool> has_heard, std::uint32_t task, std::uint32_t attempt,
                                     std::uint64_t offset) {
    const auto connection = connection_;
    for (wire::ToAdvisor message; !*has_heard && connection->is_open();) {
      message.Clear();
      Event* event = message.mutable_events()->add_events();
      event->set_task(task);
      event->set_attempt(attempt);
      event->mutable_progress()->set_offset(offset);
      connection->send(message);
      co_await net::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void say(const Event& event) {
    wire::ToAdvisor message;
    *message.mutable_events()->add_events() = event;
    EXPECT_TRUE(connection_->send(message));
  }
  std::shared_ptr<net::Connection> connection_;
  std::vector<wire::AdviceOrder> orders_;
};

}  // namespace ontime::test
