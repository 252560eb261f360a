#include "scheduler/policies/split_resume/quiet_tasks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scheduler/math/numeric.h"
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {

namespace {

constexpr double kRoundedUp = 1 + 1e-6;
constexpr float kInfinite = std::numeric_limits<float>::infinity();

// The share that a fresh attempt saves grows with the pace, so one pace tells of all below it.
bool saves_little(double pace, const math::Durations& durations) {
  return saved_by_replacing(1, pace, durations) * kRoundedUp < kShareSavedLeast * pace;
}

}  // namespace

// Durations hardly change from look to look, so the border moves by a step or none.
void QuietTasks::begin(const Outlook& outlook, std::uint32_t tasks, const math::Durations& durations,
                       bool may_replace) {
  constexpr double kStep = 1.03125;
  constexpr double kMost = 8;  // times the median
  const bool could_replace = std::exchange(may_replace_, may_replace);
  const double fast_before = fast_, median_before = std::exchange(median_, durations.median());
  outlook_ = &outlook;
  if (!(durations.t_min > 0)) {
    fast_ = 0;
  } else {
    fast_ = std::max(fast_, median_ / 2);
    while (fast_ < kMost * median_ && saves_little(fast_ * kStep, durations)) fast_ *= kStep;
    while (fast_ > 0 && !saves_little(fast_, durations)) fast_ = fast_ > durations.t_min / 2 ? fast_ / kStep : 0;
  }
  if (learnt_ != outlook.learnt()) ends_.clear();
  learnt_ = outlook.learnt();
  ends_.resize(tasks);
  paces_.resize(tasks);
  if (may_replace_ && (!could_replace || fast_ < fast_before || median_ < median_before)) drop_unlike();
}

// What was like the others may not be like them by the durations of now.
void QuietTasks::drop_unlike() {
  for (std::size_t task = 0; task < ends_.size(); ++task) {
    if (!is_like_others(paces_[task])) ends_[task].revision = 0;
  }
}

void QuietTasks::remember(std::uint32_t task, const std::vector<OpenSegment>& segments, bool is_divided) {
  ends_[task] = {};
  if (outlook_->progress()[task] >= 1) return;  // but for a rounding: it does not count as standing
  Ends ends;
  Paces paces;
  for (const OpenSegment& segment : segments) {
    const Racer& racer = segment.racers.front();
    const bool is_alone = segment.racers.size() == 1 && racer.attempt->state == AttemptState::Running;
    if (!is_alone || !racer.pace.known || !(racer.pace.rate > 0) || std::isnan(racer.completion)) return;
    const double pace = kRoundedUp / racer.pace.rate;
    const double sure = pace * std::exp(-kErrors * racer.pace.error);
    const auto completion = static_cast<float>(racer.completion);
    paces.pace = std::max(paces.pace, static_cast<float>(pace));
    paces.sure = std::max(paces.sure, static_cast<float>(sure));
    ends.first = std::min(ends.first, std::nextafter(completion, -kInfinite));
    ends.last = std::max(ends.last, std::nextafter(completion, kInfinite));
    ++ends.segments;
  }
  if (!is_like_others(paces)) return;
  ends.is_divided = is_divided;
  ends.revision = outlook_->revision(task);
  ends_[task] = ends;
  paces_[task] = paces;
}

}  // namespace ontime::scheduler
