#pragma once
// The inside of the scheduler, for scheduler.cpp (the step, attempts), scheduler_nodes.cpp and scheduler_jobs.cpp
// (jobs, policies, slots) only.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "scheduler/core/application_master.h"
#include "scheduler/core/deadline_order.h"
#include "scheduler/core/history.h"
#include "scheduler/core/node_holds.h"
#include "scheduler/core/resource_manager.h"
#include "scheduler/core/scheduler.h"
#include "scheduler/core/step_builder.h"
#include "scheduler/core/timers.h"
#include "scheduler/core/waiting_jobs.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// Which policy plans for which jobs: jobs with the same policy and parameters are planned for together, by one object,
// because copies are granted jointly among them. Groups come with their first job and go with their last.
struct PolicyGroup {
  std::unique_ptr<Policy> policy;
  std::string problem;  // why it is `none` in the place of the jobs' policy; empty: it is theirs
  std::set<JobId> jobs;
  TimePoint planned_at{};                 // the last time
  std::optional<TimePoint> next_check{};  // when it is asked again
};

class PolicyGroups {
 public:
  explicit PolicyGroups(PolicyMaker make) : make_(std::move(make)) {}

  // Numbers are never used again. A policy or parameters that cannot be made (the shell refuses them; a journal of
  // another version may still hold them) count as `none`, and problem() says why.
  std::uint32_t join(JobId job, const JobSpec& spec);
  // The group that has no job left now, if the job was its last.
  std::optional<std::uint32_t> leave(JobId job);

  const std::string& problem(std::uint32_t number) const { return groups_.at(number).problem; }
  bool wants_submission(std::uint32_t number) const;  // whether a policy is to be asked when a job has joined
  PolicyGroup* find(std::uint32_t number);
  const Policy& of(JobId job) const;  // REQUIRES: it has joined
  bool have_shares() const;           // whether any policy divides the slots among its jobs

 private:
  using Key = std::pair<std::string, StringMap>;
  PolicyGroup make(const Key& key) const;

  PolicyMaker make_;
  std::uint32_t last_ = 0;
  std::map<Key, std::uint32_t> numbers_;
  std::map<std::uint32_t, PolicyGroup> groups_;
  std::map<JobId, std::uint32_t> group_of_;
};

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
  const Settings& settings() const { return settings_; }
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
  void on(StepBuilder& step, const event::LaunchedElsewhere& event);
  void on(StepBuilder& step, const event::JobNotified& event);
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
  void hand_over(StepBuilder& step, NodeId node);
  void lose_attempts(StepBuilder& step, NodeId node, const char* why);
  void lose_node(StepBuilder& step, NodeId node);
  void release_leaving(StepBuilder& step);

  void settle_standbys(StepBuilder& step);
  std::uint32_t waiting_attempts() const;
  std::size_t slots_of_an_owner() const;
  void assign_slots(StepBuilder& step);
  void assign_slots(StepBuilder& step, bool within_shares);
  void ask_at_submission(std::uint32_t group, TimePoint now);
  void plan(StepBuilder& step, std::uint32_t group);
  void carry_out(StepBuilder& step, const Decision& decision);
  void manage(StepBuilder& step, JobId job);
  void tell_policy_problem(StepBuilder& step, JobId job, const std::string& problem);
  void stop_managing(StepBuilder& step, JobId job);
  void wait(JobId job);
  JobOrder order_of(JobId job) const;
  void look_at_deadlines(TimePoint now);
  void commit_if_done(StepBuilder& step, JobId job);
  void map_again(StepBuilder& step, const event::CommitFinished& event);
  void end_job(StepBuilder& step, JobId job, JobState state, const std::string& message, bool wanted = false);
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
  std::set<JobId> behind_;   // running jobs that come after the others
  TimePoint next_look_{};    // at deadlines
  std::set<JobId> changed_;  // running jobs with standbys whose attempts have changed in this step
  History history_;
  std::set<NodeId> leaving_;  // whose workers want to be released
};

}  // namespace ontime::scheduler
