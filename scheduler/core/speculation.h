#pragma once
// What a policy has asked for in one job and what has not happened yet. A Speculate decision takes one of three ways:
//
//   race                  copies wait for slots --launched--> they race the attempt that holds the segment
//   Handover::Predicted   a cut is asked for --answered--> the tail is divided, copies for its pieces wait for slots
//   Handover::Ready       standbys wait for slots --launched, the first is ready--> a cut is asked for
//                             --answered--> the tail is divided, the standbys begin with its pieces
//
// The ApplicationMaster launches what waits here, asks for the cuts (cuts.cpp) and reports back. Nothing here is
// durable: after a restart of the master its policy decides anew, and standbys that are found live are settled.
//
// What holds at the end of each step:
//   * A segment has at most one planned cut: requested from the attempt that has got farthest, or put off until a
//     standby is ready. A second decision about the segment is ignored, because it was made without knowing the first.
//   * Every live standby waits for a segment that somebody else works on, and a planned cut will give it work. Once
//     nobody works on the segment the standby begins with all of it; once no cut is planned any more it is ended.
//   * A key names an open segment or one that was sealed meanwhile, never the inside of one: move() follows the cuts.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "common/base/ids.h"
#include "scheduler/core/ledger.h"
#include "scheduler/core/step_builder.h"
#include "scheduler/policies/decision.h"

namespace ontime::scheduler {

// The attempt that has got farthest in the segment. It is the one to cut, because it leaves the shortest tail.
std::optional<AttemptId> farthest(const Cluster& cluster, JobId job, SegmentKey segment);

// A cut that a decision needs, and what is to take over behind it.
struct PlannedCut {
  TaskId task;
  std::vector<TailPiece> pieces;  // of the tail: ascending, not empty
  Handover handover = Handover::Predicted;
  bool release = false;  // the attempt that is cut stops there

  std::uint64_t at() const { return pieces.front().begin; }
  std::uint32_t copies() const;
};

class Speculation {
 public:
  // Fresh attempts that wait for slots.
  struct Copies {
    SegmentKey segment;
    std::uint32_t count = 0;
    bool standby = false;
  };
  using Queue = std::deque<Copies>;

  // Finds the standbys that are live already.
  Speculation(JobId job, const Cluster& cluster);

  // False for a decision that starts nothing: there is nobody to cut, or a cut is planned already.
  bool can_start(const Cluster& cluster, const Speculate& decision) const;
  // Carries a well-formed decision about an open segment out, as far as that goes at once. Returns the attempt to ask
  // for the cut that it now needs. REQUIRES: can_start().
  std::optional<AttemptId> start(StepBuilder& step, const Speculate& decision);
  // The standby is ready to map. Returns the attempt to cut, if that was put off until now.
  std::optional<AttemptId> on_ready(const StepBuilder& step, AttemptId standby);
  // Fresh attempts for the tail that begins at `at`, where the cut was made: standbys first, they are under way.
  void take_over(StepBuilder& step, PlannedCut cut, std::uint64_t at);
  // The segment that began at `from` was cut: what waits for its tail waits for the segment that begins at `to`.
  void move(SegmentKey from, SegmentKey to);

  // What a cut of the attempt is wanted for; null: nothing is to take over behind one.
  const PlannedCut* behind_cut(AttemptId attempt) const;
  // The cut was answered: from here on it is the caller's to carry out.
  std::optional<PlannedCut> take_behind_cut(AttemptId attempt);

  void add_copies(const Copies& copies) { copies_.push_back(copies); }
  void add_clones(const Copies& clones) { clones_.push_back(clones); }
  Queue& copies() { return copies_; }  // what deadlines hang on: launched before anything else
  Queue& clones() { return clones_; }  // launched after all originals

  void on_launched(AttemptId attempt, bool standby);
  void on_ended(AttemptId attempt);
  // Restores what holds of standbys. To be called at the end of a step in which attempts of the job have changed.
  void settle(StepBuilder& step);

  bool has_waiting() const { return !copies_.empty() || !clones_.empty(); }
  bool has_standbys() const { return !standbys_.empty() || !cut_when_standby_ready_.empty(); }
  // Fresh attempts that are not launched yet, those promised behind a cut included, by task.
  std::map<std::uint32_t, std::uint32_t> pending() const;
  std::uint32_t waiting() const;

 private:
  TaskId task_id(SegmentKey segment) const { return {job_, segment.task}; }
  bool plans_cut(TaskId task, std::uint64_t segment) const;
  void assign(StepBuilder& step, SegmentKey segment, std::uint32_t copies, std::vector<AttemptId>& standbys);
  void begin_standby(StepBuilder& step, AttemptId standby, std::uint64_t segment);
  void note(StepBuilder& step, const Speculate& decision, const PlannedCut* cut,
            std::optional<AttemptId> attempt) const;

  JobId job_;
  Queue copies_;
  Queue clones_;
  std::map<AttemptId, PlannedCut> behind_cuts_;              // by the attempt that is, or is to be, asked for the cut
  std::map<SegmentKey, PlannedCut> cut_when_standby_ready_;  // to be cut when a standby of that segment is ready
  std::set<AttemptId> standbys_;                             // live ones that have not begun
};

}  // namespace ontime::scheduler
