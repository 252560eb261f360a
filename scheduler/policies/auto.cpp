#include "scheduler/policies/auto.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/shed/shed.h"

namespace ontime::scheduler {
namespace {

constexpr const char* kMantriDelta = "0.5";
constexpr std::string_view kSays = "auto chooses ";  // how its notes begin

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
  explicit AutoSettings(Parameters& parameters)
      : slack(parameters.number("slack", 3, 0, 1000)),
        load(parameters.number("load", 0.5, 0, 10)),
        durations(parameters.durations()) {
    durations.tail = parameters.tail(math::TailRule::Auto);
    parameters.handover(Handover::Predicted);
    for (const char* name : {"t_min", "beta", "t_avg", "fit", "handover", "tail"}) {
      if (const auto given = parameters.given().find(name); given != parameters.given().end()) passed_on.insert(*given);
    }
    passed_on.try_emplace("tail", name_of(durations.tail));
  }

  const double slack;
  const double load;
  math::DurationHints durations;
  StringMap passed_on;
};

struct AutoChoice {
  std::string policy;
  std::string why;
};

AutoChoice choose_without_pace(const View& view, const JobView& job, const AutoSettings& settings) {
  const double with_clones = load_with(view, job.job->tasks.size());
  if (with_clones <= settings.load) {
    return {"clone", "compressed input shows no pace, and there is room for clones (load " + short_number(with_clones) +
                         " with them)"};
  }
  return {"none", "compressed input shows no pace, and there is no room for clones (load " + short_number(with_clones) +
                      " with them)"};
}

// How many of t_min fit between the latest first look and the deadline, after one launch.
double slack_of(const JobView& job, const math::Durations& durations) {
  const CheckTimes times;
  const double look =
      times.xi * job.deadline() + shed::check_interval(job.deadline(), durations.launch, times.theta_prime);
  return (job.deadline() - look - durations.launch) / (durations.t_min * mean_split_bytes(job));
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

}  // namespace

std::string policy_chosen_for(const Job& job) {
  for (const DecisionAt& decision : job.decisions) {
    const std::string& text = decision.decision.text;
    if (!text.starts_with(kSays)) continue;
    const std::string name = text.substr(kSays.size(), text.find(':') - kSays.size());
    if (find_policy(name) != nullptr) return name;
  }
  return {};
}

namespace {

// The rule of auto.h, for a job that is submitted now.
AutoChoice choose_for(const View& view, const JobView& job, const AutoSettings& settings) {
  if (!job.has_deadline()) return {"mantri", "no deadline"};
  if (shows_no_pace(*job.job)) return choose_without_pace(view, job, settings);
  const math::Durations durations = durations_of(view, job, settings.durations);
  if (durations.t_min <= 0 || durations.source == math::DurationSource::Assumed) {
    return {"split-resume", "t_min is not known yet"};
  }
  const double slack = slack_of(job, durations);
  const std::string facts = "after the first look there is time for " + short_number(slack) + " t_min; " +
                            duration_words(durations, settings.durations, mean_split_bytes(job));
  if (slack < settings.slack) return {"split-resume", "the deadline is tight: " + facts};
  return {"shed+", "copies will be in time: " + facts};
}

class Auto final : public Policy {
 public:
  explicit Auto(Parameters& parameters) : settings_(parameters) {}

  JobOrder order() const override { return JobOrder::EarliestDeadline; }

  Plan plan(const View& view) override {
    Plan plan;
    std::map<std::string, std::vector<JobView>> jobs;
    for (const JobView& job : view.jobs) jobs[policy_of(view, job, plan)].push_back(job);
    if (!view.jobs.empty()) chosen_.erase(chosen_.begin(), chosen_.lower_bound(view.jobs.front().id));
    std::uint32_t waiting = view.waiting;
    for (const auto& [name, of_policy] : jobs) {
      const View part{view.cluster, view.resources, of_policy, view.now, waiting};
      Plan planned = inner(name).plan(part);
      waiting += slots_taken(planned, view);
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
    plan.add(Note{job.id, std::string(kSays) + choice.policy + ": " + choice.why});
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
    if (name == "mantri") parameters["delta"] = kMantriDelta;
    policy = make_policy(name, parameters);
    return *policy;
  }

  const AutoSettings settings_;
  std::map<JobId, std::string> chosen_;
  std::map<std::string, std::unique_ptr<Policy>> inner_;
};

}  // namespace

std::unique_ptr<Policy> make_auto(Parameters& parameters) { return std::make_unique<Auto>(parameters); }

}  // namespace ontime::scheduler
