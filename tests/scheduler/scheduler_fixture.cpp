#include "tests/scheduler/scheduler_fixture.h"

#include <gtest/gtest.h>

#include "scheduler/core/cluster.h"

namespace ontime::scheduler::test {

World::World(Settings settings, OnStep on_step)
    : on_step_(std::move(on_step)), settings_(settings), scheduler_(std::make_unique<Scheduler>(settings)) {
  keep(nullptr, scheduler_->start(now_));
}

void World::keep(const Event* event, Step step) {
  if (on_step_) on_step_(event, now_, step);
  for (JournalRecord& record : step.records) records_.push_back(std::move(record));
  for (Action& action : step.actions) actions_.push_back(std::move(action));
  const std::vector<std::string> broken = violations(cluster());
  ASSERT_TRUE(broken.empty()) << broken.front();
}

void World::send(const Event& event) { keep(&event, scheduler_->step(event, now_)); }

NodeId World::register_node(const std::string& name, std::uint32_t slots, std::vector<AttemptProgress> running) {
  send(event::NodeRegistered{name, name, "host-" + name, slots});
  const NodeId node = cluster().node_of(name);
  send(event::NodeInventory{node, std::move(running)});
  return node;
}

JobSpec World::quiet_spec() {
  JobSpec spec;
  spec.checkpoint_interval = Duration(0);
  return spec;
}

JobSpec World::quiet_spec(const std::string& policy, StringMap parameters, const StringMap& more, Duration deadline) {
  JobSpec spec = quiet_spec();
  spec.policy = policy;
  for (const auto& [name, value] : more) parameters[name] = value;
  spec.policy_parameters = std::move(parameters);
  spec.deadline = deadline;
  return spec;
}

JobId World::submit(std::uint64_t bytes, std::uint64_t split_bytes, JobSpec spec) {
  spec.inputs = {{"/input", bytes, "1", Codec::Plain}};
  spec.split_bytes = split_bytes;
  return submit(std::move(spec));
}

JobId World::submit(JobSpec spec) {
  spec.application = "wordcount";
  spec.output = "/out";
  const JobId job = cluster().next_job();
  send(event::JobSubmitted{++requests_, std::move(spec)});
  return job;
}

void World::heartbeat(AttemptId id, std::uint64_t offset) {
  send(event::Heartbeat{attempt(id).node, {{.attempt = id, .offset = offset, .records = offset, .output_bytes = 0}}});
}
void World::heartbeat(NodeId node) { send(event::Heartbeat{node, {}}); }
void World::start_attempt(AttemptId id) { send(event::AttemptStarted{attempt(id).node, id}); }
void World::make_ready(AttemptId id) { send(event::AttemptReady{attempt(id).node, id}); }
void World::answer_cut(AttemptId id, std::uint64_t at, bool release) {
  send(event::CutAnswered{attempt(id).node, id, at, release});
}

void World::seal(AttemptId id, ByteRange range) {
  SealedOutput output;
  output.records = output.length = range.is_open_ended() ? 1 : range.size();
  const std::uint64_t end = range.is_open_ended() ? range.begin + 1 : range.end;
  send(event::SegmentSealed{attempt(id).node, id, range, end, output, {{{"group", "name"}, 1}}});
}

void World::seal_all(AttemptId id) {
  while (cluster().find_live(id) != nullptr) {
    seal(id, cluster().find_task(id.task)->ledger.find(attempt(id).held.begin)->range);
  }
}

void World::fail(AttemptId id, const std::string& message, FailureKind kind) {
  send(event::AttemptExited{attempt(id).node, id, kind, message});
}
void World::commit(JobId job, const std::string& error, std::vector<std::uint32_t> lost) {
  send(event::CommitFinished{job, error, std::move(lost)});
}
void World::kill(JobId job) { send(event::JobKillRequested{job, "asked to"}); }

void World::sleep(Duration duration) {
  now_ += duration;
  send(event::TimePassed{});
}

void World::pass(Duration duration) {
  const TimePoint until = now_ + duration;
  for (auto wake_up = scheduler_->next_wake_up(); wake_up && *wake_up <= until; wake_up = scheduler_->next_wake_up()) {
    now_ = std::max(now_, *wake_up);
    send(event::TimePassed{});
  }
  now_ = until;
}

void World::restart() {
  scheduler_ = std::make_unique<Scheduler>(settings_);
  for (const JournalRecord& record : records_) scheduler_->replay(record);
  actions_.clear();
  keep(nullptr, scheduler_->start(now_));
}

AttemptId World::take_launch() {
  const auto launches = take<action::LaunchAttempt>();
  EXPECT_EQ(launches.size(), 1u);
  return launches.empty() ? AttemptId{} : launches.front().attempt;
}

}  // namespace ontime::scheduler::test
