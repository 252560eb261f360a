#include <algorithm>
#include <cmath>

#include "scheduler/math/numeric.h"
#include "scheduler/policies/baselines/baselines.h"
#include "scheduler/policies/open_segments.h"

namespace ontime::scheduler {
namespace {

// Of the finite values.
DurationStatistics spread_of(const std::vector<double>& values) {
  DurationStatistics spread;
  for (const double value : values) {
    if (std::isfinite(value)) spread.add(value);
  }
  return spread;
}

struct LateTask {
  std::uint32_t task;
  double end;  // seconds after submission
};

bool has_longer_left(const LateTask& a, const LateTask& b) { return a.end != b.end ? a.end < b.end : a.task > b.task; }

// NaN for a task that cannot be judged: done, nothing known, or about to end.
double rate_of(double progress, double end, double now) {
  if (!(end > now)) return std::numeric_limits<double>::quiet_NaN();
  return (1 - progress) / (end - now);
}

// The youngest attempt counts: a copy that has just begun must show what it can do.
std::optional<Reason> objection(const JobView& job, std::uint32_t task, const LateRules& rules, TimePoint now) {
  if (attempts_on(job, task) > 1) return Reason::AlreadySpeculating;
  const Attempt* attempt = first_live(job, task);
  if (attempt == nullptr) return Reason::NoEstimate;
  // One that has not even begun is judged by its launch, or nothing would ever help against a launch that hangs.
  const TimePoint since = attempt->state == AttemptState::Running ? attempt->started_at : attempt->launched_at;
  if (seconds(now - since) < rules.min_age) return Reason::TooYoung;
  return std::nullopt;
}

}  // namespace

LateRules late_rules(Parameters& parameters) {
  LateRules rules;
  if (parameters.choice("form", "paper", {"paper", "mrv1"}) == "mrv1") rules.form = LateForm::Mrv1;
  const bool is_paper = rules.form == LateForm::Paper;
  rules.slow_task = parameters.number("slow_task", is_paper ? 0.25 : 1, 0, is_paper ? 1 : 100);
  rules.slow_node = parameters.number("slow_node", is_paper ? 0.25 : 1, 0, is_paper ? 1 : 100);
  rules.min_age = parameters.duration("min_age", rules.min_age);
  rules.as_written = parameters.flag("as_written", rules.as_written);
  return rules;
}

double percentile(std::vector<double> values, double share) {
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

std::optional<double> slow_rate(const LateRules& rules, const std::vector<double>& rates) {
  if (rates.size() < 2) return std::nullopt;
  if (rules.form == LateForm::Paper) return percentile(rates, rules.slow_task);
  const DurationStatistics spread = spread_of(rates);
  if (spread.count() < 2) return std::nullopt;
  const double deviation = rules.as_written ? spread.deviation() : std::min(spread.deviation(), spread.mean() / 3);
  return spread.mean() - rules.slow_task * deviation;
}

std::uint32_t slots_on_good_nodes(const View& view, const LateRules& rules) {
  struct Free {
    double duration;  // relative: 1 / speed
    std::uint32_t slots;
  };
  std::vector<Free> nodes;
  std::vector<double> durations;
  for (const auto& [id, node] : view.cluster.nodes()) {
    if (!view.resources.is_usable(id) || view.resources.is_held(id)) continue;
    const double duration = 1 / view.resources.speed(id);
    nodes.push_back({duration, node.slots - static_cast<std::uint32_t>(node.live.size())});
    durations.push_back(duration);
  }
  if (nodes.empty()) return 0;
  double longest = 0;
  if (rules.form == LateForm::Paper) {
    // The slowest share of the speeds is the longest share of the durations.
    for (double& duration : durations) duration = -duration;
    longest = -percentile(durations, rules.slow_node);
  } else {
    longest = spread_of(durations).outlier(rules.slow_node);
  }
  std::uint32_t free = 0;
  for (const Free& node : nodes) free += node.duration > longest ? 0 : node.slots;
  return free;
}

namespace {

// The job's slow tasks as a heap: those with the longest time left come first.
std::vector<LateTask> slow_tasks_by_time_left(const JobView& job, const LateRules& rules, double now) {
  const std::span<const double> completion = job.outlook->completion();
  const std::span<const float> progress = job.outlook->progress();
  std::vector<double> rates;
  std::vector<LateTask> running;  // whose rates are the first ones
  rates.reserve(completion.size() + job.outlook->task_durations().size());
  for (std::uint32_t task = 0; task < completion.size(); ++task) {
    const double rate = rate_of(static_cast<double>(progress[task]), completion[task], now);
    if (std::isnan(rate)) continue;
    rates.push_back(rate);
    running.push_back({task, completion[task]});
  }
  for (const double duration : job.outlook->task_durations())
    rates.push_back(duration > 0 ? 1 / duration : math::kInfinity);
  const std::optional<double> slow = slow_rate(rules, rates);
  std::vector<LateTask> heap;
  for (std::size_t index = 0; slow && index < running.size(); ++index) {
    if (rates[index] < *slow) heap.push_back(running[index]);
  }
  std::make_heap(heap.begin(), heap.end(), has_longer_left);
  return heap;
}

}  // namespace

std::uint32_t race_slow_tasks(const View& view, const JobView& job, const LateRules& rules, std::uint32_t most,
                              Reason exhausted, Plan& plan, Declines& declines) {
  declines.add_compressed(job);
  std::vector<LateTask> heap = slow_tasks_by_time_left(job, rules, job.since_submission(view.now));
  std::uint32_t raced = 0;
  for (auto end = heap.end(); end != heap.begin() && !(raced == most && declines.full());) {
    std::pop_heap(heap.begin(), end--, has_longer_left);
    const std::uint32_t task = end->task;
    std::optional<Reason> reason = objection(job, task, rules, view.now);
    if (!reason && raced == most) reason = exhausted;
    std::optional<Speculate> copy;
    if (!reason) copy = race(job, task, 1, Reason::Slow);
    if (!reason && !copy) reason = Reason::CutPending;
    if (reason) {
      declines.add(job, task, *reason);
    } else {
      plan.add(*std::move(copy));
      ++raced;
    }
  }
  return raced;
}

namespace {

std::uint32_t what_is_left(std::uint32_t cap, std::uint32_t used) { return cap > used ? cap - used : 0; }

}  // namespace

std::uint32_t late_cap(double share, std::uint32_t slots) {
  return std::max(1u, static_cast<std::uint32_t>(share * static_cast<double>(slots)));
}

std::uint32_t mrv1_cap(std::uint32_t slots, std::size_t running) {
  return std::max({10u, slots / 100, static_cast<std::uint32_t>(running / 10)});
}

namespace {

// LATE (Zaharia and others, OSDI 2008; as Xu & Lau, section II, and Hadoop 0.21 know it): among the tasks whose
// progress rate is low, copies go to those with the longest time left. The paper decides whenever a node asks for work;
// here the policy looks every `check` seconds and fills the slots that are free by then.
//
// The paper judges a node by the progress of everything it ran; here its speed stands for it, as the ResourceManager
// keeps it. One copy per task at a time. Declines slow tasks: TooYoung, AlreadySpeculating, CapReached, NoFreeSlot,
// CutPending; NoEstimate for compressed files.
class Late final : public Policy {
 public:
  explicit Late(Parameters& parameters)
      : rules_(late_rules(parameters)),
        cap_(rules_.form == LateForm::Paper ? parameters.number("cap", 0.1, 0, 1) : 0),
        clock_(parameters.period("check", 1)) {}

  Plan plan(const View& view) override {
    Plan plan;
    if (!clock_.is_due(view.now, plan)) return plan;
    Declines declines(plan);
    const bool is_paper = rules_.form == LateForm::Paper;
    std::uint32_t copies = 0;
    for (const JobView& job : view.jobs) copies += copies_of(job);
    std::uint32_t slots = std::min(view.spare_slots(), slots_on_good_nodes(view, rules_));
    std::uint32_t room = what_is_left(late_cap(cap_, view.slots()), copies);
    for (const JobView& job : view.jobs) {
      const std::size_t running = job.job->tasks.size() - job.job->tasks_done;
      if (!is_paper) room = what_is_left(mrv1_cap(view.slots(), running), copies_of(job));
      const Reason exhausted = room < slots ? Reason::CapReached : Reason::NoFreeSlot;
      const std::uint32_t raced = race_slow_tasks(view, job, rules_, std::min(room, slots), exhausted, plan, declines);
      slots -= raced;
      room -= raced;
    }
    return plan;
  }

 private:
  const LateRules rules_;
  const double cap_;  // share of all slots
  PeriodicCheck clock_;
};

}  // namespace

std::unique_ptr<Policy> make_late(Parameters& parameters) { return std::make_unique<Late>(parameters); }

}  // namespace ontime::scheduler
