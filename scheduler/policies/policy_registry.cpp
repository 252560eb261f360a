// The policies by name, and `auto`, which chooses among them. A new one is a source in a family's folder, its maker in
// that family's header and an entry here; tests and simulations that try all policies take them from here.
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "common/base/wording.h"
#include "scheduler/policies/baselines/baselines.h"
#include "scheduler/policies/chronos/chronos.h"
#include "scheduler/policies/late_help.h"
#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"
#include "scheduler/policies/policy_files.h"
#include "scheduler/policies/shed/shed.h"
#include "scheduler/policies/split_resume/split_resume.h"
#include "scheduler/policies/xu_lau/xu_lau.h"

namespace ontime::scheduler {
namespace {

// The baseline: no speculation. Failed work is started again, checkpoints are taken, nothing else.
//
// Parameters: order (fifo, deadline, workload), in which jobs get slots.
class None final : public Policy {
 public:
  explicit None(Parameters& parameters) : order_(parameters.order()) {}
  JobOrder order() const override { return order_; }
  bool plans_at_submission() const override { return false; }
  Plan plan(const View&) override { return {}; }

 private:
  JobOrder order_;
};

double load_with(const View& view, std::uint64_t clones) {
  if (view.slots() == 0) return std::numeric_limits<double>::infinity();
  const std::uint64_t wanted = std::uint64_t{view.slots() - view.free_slots()} + view.waiting + clones;
  return static_cast<double>(wanted) / static_cast<double>(view.slots());
}

bool shows_no_pace(const Job& job) {
  return std::none_of(job.spec.inputs.begin(), job.spec.inputs.end(),
                      [](const InputFile& file) { return file.knows_length(); });
}

struct AutoSettings {
  explicit AutoSettings(Parameters& parameters) : load(parameters.number("load", 0.5, 0, 10)) {
    // Checked here, and passed on as given.
    parameters.durations();
    const math::TailRule tail = parameters.tail(math::TailRule::Auto);
    parameters.handover(Handover::Predicted);
    for (const char* name : {"t_min", "beta", "t_avg", "fit", "handover", "tail"}) {
      if (const auto given = parameters.given().find(name); given != parameters.given().end()) passed_on.insert(*given);
    }
    passed_on.try_emplace("tail", name_of(tail));
  }

  const double load;
  StringMap passed_on;
};

struct AutoChoice {
  std::string policy;
  std::string why;
};

AutoChoice choose_without_pace(const View& view, const JobView& job, const AutoSettings& settings) {
  if (!job.has_deadline())
    return {"none", "compressed input shows no pace, and there is no deadline for clones to meet"};
  const double with_clones = load_with(view, job.job->tasks.size());
  if (with_clones <= settings.load) {
    return {"clone", "compressed input shows no pace, and there is room for clones (load " + short_number(with_clones) +
                         " with them)"};
  }
  return {"none", "compressed input shows no pace, and there is no room for clones (load " + short_number(with_clones) +
                      " with them)"};
}

// Slots that the plan takes, less those that it sets free.
std::uint32_t slots_taken(const Plan& plan, const View& view) {
  std::uint64_t taken = 0;
  std::uint64_t freed = 0;
  for (const Decision& decision : plan.decisions) {
    if (const auto* speculate = std::get_if<Speculate>(&decision)) {
      taken += copies_of(*speculate);
    } else if (const auto* clone = std::get_if<CloneTasks>(&decision)) {
      taken += clone->copies * view.cluster.find_job(clone->job)->tasks.size();
    } else if (std::holds_alternative<EndAttempt>(decision)) {
      ++freed;
    }
  }
  return static_cast<std::uint32_t>(taken - std::min(taken, freed));
}

// The rule, for a job that is submitted now.
AutoChoice choose_for(const View& view, const JobView& job, const AutoSettings& settings) {
  if (shows_no_pace(*job.job)) return choose_without_pace(view, job, settings);
  return {"split-resume", "what is late is divided, what is slow is replaced"};
}

// Chooses a policy for each job when it is submitted, and lets that policy plan for it. The first of these that holds:
//
//   no input file's end is known (compressed), so that no pace can be seen:
//     a deadline, free slots for a clone of every task, and the load with them below `load`   clone
//     otherwise                                                                               none
//   otherwise                                                                                 split-resume
//
// No other policy has a higher PoCD where pace can be seen (docs/research/split-resume.md has what was measured).
//
// Load: slots in use and waited for, per slot. What was chosen, and why, is a note of the job; new masters keep to it.
//
// The inner policies plan one after another in the order of their names, each with what the others have left.
class Auto final : public Policy {
 public:
  explicit Auto(Parameters& parameters) : settings_(parameters) {}

  JobOrder order() const override { return JobOrder::EarliestDeadline; }
  bool may_plan_behind_submission() const override { return true; }

