#include "lab/faults/cluster_run.h"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "common/base/check.h"
#include "lab/faults/master_process.h"
#include "lab/faults/workers.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::faults {
namespace {

constexpr double kPatience = 2500;                 // seconds from the last fault until every job has ended
constexpr std::uint64_t kHappeningsMax = 400'000;  // that a schedule takes at most

scheduler::FailureKind failure_of(const Fault& fault) {
  if (fault.amount < 1) return scheduler::FailureKind::Storage;
  return fault.amount < 2 ? scheduler::FailureKind::Missing : scheduler::FailureKind::Node;
}

class ClusterRun {
 public:
  ClusterRun(const FaultPlan& plan, const Trace& trace)
      : world_(plan, trace, audit_), master_(world_), workers_(world_) {
    world_.agenda.put(world_.now, Due::MasterStarts);
    for (std::uint32_t index = 0; index < plan.submissions.size(); ++index) {
      const Submission& submission = plan.submissions[index];
      world_.agenda.put(TimePoint(from_seconds(submission.at)), Due::Submission, index);
      if (submission.killed_at < kForEver) {
        world_.agenda.put(TimePoint(from_seconds(submission.killed_at)), Due::Kill, index);
      }
    }
    for (std::uint32_t index = 0; index < plan.faults.size(); ++index) {
      if (plan.faults[index].trigger != Trigger::Time) continue;
      world_.agenda.put(TimePoint(from_seconds(plan.faults[index].at)), Due::FaultBegins, index);
    }
  }

  void go() {
    until_rest();
    if (audit_.broken().empty()) rest();
  }

  void complain(const char* what) { audit_.complain(what); }

  Verdict verdict() const {
    Verdict verdict;
    verdict.broken = audit_.broken();
    if (!verdict.broken.empty()) verdict.broken = world_.stamp() + verdict.broken;
    verdict.ended = seconds(world_.now.time_since_epoch());
    verdict.steps = master_.steps();
    verdict.masters = world_.master_life;
    verdict.batches = master_.batches();
    verdict.jobs = static_cast<std::uint32_t>(audit_.jobs_reported());
    verdict.succeeded = static_cast<std::uint32_t>(audit_.succeeded());
    return verdict;
  }

 private:
  void until_rest() {
    const TimePoint quiet(from_seconds(world_.plan.quiet_after));
    limit_ = quiet + from_seconds(kPatience);
    std::uint64_t happened = 0;
    TimePoint rests_at = TimePoint::max();
    while (audit_.broken().empty()) {
      const auto wake_up = master_.wake_up();
      const bool wakes = wake_up && (world_.agenda.empty() || *wake_up <= world_.agenda.next_at());
      if (!wakes && world_.agenda.empty()) return;
      const TimePoint next = std::max(world_.now, wakes ? *wake_up : world_.agenda.next_at());
      if (next > limit_) return;
      if (next > rests_at) {
        if (is_over()) return;
        rests_at = TimePoint::max();  // the master died once more, while it cleaned up
      }
      if (++happened > kHappeningsMax) return audit_.complain("it does not come to rest");
      world_.now = next;
      if (wakes)
        master_.wake();
      else
        happen(world_.agenda.take());
      if (rests_at == TimePoint::max() && next > quiet && is_over()) rests_at = next + from_seconds(linger());
    }
  }

  // Long enough for a forgotten process to do harm.
  double linger() const { return 2 * world_.plan.node_timeout + world_.plan.reply_timeout; }

  bool is_over() const {
    if (!master_.is_up() || !master_.is_settled() || !master_.knows_only_ended_jobs()) return false;
    for (std::uint32_t index = 0; index < world_.plan.submissions.size(); ++index) {
      if (!master_.job_of(index)) return false;
    }
    return true;
  }

  // Everything is over: files and journal are looked at once more.
  void rest() {
    audit_.require(master_.is_up(), "the master comes back");
    for (std::uint32_t index = 0; index < world_.plan.submissions.size(); ++index) {
      audit_.require(master_.job_of(index).has_value(), "every client is answered in the end");
    }
    if (!audit_.broken().empty()) return;
    audit_.on_rest(world_.store, world_.plan);
    master_.die(0, false);
    master_.start();
  }

  void happen(const Upcoming& due) {
    switch (due.due) {
      case Due::Delivery:
        return deliver(due.subject, static_cast<Direction>(due.generation));
      case Due::BatchWritten:
      case Due::CommitStep:
        return master_.on(due);
      case Due::MasterStarts:
        return master_.start();
      case Due::FaultBegins:
        return begin(due.subject);
      case Due::FaultEnds:
        return end(due.subject);
      case Due::Submission:
        return submit(due.subject);
      case Due::Kill:
        return kill(due.subject);
      default:
        return workers_.on(due);
    }
  }

