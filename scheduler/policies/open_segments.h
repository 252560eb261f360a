#pragma once
// What policies look at, the open segments of a task, who races for each and when it will be done; and how copies are
// asked for.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/prefetch.h"
#include "common/base/time.h"
#include "scheduler/core/task.h"
#include "scheduler/math/durations.h"
#include "scheduler/policies/decision.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// It has not begun, and a launch takes `launch` seconds in the mean. The outlook calls an attempt standing that has not
// begun after ten seconds while nobody in the job has begun; a policy that knows how long launches take knows better.
inline bool is_launching(const Attempt& attempt, double launch, TimePoint now) {
  constexpr double kPatience = 3;  // launches
  return attempt.state == AttemptState::Launching && seconds(now - attempt.launched_at) < kPatience * launch;
}

struct Racer {
  AttemptId id;
  const Attempt* attempt;
  Pace pace;
  double completion;  // when it will seal the segment, seconds after submission; as Pace::reaches
};

// An open segment that somebody works on or will come to.
struct OpenSegment {
  TaskId task;
  ByteRange range;
  std::vector<Racer> racers;  // not empty; the first to be done is first, those of whom nothing is known are last
  bool in_change = false;     // fresh attempts are on their way: let them come first

  double completion() const { return racers.front().completion; }
  // Bytes that the racer who is ahead has left.
  double left() const;
};

// `recent`, 0 to 1: weight of an attempt's recent speed in what is believed of it, the rest is its mean speed. That is
// right when speeds change while attempts run; with constant speeds it changes nothing.
std::vector<OpenSegment> open_segments(const JobView& job, std::uint32_t task, double recent = 0);

// The attempts on a task's open segments that are first on none of them, in order of launch on each.
std::vector<AttemptId> slower_racers(const std::vector<OpenSegment>& segments);
// Why a task's attempts cannot be compared now: fresh ones are on their way, or one has run for less than `launch`
// seconds or shows no pace yet.
std::optional<Reason> unsettled(const std::vector<OpenSegment>& segments, double launch, TimePoint now);

// For a pass over `count` tasks, of which the i-th is looked at now. Tasks lie scattered in memory: what the next ones
// need is fetched meanwhile, or a pass over many would spend its time waiting for memory. `task_at`: a task by its
// place.
template <class TaskAt>
[[gnu::always_inline]] inline void fetch_ahead(std::size_t i, std::size_t count, const TaskAt& task_at) {
  constexpr std::size_t kTaskAhead = 16;
  constexpr std::size_t kAttemptsAhead = 8;
  if (i + kTaskAhead < count) prefetch_object(task_at(i + kTaskAhead));
  if (i + kAttemptsAhead >= count) return;
  const Task* soon = task_at(i + kAttemptsAhead);
  prefetch_object(soon->ledger.segments().data());
  prefetch_object(soon->attempts.data());
}

// Some input is compressed such that nobody knows where its records end before they are read.
bool has_unknown_ends(const JobSpec& spec);
// Bytes of the task's split; 0 when its end is unknown.
double split_bytes(const JobView& job, std::uint32_t task);
// Of the job's splits, on average; at least 1.
double mean_split_bytes(const JobView& job);
// Age of the attempt's work in seconds: since its first record; 0 while it is being launched.
double age(const Attempt& attempt, TimePoint now);

// (t_min, beta, launch time) of the job's attempts, by the profile, its own attempts or flags.
math::Durations durations_of(const View& view, const JobView& job, const math::DurationHints& hints);

// What was last asked for about the task was refused (core/worth.h, core/restraint.h), and nothing was launched since.
bool was_refused(const Job& job, std::uint32_t task);

// `copies` fresh attempts race for the whole segment, which is expected to be sealed at `completion` as things are.
Speculate race_for(TaskId task, std::uint64_t segment, std::uint32_t copies, double completion);
// They take over at `offset`; with Handover::Ready wherever the attempt that is ahead stands when they are ready.
Speculate resume_from(std::uint64_t offset, Speculate race, Handover handover, bool release);

// The papers' predicted hand-over, as it is meant (Chronos eq. 31, Shed eqs. 14-15, Shed+ eqs. 15-16): where a reader
// will be in `time` seconds, when a fresh attempt is ready. Nothing when that is `end` or beyond: it would have nothing
// to do.
std::optional<double> linear_handover(double offset, double rate, double time, double end);

// The same of a racer, with a fresh attempt that is ready `launch` seconds from now. Nothing, too, when nothing is
// known of its pace.
std::optional<std::uint64_t> handover_offset(const Racer& racer, const OpenSegment& segment, double launch,
                                             const JobView& job, TimePoint now);

// For policies whose copies start at the segment's begin and race the attempt on it.

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
