#include "scheduler/policies/auto.h"

#include <algorithm>
#include <limits>

#include "scheduler/policies/open_segments.h"
#include "scheduler/policies/parameters.h"
#include "scheduler/policies/shed/shed.h"
#include "scheduler/policies/shed/shed_plus.h"

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

AutoChoice choose_policy(const View& view, const JobView& job, const AutoSettings& settings) {
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

std::unique_ptr<Policy> Auto::make(Parameters& parameters) {
  AutoSettings settings;
  settings.slack = parameters.number("slack", settings.slack, 0, 1000);
  settings.load = parameters.number("load", settings.load, 0, 10);
  settings.durations = parameters.durations();
  settings.durations.tail = parameters.tail(math::TailRule::Auto);
  parameters.handover(Handover::Predicted);
  for (const char* name : {"t_min", "beta", "t_avg", "fit", "handover", "tail"}) {
    if (const auto given = parameters.given().find(name); given != parameters.given().end()) {
      settings.passed_on.insert(*given);
    }
  }
  settings.passed_on.try_emplace("tail", name_of(settings.durations.tail));
  return std::make_unique<Auto>(std::move(settings));
}

const std::string& Auto::policy_of(const View& view, const JobView& job, Plan& plan) {
  auto [chosen, is_new] = chosen_.try_emplace(job.id);
  if (!is_new) return chosen->second;
  chosen->second = policy_chosen_for(*job.job);  // before this master began
  if (!chosen->second.empty()) return chosen->second;
  const AutoChoice choice = choose_policy(view, job, settings_);
  chosen->second = choice.policy;
  plan.add(Note{job.id, std::string(kSays) + choice.policy + ": " + choice.why});
  return chosen->second;
}

// Not every policy has a hand-over or a tail to choose, or durations to go by.
Policy& Auto::inner(const std::string& name) {
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

Plan Auto::plan(const View& view) {
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

}  // namespace ontime::scheduler
