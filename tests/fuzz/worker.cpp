// A worker that says what it likes, to a scheduler with jobs under way: whatever it says, the scheduler's invariants
// hold, and attempts of a node that goes on reporting are untouched.
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/protocol/control.pb.h"
#include "common/protocol/frame.h"
#include "master/workers/reports.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/scheduler.h"
#include "tests/fuzz/targets.h"

namespace ontime::fuzz {
namespace {

using scheduler::Scheduler;

constexpr TimePoint kStart{std::chrono::seconds(1000)};

class Cluster {
 public:
  Cluster() {
    keep(scheduler_.start(now_));
    hostile_ = register_node("hostile");
    honest_ = register_node("honest");
    for (const char* policy : {"none", "split-resume"}) submit(policy);
    const auto& live = scheduler_.cluster().find_node(honest_)->live;
    honest_attempts_.assign(live.begin(), live.end());
  }

  void receive(const wire::ToMaster& message) {
    now_ += std::chrono::milliseconds(100);
    step(scheduler::event::Heartbeat{honest_, {}});
    if (message.has_register_()) return on_register(message.register_());
    if (message.has_heartbeat()) {
      if (auto progress = master::progress_of(message.heartbeat().attempts())) {
        step(scheduler::event::Heartbeat{hostile_, std::move(*progress)});
      }
    }
    if (!master::check_reports(message.reports().reports())) return;
    for (const wire::Report& report : message.reports().reports()) {
      const auto event = master::event_of(hostile_, report);
      step(event ? *event : master::failure_of(hostile_, report, event.error()));
    }
  }

 private:
  void keep(const scheduler::Step&) {
    const auto broken = scheduler::violations(scheduler_.cluster());
    ONTIME_CHECK(broken.empty(), broken.empty() ? "" : broken.front().c_str());
    for (const AttemptId attempt : honest_attempts_) {
      ONTIME_CHECK(is_live_or_was_beaten(attempt), "nobody else's attempts are ended");
    }
  }
  // A worker may let its own attempts win races and fail for good, and a job with them.
  bool is_live_or_was_beaten(AttemptId id) const {
    const scheduler::Cluster& cluster = scheduler_.cluster();
    const scheduler::Job* job = cluster.find_job(id.task.job);
    if (job == nullptr || is_final(job->state) || cluster.find_live(id) != nullptr) return true;
    const scheduler::Attempt* attempt = cluster.find_attempt(id);
    const scheduler::Segment* segment = cluster.find_task(id.task)->ledger.containing(attempt->held.begin);
    return attempt->state == scheduler::AttemptState::Killed && segment != nullptr && segment->sealed &&
           segment->attempt != id.number;
  }
  void step(const scheduler::Event& event) { keep(scheduler_.step(event, now_)); }

  NodeId register_node(const std::string& name) {
    step(scheduler::event::NodeRegistered{name, name, "host", 3});
    const NodeId node = scheduler_.cluster().node_of(name);
    step(scheduler::event::NodeInventory{node, {}});
    return node;
  }
  void submit(const char* policy) {
    scheduler::JobSpec spec;
    spec.application = "wordcount";
    spec.output = std::string("/out-") + policy;
    spec.policy = policy;
    spec.inputs = {{"/input", 1000, "1", Codec::Plain}, {"/packed", 100, "1", Codec::Gzip}};
    spec.split_bytes = 300;
    spec.deadline = std::chrono::seconds(5);
    spec.attempt_timeout = scheduler::kNoTimeout;  // nobody reports progress of honest attempts
    step(scheduler::event::JobSubmitted{++requests_, std::move(spec)});
  }
  void on_register(const wire::ToMaster::Register& message) {
    const auto registration = master::registration_of(message);
    auto running = master::progress_of(message.running());
    if (!registration || !running || registration->incarnation == "honest") return;
    step(*registration);
    const NodeId node = scheduler_.cluster().node_of(registration->incarnation);
    if (node.value == 0) return;
    hostile_ = node;
    step(scheduler::event::NodeInventory{node, std::move(*running)});
  }

  Scheduler scheduler_{scheduler::Settings{}};
  TimePoint now_ = kStart;
  NodeId hostile_;
  NodeId honest_;
  std::vector<AttemptId> honest_attempts_;
  std::uint64_t requests_ = 0;
};

}  // namespace

// Messages as on the connection: each behind its length.
void feed_worker(std::string_view bytes) {
  Cluster cluster;
  while (bytes.size() > 1) {
    const std::size_t size = std::min<std::size_t>(static_cast<unsigned char>(bytes.front()), bytes.size() - 1);
    wire::ToMaster message;
    if (message.ParseFromArray(bytes.data() + 1, static_cast<int>(size))) cluster.receive(message);
    bytes.remove_prefix(size + 1);
  }
}

}  // namespace ontime::fuzz
