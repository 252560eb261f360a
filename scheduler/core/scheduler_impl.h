#pragma once
// The inside of the scheduler, for scheduler.cpp (the step, attempts), scheduler_nodes.cpp and scheduler_jobs.cpp
// (jobs, policies, slots) only.

#include <map>
#include <set>
#include <utility>

#include "scheduler/core/application_master.h"
#include "scheduler/core/history.h"
#include "scheduler/core/node_holds.h"
#include "scheduler/core/policy_groups.h"
#include "scheduler/core/resource_manager.h"
#include "scheduler/core/scheduler.h"
#include "scheduler/core/step_builder.h"
#include "scheduler/core/timers.h"
#include "scheduler/core/waiting_jobs.h"

namespace ontime::scheduler {

class Scheduler::Impl {
 public:
  explicit Impl(Settings settings)
      : settings_(std::move(settings)),
        resources_(settings_.placement),
        policies_(settings_.make_policy),
        history_(settings_.history) {}

  void replay(const JournalRecord& record) { cluster_.apply(record); }
  Step start(TimePoint now);
  Step step(const Event& event, TimePoint now);
  std::optional<TimePoint> next_wake_up() const { return timers_.next(); }
  const Cluster& cluster() const { return cluster_; }
  const ResourceManager& resources() const { return resources_; }
  const Outlook* outlook(JobId job) const;
  std::vector<Claim> claims() const;

 private:
  StepBuilder begin(TimePoint now);
  Step finish(StepBuilder& step);
  void follow(const Fact& fact, TimePoint at);

  void on(StepBuilder& step, const event::NodeRegistered& event);
  void on(StepBuilder& step, const event::NodeInventory& event);
  void on(StepBuilder& step, const event::Heartbeat& event);
  void on(StepBuilder& step, const event::AttemptStarted& event);
  void on(StepBuilder& step, const event::AttemptReady& event);
  void on(StepBuilder& step, const event::CutAnswered& event);
  void on(StepBuilder& step, const event::SegmentSealed& event);
  void on(StepBuilder& step, const event::AttemptExited& event);
  void on(StepBuilder& step, const event::JobSubmitted& event);
  void on(StepBuilder& step, const event::JobKillRequested& event);
  void on(StepBuilder& step, const event::CommitFinished& event);
  void on(StepBuilder& step, const event::NodeLeaving& event);
  void on(StepBuilder& step, const event::DrainRequested& event);
  void on(StepBuilder&, const event::TimePassed&) {}

  void on_timer(StepBuilder& step, const Timer& timer);
  void on_silence(StepBuilder& step, NodeId node);
  void on_stall(StepBuilder& step, AttemptId attempt);
  void on_deadline(StepBuilder& step, JobId job);
  void fail_attempt(StepBuilder& step, AttemptId attempt, FailureKind kind, const std::string& message);
  void hold_back(NodeId node, TimePoint until, const std::string& why, TimePoint now);
  void learn_from_seal(StepBuilder& step, NodeId node, const std::vector<NodeId>& failed);
  bool is_live_on(NodeId node, AttemptId attempt) const;
  bool is_stale(NodeId node, AttemptId attempt, TimePoint now) const;
  void adopt(StepBuilder& step, const AttemptProgress& progress);
  void hand_over(StepBuilder& step, NodeId node);
  void lose_attempts(StepBuilder& step, NodeId node, const char* why);
  void lose_node(StepBuilder& step, NodeId node);
  void release_leaving(StepBuilder& step);

  void settle_standbys(StepBuilder& step);
  std::uint32_t waiting_attempts() const;
  std::size_t slots_of_an_owner() const;
  void assign_slots(StepBuilder& step);
  void assign_slots(StepBuilder& step, bool within_shares);
  void plan(StepBuilder& step, std::uint32_t group);
  void carry_out(StepBuilder& step, const Decision& decision);
  void manage(StepBuilder& step, JobId job);
  void tell_policy_problem(StepBuilder& step, JobId job, const std::string& problem);
  void stop_managing(StepBuilder& step, JobId job);
  void wait(JobId job);
  void commit_if_done(StepBuilder& step, JobId job);
  void end_job(StepBuilder& step, JobId job, JobState state, const std::string& message);
  void update_profile(StepBuilder& step, JobId job);
  void forget_profiles(StepBuilder& step);
  void forget_oldest(StepBuilder& step);
  void forget_nodes(StepBuilder& step);

  const Settings settings_;
  Cluster cluster_;
  Timers timers_;
  ResourceManager resources_;
  NodeHealth health_;
  std::map<JobId, ApplicationMaster> masters_;  // of running jobs
  PolicyGroups policies_;
  WaitingJobs waiting_;
  std::set<JobId> changed_;  // running jobs with standbys whose attempts have changed in this step
  History history_;
  std::set<NodeId> leaving_;  // whose workers want to be released
};

}  // namespace ontime::scheduler
