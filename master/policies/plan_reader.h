#pragma once
// A plan that a policy in another process has made: what python/ontime/lab/policy.py writes, as scheduler::Plan.

#include <cstdint>
#include <map>
#include <string>

#include "master/policies/look.h"
#include "scheduler/policies/policy.h"

namespace ontime::master {

struct ReadPlan {
  scheduler::Plan plan;
  std::map<JobId, std::uint32_t> shares;
};

// `answer`: {"next_check": ns since 1970, "shares": [[row in jobs, slots], ...], "decisions": [{"do": "race",
// "segment": row, ...}, ...]}. Throws PolicyEnded (policy_process.h) if it cannot be read, or names a row that `look`
// does not have. Other flaws are for scheduler::flaw_of().
ReadPlan read_plan(const nlohmann::json& answer, const Look& look);

}  // namespace ontime::master
