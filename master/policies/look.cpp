#include "master/policies/look.h"

#include <algorithm>
#include <limits>
#include <map>

#include "scheduler/policies/open_segments.h"

namespace ontime::master {
namespace {

using scheduler::Attempt;
using scheduler::JobView;
using scheduler::OpenSegment;
using scheduler::Segment;
using scheduler::View;

class Looker {
 public:
  Looker(const View& view, Look& look) : view_(view), look_(look) {
    for (const auto& [id, node] : view.cluster.nodes()) {
      if (node.state == scheduler::NodeState::Lost || node.duty == scheduler::Duty::Left) continue;
      node_rows_[id] = look.nodes.size();
      look.nodes.push_back({&view, id, &node});
    }
  }

  // `told`: by task, whether it was shown as done.
  void add(const JobView& job, std::vector<bool>& told) {
    JobRow row{&view_, &job, scheduler::durations_of(view_, job, {}), look_.tasks.size()};
    told.resize(job.job->tasks.size());
    for (std::uint32_t index = 0; index < job.job->tasks.size(); ++index) {
      const bool is_done = job.job->tasks[index].ledger.is_done();
      if (!is_done) add_task(job, index);
      told[index] = is_done && (told[index] || add_done(job, index));
    }
    row.open_tasks = look_.tasks.size() - row.first_task;
    look_.jobs.push_back(std::move(row));
  }

 private:
  // False: the end of its last attempt is still to come, or it was never mapped.
  bool add_done(const JobView& job, std::uint32_t index) {
    TimePoint last;
    for (const Attempt& attempt : job.job->tasks[index].attempts)
      if (attempt.state == scheduler::AttemptState::Succeeded) last = std::max(last, attempt.ended_at);
    if (last == TimePoint{}) return false;
    look_.done.push_back({look_.jobs.size(), &job, index, last});
    return true;
  }

  void add_task(const JobView& job, std::uint32_t index) {
    TaskRow row{look_.jobs.size(), &job, index, look_.segments.size(), 0, look_.attempts.size()};
    add_segments(job, row);
    row.segments = look_.segments.size() - row.first_segment;
    const std::vector<Attempt>& attempts = row.task().attempts;
    for (std::uint32_t number = 0; number < attempts.size(); ++number) {
      const Attempt& attempt = attempts[number];
      if (!is_live(attempt.state)) continue;
      const AttemptId id{row.id(), number};
      const auto node = node_rows_.find(attempt.node);
      look_.attempts.push_back({look_.tasks.size(), &job, id, &attempt, job.outlook->pace(id, attempt),
                                node == node_rows_.end() ? std::nullopt : std::optional(node->second)});
    }
    row.attempts = look_.attempts.size() - row.first_attempt;
    look_.tasks.push_back(row);
  }

  void add_segments(const JobView& job, const TaskRow& task) {
    const std::vector<OpenSegment> worked_on = scheduler::open_segments(job, task.index);
    auto racing = worked_on.rbegin();
    task.task().ledger.for_each_open_from_back([&](const Segment& segment) {
      SegmentRow row{look_.tasks.size(), task.id(), &segment, std::numeric_limits<double>::quiet_NaN()};
      row.is_changing = job.pending.contains(task.index);
      if (racing != worked_on.rend() && racing->range.begin == segment.range.begin) {
        row.completion = racing->completion();
        row.racers = racing->racers.size();
        row.is_changing = racing->in_change;
        ++racing;
      }
      look_.segments.push_back(row);
    });
    std::reverse(look_.segments.begin() + static_cast<std::ptrdiff_t>(task.first_segment), look_.segments.end());
  }

  const View& view_;
  Look& look_;
  std::map<NodeId, std::size_t> node_rows_;
};

}  // namespace

Look look_at(const View& view, Seen& seen) {
  Look look{{&view}, {}, {}, {}, {}, {}, {}, {}};
  Looker looker(view, look);
  Seen before = std::move(seen);
  seen.clear();
  for (const JobView& job : view.jobs) {
    std::vector<bool>& told = seen[job.id];
    if (const auto known = before.extract(job.id)) told = std::move(known.mapped());
    looker.add(job, told);
  }
  for (const auto& [id, told] : before) {
    const scheduler::Job* job = view.cluster.find_job(id);
    if (job == nullptr) continue;  // it is forgotten
    if (is_final(job->state))
      look.ended.push_back({id, job});
    else
      seen.try_emplace(id);  // its output is committed
  }
  return look;
}

}  // namespace ontime::master