  Plan plan(const View& view) override {
    Plan plan;
    std::map<std::string_view, std::vector<const JobView*>> jobs;
    for (const JobView& job : view.jobs) jobs[policy_of(view, job, plan)].push_back(&job);
    if (!view.jobs.empty()) chosen_.erase(chosen_.begin(), chosen_.lower_bound(view.jobs.front().id));
    std::uint32_t waiting = view.waiting;
    for (const auto& [name, of_policy] : jobs) {
      std::vector<JobView> copied;  // not where all jobs have the same policy: thousands are not worth it then
      if (jobs.size() > 1) {
        for (const JobView* job : of_policy) copied.push_back(*job);
      }
      const View part{view.cluster, view.resources, jobs.size() > 1 ? std::span<const JobView>(copied) : view.jobs,
                      view.now, waiting};
      Plan planned = inner(std::string(name)).plan(part);
      waiting += slots_taken(planned, view);
      if (plan.decisions.empty())
        plan.decisions = std::move(planned.decisions);
      else
        std::move(planned.decisions.begin(), planned.decisions.end(), std::back_inserter(plan.decisions));
      if (!planned.next_check) continue;
      plan.next_check = plan.next_check ? std::min(*plan.next_check, *planned.next_check) : planned.next_check;
    }
    return plan;
  }

 private:
  const std::string& policy_of(const View& view, const JobView& job, Plan& plan) {
    auto [chosen, is_new] = chosen_.try_emplace(job.id);
    if (!is_new) return chosen->second;
    chosen->second = policy_chosen_for(*job.job);  // before this master began
    if (!chosen->second.empty()) return chosen->second;
    const AutoChoice choice = choose_for(view, job, settings_);
    chosen->second = choice.policy;
    plan.add(Note{job.id, "auto chooses " + choice.policy + ": " + choice.why, {}, choice.policy});
    return chosen->second;
  }

  // Not every policy has a hand-over or a tail to choose, or durations to go by.
  Policy& inner(const std::string& name) {
    std::unique_ptr<Policy>& policy = inner_[name];
    if (policy) return *policy;
    const auto taken = parameters_of(name);
    StringMap parameters;
    for (const auto& given : settings_.passed_on) {
      if (taken.contains(given.first)) parameters.insert(given);
    }
    policy = make_policy(name, parameters);
    return *policy;
  }

