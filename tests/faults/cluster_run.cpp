#include "tests/faults/cluster_run.h"

#include <malloc.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/base/check.h"
#include "tests/faults/audit.h"
#include "tests/faults/clients.h"
#include "tests/faults/etcd.h"
#include "tests/faults/masters.h"
#include "tests/faults/nodes.h"
#include "tests/faults/outputs.h"
#include "tests/machines/network.h"

namespace ontime::lab::faults {
namespace {

using machines::Process;

constexpr TimePoint kBegin = from_unix_ns(1'790'000'000'000'000'000);
constexpr double kPatience = 2500;    // seconds from the last fault until every job has ended
constexpr double kStoreSilence = 30;  // seconds until a client of the store asks anew where nothing came
constexpr std::size_t kDescriptorsMax = 200;
constexpr std::size_t kThreadsMax = 40;
constexpr std::size_t kThreadsOfCommit = 15;     // in a store, beside those: 8 connections, watched
constexpr std::size_t kMemoryMax = 64u << 20;    // of all processes, those that were killed too; some 15 MiB is usual
constexpr std::uint64_t kStepsMax = 20'000'000;  // that a schedule takes at most

std::string& application_directory() {
  static auto& directory = *new std::string;
  return directory;
}

std::size_t memory_in_use() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// The log of all programs, a line each.
class TraceSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit TraceSink(std::function<void(std::string_view)> trace) : trace_(std::move(trace)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    trace_({message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

  const std::function<void(std::string_view)> trace_;
};

class ClusterRun {
 public:
  ClusterRun(const FaultPlan& plan, const Trace& trace)
      : plan_(plan),
        trace_(trace),
        cluster_(plan.seed, kBegin),
        homes_(add_homes()),
        etcd_(plan.is_shared() ? std::make_unique<Etcd>(cluster_) : nullptr),
        masters_(plan, cluster_, etcd_.get(), audit_),
        store_(plan.has_store() ? std::make_unique<Store>(plan, cluster_, homes_) : nullptr),
        outputs_(shared_disk(), store_ ? &store_->objects() : nullptr, plan),
        audit_(outputs_, plan),
        nodes_(plan, cluster_, homes_, application_directory()),
        clients_(plan, cluster_, masters_.addresses(), outputs_, audit_) {
    log();
    cluster_.real_paths = {application_directory()};
    cluster_.on_disk_work = [this](Process& process, const machines::Disk& disk, machines::DiskWork) {
      const bool is_shared = &disk == cluster_.shared.get();
      if (is_shared && masters_.is_leading_process(process)) strike(Trigger::CommitStep, ++calls_);
    };
    watch_masters();
    if (etcd_) watch_etcd();
    if (store_) watch_store();
    set_delays();
    cluster_.descriptors_max = kDescriptorsMax;
    cluster_.threads_max = threads_max();
    for (std::uint32_t index = 0; index < plan.submissions.size(); ++index) {
      at(plan.submissions[index].at, [this, index] { clients_.start(index); });
    }
    for (const Fault& fault : plan.faults) {
      if (fault.trigger == Trigger::Time) at(fault.at, [this, &fault] { begin(fault); });
    }
    quiet_ = kBegin + from_seconds(plan.quiet_after);
    limit_ = quiet_ + from_seconds(kPatience);
  }

  Verdict go() {
    until_rest();
    if (audit_.broken().empty()) rest();
    Verdict verdict;
    verdict.broken = audit_.broken();
    if (!verdict.broken.empty()) verdict.broken = stamp() + verdict.broken;
    verdict.ended = seconds(cluster_.world.now() - kBegin);
    verdict.steps = cluster_.world.steps();
    verdict.masters = masters_.lives();
    verdict.led = audit_.masters();
    verdict.batches = audit_.batches();
    verdict.jobs = static_cast<std::uint32_t>(audit_.jobs_ended());
    verdict.succeeded = static_cast<std::uint32_t>(audit_.succeeded());
    return verdict;
  }

 private:
  std::size_t threads_max() const {
    const auto writes_to_store = [](const Submission& submission) { return submission.has_output_in_store; };
    const auto commits = std::count_if(plan_.submissions.begin(), plan_.submissions.end(), writes_to_store);
    return kThreadsMax + kThreadsOfCommit * static_cast<std::size_t>(commits);
  }

  std::vector<machines::Machine*> add_homes() {
    std::vector<machines::Machine*> all;
    for (std::uint32_t i = 0; i < plan_.masters; ++i)
      all.push_back(&cluster_.add_machine(i == 0 ? kHome : kHome + std::to_string(i)));
    return all;
  }

  machines::Disk& shared_disk() {
    if (plan_.is_one_machine) {
      const bool keeps_order = cluster_.world.random().below(2) == 0;
      cluster_.shared = std::make_unique<machines::Disk>(cluster_.world, machines::Disk::Kind::Local, keeps_order);
    }
    return *cluster_.shared;
  }

  void watch_masters() {
    masters_.on_batch = [this] { strike(Trigger::Batch, ++batches_); };
    masters_.on_power_cut = [this](TimePoint until) {
      if (plan_.is_one_machine) nodes_.stay_away(until);
    };
    masters_.peers = [this] {
      std::vector<machines::Machine*> all = nodes_.machines();
      all.push_back(&clients_.desk());
      return all;
    };
  }

  void watch_etcd() {
    etcd_->on_batch = [this](const std::string& batch) { audit_.on_accepted(batch); };
    etcd_->on_broken = [this](const char* what) { audit_.complain(what); };
  }

  void watch_store() {
    store_->on_master_request = [this] {
      strike(Trigger::CommitStep, ++calls_);
      rests_at_ = machines::kNever;  // it is still at work there
    };
    store_->on_strike = [this](const Fault& fault) {
      tell("! " + to_string(fault));
      put_off_quiet(fault);
    };
    using Object = machines::ObjectStore::Object;
    store_->objects().on_change = [this](const std::string& key, const Object* before, const Object* after) {
      if (trace_) tell((after != nullptr ? "stored " : "removed ") + key);
      if (before == nullptr) outputs_.on_created(key);
      audit_.on_object(key, before != nullptr ? &before->bytes : nullptr, after != nullptr ? &after->bytes : nullptr);
    };
  }

  void set_delays() {
    for (machines::Disk* const disk : {homes_.front()->disk.get(), cluster_.shared.get()}) {
      disk->delay_max = from_seconds(plan_.disk_delay);
      disk->sync_max = from_seconds(plan_.sync_delay);
    }
    cluster_.network->delay_max = from_seconds(plan_.network_delay);
  }

  std::string stamp() const {
    const auto ms = (cluster_.world.now() - kBegin) / std::chrono::milliseconds(1);
    const std::string fraction = std::to_string(ms % 1000);
    return std::to_string(ms / 1000) + "." + std::string(3 - fraction.size(), '0') + fraction + " ";
  }

  void tell(std::string_view what) {
    if (trace_) trace_(stamp() + std::string(what));
  }

  void log() {
    const auto write = [this](std::string_view line) {
      const machines::Thread* const here = machines::World::here();
      tell((here != nullptr ? const_cast<machines::Thread*>(here)->process().name() : "") + ": " + std::string(line));
    };
    const auto logger = std::make_shared<spdlog::logger>("", std::make_shared<TraceSink>(write));
    logger->set_level(trace_ ? spdlog::level::debug : spdlog::level::off);
    spdlog::set_default_logger(logger);
  }

  void at(double time, std::function<void()> what) { cluster_.world.at(kBegin + from_seconds(time), std::move(what)); }

  // It begins later than what begins at a time.
  void put_off_quiet(const Fault& fault) {
    quiet_ = std::max(quiet_, cluster_.world.now() + from_seconds(fault.lasts));
    limit_ = std::max(limit_, quiet_ + from_seconds(kPatience));
    rests_at_ = machines::kNever;
  }

  // The master reaches a place where faults wait for it.
  void strike(Trigger trigger, std::uint32_t place) {
    for (const Fault& fault : plan_.faults) {
      if (is_at_rest_ || fault.trigger != trigger || std::lround(fault.at) != place) continue;
      const double longest = plan_.is_shared() ? 3 * plan_.network_delay : plan_.sync_delay;
      const Duration delay = from_seconds(trigger == Trigger::Batch ? fault.share * longest : 0);
      if (fault.kind == FaultKind::MasterDies) {
        tell("! " + to_string(fault));
        limit_ = std::max(limit_, cluster_.world.now() + from_seconds(fault.lasts + kPatience));
        masters_.kill_after(delay, fault);
      } else {
        put_off_quiet(fault);
        cluster_.world.after(delay, [this, &fault] { begin(fault); });
      }
    }
  }

  // What systemd does.
  void supervise() {
    if (std::exchange(ended_seen_, cluster_.processes_ended()) == cluster_.processes_ended()) return;
    masters_.supervise();
    nodes_.supervise();
    if (etcd_) etcd_->supervise();
    if (store_) store_->supervise();
  }

  // The course of it --------------------------------------------------------------------------------------------------

  void until_rest() {
    if (store_) store_->start();
    if (etcd_) etcd_->start();
    masters_.start();
    nodes_.start();
    while (audit_.broken().empty()) {
      if (!cluster_.world.step()) return audit_.complain("nothing will ever happen again");
      supervise();
      if (!cluster_.broken.empty()) return audit_.complain(cluster_.broken);
      if (cluster_.world.steps() % 4096 == 0 && memory_in_use() > kMemoryMax)
        return audit_.complain("the programs hold more memory than they should ever need");
      if (cluster_.world.steps() > kStepsMax) return audit_.complain("it does not come to rest");
      const TimePoint now = cluster_.world.now();
      if (now > limit_ || now > rests_at_) return;
      if (rests_at_ == machines::kNever && now > quiet_ && clients_.are_done() && audit_.have_all_ended())
        rests_at_ = now + linger();
    }
  }

  // Long enough for a forgotten process to do harm, and for what is to be removed to go.
  Duration linger() const { return from_seconds(2 * plan_.node_timeout + 10 + (store_ ? kStoreSilence : 0)); }

  void rest() {
    is_at_rest_ = true;
    audit_.require(masters_.are_up(), "the master comes back");
    audit_.require(clients_.are_done(), "every client hears of the end of its job");
    audit_.on_rest();
    if (!audit_.broken().empty() && trace_) outputs_.list(trace_);
    const std::string left = nodes_.left_over();
    if (!left.empty()) audit_.complain(left + " is left over");
    if (!audit_.broken().empty()) return;
    masters_.kill_leader();  // the next one reads the journal once more
    const std::uint32_t led = audit_.masters();
    go_on_until([&] { return audit_.masters() > led && masters_.has_leader(); }, "the last master does not start");
    for (machines::Machine* const home : homes_) replay(*home);
  }

  void replay(machines::Machine& home) {
    bool is_replayed = false;
    cluster_.start(home, "replay", [this, &is_replayed] {
      if (const std::string difference = replay_recordings(kJournal); !difference.empty()) audit_.complain(difference);
      is_replayed = true;
      return 0;
    });
    go_on_until([&] { return is_replayed; }, "the recordings are not replayed");
  }

  template <class Condition>
  void go_on_until(Condition&& holds, const char* otherwise) {
    const TimePoint patience = cluster_.world.now() + std::chrono::minutes(2);
    while (!holds() && audit_.broken().empty()) {
      if (!cluster_.broken.empty()) return audit_.complain(cluster_.broken);
      if (cluster_.world.now() > patience || !cluster_.world.step()) return audit_.complain(otherwise);
      supervise();
    }
  }

  // Faults
  // --------------------------------------------------------------------------------------------------------------

  void begin(const Fault& fault) {
    tell("! " + to_string(fault));
    set(fault, true);
    const bool is_over_at_once = fault.kind == FaultKind::MasterDies || fault.kind == FaultKind::ClockJumps ||
                                 fault.kind == FaultKind::SecondMaster || fault.kind == FaultKind::ClientDies;
    if (is_over_at_once) return;
    cluster_.world.after(from_seconds(fault.lasts), [this, &fault] {
      tell("! over: " + to_string(fault));
      set(fault, false);
    });
  }

  // The fault begins, or is over.
  void set(const Fault& fault, bool begins) {
    if (is_about_store(fault.kind) && store_) return store_->set(fault, nodes_.machine(fault.node), begins);
    if (is_about_etcd(fault.kind)) return etcd_->set(fault, begins);
    switch (fault.kind) {
      case FaultKind::MasterDies:
      case FaultKind::MasterStops:
      case FaultKind::MasterCutOff:
      case FaultKind::ClockJumps:
      case FaultKind::MasterClockDrifts:
      case FaultKind::JournalFull:
      case FaultKind::CommitFails:
      case FaultKind::OutputHangs:
        return masters_.set(fault, begins);
      case FaultKind::SlowNetwork:
        cluster_.network->delay_max += from_seconds(begins ? fault.amount : -fault.amount);
        return;
      case FaultKind::SecondMaster:
        return masters_.start_second();
      case FaultKind::ClientDies:
        return clients_.start(fault.node);
      case FaultKind::InputChanges:
        if (!begins) return outputs_.end_change(fault.node, fault.amount < 1);
        if (fault.amount < 1) outputs_.begin_change(fault.node);
        return;
      case FaultKind::OutputLost:
        return outputs_.lose(fault.node);
      case FaultKind::NodeDrains:
        return clients_.drain(nodes_.name(fault.node), !begins);
      default:
        return nodes_.set(fault, begins);
    }
  }

  const FaultPlan& plan_;
  const Trace& trace_;
  machines::Cluster cluster_;
  const std::vector<machines::Machine*> homes_;  // the masters'
  const std::unique_ptr<Etcd> etcd_;             // null: there is one master, with a journal of its own
  Masters masters_;
  const std::unique_ptr<Store> store_;  // null: no job uses one
  Outputs outputs_;
  Audit audit_;
  Nodes nodes_;
  Clients clients_;
  TimePoint limit_;  // until when every job has to have ended
  TimePoint quiet_;  // every fault is over
  TimePoint rests_at_ = machines::kNever;
  bool is_at_rest_ = false;       // no more faults
  std::uint64_t ended_seen_ = 0;  // of all processes
  std::uint32_t batches_ = 0;
  std::uint32_t calls_ = 0;  // of masters on shared files
};

}  // namespace

void set_application_directory(std::string directory) { application_directory() = std::move(directory); }

Verdict run(const FaultPlan& plan, const Trace& trace) {
  set_check_handler(machines::end_at_broken_check);
  // Never taken apart: what killed processes have left refers to each other in any way. It goes with the real process.
  auto& cluster = *new ClusterRun(plan, trace);
  return cluster.go();
}

}  // namespace ontime::lab::faults
