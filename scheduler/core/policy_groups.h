#pragma once
// Which policy plans for which jobs: jobs with the same policy and parameters are planned for together, by one object,
// because copies are granted jointly among them. Groups come with their first job and go with their last.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "common/base/ids.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

using PolicyMaker = std::function<std::unique_ptr<Policy>(std::string_view, const StringMap&)>;

struct PolicyGroup {
  std::unique_ptr<Policy> policy;
  std::string problem;  // why it is `none` in the place of the jobs' policy; empty: it is theirs
  std::set<JobId> jobs;
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

}  // namespace ontime::scheduler
