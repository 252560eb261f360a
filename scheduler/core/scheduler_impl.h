#pragma once
// The inside of the scheduler, for scheduler.cpp (the step, attempts), scheduler_nodes.cpp and scheduler_jobs.cpp
// (jobs, policies, slots) only.

#include <map>
#include <set>
#include <utility>

#include "scheduler/core/application_master.h"
#include "scheduler/core/history.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/policy_groups.h"
#include "scheduler/core/resource_manager.h"
#include "scheduler/core/scheduler.h"
#include "scheduler/core/timers.h"
#include "scheduler/core/turn.h"
#include "scheduler/core/waiting_jobs.h"

namespace ontime::scheduler {

class Scheduler::Impl {
 public:
  explicit Impl(Settings settings)
      : settings_(std::move(settings)),
        resources_(settings_.placement),
        policies_(settings_.make_policy),
        history_(settings_.history) {}

  void replay(const Record& record) { cluster_.apply(record); }
  Step start(TimePoint now);
  Step step(const Event& event, TimePoint now);
  std::optional<TimePoint> next_wake_up() const { return timers_.next(); }
  const Cluster& cluster() const { return cluster_; }
  const ResourceManager& resources() const { return resources_; }
  const Outlook* outlook(JobId job) const;
  std::vector<Claim> claims() const;

 private:
  Turn begin(TimePoint now);
  Step finish(Turn& turn);
  void follow(const Fact& fact, TimePoint at);

  void on(Turn& turn, const event::NodeRegistered& event);
  void on(Turn& turn, const event::NodeInventory& event);
  void on(Turn& turn, const event::Heartbeat& event);
  void on(Turn& turn, const event::AttemptStarted& event);
  void on(Turn& turn, const event::AttemptReady& event);
  void on(Turn& turn, const event::CutAnswered& event);
  void on(Turn& turn, const event::SegmentSealed& event);
  void on(Turn& turn, const event::AttemptExited& event);
  void on(Turn& turn, const event::JobSubmitted& event);
  void on(Turn& turn, const event::JobKillRequested& event);
  void on(Turn& turn, const event::CommitFinished& event);
  void on(Turn& turn, const event::NodeLeaving& event);
  void on(Turn& turn, const event::DrainRequested& event);
  void on(Turn&, const event::TimePassed&) {}

  void on_timer(Turn& turn, const Timer& timer);
  void on_silence(Turn& turn, NodeId node);
  void on_stall(Turn& turn, AttemptId attempt);
  void on_deadline(Turn& turn, JobId job);
  void fail_attempt(Turn& turn, AttemptId attempt, FailureKind kind, const std::string& message);
  void hold_back(NodeId node, TimePoint until, const std::string& why, TimePoint now);
  void learn_from_seal(Turn& turn, NodeId node, const std::vector<NodeId>& failed);
  bool is_live_on(NodeId node, AttemptId attempt) const;
  bool is_stale(NodeId node, AttemptId attempt, TimePoint now) const;
  void adopt(Turn& turn, const AttemptProgress& progress);
  void hand_over(Turn& turn, NodeId node);
  void lose_attempts(Turn& turn, NodeId node, const char* why);
  void lose_node(Turn& turn, NodeId node);
  void release_leaving(Turn& turn);

  void settle_standbys(Turn& turn);
  std::uint32_t waiting_attempts() const;
  std::size_t slots_of_an_owner() const;
  void assign_slots(Turn& turn);
  void assign_slots(Turn& turn, bool within_shares);
  void plan(Turn& turn, std::uint32_t group);
  void carry_out(Turn& turn, const Decision& decision);
  void manage(Turn& turn, JobId job);
  void tell_policy_problem(Turn& turn, JobId job, const std::string& problem);
  void let_go(Turn& turn, JobId job);
  void wait(JobId job);
  void commit_if_done(Turn& turn, JobId job);
  void end_job(Turn& turn, JobId job, JobState state, const std::string& message);
  void learn(Turn& turn, JobId job);
  void forget_profiles(Turn& turn);
  void forget_oldest(Turn& turn);
  void forget_nodes(Turn& turn);

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
