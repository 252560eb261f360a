#pragma once
// The ApplicationMaster's role, one per job: what of the job waits for a slot, what happens to its attempts, and the
// carrying out of what its policy decides. Everything that happens to a task is one operation: a segment is cut, raced,
// sealed or started again; checkpoint, retry and speculation differ only in who asks for it.
//
//   waiting --slot--> held by one or more live attempts --sealed by the first--> done
//      ^                     |
//      '--- its last holder ended without sealing it
//
// Its parts: application_master.cpp launches and seals, decisions.cpp carries out what a policy decides, cuts.cpp
// cuts, failures.cpp says what failures mean, advised.cpp what is different where another engine launches. What a
// policy has asked for and what has not happened yet is in Speculation.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "scheduler/core/event.h"
#include "scheduler/core/ledger.h"
#include "scheduler/core/outlook.h"
#include "scheduler/core/process_wait.h"
#include "scheduler/core/resource_manager.h"
#include "scheduler/core/restraint.h"
#include "scheduler/core/speculation.h"
#include "scheduler/core/step_builder.h"
#include "scheduler/core/worth.h"
#include "scheduler/policies/decision.h"

namespace ontime::scheduler {

class ApplicationMaster {
 public:
  // Looks through the job's tasks for what waits, so it serves a fresh job and a replayed one alike.
  ApplicationMaster(JobId job, const Cluster& cluster);

  bool has_waiting() const;
  // Attempts that wait for a slot, copies too, and those that are promised behind a cut.
  std::uint32_t waiting() const;
  // Fresh attempts that a policy has asked for and that are not launched yet, by task.
  std::map<std::uint32_t, std::uint32_t> pending() const { return speculation_.pending(); }
  // Open segments of tasks that were launched, which nobody works on and nobody will come to.
  const std::set<SegmentKey>& unheld() const { return unheld_segments_; }
  const Outlook& outlook() const { return outlook_; }

  // Launches one attempt for something that waits, if a suitable node has a slot. False when nothing could be done.
  bool launch_one(StepBuilder& step, const ResourceManager& nodes);

  // Decisions of the policy, carried out. One that does not fit what has become of the job meanwhile does nothing.
  void carry_out(StepBuilder& step, const Speculate& decision);
  void carry_out(StepBuilder& step, const Divide& decision);
  void carry_out(StepBuilder& step, const CloneTasks& decision);
  void carry_out(StepBuilder& step, const EndAttempt& decision);

  // Something was reported about the task, or one of its attempts has changed. What nobody holds waits again.
  void observe(const Cluster& cluster, TaskId task) { outlook_.refresh(cluster, task); }
  void refresh(const Cluster& cluster, TaskId task);
  // How much slower than its peers an attempt was that has just ended; nothing if that cannot be said.
  std::optional<double> on_attempt_ended(const Cluster& cluster, AttemptId attempt);

  // Events about attempts that are live and on that node.
  void on_ready(StepBuilder& step, AttemptId attempt);
  // Of an advised job (advised.cpp).
  void on_launched_elsewhere(StepBuilder& step, const event::LaunchedElsewhere& launched);
  // False if the attempt does not hold exactly this segment: it is out of step and must be ended.
  bool on_segment_sealed(StepBuilder& step, const event::SegmentSealed& sealed);

  // Cuts (cuts.cpp). At most one is in flight for an attempt (Attempt::cut); what wants another waits for its answer.
  void on_checkpoint_due(StepBuilder& step, AttemptId attempt);
  // Its node drains (node.h): the attempt is asked to stop at its next record, or ended if it would seal nothing
  // that is of use. Asked again for one that was asked, nothing changes.
  void hand_over(StepBuilder& step, AttemptId attempt);
  void on_cut_answered(StepBuilder& step, const event::CutAnswered& answer);
  // The answer that somebody waits for may be overdue.
  void on_cut_timer(StepBuilder& step, AttemptId attempt);
  // Its worker has registered again: orders may have been lost with the old connection or the old master. It ignores
  // those that it has had.
  void repeat_orders(StepBuilder& step, AttemptId attempt);

  // Failures (failures.cpp).
  // Records that the attempt has failed and whether that counts against its segment. Returns why the job has failed, or
  // an empty string if it goes on.
  std::string on_attempt_failed(StepBuilder& step, AttemptId attempt, FailureKind kind, const std::string& message);
  // The attempt was lost with its node. Returns why the job has failed: its segment takes its workers down; or an empty
  // string.
  std::string on_node_lost(StepBuilder& step, const ResourceManager& nodes, AttemptId attempt);
  // The attempt may have stood still for too long. Returns what to say of it if it has; it is to be ended then.
  std::string on_progress_check(StepBuilder& step, AttemptId attempt);
  void watch_progress(StepBuilder& step, AttemptId attempt);
  // A node was lost, whatever ran there.
  void count_node_lost_elsewhere() { ++lost_elsewhere_; }
  // Another node than this one has sealed something of the job.
  bool works_elsewhere(NodeId node) const;
  // Nodes where attempts that worked on this segment have failed.
  std::vector<NodeId> nodes_that_failed(const Cluster& cluster, TaskId task, std::uint64_t segment) const;
  // Nodes where an attempt failed at the segment that begins there: a seal shows that the segment was not at fault.
  std::vector<NodeId> nodes_refuted_by(const Cluster& cluster, TaskId task, std::uint64_t begin) const;

  bool has_standbys() const { return speculation_.has_standbys(); }
  // Standbys whose reason has gone begin with what is left, or are ended. To be called at the end of a step in which
  // attempts of the job have changed.
  void settle_standbys(StepBuilder& step) { speculation_.settle(step); }

