#pragma once
// The moments the scheduler waits for, in order, and how long attempts are waited for. A timer is named by what it is
// for; arming it again moves it. Timers are not moved with every heartbeat: when one fires, its handler looks whether
// it is really due and arms it anew.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/job.h"
#include "scheduler/core/ledger.h"
#include "scheduler/core/task.h"
#include "scheduler/math/durations.h"

namespace ontime::scheduler {

enum class TimerKind : std::uint8_t {
  NodeSilence,  // a node may have been silent too long
  Checkpoint,   // an attempt's work should be cut behind it
  Stall,        // an attempt may have made no progress for too long
  Cut,          // an attempt has not answered a cut for too long
  PolicyCheck,  // a policy wants to be asked
  Deadline,     // of a job that is to be killed when it has missed it
  History,      // an ended job is too old to be remembered
};

struct Timer {
  TimerKind kind = TimerKind::NodeSilence;
  NodeId node;               // NodeSilence
  AttemptId attempt;         // Checkpoint, Stall, Cut; Deadline uses its job
  std::uint32_t policy = 0;  // PolicyCheck: number of the group of jobs
  auto operator<=>(const Timer&) const = default;
};

inline Timer node_silence(NodeId node) { return {TimerKind::NodeSilence, node, {}, 0}; }
inline Timer checkpoint_of(AttemptId attempt) { return {TimerKind::Checkpoint, {}, attempt, 0}; }
inline Timer stall_of(AttemptId attempt) { return {TimerKind::Stall, {}, attempt, 0}; }
inline Timer cut_of(AttemptId attempt) { return {TimerKind::Cut, {}, attempt, 0}; }
inline Timer policy_check(std::uint32_t policy) { return {TimerKind::PolicyCheck, {}, {}, policy}; }
inline Timer history_expiry() { return {TimerKind::History, {}, {}, 0}; }
inline Timer deadline_of(JobId job) { return {TimerKind::Deadline, {}, {{job, 0}, 0}, 0}; }

class Timers {
 public:
  void arm(const Timer& timer, TimePoint at);
  void disarm(const Timer& timer);
  std::optional<TimePoint> next() const;
  // Takes out the earliest timer that is due by `now`, ties in order of Timer.
  std::optional<Timer> take_due(TimePoint now);

 private:
  using Entry = std::pair<TimePoint, Timer>;
  void push(const Entry& entry);
  void drop_outdated();
  bool is_outdated(const Entry& entry) const;

  // A heap, earliest first. What was disarmed or moved stays in it as an outdated entry, but never at the front; when
  // most entries are outdated they are all thrown out.
  std::vector<Entry> heap_;
  std::map<Timer, TimePoint> armed_;
};

// How long an attempt may go without a sign of life before it is ended. Pure functions of what attempts have shown.
//
// A straggler that has stopped looks like one that maps a long record. Two rules keep them apart: the limits follow
// what the job's attempts have shown of the time between two records, and each attempt that is ended on a segment
// doubles the limit for the next one there. So a stopped attempt never holds a job. An attempt that stands still counts
// as failed: of four attempts, which is the default, the last one has eight times the first one's time for a record.

// How often an attempt is looked at for progress: the limit may shrink while it runs.
inline constexpr Duration kStallCheck = std::chrono::seconds(30);
// How often a cut that waits for its answer is looked at, or each `cut_timeout` if that is longer.
inline constexpr Duration kAnswerCheck = std::chrono::seconds(1);

// How long a cut may stay unanswered that somebody waits for: `cut_timeout`, or three times the longest time between
// two reports of new records by the attempt, or three times what is usual in its job, or three times what a question
// and its answer were on their way there at most (but 30 s). While no record of the attempt has been seen it is ten
// times what is usual, or 30 s if nothing is known of that. At least 30 s while it seals its segment. It may change
// while an answer is awaited.
Duration answer_limit(const Job& job, const Attempt& attempt, const Segment& segment, Duration cut_timeout);

// How long an attempt of the job may stay at one offset. JobSpec::attempt_timeout if it is given; nothing for
// kNoTimeout. Otherwise 30 s or 20 times the job's usual time between two offsets; of an attempt that has not begun, 20
// times the mean launch, and of one in its start also 20 times the usual start. While it only has to seal what it has
// mapped: 1 min, 20 times the job's usual time for that, or three times the longest. 10 minutes where the usual time is
// not known. At least 2 min if its input or output is in a store. `sample`: of the job's own attempts.
std::optional<Duration> progress_limit(const Job& job, const Attempt& attempt, const Segment& segment,
                                       const math::DurationSample& sample);

}  // namespace ontime::scheduler
