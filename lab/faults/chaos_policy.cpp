#include "lab/faults/chaos_policy.h"

#include <algorithm>

namespace ontime::lab::faults {

using scheduler::Handover;
using scheduler::Plan;

Plan ChaosPolicy::plan(const scheduler::View& view) {
  Plan plan;
  for (const scheduler::JobView& job : view.jobs) {
    if (chance(0.05)) plan.add(scheduler::CloneTasks{job.id, static_cast<std::uint32_t>(random_.below(3))});
    for (std::uint32_t task = 0; task < job.job->tasks.size(); ++task) {
      if (decisions_left_ > 0 && chance(0.3)) this->plan(plan, job, task);
    }
  }
  if (decisions_left_ > 0) plan.next_check = view.now + from_seconds(0.1 + 2 * random_.uniform());
  return plan;
}

void ChaosPolicy::plan(Plan& plan, const scheduler::JobView& job, std::uint32_t index) {
  const scheduler::Task& task = job.job->tasks[index];
  const TaskId id{job.id, index};
  const auto& segments = task.ledger.segments();
  const scheduler::Segment& segment = segments[random_.below(segments.size())];
  --decisions_left_;
  if (chance(0.15)) return divide(plan, id, segment);
  if (chance(0.15) && !task.attempts.empty()) {
    return plan.add(scheduler::EndAttempt{{id, static_cast<std::uint32_t>(random_.below(task.attempts.size()))}});
  }
  speculate(plan, id, segment);
}

void ChaosPolicy::speculate(Plan& plan, TaskId task, const scheduler::Segment& segment) {
  scheduler::Speculate decision;
  decision.task = task;
  decision.segment = segment.range.begin;
  const std::uint64_t size = std::min<std::uint64_t>(segment.range.size(), 10'000);
  const bool has_tail = chance(0.7);
  const std::uint64_t begin = has_tail ? segment.range.begin + random_.below(size + 2) : 0;
  const bool is_given = chance(0.5);
  const Handover handover = chance(0.4) ? Handover::Ready : Handover::Predicted;
  const auto copies = [this] { return static_cast<std::uint32_t>(random_.below(3)); };
  if (!has_tail) {
    decision.work = scheduler::WholeSegment{copies()};
  } else if (!is_given) {
    decision.work = scheduler::SharedTail{begin, copies(), handover};
  } else {
    std::vector<std::uint64_t> more;
    if (chance(0.5)) more = borders({begin, segment.range.begin + size});
    scheduler::GivenTail tail{{{begin, copies()}}, handover};
    for (const std::uint64_t border : more) tail.pieces.push_back({border, copies()});
    decision.work = std::move(tail);
  }
  plan.add(std::move(decision));
}

void ChaosPolicy::divide(Plan& plan, TaskId task, const scheduler::Segment& segment) {
  plan.add(scheduler::Divide{task, segment.range.begin, borders(segment.range)});
}

std::vector<std::uint64_t> ChaosPolicy::borders(ByteRange range) {
  std::vector<std::uint64_t> borders;
  if (range.is_open_ended() || range.begin >= range.end) return borders;
  for (std::uint64_t count = 1 + random_.below(3); count > 0; --count) {
    borders.push_back(range.begin + random_.below(range.size() + 1));
  }
  std::sort(borders.begin(), borders.end());
  return borders;
}

}  // namespace ontime::lab::faults