  void deliver(ConnectionId id, Direction direction) {
    const Connection& connection = world_.network[id];
    const World::Reach& cut_off = world_.cut_off[connection.node];
    if (direction == Direction::ToMaster) {
      const bool arrives =
          master_.is_up() && connection.master_life == world_.master_life && connection.is_open_at_master;
      const TimePoint held = std::max(cut_off.to_master, arrives ? world_.master_stopped_until : TimePoint{});
      if (held > world_.now) return world_.network.put_off(id, direction, held);
      MessageToMaster message = world_.network.take_to_master(id);
      if (arrives) master_.on_message(id, std::move(message));
    } else {
      const TimePoint held = std::max(cut_off.to_worker, workers_.stopped_until(connection.node));
      if (held > world_.now) return world_.network.put_off(id, direction, held);
      MessageToWorker message = world_.network.take_to_worker(id);
      if (connection.is_open_at_worker) workers_.on_message(id, std::move(message));
    }
  }

  // Clients ----

  bool is_master_reachable() const { return master_.is_up() && world_.master_stopped_until <= world_.now; }
  void again(Due due, std::uint32_t submission) {
    world_.agenda.put(world_.now + std::chrono::milliseconds(600), due, submission);
  }

  // Until it is answered; each time with a new directory, as the one before may be in use.
  void submit(std::uint32_t index) {
    if (master_.job_of(index)) return;
    const bool waits = asked_.size() > index && asked_[index] == world_.master_life;
    again(Due::Submission, index);
    if (waits || !is_master_reachable() || world_.output_hangs[index] > world_.now) return;
    asked_.resize(world_.plan.submissions.size(), 0);
    asked_[index] = world_.master_life;
    const Submission& submission = world_.plan.submissions[index];
    const std::uint32_t directory = world_.store.create_directory();
    world_.submission_of.push_back(index);
    audit_.expect(directory, records_of(submission, directory));
    master_.submit(index, directory);
  }

  static std::vector<std::vector<std::uint32_t>> records_of(const Submission& submission, std::uint32_t directory) {
    std::vector<std::vector<std::uint32_t>> all;
    const std::uint64_t record_bytes = submission.job.record_bytes;
    for (const scheduler::Split& split : make_splits(spec_of(submission, directory))) {
      std::vector<std::uint32_t>& records = all.emplace_back();
      for (std::uint64_t record = (split.range.begin + record_bytes - 1) / record_bytes;
           record * record_bytes < std::min(split.range.end, input_end(submission)); ++record) {
        if (record % submission.output_every == 0) records.push_back(static_cast<std::uint32_t>(record));
      }
    }
    return all;
  }

  void kill(std::uint32_t index) {
    const auto job = master_.job_of(index);
    if (!job || !is_master_reachable()) return again(Due::Kill, index);
    master_.request_kill(*job);
  }

  // Faults ----

  void begin(std::uint32_t index) {
    const Fault& fault = world_.plan.faults[index];
    world_.tell([&] { return "! " + to_string(fault); });
    const TimePoint until = world_.now + from_seconds(fault.lasts);
    limit_ = std::max(limit_, until + from_seconds(kPatience));
    switch (fault.kind) {
      case FaultKind::MasterDies:
        if (!master_.is_up()) return;
        master_.die(fault.share, fault.is_silent);
        return world_.agenda.put(until, Due::MasterStarts);
      case FaultKind::MasterStops:
        if (master_.is_up()) world_.master_stopped_until = std::max(world_.master_stopped_until, until);
        return;
      case FaultKind::ClockJumps:
        return master_.jump_clock(from_seconds(fault.amount));
      case FaultKind::AttemptDies:
        return workers_.kill_an_attempt(fault.node, fault.share, fault.is_silent);
      case FaultKind::AttemptStops:
        return workers_.stop_an_attempt(fault.node, fault.share);
      case FaultKind::ConnectionBreaks:
        return workers_.break_connection(fault.node);
      default:
        begin_lasting(fault, until);
        world_.agenda.put(until, Due::FaultEnds, index);
    }
  }

