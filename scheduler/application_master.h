#pragma once
// The ApplicationMaster's role, one per job: what of the job waits for a slot, what happens to its attempts, and the
// carrying out of its policy's plan. Everything that happens to a task is one operation: a segment is cut, raced,
// sealed or started again; checkpoint, retry and speculation differ only in who asks for it.
//
//   waiting --slot--> held by one or more live attempts --sealed by the first--> done
//      ^                     |
//      '--- its last holder ended without sealing it

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "scheduler/event.h"
#include "scheduler/policy/policy.h"
#include "scheduler/resource_manager.h"
#include "scheduler/turn.h"

namespace ontime::scheduler {

class ApplicationMaster {
 public:
  // Looks through the job's tasks for what waits, so it serves a fresh job and a replayed one alike.
  ApplicationMaster(JobId job, std::unique_ptr<Policy> policy, const Cluster& cluster);

  bool has_waiting() const;
  // Launches one attempt for something that waits, if a suitable node has a slot. False when nothing could be done.
  bool launch_one(Turn& turn, const ResourceManager& nodes);
  // The policy's plan, carried out.
  void check(Turn& turn, std::uint32_t free_slots);

  // An attempt of the job has ended or holds less than before: what nobody holds waits again.
  void refresh(const Cluster& cluster, TaskId task);

  // Events about attempts that are live and on that node.
  void on_cut_answered(Turn& turn, const event::CutAnswered& answer);
  // False if the attempt does not hold exactly this segment: it is out of step and must be ended.
  bool on_segment_sealed(Turn& turn, const event::SegmentSealed& sealed);
  // Returns why the job has failed, or an empty string if it goes on.
  std::string on_attempt_failed(Turn& turn, AttemptId attempt, bool fatal, const std::string& message);
  void on_checkpoint_due(Turn& turn, AttemptId attempt);

  // Ends a live attempt and tells its node.
  void kill(Turn& turn, AttemptId attempt, const std::string& reason);

 private:
  using Place = std::pair<std::uint32_t, std::uint64_t>;  // task index, begin of an open segment
  struct Copies {                                         // speculative attempts that wait for slots
    Place place;
    std::uint32_t count;
  };

  bool launch_copy(Turn& turn, const ResourceManager& nodes);
  bool launch_again(Turn& turn, const ResourceManager& nodes);
  bool launch_first(Turn& turn, const ResourceManager& nodes);
  void launch(Turn& turn, NodeId node, Place place, bool speculative);
  std::vector<NodeId> nodes_that_failed(const Cluster& cluster, Place place) const;
  std::vector<NodeId> nodes_that_hold(const Cluster& cluster, Place place) const;
  void carry_out(Turn& turn, const Speculate& decision);
  void settle_race(Turn& turn, AttemptId winner, std::uint64_t begin);
  TaskId task_id(std::uint32_t index) const { return {job_, index}; }

  JobId job_;
  std::unique_ptr<Policy> policy_;
  std::uint32_t task_count_ = 0;
  std::uint32_t next_fresh_ = 0;  // tasks from here on have never been launched
  std::set<Place> again_;         // open segments that nobody holds, of tasks before next_fresh_
  std::deque<Copies> copies_;
  std::map<AttemptId, std::uint32_t> copies_after_cut_;  // asked to cut -> attempts to launch behind the cut
};

}  // namespace ontime::scheduler
