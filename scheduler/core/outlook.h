#pragma once
// What the ApplicationMaster expects of its running job: when each task will be done, how far it has got, how long
// attempts of this job take. Derived from the cluster and kept up to date with every report, in O(1) per attempt, in
// flat arrays, so that looking for stragglers among a million tasks is one pass over memory. Not durable.

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/zeros.h"
#include "scheduler/math/durations.h"
#include "scheduler/math/estimator.h"
#include "scheduler/math/segment_costs.h"

namespace ontime::scheduler {

// How an attempt moves. Offsets in bytes, instants in seconds after the job's submission.
struct Pace {
  double offset = 0;   // at `at`
  double at = 0;       // its last report
  double rate = 0;     // bytes per second from there on; 0: it stands, or has not begun
  bool known = false;  // false: too young to say anything
  double error = 0;    // standard deviation of ln(rate): few readings say little
  // When it will have sealed its segment, where that is known by other means than its rate: it has taken all of it, or
  // is in its start and others have shown how long one takes. NaN: neither.
  double seals_at = std::numeric_limits<double>::quiet_NaN();

  bool is_starting() const { return known && rate <= 0 && seals_at == seals_at; }  // and it is not NaN

  // When it will have sealed all up to that offset. Infinite when it stands, NaN when nothing is known or the end is
  // not.
  double reaches(std::uint64_t to) const;
};

class Outlook {
 public:
  // `estimator`: a name of math::estimator_names(), else chronos.
  Outlook(const Cluster& cluster, JobId job, std::string_view estimator);

  // By task index: when its last open segment will be sealed by the attempts that work on it now, in seconds after
  // submission. -inf: it is done. +inf: an attempt stands still. NaN: something waits for an attempt, or nothing can be
  // said yet (compares as no straggler).
  std::span<const double> completion() const { return completion_; }
  // By task index: the share of the split that is sealed or mapped, 0 to 1.
  std::span<const float> progress() const { return progress_; }
  // The bytes of the job's input that are neither sealed nor mapped by a running attempt. In splits whose end is
  // unknown mapped bytes count as left until they are sealed.
  double bytes_left(const Job& job) const;
  // Seconds per byte of the fastest live attempt of each task, of those that have mapped a tenth of the split. 64 at
  // most, of the first tasks. O(live attempts).
  std::vector<double> running_durations() const { return durations(false); }
  // The same, of those that have mapped a fiftieth where none has mapped a tenth.
  std::vector<double> early_durations() const { return durations(true); }
  // By tasks that have a live attempt which is ready and was launched cold: seconds that the latest took to launch.
  const std::map<std::uint32_t, float>& launch_seconds() const { return launch_seconds_; }
  // By task index: its live attempts, standbys too; 255 stands for more.
  std::span<const std::uint8_t> live_attempts() const { return live_attempts_; }

  Pace pace(AttemptId id, const Attempt& attempt) const;

  // Durations of this job's finished tasks in seconds, from first launch to done, in order of finishing; the latest
  // kTaskDurationsKept.
  std::span<const double> task_durations() const { return task_durations_; }
  // How long attempts of this job took, those that have ended.
  const math::DurationSample& sample() const { return sample_; }
  // What a launch that is not warm takes, as a share of the time that attempts map for; 0 before any has ended.
  double launch_share() const;
  // Seconds that launches took in the mean that were not warm; nothing before one of their attempts has ended.
  std::optional<double> cold_launch() const { return launch_.known(); }
  // The same of warm ones. Before one has ended, of those of earlier jobs like this; before that, a guess.
  double warm_launch(const Cluster& cluster, const Job& job) const;
  // Seconds that a segment which begins like that takes besides its bytes, as far as is known; while few are sealed, by
  // the starts that live attempts show.
  double fixed(const Cluster& cluster, const Job& job, math::Beginning how) const;
  // Segments of the job are taken at once, as `sort` does: their time counts as a start's where it is asked what a
  // piece or a copy would take, and as their bytes' where whole segments are compared. Never as both.
  bool takes_at_once(const Cluster& cluster, const Job& job) const;
  // Seconds per byte of usual attempts, starts left out: of those that have ended, else of earlier jobs like this, else
  // of the running ones; 0: nothing is known, or all bytes are taken at once.
  double usual_per_byte(const Cluster& cluster, const Job& job) const;
  // Of the job's own attempts or of earlier jobs like this, whichever says more; null: neither says what is usual.
  const math::DurationSample* known_durations(const Cluster& cluster, const Job& job) const;
  // When a running attempt that shows no pace will have sealed up to `end`, in seconds after submission, if a fresh
  // attempt's bytes take `per_byte` seconds each. It shows none if it has taken nothing of its segment yet, or all at
  // once.
  double end_without_pace(const Attempt& attempt, std::uint64_t end, double fixed, double per_byte) const;
  // It shows no pace and has done so for much longer than others do.
  bool is_late_without_pace(const Attempt& attempt) const;
  // Seconds to the first byte of a segment beyond which it is late; nothing while none has come.
  std::optional<double> slow_first() const;

