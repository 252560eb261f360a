#pragma once
// The ApplicationMaster's role, one per job: what of the job waits for a slot, what happens to its attempts, and the
// carrying out of what its policy decides. Everything that happens to a task is one operation: a segment is cut, raced,
// sealed or started again; checkpoint, retry and speculation differ only in who asks for it.
//
//   waiting --slot--> held by one or more live attempts --sealed by the first--> done
//      ^                     |
//      '--- its last holder ended without sealing it

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "scheduler/event.h"
#include "scheduler/outlook.h"
#include "scheduler/policy/decision.h"
#include "scheduler/resource_manager.h"
#include "scheduler/turn.h"

namespace ontime::scheduler {

class ApplicationMaster {
 public:
  // Looks through the job's tasks for what waits, so it serves a fresh job and a replayed one alike.
  ApplicationMaster(JobId job, const Cluster& cluster);

  bool has_waiting() const;
  // Attempts that wait for a slot, copies too, and those that are promised behind a cut.
  std::uint32_t waiting() const;
  // Fresh attempts that a policy has asked for and that are not launched yet, by task.
  std::map<std::uint32_t, std::uint32_t> pending() const;
  const Outlook& outlook() const { return outlook_; }

  // Launches one attempt for something that waits, if a suitable node has a slot. False when nothing could be done.
  bool launch_one(Turn& turn, const ResourceManager& nodes);

  // Decisions of the policy, carried out. One that does not fit what has become of the job meanwhile does nothing.
  void carry_out(Turn& turn, const Speculate& decision);
  void carry_out(Turn& turn, const Divide& decision);
  void carry_out(Turn& turn, const CloneTasks& decision);
  void carry_out(Turn& turn, const EndAttempt& decision);

  // Something was reported about the task, or one of its attempts has changed. What nobody holds waits again.
  void observe(const Cluster& cluster, TaskId task) { outlook_.refresh(cluster, task); }
  void refresh(const Cluster& cluster, TaskId task);
  // How much slower than its peers an attempt was that has just ended; nothing if that cannot be said.
  std::optional<double> on_attempt_ended(const Cluster& cluster, AttemptId attempt);

  // Events about attempts that are live and on that node.
  void on_ready(Turn& turn, AttemptId attempt);
  void on_cut_answered(Turn& turn, const event::CutAnswered& answer);
  // False if the attempt does not hold exactly this segment: it is out of step and must be ended.
  bool on_segment_sealed(Turn& turn, const event::SegmentSealed& sealed);
  // Returns why the job has failed, or an empty string if it goes on.
  std::string on_attempt_failed(Turn& turn, AttemptId attempt, bool fatal, const std::string& message);
  void on_checkpoint_due(Turn& turn, AttemptId attempt);
  void on_cut_overdue(Turn& turn, AttemptId attempt);
  // Its node drains (model/duty.h): the attempt is asked to stop at its next record, or ended if it would seal nothing
  // that is of use. Asked again for one that was asked, nothing changes.
  void hand_over(Turn& turn, AttemptId attempt);
  // Its worker has registered again. A cut that a policy wants is asked for once more.
  void repeat_cut(Turn& turn, AttemptId attempt);
  bool has_standbys() const { return !standbys_.empty() || !when_ready_.empty(); }
  // Standbys whose reason has gone begin with what is left, or are ended. To be called at the end of a step in which
  // attempts of the job have changed.
  void settle_standbys(Turn& turn);

  // Ends a live attempt and tells its node.
  void kill(Turn& turn, AttemptId attempt, const std::string& reason);

 private:
  using Place = std::pair<std::uint32_t, std::uint64_t>;  // task index, begin of an open segment
  struct Copies {                                         // fresh attempts that wait for slots
    Place place;
    std::uint32_t count;
    bool standby;
  };
  struct Wish {  // what is to happen behind a cut
    Speculate decision;
    bool asked;  // false: a checkpoint's cut must be answered first
  };

  bool launch_copy(Turn& turn, const ResourceManager& nodes, std::deque<Copies>& copies);
  bool launch_again(Turn& turn, const ResourceManager& nodes);
  bool launch_first(Turn& turn, const ResourceManager& nodes);
  void launch(Turn& turn, NodeId node, Place place, bool speculative, bool standby);
  std::vector<NodeId> nodes_that_failed(const Cluster& cluster, Place place) const;
  std::vector<NodeId> nodes_that_hold(const Cluster& cluster, Place place) const;

  std::optional<AttemptId> farthest(const Cluster& cluster, Place place) const;
  void wish(Turn& turn, const Speculate& decision, AttemptId attempt);
  void ask_cut(Turn& turn, AttemptId attempt);
  void ask_next_cut(Turn& turn, AttemptId attempt);
  void request_cut(Turn& turn, AttemptId attempt, std::uint64_t at, bool release);
  void take_over(Turn& turn, Speculate decision, std::uint64_t at);
  void man(Turn& turn, Place place, std::uint32_t copies, std::vector<AttemptId>& standbys);
  void begin_standby(Turn& turn, AttemptId standby, std::uint64_t segment);
  bool is_wished(TaskId task, std::uint64_t segment) const;
  void settle_race(Turn& turn, AttemptId winner, std::uint64_t begin);
  void note(Turn& turn, const Speculate& decision, std::optional<AttemptId> cut) const;
  TaskId task_id(std::uint32_t index) const { return {job_, index}; }

  JobId job_;
  Outlook outlook_;
  std::uint32_t task_count_ = 0;
  std::uint32_t next_fresh_ = 0;           // tasks from here on have never been launched
  std::uint32_t clones_ = 0;               // attempts besides the original that a task starts with
  std::set<Place> again_;                  // open segments that nobody holds, of tasks before next_fresh_
  std::deque<Copies> copies_;              // what deadlines hang on: before anything else
  std::deque<Copies> clones_waiting_;      // after all originals
  std::map<AttemptId, Wish> wishes_;       // by the attempt that is to be cut
  std::set<AttemptId> to_hand_over_;       // to be asked to, when the cut under way is answered
  std::map<Place, Speculate> when_ready_;  // to be cut when a standby of that segment is ready
  std::set<AttemptId> standbys_;           // that have not begun
};

}  // namespace ontime::scheduler