  const AutoSettings settings_;
  std::map<JobId, std::string> chosen_;
  std::map<std::string, std::unique_ptr<Policy>> inner_;
};

struct Registered {
  PolicyDescription description;
  std::unique_ptr<Policy> (*make)(Parameters& parameters);
};

template <class P>
std::unique_ptr<Policy> with_parameters(Parameters& parameters) {
  return std::make_unique<P>(parameters);
}

template <chronos::Strategy strategy>
std::unique_ptr<Policy> chronos_with(Parameters& parameters) {
  return make_chronos(strategy, parameters);
}

// Of a policy that plans for deadlines.
template <auto make>
std::unique_ptr<Policy> and_late(Parameters& parameters) {
  return with_late_help(make(parameters), parameters);
}

// One copy of what has twice as long to go as a fresh attempt would take; Hadoop's and LATE's rules.
constexpr Rescue kSlow{Rescue::Kind::Restart, 1, true, Rescue::Trigger::Slow, 2, 0, 0};
constexpr Rescue kSlowMantri{Rescue::Kind::Restart, 1, true, Rescue::Trigger::Slow, 1.2, 0, 0};
constexpr Rescue kSlowHadoop{Rescue::Kind::Restart, 1, true, Rescue::Trigger::Slow, 1, 0, 15};
constexpr Rescue kSlowLate{Rescue::Kind::Restart, 1, true, Rescue::Trigger::Slow, 1, 60, 0};

constexpr Rescue kDivideSlow{Rescue::Kind::Divide, 10, true, Rescue::Trigger::Slow, 1, 0, 0};

const std::vector<Registered>& registered() {
  static const std::vector<Registered> list{
      {{"none", "no speculation", false}, with_parameters<None>},
      {{"hadoop", "copies for outliers among finished tasks, one per job and scan (Hadoop)", true, kSlowHadoop},
       make_hadoop},
      {{"late", "copies for slow tasks with the longest time left (LATE)", true, kSlowLate}, make_late},
      {{"mantri", "copies that pay for themselves, restarts, pruning (Mantri)", true, kSlowMantri}, make_mantri},
      {{"dolly", "clones of every task of small jobs (Dolly)", true}, make_dolly},
      {{"hopper", "slots by virtual job size, copies as LATE (Hopper)", true, kSlowLate}, make_hopper},
      {{"grass", "copies that save slots, and at a job's end those that save time (GRASS)", true, kSlowMantri},
       make_grass},
      {{"spark", "copies for what has run for three median times, when nine tenths are done (Spark)", true, kSlow},
       make_spark},
      {{"flink", "copies for what has run for 1.5 median times, when three quarters are done (Flink)", true, kSlow},
       make_flink},
      {{"skewtune", "idle slots divide the longest rest among all (SkewTune)", false, kDivideSlow}, make_skewtune},
      {{"dataflow", "each idle slot takes over a part of the longest rest (Dataflow)", false, kDivideSlow},
       make_dataflow},
      {{"ytsaurus", "divides, or copies, what has long to go (YTsaurus)", false, kDivideSlow}, make_ytsaurus},
      {{"clone", "Chronos: every task starts with r extra attempts", true},
       and_late<chronos_with<chronos::Strategy::Clone>>},
      {{"s-restart",
        "Chronos: r extra attempts of a late task, from its begin",
        true,
        {Rescue::Kind::Restart, 2, false}},
       and_late<chronos_with<chronos::Strategy::Restart>>},
      {{"s-resume",
        "Chronos: r + 1 fresh attempts take over a late task's rest",
        false,
        {Rescue::Kind::Resume, 2, false}},
       and_late<chronos_with<chronos::Strategy::Resume>>},
      {{"sca", "Xu & Lau: clones for new jobs, as many as pay, while the load is low", true}, make_sca},
      {{"sda", "Xu & Lau: a copy for a task that has too long to go", true, kSlow}, make_sda},
      {{"ese", "Xu & Lau: the same under heavy load, the slowest first, before what waits", true, kSlow}, make_ese},
      {{"split-resume",
        "divides what is late among fresh attempts, where that raises PoCD most",
        false,
        {Rescue::Kind::Divide, 10}},
       make_split_resume},
      {{"auto",
        "split-resume, or clone or none for jobs whose compressed input shows no pace",
        false,
        {Rescue::Kind::Divide, 10}},
       with_parameters<Auto>},
      {{"shed", "copies of every task, r per job, granted anew with every job that is submitted, resuming", false},
       and_late<make_shed>},
      {{"shed+",
        "copies of single stragglers that raise all jobs' PoCDs most, resuming",
        false,
        {Rescue::Kind::Resume, 3}},
       and_late<make_shed_plus>},
  };
  return list;
}

const Registered* find_registered(std::string_view name) {
  for (const Registered& policy : registered()) {
    if (policy.description.name == name) return &policy;
  }
  return nullptr;
}

PolicyLoader loader = nullptr;  // set by the program at its start

}  // namespace

const std::vector<PolicyDescription>& policies() {
  static const std::vector<PolicyDescription> list = [] {
    std::vector<PolicyDescription> descriptions;
    for (const Registered& policy : registered()) descriptions.push_back(policy.description);
    return descriptions;
  }();
  return list;
}

const PolicyDescription* find_policy(std::string_view name) {
  const Registered* policy = find_registered(name);
  return policy == nullptr ? nullptr : &policy->description;
}

Duration default_checkpoint_interval(std::string_view name) {
  const PolicyDescription* policy = find_policy(name);
  return policy != nullptr && policy->restarts ? Duration(0) : *JobSpec().checkpoint_interval;
}

void load_policies_with(PolicyLoader given) { loader = given; }
PolicyLoader policy_loader() { return loader; }

std::unique_ptr<Policy> make_policy(std::string_view name, const StringMap& given) {
  const Registered* policy = find_registered(name);
  const PolicyLoader load = is_policy_file(name) ? policy_loader() : nullptr;
  if (policy == nullptr && load == nullptr) return nullptr;
  Parameters parameters(name, given);
  auto made = load != nullptr ? load(std::string(name), parameters) : policy->make(parameters);
  parameters.flag(kAsWritten, false);
  parameters.flag(kRace, true);
  parameters.finish();
  return made;
}

Status check_policy(const std::string& name, const StringMap& parameters) {
  try {
    if (make_policy(name, parameters) != nullptr) return {};
  } catch (const std::invalid_argument& wrong) {
    return bad_input(wrong.what());
  }
  std::vector<std::string> names;
  for (const PolicyDescription& policy : policies()) names.emplace_back(policy.name);
  return bad_input("there is no policy '" + name + "'; " + advice(name, names));
}

std::set<std::string, std::less<>> parameters_of(std::string_view name) {
  const Registered* policy = find_registered(name);
  if (policy == nullptr) return {};
  const StringMap none;
  Parameters parameters(name, none);
  policy->make(parameters);
  parameters.flag(kAsWritten, false);
  parameters.flag(kRace, true);
  return parameters.known();
}

std::string policy_chosen_for(const Job& job) {
  for (const DecisionAt& decision : job.decisions) {
    const std::string& name = decision.decision.policy;
    if (find_policy(name) != nullptr) return name;
  }
  return {};
}

}  // namespace ontime::scheduler
