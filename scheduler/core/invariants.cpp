#include <algorithm>

#include "scheduler/core/cluster.h"
#include "scheduler/core/harm.h"

namespace ontime::scheduler {
namespace {

// Collects what is broken about one cluster.
class Inspection {
 public:
  explicit Inspection(const Cluster& cluster) : cluster_(cluster) {}

  std::vector<std::string> run() {
    for (const auto& [id, job] : cluster_.jobs()) inspect_job(id, job);
    for (const auto& [id, node] : cluster_.nodes()) inspect_node(id, node);
    inspect_owners();
    for (std::string& harm : harms(cluster_)) broken_.push_back(std::move(harm));
    return std::move(broken_);
  }

 private:
  // The sentence is only made when it is needed.
  template <class Subject>
  void require(bool holds, const Subject& subject, const char* what) {
    if (!holds) broken_.push_back(name_of(subject) + what);
  }
  struct SegmentOfTask {
    TaskId task;
    std::uint64_t begin;
  };
  template <class Id>
  static std::string name_of(const Id& id) {
    return to_string(id);
  }
  static std::string name_of(const SegmentOfTask& segment) {
    return to_string(segment.task) + " segment at " + std::to_string(segment.begin);
  }

  void inspect_owners() {
    std::map<std::string, std::size_t> live;
    RoomTaken taken;
    for (const auto& [id, job] : cluster_.jobs()) {
      live[job.spec.owner] += job.live.size();
      if (!is_final(job.state)) taken.take(job.spec.owner, room_for(job.spec, job.tasks.size()));
    }
    if (taken != cluster_.room_taken()) broken_.emplace_back("the room that jobs take is counted");
    for (const auto& [owner, count] : live) {
      if (count == cluster_.live_attempts_of(owner)) continue;
      broken_.push_back("owner " + owner + ": its live attempts are counted");
    }
  }

  void inspect_job(JobId id, const Job& job) {
    std::uint32_t done = 0;
    std::uint64_t sealed_bytes = 0;
    std::uint64_t sealed_records = 0;
    std::vector<AttemptId> live;  // in order
    const std::span<const Task> made = job.tasks.made();
    for (std::uint32_t index = 0; index < made.size(); ++index) {
      const TaskId task{id, index};
      inspect_ledger(task, made[index]);
      done += made[index].ledger.is_done() ? 1 : 0;
      sealed_bytes += made[index].ledger.sealed_bytes();
      if (!made[index].is_left_out) sealed_records += made[index].ledger.sealed_output().records;
      for (std::uint32_t number = 0; number < made[index].attempts.size(); ++number) {
        const Attempt& attempt = made[index].attempts[number];
        if (!is_live(attempt.state)) continue;
        live.push_back({task, number});
        inspect_live(job, {task, number}, attempt);
      }
    }
    require(done == job.tasks_done, id, ": tasks done are those with every segment sealed");
    require(sealed_bytes == job.sealed_bytes, id, ": sealed bytes are those of the sealed segments");
    require(sealed_records == job.sealed_records, id, ": sealed records are those of inputs that are not left out");
    require(std::equal(live.begin(), live.end(), job.live.begin(), job.live.end()), id,
            ": the live attempts are known");
    require(job.state == JobState::Running || live.empty(), id, ": only a running job has live attempts");
    const bool complete = job.tasks_done == job.tasks.size();
    const bool needs_all = job.state == JobState::Committing || job.state == JobState::Succeeded;
    require(!needs_all || complete, id, ": only a complete job is committed");
  }

  void inspect_ledger(TaskId id, const Task& task) {
    const std::vector<Segment>& segments = task.ledger.segments();
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const SegmentOfTask place{id, segments[i].range.begin};
      require(i == 0 || segments[i].range.begin == segments[i - 1].range.end, place, ": segments tile the split");
      const bool may_be_empty = segments[i].sealed && i + 1 == segments.size();  // the end of a compressed stream
      require(segments[i].range.begin < segments[i].range.end || may_be_empty, place, ": a segment is not empty");
      if (!segments[i].sealed) continue;
      require(segments[i].attempt < task.attempts.size(), place, ": it was sealed by an attempt of its task");
    }
  }

  void inspect_live(const Job& job, AttemptId id, const Attempt& attempt) {
    const Ledger& ledger = job.tasks[id.task.index].ledger;
    require(attempt.held.begin < attempt.held.end, id, ": a live attempt holds something");
    require(ledger.open_until(attempt.held.begin) >= attempt.held.end, id, ": it holds only open segments");
    const bool ends_at_border = attempt.held.end == ledger.split().end || ledger.find(attempt.held.end) != nullptr;
    require(ends_at_border, id, ": it holds whole segments");
    const Node* node = cluster_.find_node(attempt.node);
    require(node != nullptr && node->live.contains(id), id, ": its node knows it");
  }

  void inspect_node(NodeId id, const Node& node) {
    require(node.live.size() <= node.slots, id, ": every slot holds at most one attempt");
    require(node.live.size() + node.idle_runners.size() <= kRunnersPerSlot * node.slots, id,
            ": a worker has no more runners than it keeps");
    require(node.state != NodeState::Lost || node.live.empty(), id, ": a lost node runs nothing");
    require(node.duty != Duty::Left || node.live.empty(), id, ": nothing runs on a node that has left");
    for (const AttemptId attempt : node.live) {
      const Attempt* live = cluster_.find_live(attempt);
      require(live != nullptr && live->node == id, id, ": it runs live attempts of its own");
    }
  }

  const Cluster& cluster_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> violations(const Cluster& cluster) { return Inspection(cluster).run(); }

}  // namespace ontime::scheduler
