#pragma once
// What the policies have in common whose copies start at the segment's begin and race the attempt on it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "common/base/ids.h"
#include "scheduler/policies/decision.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// The job's attempts, live or waiting for a slot, beyond one for each task that is not done. O(1): an attempt per
// unfinished task is there or waits.
std::uint32_t copies_of(const JobView& job);
// Attempts of the task that are live or were asked for.
std::uint32_t attempts_on(const JobView& job, std::uint32_t task);
// The earliest launched of the task's live attempts; null if there is none.
const Attempt* first_live(const JobView& job, std::uint32_t task);

// The segment the task is done with: the one that will be sealed last. Nothing if nobody works on the task.
std::optional<OpenSegment> last_segment(const JobView& job, std::uint32_t task);
// Race that segment with so many fresh attempts from its begin on. Nothing if nobody works on the task, or while it is
// in change.
std::optional<Speculate> race(const JobView& job, std::uint32_t task, std::uint32_t copies, Reason reason);

// Slots for copies that are asked for before a slot is free: as many as attempts will free within `period` seconds,
// less the copies that wait already. `mean_of`: how long an attempt of the job takes in the mean, in seconds; infinite
// if that is not known.
std::uint32_t slots_ahead(const View& view, double period, const std::function<double(const JobView&)>& mean_of);

// Bytes of the job's splits, task by task, from its specification: a million tasks need not be touched for it.
class SplitSizes {
 public:
  explicit SplitSizes(const JobSpec& spec) : spec_(spec) {}
  // Of the next task; 0 when its end is unknown. REQUIRES: there is a next task.
  double next();

 private:
  const JobSpec& spec_;
  std::size_t file_ = 0;
  std::uint64_t begin_ = 0;  // of the next split, within the file
};

// Declines of one plan: the first per task, and no more than kMost, so that a cluster in which everything is slow does
// not pay for saying so.
class Declines {
 public:
  static constexpr std::size_t kMost = 1000;

  explicit Declines(Plan& plan) : plan_(plan) {}
  void add(const JobView& job, std::uint32_t task, Reason reason);
  bool full() const { return count_ >= kMost; }
  // Tasks of files of unknown length, about which nothing can be estimated: NoEstimate for each that is not done.
  void add_compressed(const JobView& job);

 private:
  Plan& plan_;
  std::size_t count_ = 0;
};

}  // namespace ontime::scheduler