 private:
  struct Trouble {            // the job's attempts have failed on a node for a reason that may be the node's
    std::uint32_t times = 0;  // since one sealed something there
    TimePoint until;          // the job avoids the node
  };
  struct FirstFailure {
    std::string where;  // node's name
    std::string message;
  };

  void look_for_unheld(const Cluster& cluster, TaskId id);
  bool may_ask_for_copy(const Cluster& cluster, SegmentKey key) const;
  bool launch_copy(StepBuilder& step, const ResourceManager& nodes, Speculation::Queue& copies, bool holds_back);
  bool waits_for_nodes(const Cluster& cluster, SegmentKey key, TimePoint now) const;
  bool waits_for_process(const StepBuilder& step, const ResourceManager& nodes);
  bool launch_again(StepBuilder& step, const ResourceManager& nodes);
  bool launch_first(StepBuilder& step, const ResourceManager& nodes);
  void launch(StepBuilder& step, NodeId node, SegmentKey key, bool speculative, bool standby);
  std::vector<NodeId> nodes_that_hold(const Cluster& cluster, SegmentKey key) const;
  Asker asker(TimePoint now) const { return {job_, outlook_.launch_share(), now, least_stay_}; }
  void learn_least_stay(const Cluster& cluster);
  std::vector<NodeId> nodes_to_avoid(const Cluster& cluster, SegmentKey key, TimePoint now) const;
  std::optional<NodeId> node_for_copy(const StepBuilder& step, const ResourceManager& nodes, SegmentKey key) const;
  bool has_no_node_for_copy(const Cluster& cluster, const ResourceManager& nodes, SegmentKey key) const;
  std::optional<NodeId> node_for_waiting(const StepBuilder& step, const ResourceManager& nodes,
                                         const std::vector<NodeId>& bad) const;
  static bool are_all(const Cluster& cluster, const std::vector<NodeId>& tried, TimePoint now);
  static std::uint32_t count_excused(const Task& task, std::uint64_t segment);
  bool is_excused(const StepBuilder& step, AttemptId attempt, FailureKind kind) const;
  std::string why_missing(const StepBuilder& step) const;
  // Enough nodes say that the attempt's input, which the job would leave out for that, is not there or not to be read.
  bool are_agreed(const StepBuilder& step, AttemptId attempt, FailureKind kind);
  static bool may_leave_out(const Job& job, const std::string& why);
  // Returns why the job has failed, or an empty string if it goes on without the attempt's input.
  std::string leave_out(StepBuilder& step, AttemptId attempt, const std::string& why);
  // Ends what runs of the attempt's task, and the task.
  void close_left_out(StepBuilder& step, AttemptId attempt, const std::string& why);
  void avoid(NodeId node, TimePoint now);
  std::vector<NodeId> troubled(TimePoint now) const;
  std::optional<TimePoint> progress_due(const Cluster& cluster, AttemptId attempt) const;

  void ask_next_cut(StepBuilder& step, AttemptId attempt);
  void ask_cut(StepBuilder& step, AttemptId attempt, const CutInFlight& cut);
  void limit_wait(StepBuilder& step, AttemptId attempt);
  TimePoint last_moment(const StepBuilder& step, AttemptId attempt) const;  // for the answer that is awaited
  std::optional<PlannedCut> take_answered(StepBuilder& step, const event::CutAnswered& answer);
  void divide_at(StepBuilder& step, const event::CutAnswered& answer);
  void end_at(StepBuilder& step, AttemptId attempt, std::uint64_t at);
  void settle_race(StepBuilder& step, AttemptId winner, std::uint64_t begin);
  TaskId task_id(std::uint32_t index) const { return {job_, index}; }
  // What is not worth it, or beyond what may be spent, is declined.
  bool may_carry_out(StepBuilder& step, const Judgement& judged, const Speculate& decision, ByteRange segment);
  bool may_spend(StepBuilder& step, TaskId task, const Worth& worth, double work);
  bool may_clone(StepBuilder& step, TaskId task);
  Worth binding(Worth worth) const;
  void judge(StepBuilder& step, Judgement judged) const;
  void look_at_promises(StepBuilder& step, std::uint32_t task, ByteRange sealed);

  JobId job_;
  bool is_advised_ = false;
  bool is_as_written_ = false;  // the policy's decisions are not appraised
  bool may_race_ = true;        // a record may be mapped by two attempts at a time
  Outlook outlook_;
  Duration least_stay_{0};  // of a fresh attempt on a node whose worker will leave: it is expected to seal something
  std::uint32_t task_count_ = 0;
  std::uint32_t next_fresh_ = 0;          // tasks from here on have never been launched
  std::uint32_t clones_ = 0;              // attempts besides the original that a task starts with
  std::set<SegmentKey> unheld_segments_;  // open, of tasks before next_fresh_
  ProcessWait process_wait_;              // of these
  Speculation speculation_;
  Restraint restraint_;
  std::set<AttemptId> handing_over_;  // whose node drains: to stop at a cut that is in flight or will be asked for

  // What failures have shown; not durable.
  std::map<NodeId, Trouble> troubles_;
  std::set<NodeId> proven_;   // nodes that have sealed something
  std::set<NodeId> missing_;  // nodes without the application or this version of the input
  std::map<std::uint32_t, std::set<NodeId>> without_input_;  // by input: nodes that do not find it, or may not read it
  std::string why_missing_;                                  // the first message of these
  std::map<std::uint32_t, FirstFailure> first_failures_;     // by task; of the first tasks that had one
  std::uint32_t lost_elsewhere_ = 0;                         // nodes, since the master's start
  std::map<std::uint32_t, std::uint32_t> lost_before_;       // by task: lost_elsewhere_ at the first of a row
};

}  // namespace ontime::scheduler
