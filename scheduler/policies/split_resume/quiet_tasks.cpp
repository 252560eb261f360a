#include "scheduler/policies/split_resume/quiet_tasks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "scheduler/math/numeric.h"

namespace ontime::scheduler {

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr std::size_t kCalendarMost = 2;  // entries a task, outdated ones too

// The share that a fresh attempt saves grows with the pace, so one pace tells of all below it.
bool saves_little(double pace, const math::Durations& durations) {
  return saved_by_replacing(1, pace, durations) * kRoundedUp < kShareSavedLeast * pace;
}

}  // namespace

// Durations hardly change from look to look, so the border moves by a step or none. True if what was like the others
// may not be like them now.
bool QuietTasks::learn_usual() {
  constexpr double kStep = 1.03125;
  constexpr double kMost = 8;  // times the median
  const math::Durations& durations = look_->durations;
  const bool could_replace = std::exchange(may_replace_, look_->may_replace);
  if (durations == basis_.durations && could_replace == may_replace_) return false;
  const double fast_before = fast_, median_before = std::exchange(median_, durations.median());
  if (!(durations.t_min > 0)) {
    fast_ = 0;
  } else {
    fast_ = std::max(fast_, median_ / 2);
    while (fast_ < kMost * median_ && saves_little(fast_ * kStep, durations)) fast_ *= kStep;
    while (fast_ > 0 && !saves_little(fast_, durations)) fast_ = fast_ > durations.t_min / 2 ? fast_ / kStep : 0;
  }
  const bool is_stricter = !could_replace || fast_ < fast_before || median_ < median_before;
  return may_replace_ && is_stricter && !is_fast(slowest_);
}

// Forgets what does not hold any more. True if something may not.
bool QuietTasks::drop_outdated() {
  const bool is_last_round = look_->tasks == look_->job.job->tasks.size();
  const bool is_unlike = learn_usual();
  const bool is_same = basis_.durations == look_->durations && basis_.warm_launch == look_->warm.launch &&
                       basis_.target == look_->target && basis_.is_last_round == is_last_round;
  if (!is_same) basis_ = {look_->durations, look_->warm.launch, look_->target, is_last_round};
  const bool has_outdated = !is_same && has_by_basis_;
  if (!is_unlike && !has_outdated) return false;
  if (has_outdated) has_by_basis_ = false;
  for (std::size_t task = 0; task < ends_.size(); ++task) {
    const bool holds = ends_[task].is_by_basis ? is_same : is_like_others(paces_[task]);
    if (!holds) ends_[task].revision = 0;
  }
  return true;
}

