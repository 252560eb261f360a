#pragma once
// The one test that every cut, copy and replacement passes, whatever policy asks for it, and every division and clone
// before a launch: is the segment expected to be done so much sooner with it that its start is worth it? What the
// papers' policies do not ask, as theirs begin with their first record.

#include <cstdint>

#include "scheduler/core/cluster.h"
#include "scheduler/core/judgement.h"
#include "scheduler/core/outlook.h"
#include "scheduler/policies/decision.h"

namespace ontime::scheduler {

class Appraiser {
 public:
  Appraiser(const Cluster& cluster, const Outlook& outlook, JobId job, TimePoint now);

  // Nothing is tested if segments of the job hardly need a start: the policies' own formulas know what a launch costs.
  // REQUIRES: the segment is open. O(attempts of the task).
  Worth appraise(const Speculate& decision) const;
  // Whether to end an attempt that works alone on what it holds, which then begins again. A raced one is not missed.
  // Its price is what it has worked on its segment, which is lost.
  Worth appraise(const EndAttempt& decision) const;
  // Of a segment that nobody works on. REQUIRES: the borders ascend, and lie within it.
  Worth appraise(const Divide& decision) const;
  // That a task of so many bytes begins with copies: by how much the times of the application's attempts differ.
  Worth appraise_clones(std::uint32_t copies, ByteRange split) const;

  // Machine time that the job needs without speculation, as far as is known; 0: it is not.
  double work() const;
  // The job's segments need a start that is not negligible; where none does, nothing is tested.
  bool needs_start() const { return needs_start_; }
  double begin() const { return begin_; }  // seconds that a fresh attempt needs to begin
  // Bytes per second of usual attempts, starts left out; 0: not known.
  double usual_rate() const { return per_byte_ > 0 ? 1 / per_byte_ : 0; }

 private:
  struct Expected {
    double end = 0;
    double offset = 0;  // where it is now
    double rate = 0;    // bytes per second; 0: it shows no pace
    bool is_slow = false;
  };
  Expected expect(AttemptId id, std::uint64_t end) const;
  double with_shared(const SharedTail& tail, ByteRange segment, const Expected& leader) const;
  double with_given(const GivenTail& tail, ByteRange segment, const Expected& leader) const;
  double fresh(double bytes) const { return now_ + begin_ + bytes * per_byte_; }
  bool is_young(AttemptId id) const;
  double margin(TaskId task, std::uint64_t at, double to_go) const;
  bool is_gain_enough(const Worth& worth) const;

  const Cluster& cluster_;
  const Outlook& outlook_;
  const Job& job_;
  const double now_;
  bool needs_start_ = false;
  double fixed_ = 0;     // of a segment in a fresh process
  double next_ = 0;      // of a segment that an attempt goes on with
  double begin_ = 0;     // launch and fixed part of a fresh attempt
  double per_byte_ = 0;  // seconds, of usual attempts
};

// Seconds that a decision must gain about a segment with so many to go, where a fresh attempt needs `begin` seconds to
// begin. `price`: of dividing what is not slow, in machine time; else 0.
double least_gain(double to_go, double begin, double price);

// Its policy's decisions are carried out as its paper has them, whatever they are worth.
bool is_as_written(const JobSpec& spec);
// Several attempts may work on the same records.
bool may_race(const JobSpec& spec);

}  // namespace ontime::scheduler
