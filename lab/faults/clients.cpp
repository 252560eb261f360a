#include "lab/faults/clients.h"

#include <signal.h>

#include <algorithm>
#include <thread>

#include "cli/client/master_client.h"
#include "lab/machines/programs.h"

namespace ontime::lab::faults {
namespace {

constexpr Duration kPause = std::chrono::milliseconds(600);  // between two tries
constexpr Duration kWaitMax = std::chrono::seconds(10);

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

cli::MasterClient connection_to(std::uint32_t master) {
  cli::MasterClient::Options options;
  options.endpoint = {machines::dotted(master), machines::kMasterPort};
  return cli::MasterClient(std::move(options));
}

}  // namespace

Clients::Clients(const FaultPlan& plan, machines::Cluster& cluster, std::uint32_t master, Outputs& outputs,
                 Audit& audit)
    : plan_(plan),
      cluster_(cluster),
      desk_(cluster.add_machine("desk")),
      master_(master),
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
  cli::MasterClient client = connection_to(master_);
  wire::JobSpec spec;
  // Each time with a new directory, as the one before may be in use.
  for (;;) {
    spec = outputs_.request(plan_, index);
    const auto submitted = client.submit(spec);
    if (submitted) {
      const JobId job{submitted->job()};
      audit_.on_answered(job, spec.output());
      bool is_killed = false;
      const TimePoint killed_at = begin_ + from_seconds(std::min(plan_.submissions[index].killed_at, 1e6));
      for (;;) {
        const Duration left = killed_at - cluster_.world.now();
        if (!is_killed && left <= Duration(0)) is_killed = client.kill(job).has_value();
        const Duration wait = is_killed ? kWaitMax : std::clamp(left, Duration(kPause), Duration(kWaitMax));
        const auto seen = client.describe(job, {}, wait);
        if (!seen && seen.error().kind == ErrorKind::BadInput) break;  // it has ended and was forgotten
        if (!seen) {
          std::this_thread::sleep_for(kPause);
        } else if (seen->summary().ended_unix_ns() != 0) {
          audit_.on_told(job, state_of(seen->summary().state()));
          break;
        }
      }
      if (!audit_.has_ended(job)) audit_.complain(to_string(job) + " was forgotten before it ended");
      states_[index].is_done = true;
      return 0;
    }
    std::this_thread::sleep_for(kPause);
  }
}

void Clients::drain(const std::string& node, bool undo) {
  cluster_.start(desk_, "operator", [this, node, undo] {
    cli::MasterClient client = connection_to(master_);
    while (!client.drain(node, undo)) std::this_thread::sleep_for(kPause);
    return 0;
  });
}

}  // namespace ontime::lab::faults
