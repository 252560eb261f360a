#include "scheduler/model/invariants.h"

#include <set>

namespace ontime::scheduler {
namespace {

// Collects what is broken about one cluster.
class Inspection {
 public:
  explicit Inspection(const Cluster& cluster) : cluster_(cluster) {}

  std::vector<std::string> run() {
    for (const auto& [id, job] : cluster_.jobs()) inspect_job(id, job);
    for (const auto& [id, node] : cluster_.nodes()) inspect_node(id, node);
    return std::move(broken_);
  }

 private:
  void require(bool holds, const std::string& what) {
    if (!holds) broken_.push_back(what);
  }

  void inspect_job(JobId id, const Job& job) {
    std::uint32_t done = 0;
    std::uint64_t sealed_bytes = 0;
    std::set<AttemptId> live;
    for (std::uint32_t index = 0; index < job.tasks.size(); ++index) {
      const TaskId task{id, index};
      inspect_ledger(task, job.tasks[index]);
      done += job.tasks[index].ledger.is_done() ? 1 : 0;
      sealed_bytes += job.tasks[index].ledger.sealed_bytes();
      for (std::uint32_t number = 0; number < job.tasks[index].attempts.size(); ++number) {
        const Attempt& attempt = job.tasks[index].attempts[number];
        if (!is_live(attempt.state)) continue;
        live.insert({task, number});
        inspect_live(job, {task, number}, attempt);
      }
    }
    const std::string name = to_string(id);
    require(done == job.tasks_done, name + ": tasks done are those with every segment sealed");
    require(sealed_bytes == job.sealed_bytes, name + ": sealed bytes are those of the sealed segments");
    require(live == job.live, name + ": the live attempts are known");
    require(job.state == JobState::Running || live.empty(), name + ": only a running job has live attempts");
    const bool complete = job.tasks_done == job.tasks.size();
    const bool needs_all = job.state == JobState::Committing || job.state == JobState::Succeeded;
    require(!needs_all || complete, name + ": only a complete job is committed");
  }

  void inspect_ledger(TaskId id, const Task& task) {
    const std::vector<Segment>& segments = task.ledger.segments();
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const std::string name = to_string(id) + " segment at " + std::to_string(segments[i].range.begin);
      require(i == 0 || segments[i].range.begin == segments[i - 1].range.end, name + ": segments tile the split");
      const bool may_be_empty = segments[i].sealed && i + 1 == segments.size();  // the end of a compressed stream
      require(segments[i].range.begin < segments[i].range.end || may_be_empty, name + ": a segment is not empty");
      if (!segments[i].sealed) continue;
      require(segments[i].attempt < task.attempts.size(), name + ": it was sealed by an attempt of its task");
    }
  }

  void inspect_live(const Job& job, AttemptId id, const Attempt& attempt) {
    const Ledger& ledger = job.tasks[id.task.index].ledger;
    const std::string name = to_string(id);
    require(attempt.held.begin < attempt.held.end, name + ": a live attempt holds something");
    require(ledger.open_until(attempt.held.begin) >= attempt.held.end, name + ": it holds only open segments");
    const bool ends_at_border = attempt.held.end == ledger.split().end || ledger.find(attempt.held.end) != nullptr;
    require(ends_at_border, name + ": it holds whole segments");
    const Node* node = cluster_.find_node(attempt.node);
    require(node != nullptr && node->live.contains(id), name + ": its node knows it");
  }

  void inspect_node(NodeId id, const Node& node) {
    require(node.live.size() <= node.slots, to_string(id) + ": every slot holds at most one attempt");
    require(node.state != NodeState::Lost || node.live.empty(), to_string(id) + ": a lost node runs nothing");
    for (const AttemptId attempt : node.live) {
      const Attempt* live = cluster_.find_live(attempt);
      require(live != nullptr && live->node == id, to_string(id) + ": it runs live attempts of its own");
    }
  }

  const Cluster& cluster_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> violations(const Cluster& cluster) { return Inspection(cluster).run(); }

}  // namespace ontime::scheduler