std::vector<std::uint32_t> QuietTasks::begin(const Look& look) {
  look_ = &look;
  const Outlook& outlook = *look.job.outlook;
  const auto refreshed = outlook.refreshed_since(refreshes_);
  const bool is_calendar_full = calendar_.size() > kCalendarMost * look.tasks;
  has_passed_all_ = drop_outdated() || learnt_ != outlook.learnt() || !refreshed || is_calendar_full ||
                    look.horizon < horizon_ || look.target.due < last_;
  if (learnt_ != outlook.learnt()) ends_.clear();
  learnt_ = outlook.learnt();
  refreshes_ = outlook.refreshes();
  horizon_ = look.horizon;
  const auto known = static_cast<std::uint32_t>(ends_.size());
  ends_.resize(look.tasks);
  paces_.resize(look.tasks);
  if (has_passed_all_) return pass_over_all();
  std::vector<std::uint32_t> found = std::exchange(restless_, {});
  for (const std::uint32_t task : *refreshed) {
    if (task >= known) continue;
    forget(task);
    found.push_back(task);
  }
  for (std::uint32_t task = known; task < look.tasks; ++task) found.push_back(task);
  take_due(found);
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

std::vector<std::uint32_t> QuietTasks::pass_over_all() {
  std::vector<std::uint32_t> found;
  restless_.clear();
  calendar_.clear();
  is_heap_ = false;
  ending_ = 0;
  last_ = -math::kInfinity;
  for (std::uint32_t task = 0; task < ends_.size(); ++task) {
    if (is_quiet(task)) {
      count(task);
    } else {
      ends_[task].is_counted = false;
      found.push_back(task);
    }
  }
  return found;
}

// The tasks whose first segment is expected to end before the horizon, unless all of their segments are.
void QuietTasks::take_due(std::vector<std::uint32_t>& to) {
  if (!std::exchange(is_heap_, true)) std::ranges::make_heap(calendar_, std::greater{});
  while (!calendar_.empty() && calendar_.front().first < look_->horizon) {
    const auto [first, task] = calendar_.front();
    std::ranges::pop_heap(calendar_, std::greater{});
    calendar_.pop_back();
    const Ends& ends = ends_[task];
    const bool is_outdated = ends.is_counted || ends.first != first;
    if (is_outdated || ends.revision != look_->job.outlook->revision(task)) continue;
    if (is_quiet(task))
      count(task);
    else
      to.push_back(task);
  }
}

void QuietTasks::count(std::uint32_t task) {
  Ends& ends = ends_[task];
  last_ = std::max(last_, static_cast<double>(ends.last));
  ends.is_counted = ends.last < look_->horizon;
  if (ends.is_counted) {
    ending_ += ends.segments;
  } else {
    calendar_.emplace_back(ends.first, task);
    if (is_heap_) std::ranges::push_heap(calendar_, std::greater{});
  }
}

void QuietTasks::forget(std::uint32_t task) {
  if (ends_[task].is_counted) ending_ -= ends_[task].segments;
  ends_[task] = {};
}

void QuietTasks::remember(std::uint32_t task, const std::vector<OpenSegment>& segments) {
  ends_[task] = {};
  const Outlook& outlook = *look_->job.outlook;
  if (outlook.progress()[task] >= 1) return;  // but for a rounding: it does not count as standing
  Ends ends;
  Paces paces;
  for (const OpenSegment& segment : segments) {
    const Racer& racer = segment.racers.front();
    const bool is_alone = segment.racers.size() == 1 && racer.attempt->state == AttemptState::Running;
    if (is_alone && racer.pace.known && !segment.range.is_open_ended()) {
      if (!(racer.pace.rate > 0)) return;
      const double pace = kRoundedUp / racer.pace.rate;
      const double sure = pace * std::exp(-kErrors * racer.pace.error);
      const Paces own{static_cast<float>(pace), static_cast<float>(sure)};
      if (!is_like_others(own)) {
        if (!is_left_alone(segment)) return;
        ends.is_by_basis = true;
      } else {
        paces.pace = std::max(paces.pace, own.pace);
        paces.sure = std::max(paces.sure, own.sure);
      }
    }
    if (std::isnan(racer.completion)) continue;
    const auto completion = static_cast<float>(racer.completion);
    ends.first = std::min(ends.first, std::nextafter(completion, -kInfinite));
    ends.last = std::max(ends.last, std::nextafter(completion, kInfinite));
    ++ends.segments;
  }
  ends.revision = outlook.revision(task);
  ends_[task] = ends;
  paces_[task] = paces;
  slowest_ = std::max(slowest_, paces.pace);
  has_by_basis_ = has_by_basis_ || ends.is_by_basis;
}

// That what is on its way has come need not be in the outlook.
bool QuietTasks::is_left_alone(const OpenSegment& segment) const {
  if (!(look_->warm.t_min > 0)) return true;
  return !segment.in_change && will_not_be_replaced(look_->job, segment, look_->target, look_->warm, look_->now);
}

void QuietTasks::end(const std::vector<std::uint32_t>& looked_at) {
  for (const std::uint32_t task : looked_at) {
    if (look_->job.outlook->completion()[task] == -math::kInfinity) continue;
    if (is_quiet(task))
      count(task);
    else
      restless_.push_back(task);
  }
}

}  // namespace ontime::scheduler
