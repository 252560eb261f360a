// The policies by name. A new one is a source in a family's folder, its maker in that family's
// header and an entry here; tests and simulations that try
// all policies take them from here.
#include <stdexcept>

#include "common/base/wording.h"
#include "scheduler/policies/auto.h"
#include "scheduler/policies/baselines/baselines.h"
#include "scheduler/policies/chronos/chronos.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/policy.h"
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

struct Registered {
  PolicyDescription description;
  std::unique_ptr<Policy> (*make)(Parameters& parameters);
};

std::unique_ptr<Policy> make_none(Parameters& parameters) { return std::make_unique<None>(parameters); }

template <chronos::Strategy strategy>
std::unique_ptr<Policy> chronos_with(Parameters& parameters) {
  return make_chronos(strategy, parameters);
}

// One copy of what has twice as long to go as a fresh attempt would take; Hadoop's and LATE's rules.
constexpr Rescue kSlow{Rescue::Kind::Restart, 1, true, Rescue::Trigger::Slow, 2, 0, 0};
constexpr Rescue kSlowMantri{Rescue::Kind::Restart, 1, true, Rescue::Trigger::Slow, 1.2, 0, 0};
constexpr Rescue kSlowHadoop{Rescue::Kind::Restart, 1, true, Rescue::Trigger::Slow, 1, 0, 15};
constexpr Rescue kSlowLate{Rescue::Kind::Restart, 1, true, Rescue::Trigger::Slow, 1, 60, 0};

const std::vector<Registered>& registered() {
  static const std::vector<Registered> list{
      {{"none", "no speculation", false}, make_none},
      {{"hadoop", "copies for outliers among finished tasks, one per job and scan (Hadoop)", true, kSlowHadoop},
       make_hadoop},
      {{"late", "copies for slow tasks with the longest time left (LATE)", true, kSlowLate}, make_late},
      {{"mantri", "copies that pay for themselves, restarts, pruning (Mantri)", true, kSlowMantri}, make_mantri},
      {{"dolly", "clones of every task of small jobs (Dolly)", true}, make_dolly},
      {{"hopper", "slots by virtual job size, copies as LATE (Hopper)", true, kSlowLate}, make_hopper},
      {{"clone", "Chronos: every task starts with r extra attempts", true}, chronos_with<chronos::Strategy::Clone>},
      {{"s-restart",
        "Chronos: r extra attempts of a late task, from its begin",
        true,
        {Rescue::Kind::Restart, 2, false}},
       chronos_with<chronos::Strategy::Restart>},
      {{"s-resume",
        "Chronos: r + 1 fresh attempts take over a late task's rest",
        false,
        {Rescue::Kind::Resume, 2, false}},
       chronos_with<chronos::Strategy::Resume>},
      {{"sca", "Xu & Lau: clones for new jobs, as many as pay, while the load is low", true}, make_sca},
      {{"sda", "Xu & Lau: a copy for a task that has too long to go", true, kSlow}, make_sda},
      {{"ese", "Xu & Lau: the same under heavy load, the slowest first, before what waits", true, kSlow}, make_ese},
      {{"split-resume",
        "divides what is late among fresh attempts, where that raises PoCD most",
        false,
        {Rescue::Kind::Divide, 10}},
       make_split_resume},
      {{"auto",
        "chooses none, clone, mantri, shed+ or split-resume for each job, by deadline, load and what is known",
        false,
        {Rescue::Kind::Divide, 10}},
       make_auto},
      {{"shed", "copies of every task, r per job, granted anew with every job that is submitted, resuming", false},
       make_shed},
      {{"shed+",
        "copies of single stragglers that raise all jobs' PoCDs most, resuming",
        false,
        {Rescue::Kind::Resume, 3}},
       make_shed_plus},
  };
  return list;
}

const Registered* find_registered(std::string_view name) {
  for (const Registered& policy : registered()) {
    if (policy.description.name == name) return &policy;
  }
  return nullptr;
}

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
  return policy != nullptr && policy->restarts ? Duration(0) : JobSpec{}.checkpoint_interval;
}

std::unique_ptr<Policy> make_policy(std::string_view name, const StringMap& given) {
  const Registered* policy = find_registered(name);
  if (policy == nullptr) return nullptr;
  Parameters parameters(name, given);
  auto made = policy->make(parameters);
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
  return parameters.known();
}

}  // namespace ontime::scheduler
