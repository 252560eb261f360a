#pragma once
// Everything the scheduler knows: nodes, jobs, tasks, segments, attempts. Policies and the shell see it read-only.
// Durable state changes in apply(record) and nowhere else, in a live step and in a replay alike; what is not durable
// (progress, silence) changes in the observe_ functions. Not thread-safe: one owner thread.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/core/event.h"
#include "scheduler/core/history.h"
#include "scheduler/core/job.h"
#include "scheduler/core/judgement.h"
#include "scheduler/core/node.h"
#include "scheduler/core/record.h"
#include "scheduler/core/room.h"
#include "scheduler/policies/decision.h"

namespace ontime::scheduler {

// How far back an attempt's recent speed looks: a fortieth of the deadline, at least 0.2 s; 5 s without a deadline.
Duration recent_window(const JobSpec& spec);

class Cluster {
 public:
  std::uint64_t epoch() const { return epoch_; }
  // When this master took over from another one, some of whose nodes it may not know; nothing if it is the first.
  std::optional<TimePoint> taken_over_at() const { return taken_over_at_; }
  // Not of those that the last master launched: when they were ready and began is not durable.
  bool has_seen_launch_of(const Attempt& attempt) const {
    return !taken_over_at_ || attempt.launched_at > *taken_over_at_;
  }
  const std::map<JobId, Job>& jobs() const { return jobs_; }  // forgotten ones are gone
  const NodeTable& nodes() const { return nodes_; }

  const Job* find_job(JobId id) const;
  const Node* find_node(NodeId id) const { return nodes_.find(id); }
  const Node* find_node(const std::string& incarnation) const;
  NodeId node_of(const std::string& incarnation) const;  // 0 if unknown
  const Task* find_task(TaskId id) const;
  const InputFile* find_input(TaskId id) const;  // the file that it maps
  const Attempt* find_attempt(AttemptId id) const;
  // The attempt if it is live: neither ended nor fenced.
  const Attempt* find_live(AttemptId id) const;
  // Begins to fetch into the cache what is about to be looked at: attempts lie scattered in memory, and a heartbeat's
  // are waited for together rather than one after another.
  void prefetch(std::span<const AttemptProgress> attempts) const;
  // Live attempts of the task that map, or will come to, the segment beginning at `begin`, in order of launch.
  std::vector<AttemptId> racing(TaskId task, std::uint64_t begin) const;
  // Standbys that wait for a part of it.
  std::vector<AttemptId> standing_by(TaskId task, std::uint64_t begin) const;

  // What is known of attempts of this application with these parameters, from earlier jobs; null if nothing is.
  const math::DurationSample* find_profile(const JobSpec& spec) const;
  const math::DurationSample* find_profile(const Job& job) const { return profiles_.find(job.profile_key); }
  const ProfileTable& profiles() const { return profiles_; }

  // Of all jobs of that owner.
  std::size_t live_attempts_of(const std::string& owner) const;
  // By jobs that have not ended.
  const RoomTaken& room_taken() const { return room_taken_; }

  // Of the latest step.
  std::span<const Judgement> judged() const { return judged_; }
  int unjudged() const { return unjudged_; }

  JobId next_job() const { return JobId{last_job_.value + 1}; }
  NodeId next_node() const { return nodes_.next(); }
  // The oldest node that is gone and that no remembered job ran an attempt on, if there are more than `kept` of them.
  std::optional<NodeId> surplus_node(std::size_t kept) const;

  void apply(const JournalRecord& record);

  void observe_node(NodeId node, NodeState state, bool synchronised, TimePoint now);
  void observe_heard(NodeId node, TimePoint now);
  // Its worker has registered and says when it will leave on its own; 0: never, as far as it knows.
  void observe_announced(NodeId node, Duration leaves_in, TimePoint now);
  void observe_progress(const AttemptProgress& progress, TimePoint now);
  // The attempt has sealed its segment that ends at `end`. Call this before the seal is applied.
  void observe_seal(AttemptId attempt, std::uint64_t end, TimePoint now);
  void observe_started(AttemptId attempt, TimePoint at);
  void observe_ready(AttemptId attempt, TimePoint now);
  void observe_declined(TaskId task, Reason reason, TimePoint now);
  void observe_cut(AttemptId attempt, const CutInFlight& cut);
  void observe_cut_answered(AttemptId attempt, TimePoint now);
  // A step begins.
  void observe_step();
  // A decision about an attempt that runs is carried out. How it was judged follows, before it changes the attempt.
  void observe_decided() { ++unjudged_; }
  void observe_judged(Judgement judged, TimePoint now);
  // Machine time that a decision costs is promised.
  void observe_spent(JobId job, const Worth& worth);
  void observe_divided_no_more(JobId job);
  // One more than kDecisionsKept.
  void observe_decision_dropped(JobId job);
  // Its worker runs it, says the inventory. One that has mapped something is taken to have begun with its launch, now
  // or as soon as it has. How long its records take is not seen by that.
  void observe_adopted(const AttemptProgress& progress, TimePoint now);
  // After a replay: every node is silent since `now`, no attempt is adopted.
  void observe_restart(TimePoint now);

 private:
  struct Applier;
  const Task* find_made(TaskId id) const;  // null, too, if nothing has happened to it yet
  std::vector<AttemptId> holders(TaskId task, std::uint64_t begin, bool standby) const;
  Job& job(JobId id);
  Node& node(NodeId id);
  Task& task(TaskId id);
  Attempt& attempt(AttemptId id);
  Attempt* live_attempt(AttemptId id);
  static void begin_unseen(Attempt& attempt);
  void end_attempt(AttemptId id, AttemptState state, TimePoint now);
  void refresh_gone(NodeId id);

  std::uint64_t epoch_ = 0;
  std::optional<TimePoint> taken_over_at_;
  JobId last_job_;
  std::map<JobId, Job> jobs_;
  std::map<std::string, std::size_t> live_of_owner_;  // none: zero
  RoomTaken room_taken_;
  NodeTable nodes_;
  std::map<std::string, NodeId> incarnations_;
  std::set<NodeId> gone_;  // lost or left, with no remembered job that ran an attempt there
  ProfileTable profiles_;
  std::vector<Judgement> judged_;
  int unjudged_ = 0;
};

// What must hold after every step, as code: run by the scheduler itself in debug builds, by the property tests and by
// the simulator.

// One sentence for each violation; empty when all is well. Looks at everything: linear in tasks and attempts.
std::vector<std::string> violations(const Cluster& cluster);

}  // namespace ontime::scheduler
