#include "scheduler/core/policy_groups.h"

#include <algorithm>
#include <stdexcept>

namespace ontime::scheduler {

PolicyGroup PolicyGroups::make(const Key& key) const {
  std::string why = "this master has no such policy";
  try {
    if (auto policy = make_(key.first, key.second)) return {std::move(policy), {}, {}};
  } catch (const std::invalid_argument& wrong) {
    why = wrong.what();
  }
  std::string problem = "The policy '" + key.first + "' cannot be made: " + why +
                        ". The job goes on under 'none', without speculation.";
  return {make_policy("none", {}), std::move(problem), {}};
}

std::uint32_t PolicyGroups::join(JobId job, const JobSpec& spec) {
  const Key key{spec.policy, spec.policy_parameters};
  auto [number, is_new] = numbers_.try_emplace(key, last_ + 1);
  if (is_new) groups_.emplace(++last_, make(key));
  groups_[number->second].jobs.insert(job);
  group_of_[job] = number->second;
  return number->second;
}

std::optional<std::uint32_t> PolicyGroups::leave(JobId job) {
  const auto member = group_of_.find(job);
  if (member == group_of_.end()) return std::nullopt;
  const std::uint32_t number = member->second;
  group_of_.erase(member);
  PolicyGroup& group = groups_.at(number);
  group.jobs.erase(job);
  if (!group.jobs.empty()) return std::nullopt;
  groups_.erase(number);
  std::erase_if(numbers_, [number](const auto& entry) { return entry.second == number; });
  return number;
}

bool PolicyGroups::wants_submission(std::uint32_t number) const {
  const PolicyGroup& group = groups_.at(number);
  return group.jobs.size() == 1 || group.policy->plans_at_submission();
}

PolicyGroup* PolicyGroups::find(std::uint32_t number) {
  const auto found = groups_.find(number);
  return found == groups_.end() ? nullptr : &found->second;
}

bool PolicyGroups::have_shares() const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [](const auto& group) { return group.second.policy->has_shares(); });
}

const Policy& PolicyGroups::of(JobId job) const { return *groups_.at(group_of_.at(job)).policy; }

}  // namespace ontime::scheduler