  void begin_lasting(const Fault& fault, TimePoint until) {
    const auto cut_off = [&](TimePoint World::Reach::*way) {
      TimePoint& ends = world_.cut_off[fault.node].*way;
      ends = std::max(ends, until);
    };
    switch (fault.kind) {
      case FaultKind::JournalFull:
        return master_.set_journal_full(true, fault.share);
      case FaultKind::WorkerDies:
        return workers_.die(fault.node);
      case FaultKind::WorkerLeaves:
        return workers_.leave(fault.node, from_seconds(fault.amount));
      case FaultKind::NodeDrains:
        if (is_master_reachable()) master_.request_drain(workers_.incarnation(fault.node), true);
        return;
      case FaultKind::WorkerStops:
      case FaultKind::NodeStops:
        return workers_.stop(fault.node, fault.kind == FaultKind::NodeStops, until);
      case FaultKind::Partition:
        cut_off(&World::Reach::to_master);
        cut_off(&World::Reach::to_worker);
        return;
      case FaultKind::DeafWorker:
        return cut_off(&World::Reach::to_worker);
      case FaultKind::MuteWorker:
        return cut_off(&World::Reach::to_master);
      case FaultKind::SlowNetwork:
        return world_.network.slow_down(fault.amount);
      case FaultKind::DiskFull:
        return workers_.set_disk_full(fault.node, true);
      case FaultKind::NodeFailsFast:
        return workers_.set_failing(fault.node, failure_of(fault));
      case FaultKind::MountHangs:
        return workers_.hang_mount(fault.node, until);
      case FaultKind::CommitFails:
        world_.commits_fail = true;
        return;
      case FaultKind::OutputHangs:
        world_.output_hangs[fault.node] = std::max(world_.output_hangs[fault.node], until);
        return;
      default:
        return;
    }
  }

  void end(std::uint32_t index) {
    const Fault& fault = world_.plan.faults[index];
    world_.tell([&] { return "! over: " + to_string(fault); });
    switch (fault.kind) {
      case FaultKind::JournalFull:
        return master_.set_journal_full(false, 0);
      case FaultKind::WorkerLeaves:
        workers_.end_leaving(fault.node);
        return workers_.come_back(fault.node);
      case FaultKind::NodeDrains:
        if (is_master_reachable() && master_.request_drain(workers_.incarnation(fault.node), false)) return;
        return again(Due::FaultEnds, index);
      case FaultKind::WorkerDies:
        return workers_.come_back(fault.node);
      case FaultKind::WorkerStops:
      case FaultKind::NodeStops:
        return workers_.go_on(fault.node);
      case FaultKind::SlowNetwork:
        return world_.network.slow_down(-fault.amount);
      case FaultKind::DiskFull:
        return workers_.set_disk_full(fault.node, false);
      case FaultKind::NodeFailsFast:
        return workers_.set_failing(fault.node, std::nullopt);
      case FaultKind::CommitFails:
        world_.commits_fail = false;
        return;
      default:
        return;
    }
  }

  Audit audit_;
  TimePoint limit_;  // until when every job has to have ended
  World world_;
  MasterProcess master_;
  Workers workers_;
  std::vector<std::uint32_t> asked_;  // the master's life when a submission was last asked for
};

}  // namespace

std::uint64_t input_end(const Submission& submission) {
  return submission.job.split_bytes * (submission.is_compressed ? 1 : submission.tasks);
}

std::string World::stamp() const {
  const std::int64_t ms = to_unix_ns(now) / 1'000'000;
  const std::string fraction = std::to_string(ms % 1000);
  return std::to_string(ms / 1000) + "." + std::string(3 - fraction.size(), '0') + fraction + " ";
}

scheduler::JobSpec spec_of(const Submission& submission, std::uint32_t directory) {
  PlannedJob planned;
  planned.tasks = submission.is_compressed ? 1 : submission.tasks;
  planned.deadline = submission.job.deadline;
  scheduler::JobSpec spec = lab::spec_of(submission.job, planned);
  if (submission.is_compressed) spec.inputs.front().codec = scheduler::Codec::Gzip;
  spec.output = name_of_directory(directory);
  spec.owner = directory % 2 == 0 ? "alice" : "bob";
  return spec;
}

Verdict run(const FaultPlan& plan, const Trace& trace) {
  ClusterRun cluster(plan, trace);
  try {
    cluster.go();
  } catch (const std::exception& exception) {
    cluster.complain(exception.what());
  }
  return cluster.verdict();
}

void survive_broken_checks() {
  set_check_handler([](const char* sentence) { throw std::logic_error(std::string("broken check: ") + sentence); });
}

}  // namespace ontime::lab::faults
