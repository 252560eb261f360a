#pragma once
// A policy decides, from a read-only view of the running jobs that chose it, which speculative attempts to launch and
// which attempts to end. It keeps no clock, draws no random numbers and does nothing itself: its plan is carried out by
// the ApplicationMasters within the slots that the ResourceManager has free. One object plans for all jobs with the
// same policy and parameters, because slots are granted jointly. What it remembers between plans (when it looked last,
// r of a job) must be such that it can begin afresh at any time: after a restart of the master it does.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "scheduler/core/cluster.h"
#include "scheduler/core/job_spec.h"
#include "scheduler/core/outlook.h"
#include "scheduler/core/resource_manager.h"
#include "scheduler/policies/decision.h"

namespace ontime::scheduler {

// In which order jobs get slots for what waits: copies and originals alike. Ties by id.
enum class JobOrder : std::uint8_t {
  Fifo,              // by submission
  EarliestDeadline,  // those without a deadline last, by ShortestRemaining
  ShortestRemaining  // least input in tasks that are not done: the papers' remaining workload
};

// A running job of this policy. Instants in policies are seconds after its submission, as in the papers.
struct JobView {
  JobId id;
  const Job* job;
  const Outlook* outlook;
  // Fresh attempts that were asked for and are not launched yet, by task; tasks without any are left out.
  std::map<std::uint32_t, std::uint32_t> pending;
  std::uint32_t waiting = 0;  // its attempts that wait for a slot, copies too
  bool is_behind = false;     // it comes after the others: it cannot be in time, or not together with them
  JobOrder order{};           // in which it gets slots: the master's, or its policy's
  const std::set<SegmentKey>* unheld = nullptr;  // its unheld segments; not null in a plan

  double since_submission(TimePoint at) const { return seconds(at - job->submitted_at); }
  bool has_deadline() const { return job->spec.deadline > Duration::zero(); }
  double deadline() const { return seconds(job->spec.deadline); }  // D; 0 without one
};

// What a policy sees.
struct View {
  const Cluster& cluster;
  const ResourceManager& resources;  // nodes: which are usable, how fast they have been
  std::span<const JobView> jobs;     // in order of id
  TimePoint now;
  std::uint32_t waiting = 0;  // attempts of any job, copies too, that wait for a slot already

  std::uint32_t slots() const { return resources.slots(); }
  std::uint32_t free_slots() const { return resources.free_slots(); }
  // Slots for copies: free, and not for what waits already.
  std::uint32_t spare_slots() const { return free_slots() > waiting ? free_slots() - waiting : 0; }
};

struct Plan {
  std::vector<Decision> decisions;      // carried out in this order
  std::optional<TimePoint> next_check;  // when to ask again; without it only when a job is submitted

  template <class What>
  void add(What what) {
    decisions.emplace_back(std::in_place_type<What>, std::move(what));
  }
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual JobOrder order() const { return JobOrder::Fifo; }
  // Slots that a job may hold before any job gets more than its own share; what is left goes by order() alone. Only
  // asked for if has_shares().
  virtual bool has_shares() const { return false; }
  virtual std::uint32_t share(JobId) const { return 0; }
  // Whether it wants to be asked whenever a job comes. One that does not is asked when its first job does, and at its
  // next_check: with thousands of jobs waiting, every question costs a pass over them.
  virtual bool plans_at_submission() const { return true; }
  // Whether that may be a moment later where hundreds of its jobs run and no slot is free. Its first attempts may be
  // launched by then.
  virtual bool may_plan_behind_submission() const { return false; }
  // Called when a job of this policy was submitted (before its first attempt is launched unless
  // may_plan_behind_submission()) and when next_check has come.
  // A policy that is asked before its time returns the same next_check again and decides nothing.
  virtual Plan plan(const View& view) = 0;
};

// For policies that look every so often: at once, and then whenever `period` seconds have passed.
class PeriodicCheck {
 public:
  explicit PeriodicCheck(double period) : period_(period) {}

  double period() const { return period_; }
  // True if a look is due, which then counts as taken. Either way the plan is asked for again at the next one.
  bool is_due(TimePoint now, Plan& plan) {
    const bool is_due = !next_ || now >= *next_;
    if (is_due) next_ = now + from_seconds(period_);
    plan.next_check = next_;
    return is_due;
  }

 private:
  double period_;
  std::optional<TimePoint> next_;
};

// What a policy does about a piece of a task that is late or slow, as far as a forecast needs to know.
struct Rescue {
  enum class Kind : std::uint8_t {
    None,     // nothing
    Restart,  // fresh attempts race from the split's begin
    Resume,   // fresh attempts race for what is left
    Divide    // what is left is divided among them
  };
  enum class Trigger : std::uint8_t {
    Late,    // what will end after the deadline
    Always,  // a clone of every piece, whatever it does
    Slow     // what has longer to go than a fresh attempt would take, deadline or not
  };
  Kind kind = Kind::None;
  double attempts = 0;  // at most so many
  bool again = true;    // if what took over is late or slow too
  Trigger trigger = Trigger::Late;
  double factor = 1;  // Slow: so many times as long to go as a fresh attempt would take
  double age = 0;     // Slow: seconds that an attempt has run before
  double pause = 0;   // Slow: seconds between two copies of a job
};

// What people are told about a policy, and what the master must know before it is made.
struct PolicyDescription {
  std::string_view name;     // as in `--policy`
  std::string_view summary;  // one line
  bool restarts = false;     // its copies start at the split's begin, as its paper has it
  Rescue rescue{};
};

const std::vector<PolicyDescription>& policies();
const PolicyDescription* find_policy(std::string_view name);  // null for an unknown one

// The checkpoint interval of a job that names none. Off (0) for policies that restart: with checkpoints their copies
// would resume too.
Duration default_checkpoint_interval(std::string_view policy);

// By name; null for an unknown one. Throws std::invalid_argument with one sentence for a parameter that it does not
// have or that is out of its range.
std::unique_ptr<Policy> make_policy(std::string_view name, const StringMap& parameters);

using PolicyMaker = std::function<std::unique_ptr<Policy>(std::string_view, const StringMap&)>;

// BadInput if there is no such policy, or it refuses a parameter; the sentence says what to choose instead.
Status check_policy(const std::string& name, const StringMap& parameters);

// What `auto` has chosen for the job; empty: nothing yet.
std::string policy_chosen_for(const Job& job);

// The names of the parameters that the policy takes at its defaults; empty for an unknown one.
std::set<std::string, std::less<>> parameters_of(std::string_view policy);

}  // namespace ontime::scheduler
