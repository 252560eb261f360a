#include "tests/worker/agent/slots_fixture.h"

#include <gtest/gtest.h>

#include "common/injection/wire.h"
#include "common/protocol/convert.h"

namespace ontime::worker::test {

SlotsWorld::SlotsWorld(std::uint32_t count, std::optional<UserRange> users, Duration answer_time,
                       JobFiles::Hook before_file_work)
    : link(io.get_executor(), launcher.starter()),
      slots(io.get_executor(),
            {.slots = count,
             .application_directories = {"/apps"},
             .node_name = "node",
             .users = users,
             .answer_time = answer_time,
             .before_file_work = std::move(before_file_work)},
            reports, link, outputs) {
  EXPECT_TRUE(slots.start());
  settle();
}

Status SlotsWorld::set_up(std::uint32_t job, const std::string& application) {
  wire::Order order;
  order.mutable_setup()->set_job(job);
  order.mutable_setup()->mutable_spec()->set_application(application);
  order.mutable_setup()->set_output("/out/_attempts/claim");
  order.mutable_setup()->set_tasks(10);
  return slots.obey(order);
}

Status SlotsWorld::launch(AttemptId id, std::uint64_t begin, std::uint64_t end, bool standby) {
  wire::Order order;
  *order.mutable_launch()->mutable_attempt() = protocol::to_wire(id);
  order.mutable_launch()->mutable_file()->set_path("/data/text");
  order.mutable_launch()->mutable_range()->set_begin(begin);
  order.mutable_launch()->mutable_range()->set_end(end);
  order.mutable_launch()->set_standby(standby);
  return slots.obey(order);
}

Status SlotsWorld::begin(AttemptId id, std::uint64_t begin, std::uint64_t end) {
  wire::Order order;
  *order.mutable_begin()->mutable_attempt() = protocol::to_wire(id);
  order.mutable_begin()->mutable_range()->set_begin(begin);
  order.mutable_begin()->mutable_range()->set_end(end);
  return slots.obey(order);
}

Status SlotsWorld::cut(AttemptId id, std::uint64_t at, bool release) {
  wire::Order order;
  *order.mutable_cut()->mutable_attempt() = protocol::to_wire(id);
  order.mutable_cut()->set_at(at);
  order.mutable_cut()->set_release(release);
  return slots.obey(order);
}

Status SlotsWorld::kill(AttemptId id) {
  wire::Order order;
  *order.mutable_kill()->mutable_attempt() = protocol::to_wire(id);
  return slots.obey(order);
}

Status SlotsWorld::forget(std::uint32_t job) {
  wire::Order order;
  order.mutable_forget()->set_job(job);
  return slots.obey(order);
}

void SlotsWorld::begin_session(const std::vector<AttemptId>& fenced) {
  wire::ToWorker::Welcome welcome;
  for (const AttemptId id : fenced) *welcome.add_fenced() = protocol::to_wire(id);
  EXPECT_TRUE(slots.begin_session(welcome));
}

Status SlotsWorld::begin_injected_session(const injection::Injection& injection) {
  wire::ToWorker::Welcome welcome;
  *welcome.mutable_injection() = injection::to_wire(injection);
  return slots.begin_session(welcome);
}

void SlotsWorld::settle() {
  io.restart();
  io.poll();
}

void SlotsWorld::settle_until(const std::function<bool()>& is_so) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_so() && std::chrono::steady_clock::now() < limit) {
    io.restart();
    io.run_one_until(limit);
  }
  EXPECT_TRUE(is_so());
}

void SlotsWorld::poll_until(const std::function<bool()>& is_so) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  bool was_so = false;
  while (!(was_so = is_so()) && std::chrono::steady_clock::now() < limit) {
    io.restart();
    io.run_one_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(was_so);
}

std::unique_ptr<FakeRunner> SlotsWorld::next_runner() {
  settle();
  auto runner = launcher.next_spawn();
  EXPECT_NE(runner, nullptr);
  if (!runner) return nullptr;
  launcher.reports_spawned(*runner);
  EXPECT_TRUE(runner->next()->has_setup());
  EXPECT_TRUE(runner->takes_run());
  return runner;
}

std::unique_ptr<FakeRunner> SlotsWorld::launch_and_start(AttemptId id) {
  EXPECT_TRUE(launch(id));
  auto runner = next_runner();
  if (runner) runner->starts();
  settle();
  new_reports();
  return runner;
}

std::unique_ptr<FakeRunner> SlotsWorld::launch_standby(AttemptId id, std::uint64_t begin, std::uint64_t end) {
  EXPECT_TRUE(launch(id, begin, end, true));
  return next_runner();
}

void SlotsWorld::finish(FakeRunner& runner) {
  runner.seals(runner.run().launch().range().begin(), runner.run().launch().range().end());
  runner.finishes();
  settle();
}

void SlotsWorld::end(FakeRunner& runner, int wait_status) {
  runner.closes();
  launcher.reports_exit(runner, wait_status);
  settle();
}

std::vector<wire::Report> SlotsWorld::new_reports() {
  const auto batch = reports.take_unsent();
  return {batch.reports().begin(), batch.reports().end()};
}

wire::Ended SlotsWorld::only_end() {
  const auto all = new_reports();
  EXPECT_EQ(all.size(), 1u);
  EXPECT_TRUE(!all.empty() && all[0].has_ended());
  return all.empty() ? wire::Ended() : all[0].ended();
}

std::vector<wire::AttemptProgress> SlotsWorld::progress() {
  wire::ToMaster::Heartbeat heartbeat;
  slots.add_progress(*heartbeat.mutable_attempts());
  return {heartbeat.attempts().begin(), heartbeat.attempts().end()};
}

}  // namespace ontime::worker::test
