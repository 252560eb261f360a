#include "tests/faults/clients.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "tests/machines/programs.h"

namespace ontime::lab::faults {
namespace {

constexpr Duration kPause = std::chrono::milliseconds(600);  // between two tries
constexpr Duration kWaitMax = std::chrono::seconds(10);      // of a question
constexpr Duration kGlance = std::chrono::milliseconds(20);  // of one that must not miss the commit
constexpr Duration kOnItsWay = std::chrono::minutes(1);      // bytes, at most

scheduler::JobState state_of(wire::JobState state) {
  switch (state) {
    case wire::SUCCEEDED:
      return scheduler::JobState::Succeeded;
    case wire::KILLED:
      return scheduler::JobState::Killed;
    default:
      return scheduler::JobState::Failed;
  }
}

void pause() {
  machines::Thread& here = *machines::World::here();
  here.sleep_until(here.world().now() + kPause);
}

cli::MasterClient connection_to(const net::Masters& masters) {
  cli::MasterClient::Options options;
  options.masters = masters;
  return cli::MasterClient(std::move(options));
}

}  // namespace

Clients::Clients(const FaultPlan& plan, machines::Cluster& cluster, net::Masters masters, Outputs& outputs,
                 Audit& audit)
    : plan_(plan),
      cluster_(cluster),
      desk_(cluster.add_machine("desk")),
      masters_(std::move(masters)),
      outputs_(outputs),
      audit_(audit),
      begin_(cluster.world.now()),
      states_(plan.submissions.size()) {}

void Clients::start(std::uint32_t submission) {
  State& state = states_[submission];
  if (state.is_done) return;
  if (state.process != 0) cluster_.send_signal(state.process, SIGKILL);
  const auto main = [this, submission] { return ask(submission); };
  state.process = cluster_.start(desk_, "client " + std::to_string(submission), main).id();
}

bool Clients::are_done() const {
  return std::all_of(states_.begin(), states_.end(), [](const State& state) { return state.is_done; });
}

int Clients::ask(std::uint32_t index) {
  cli::MasterClient client = connection_to(masters_);
  const JobId job = submit(client, index);
  follow(client, job, plan_.submissions[index]);
  states_[index].is_done = true;
  return 0;
}

// Each time with a new directory, as the one before may be in use.
JobId Clients::submit(cli::MasterClient& client, std::uint32_t index) {
  for (;;) {
    const wire::JobSpec spec = outputs_.request(index);
    if (const auto submitted = client.submit(spec)) {
      audit_.on_answered(JobId{submitted->job()}, spec.output());
      return JobId{submitted->job()};
    }
    pause();
  }
}

void Clients::follow(cli::MasterClient& client, JobId job, const Submission& submission) {
  const double at = submission.killed_at;
  const TimePoint killed_at = at < 0 ? machines::kNever : begin_ + from_seconds(at);
  bool is_killed = false;
  bool is_committing = false;
  for (;;) {
    const Duration left = killed_at == machines::kNever ? kWaitMax : killed_at - cluster_.world.now();
    const bool is_time = left <= Duration(0) || (submission.is_killed_late && is_committing);
    if (!is_killed && is_time) is_killed = client.kill(job).has_value();
    const Duration wait = submission.is_killed_late ? kGlance : std::clamp(left, kPause, kWaitMax);
    const auto seen = client.describe(job, {}, is_killed ? kWaitMax : wait);
    if (!seen && seen.error().kind == ErrorKind::BadInput) break;  // it has ended and was forgotten
    if (!seen) {
      pause();
    } else if (seen->summary().ended_unix_ns() != 0) {
      return audit_.on_told(job, state_of(seen->summary().state()));
    } else {
      is_committing = seen->summary().state() == wire::COMMITTING;
    }
  }
  audit_.require(audit_.has_ended(job), "a job that is forgotten has ended");
}

void Clients::drain(const std::string& node, bool undo) {
  if (const auto before = operators_.find(node); before != operators_.end()) {
    cluster_.send_signal(before->second, SIGKILL);
  }
  const auto main = [this, node, undo] {
    cli::MasterClient client = connection_to(masters_);
    while (!client.drain(node, undo)) pause();
    // What the operator asked for before may still be on its way, and arrive after this.
    machines::World::here()->sleep_until(begin_ + from_seconds(plan_.quiet_after) + kOnItsWay);
    while (!client.drain(node, undo)) pause();
    return 0;
  };
  operators_[node] = cluster_.start(desk_, "operator of " + node, main).id();
}

}  // namespace ontime::lab::faults
