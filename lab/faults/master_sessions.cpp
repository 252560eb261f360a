// The master's sessions with workers, its actions, and the commits.
#include <algorithm>
#include <utility>

#include "lab/faults/master_process.h"
#include "lab/simulator/simulator.h"
#include "master/commit_plan.h"

namespace ontime::lab::faults {

namespace action = scheduler::action;
namespace event = scheduler::event;

namespace {

// The same event, from this node.
scheduler::Event from_node(scheduler::Event event, NodeId node) {
  std::visit(
      [node](auto& what) {
        if constexpr (requires { what.node = node; }) what.node = node;
      },
      event);
  return event;
}

}  // namespace

// Sessions ------------------------------------------------------------------------------------------------------------

void MasterProcess::on_message(ConnectionId connection, MessageToMaster message) {
  Session& session = sessions_[connection];
  if (const auto* registration = std::get_if<Registration>(&message)) {
    on_registration(connection, *registration);
  } else if (std::holds_alternative<Closed>(message)) {
    world_.network[connection].is_open_at_master = false;
    release(connection);
  } else if (session.node.value == 0) {
    close(connection);
  } else if (const auto* beat = std::get_if<Beat>(&message)) {
    step(event::Heartbeat{session.node, beat->attempts});
  } else if (const auto* leave = std::get_if<Leave>(&message)) {
    step(event::NodeLeaving{session.node, leave->at_once});
  } else {
    on_reports(connection, std::get<Reports>(message).reports);
  }
  end_turn();
}

void MasterProcess::on_registration(ConnectionId connection, const Registration& registration) {
  step(registration.who);
  const NodeId node = scheduler_->cluster().node_of(registration.who.incarnation);
  sessions_[connection].node = node;
  if (registration.leaves) step(event::NodeLeaving{node, false});
  const auto older = announced_.find(node);
  if (older != announced_.end() && older->second != connection) close(older->second);
  announced_[node] = connection;
  on_reports(connection, registration.unacknowledged);
  open_.effects.emplace_back(Attach{node, connection});
  step(event::NodeInventory{node, registration.running});
}

void MasterProcess::on_reports(ConnectionId connection, const std::vector<Report>& reports) {
  std::uint64_t last = 0;
  for (const Report& report : reports) {
    step(from_node(report.what, sessions_[connection].node));
    last = std::max(last, report.sequence);
  }
  if (last > 0) open_.effects.emplace_back(Acknowledge{connection, last});
}

// The worker hears of it, the session ends.
void MasterProcess::close(ConnectionId connection) {
  if (std::exchange(world_.network[connection].is_open_at_master, false)) {
    world_.network.send(connection, MessageToWorker(Closed{}), world_.now);
  }
  release(connection);
}

void MasterProcess::release(ConnectionId connection) {
  const auto session = sessions_.find(connection);
  if (session == sessions_.end()) return;
  for (auto* links : {&announced_, &attached_}) {
    const auto found = links->find(session->second.node);
    if (found != links->end() && found->second == connection) links->erase(found);
  }
  sessions_.erase(session);
}

MasterProcess::Session* MasterProcess::link_to(NodeId node) {
  const auto found = attached_.find(node);
  if (found == attached_.end()) return nullptr;
  const auto session = sessions_.find(found->second);
  return session == sessions_.end() ? nullptr : &session->second;
}

void MasterProcess::flush() {
  for (auto& [connection, session] : sessions_) {
    if (!session.is_welcome) continue;
    if (session.gathered.orders.empty() && session.acknowledged == session.acknowledged_sent) continue;
    session.gathered.acknowledged = session.acknowledged_sent = session.acknowledged;
    world_.network.send(connection, MessageToWorker(std::exchange(session.gathered, {})), world_.now);
  }
}

// Actions -------------------------------------------------------------------------------------------------------------

void MasterProcess::perform(const Effect& effect) {
  if (const auto* acknowledged = std::get_if<Acknowledge>(&effect)) {
    const auto session = sessions_.find(acknowledged->connection);
    if (session != sessions_.end()) {
      session->second.acknowledged = std::max(session->second.acknowledged, acknowledged->sequence);
    }
  } else if (const auto* attached = std::get_if<Attach>(&effect)) {
    if (sessions_.contains(attached->connection))
      attached_[attached->node] = attached->connection;
    else
      attached_.erase(attached->node);
  } else {
    const auto& what = std::get<scheduler::Action>(effect);
    world_.tell([&] { return line_of(clock_.now(world_.now), what); });
    std::visit([this](const auto& one) { on(one); }, what);
  }
}

void MasterProcess::on(const action::LaunchAttempt& action) {
  order(action, directory_of(action.spec->output));
}

void MasterProcess::on(const action::BeginAttempt& action) { order(action); }
void MasterProcess::on(const action::CutAttempt& action) { order(action); }
void MasterProcess::on(const action::KillAttempt& action) { order(action); }
void MasterProcess::on(const action::ForgetJob& action) { order(action); }
void MasterProcess::on(const action::ReleaseNode& action) { order(action); }

void MasterProcess::on(const action::WelcomeNode& action) {
  const auto found = attached_.find(action.node);
  Session* link = link_to(action.node);
  if (link == nullptr || link->is_welcome) return;
  link->is_welcome = true;
  world_.network.send(found->second, MessageToWorker(Welcome{action.fenced}), world_.now);
}

void MasterProcess::on(const action::DropNode& action) {
  const auto found = attached_.find(action.node);
  if (found != attached_.end()) close(found->second);
}

void MasterProcess::on(const action::AnswerSubmit& action) {
  const auto submission = static_cast<std::uint32_t>(action.request);
  answered_[submission] = action.job;
  world_.audit.on_answered(action.job, outputs_.at(submission));
}

// Commits -------------------------------------------------------------------------------------------------------------

void MasterProcess::on(const action::CommitOutput& action) {
  const std::uint32_t directory = directory_of(action.spec->output);
  enqueue(action.job, {directory, CommitRun(master::make_commit_plan(action), directory)});
}

void MasterProcess::on(const action::DiscardOutput& action) {
  enqueue(action.job, {directory_of(action.output), std::nullopt});
}

void MasterProcess::enqueue(JobId job, Work work) {
  std::deque<Work>& queue = commits_[job];
  queue.push_back(std::move(work));
  if (queue.size() == 1) expect_commit_step(job);
}

void MasterProcess::expect_commit_step(JobId job) {
  const Duration takes = from_seconds(world_.plan.commit_delay * random_.uniform());
  world_.agenda.put(world_.now + takes, Due::CommitStep, job.value, life_);
}

void MasterProcess::on_commit_step(JobId job) {
  const std::uint32_t directory = commits_.at(job).front().directory;
  if (const TimePoint until = world_.output_hangs[world_.submission_of[directory]]; until > world_.now) {
    return world_.agenda.put(until, Due::CommitStep, job.value, life_);
  }
  ++commit_steps_;
  const std::uint32_t life = life_;
  for (std::uint32_t index = 0; index < world_.plan.faults.size(); ++index) {
    const Fault& fault = world_.plan.faults[index];
    if (fault.trigger != Trigger::CommitStep || fault.at != commit_steps_) continue;
    world_.agenda.put(world_.now, Due::FaultBegins, index);
    world_.agenda.put(world_.now, Due::CommitStep, job.value, life);
    return;
  }
  std::deque<Work>& queue = commits_.at(job);
  std::optional<CommitRun>& commit = queue.front().commit;
  if (!commit) {
    discard_output(world_.store.directory(directory));
  } else if (world_.commits_fail) {
    commit->fail(world_.store, "no space left on device");
  } else {
    const bool had_success = world_.store.directory(directory).has_success;
    commit->step(world_.store);
    if (!commit->error().empty()) world_.audit.complain("a commit finds what was sealed: " + commit->error());
    const bool has_success = world_.store.directory(directory).has_success;
    if (has_success && !had_success) world_.audit.on_success(job, directory, world_.store);
  }
  if (commit && !commit->is_over()) return expect_commit_step(job);
  const std::optional<std::string> error = commit ? std::optional(commit->error()) : std::nullopt;
  queue.pop_front();
  if (queue.empty())
    commits_.erase(job);
  else
    expect_commit_step(job);
  if (!error) return;
  step(event::CommitFinished{job, *error});
  end_turn();
}

}  // namespace ontime::lab::faults