  // For users that keep what they have derived: a number that grows whenever the task is reported or changes, and one
  // that grows with what ended attempts and sealed segments say of all tasks. The first begins at 1, the second
  // elsewhere in each outlook of a job: it gets a new one if it is mapped again after its commit.
  std::uint32_t revision(std::uint32_t task) const { return 1 + refreshed_[task]; }
  std::uint64_t learnt() const { return learnt_; }
  // How often tasks were refreshed, and which since it was `since`, some of them several times; nothing: so many that a
  // pass over all tasks costs no more.
  std::uint64_t refreshes() const { return forgotten_ + recent_.size(); }
  std::optional<std::span<const std::uint32_t>> refreshed_since(std::uint64_t since) const;

  // The task, or one of its attempts, has changed or was reported.
  void refresh(const Cluster& cluster, TaskId task);
  // It is about to seal that segment.
  void on_sealed(const Cluster& cluster, AttemptId attempt, ByteRange segment, const SegmentTimes& times);
  // The attempt has just ended. Its seconds per byte divided by the job's median; nothing if it mapped
  // too little, or too few others have ended, to say so.
  std::optional<double> on_attempt_ended(const Cluster& cluster, AttemptId attempt);

  static constexpr std::size_t kTaskDurationsKept = 10'000;
  static constexpr std::size_t kUsualFrom = 3;  // attempts that must have ended to say what is usual

 private:
  struct Mean {
    double sum = 0;
    std::uint32_t count = 0;
    void add(double value) {
      sum += value;
      ++count;
    }
    double get() const { return count > 0 ? sum / count : 0; }
    std::optional<double> known() const { return count > 0 ? std::optional(get()) : std::nullopt; }
  };
  // The share of its split that an attempt must have mapped for its rate to count as a duration: t_min is the fastest
  // that was seen, and over a few records anybody may be fast or slow.
  static constexpr double kTellingShare = 0.1;

  static constexpr std::size_t kRunningLookedAt = 64;  // tasks; they are much alike
  static constexpr std::size_t kStartsKept = 1024;

  struct RunningDuration {
    float seconds_per_byte = 0;
    bool is_telling = false;  // it is one of running_durations(), not of early_durations() alone
  };

  std::vector<double> durations(bool early) const;
  void look_at_attempts(TaskId id, const Task& task);
  void note_start(std::uint32_t task, float start);
  void note_progress(TaskId id, const Task& task, float progress);
  void recall_durations(const Job& job);
  double completion_of(TaskId id, const Task& task) const;
  double segment_completion(TaskId id, const Task& task, ByteRange segment) const;
  void smooth(AttemptId id, const Attempt& attempt);
  double since_submission(TimePoint at) const { return seconds(at - submitted_at_); }
  double patience(const SegmentTimes& times) const;
  Pace pace_by_runner(AttemptId id, const Attempt& attempt) const;
  bool tells(const math::Mapped& mapped, const Attempt& attempt) const;
  double usual_fixed(const Attempt& attempt) const;
  std::optional<double> usual_live_start() const;
  math::Mapped mapped_by(AttemptId id, const Attempt& attempt) const;

  std::string estimator_;
  TimePoint submitted_at_;
  std::vector<double> completion_;
  Zeros<float> progress_;
  double mapped_bytes_ = 0;  // sealed ones too; of splits whose end is known
  // Of few tasks at a time: those with live attempts. To look for them among all would take a job of millions too long.
  std::map<std::uint32_t, RunningDuration> running_;
  std::map<std::uint32_t, float> launch_seconds_;
  Zeros<std::uint32_t> refreshed_;
  std::uint64_t learnt_;
  std::vector<std::uint32_t> recent_;  // tasks, as they were refreshed
  std::uint64_t forgotten_ = 0;        // refreshes before these
  Zeros<std::uint8_t> live_attempts_;
  std::vector<double> task_durations_;
  math::DurationSample sample_;
  std::map<AttemptId, math::Mapped> sealed_;  // by live attempts: of segments that they have sealed
  double longest_start_ = 0;                  // seconds that a live attempt was seen in its start
  std::map<std::uint32_t, float> starts_;  // by task, of its latest attempt; infinite while it lasts. See note_start()
  std::optional<double> slow_first_before_;  // of earlier jobs like this
  std::optional<double> usual_fixed_before_;
  // Of attempts that have ended, in seconds.
  Mean launch_;
  Mean mapping_;
  std::map<AttemptId, std::unique_ptr<math::Estimator>> smoothing_;  // for estimators that remember readings
};

}  // namespace ontime::scheduler
