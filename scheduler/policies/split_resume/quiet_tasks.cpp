#include "scheduler/policies/split_resume/quiet_tasks.h"

#include <algorithm>
#include <cmath>

#include "scheduler/math/numeric.h"
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {

namespace {

constexpr double kRoundedUp = 1 + 1e-6;

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
  outlook_ = &outlook;
  may_replace_ = may_replace;
  median_ = durations.median();
  if (!(durations.t_min > 0)) {
    fast_ = 0;
  } else {
    fast_ = std::max(fast_, median_ / 2);
    while (fast_ < kMost * median_ && saves_little(fast_ * kStep, durations)) fast_ *= kStep;
    while (fast_ > 0 && !saves_little(fast_, durations)) fast_ = fast_ > durations.t_min / 2 ? fast_ / kStep : 0;
  }
  if (learnt_ != outlook.learnt()) entries_.clear();
  learnt_ = outlook.learnt();
  entries_.resize(tasks);
}

void QuietTasks::Entry::include(const Entry& other) {
  segments += other.segments;
  pace = std::max(pace, other.pace);
  sure = std::max(sure, other.sure);
  first = std::min(first, other.first);
  last = std::max(last, other.last);
}

void QuietTasks::remember(std::uint32_t task, const std::vector<OpenSegment>& segments, bool is_divided) {
  entries_[task] = {};
  Entry all;
  for (const OpenSegment& segment : segments) {
    const Racer& racer = segment.racers.front();
    const bool is_alone = segment.racers.size() == 1 && racer.attempt->state == AttemptState::Running;
    if (!is_alone || !racer.pace.known || !(racer.pace.rate > 0) || std::isnan(racer.completion)) return;
    const double pace = kRoundedUp / racer.pace.rate;
    const double sure = pace * std::exp(-kErrors * racer.pace.error);
    const double completion = racer.completion;
    all.include({0, 1, false, static_cast<float>(pace), static_cast<float>(sure), completion, completion});
  }
  if (!is_like_others(all)) return;
  all.is_divided = is_divided;
  all.revision = outlook_->revision(task);
  entries_[task] = all;
}

}  // namespace ontime::scheduler
