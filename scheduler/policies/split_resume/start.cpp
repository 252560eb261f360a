#include <algorithm>
#include <cmath>

#include "scheduler/math/numeric.h"
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {
namespace {

constexpr double kPiecesMost = 1000;   // of a task, at once
constexpr double kLaunchesMost = 0.5;  // of the work that waits: its slots are wanted by others

// ln P(a task whose perfect run takes `work` is done in `window`, divided into so many pieces).
double ln_pocd_of(double work, double window, const math::Durations& durations, double pieces) {
  if (!durations.tail) return ln_divided_pocd(std::log(work / window), durations.beta, pieces, 1);
  const double bytes = work / durations.t_min;
  return pieces * math::ln_one_minus_exp(durations.tail->ln_survival(window * pieces / bytes));
}

// Divided already, by an earlier look or for another reason.
bool is_whole(const Task& task) { return task.attempts.empty() && task.ledger.segments().size() == 1; }

bool is_held(const Task& task, const Segment& segment) {
  return std::ranges::any_of(task.attempts, [&](const Attempt& attempt) { return attempt.holds(segment.range.begin); });
}

// Into how many pieces a task is divided of which a perfect attempt takes `work` seconds, when `tasks` such are to be
// launched and `slots` are free for them. 1: not at all.
std::uint32_t pieces_at_start(double work, double window, const math::Durations& durations, std::uint32_t tasks,
                              std::uint32_t slots, const RescueRules& rules, const StartRules& start) {
  if (!(window > 0) || !(work > 0)) return 1;
  const double paying = std::floor(work / std::max(durations.launch, 1e-3));
  const double slots_each = std::floor(static_cast<double>(slots) / std::max(1u, tasks));
  // One more than fits exactly: a perfect attempt that needs all of the window has a chance of 0 (P(T > t_min) = 1).
  const double needed = std::floor(work / window) + 1;  // pieces that a perfect attempt can do in time
  // More than the rule allows where they must be and slots are free for all of them.
  const double most = std::min<double>(start.max, paying);
  if (needed > std::max(most, std::min({paying, slots_each, kPiecesMost}))) return 1;  // hopeless
  // Beyond what is needed pieces are divided as long as slots are free, each is worth its launch, half of the attempts
  // would take too much of the window and the job's PoCD, tasks ln R, is below its goal. The formula alone would divide
  // as far as slots allow: it does not know that a late piece is divided again.
  const double median_work = work * durations.median() / durations.t_min;
  const double affordable = std::min({std::max(most, std::min(2 * needed, paying)), slots_each,
                                      std::floor(median_work / rules.shortest_piece(window, durations))});
  double pieces = needed;
  while (pieces + 1 <= affordable && median_work > pieces * start.share * window &&
         tasks * ln_pocd_of(work, window, durations, pieces) < std::log(start.pocd)) {
    ++pieces;
  }
  return static_cast<std::uint32_t>(pieces);
}

}  // namespace

std::uint32_t first_unlaunched(const Job& job) {
  const std::span<const Task> made = job.tasks.made();
  const auto first = std::ranges::partition_point(made, [](const Task& task) { return !task.attempts.empty(); });
  return static_cast<std::uint32_t>(first - made.begin());
}

std::uint32_t unlaunched(const JobView& job) { return job.job->tasks.size() - first_unlaunched(*job.job); }

// Tasks wait for their first launch in order of index, so those from `first` on are whole unless they were divided
// before. No more of them than there are slots: the others are looked at again when these have begun, with more known
// by then.
std::uint32_t divide_at_start(const View& view, const JobView& job, const Target& target,
                              const math::Durations& durations, std::uint32_t slots, const RescueRules& rules,
                              const StartRules& start, Plan& plan) {
  const std::uint32_t count = job.job->tasks.size();
  const std::uint32_t first = first_unlaunched(*job.job);
  const std::uint32_t tasks = std::min(count - first, std::max(1u, view.slots()));
  const double window = target.due - job.since_submission(view.now) - durations.launch;
  if (tasks == 0 || !(durations.t_min > 0) || !(window > 0)) return 0;
  std::uint32_t more = 0;
  for (std::uint32_t index = first; index < first + tasks; ++index) {
    const Task& task = job.job->tasks[index];
    const ByteRange split = task.ledger.split();
    if (!is_whole(task) || split.is_open_ended()) continue;
    const std::uint32_t pieces = pieces_at_start(static_cast<double>(split.size()) * durations.t_min, window, durations,
                                                 tasks, slots, rules, start);
    // Into equal parts: nobody knows yet which nodes will get them.
    Divide divide{{job.id, index}, split.begin, borders_of(split.begin, split.end, std::vector<double>(pieces, 1))};
    if (divide.borders.empty()) continue;
    more += static_cast<std::uint32_t>(divide.borders.size());
    plan.add(std::move(divide));
  }
  return more;
}

double largest_segment(const JobSpec& spec) {
  double largest = 0;
  for (const InputFile& file : spec.inputs) {
    if (!file.knows_length()) return std::numeric_limits<double>::infinity();
    const auto length = static_cast<double>(file.length());
    const double split = 1.2 * static_cast<double>(spec.split_bytes);  // with a rest that has joined it
    largest = std::max(largest, file.is_divisible() ? std::min(length, split) : length);
  }
  return largest;
}

std::uint32_t divide_waiting(const View& view, const JobView& job, const Target& target,
                             const math::Durations& durations, double largest, const RescueRules& rules,
                             const StartRules& start, Plan& plan) {
  const double window = target.due - job.since_submission(view.now) - durations.launch;
  if (!target.is_deadline || job.waiting == 0 || !(durations.t_min > 0) || !(window > 0)) return 0;
  if (largest * durations.t_min < window) return 0;  // none must be divided to be in time
  // More pieces would be more launches for nothing where all slots together are too few.
  if (job.outlook->bytes_left(*job.job) * durations.t_min > window * view.slots()) return 0;
  const std::uint32_t first = first_unlaunched(*job.job);
  const std::uint32_t count = job.job->tasks.size();
  const std::uint32_t end = std::min(count, first + std::max(1u, view.slots()));
  std::uint32_t more = 0;
  const auto look_at = [&](std::uint32_t index, ByteRange range) {
    if (range.is_open_ended()) return;
    // As many as must be: what waits has no free slots.
    const double work = static_cast<double>(range.size()) * durations.t_min;
    const std::uint32_t pieces = pieces_at_start(work, window, durations, 1, 0, rules, start);
    if (pieces * durations.launch > kLaunchesMost * work) return;
    Divide divide{{job.id, index}, range.begin, borders_of(range.begin, range.end, std::vector<double>(pieces, 1))};
    if (divide.borders.empty()) return;
    more += static_cast<std::uint32_t>(divide.borders.size());
    plan.add(std::move(divide));
  };
  // The last segment of a task first.
  for (auto of_task = job.unheld->begin(); of_task != job.unheld->end() && of_task->task < first;) {
    const Task& task = job.job->tasks[of_task->task];
    const auto next = job.unheld->lower_bound({of_task->task + 1, 0});
    const bool stands = !std::isnan(job.outlook->completion()[of_task->task]);  // another of its segments
    for (auto segment = next; !stands && segment != of_task;) {
      --segment;
      look_at(segment->task, task.ledger.find(segment->begin)->range);
    }
    of_task = next;
  }
  for (std::uint32_t index = first; index < end; ++index) {
    const Task& task = job.job->tasks[index];
    if (is_whole(task)) continue;
    task.ledger.for_each_open_from_back([&](const Segment& segment) {
      if (!is_held(task, segment)) look_at(index, segment.range);
    });
  }
  return more;
}

}  // namespace ontime::scheduler
