#pragma once
// A policy decides, from a read-only view, which speculative attempts to launch and which attempts to end. It keeps no
// clock and does nothing itself: its plan is carried out by the ApplicationMaster (cuts, launches, kills) within the
// slots that the ResourceManager has free.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "scheduler/model/cluster.h"

namespace ontime::scheduler {

// Race the open segment that begins at `segment` with `copies` more attempts.
struct Speculate {
  TaskId task;
  std::uint64_t segment = 0;
  std::uint32_t copies = 1;
  // Cut at this offset first and race only what lies behind it (resume); without it the copies start at the
  // segment's begin (restart).
  std::optional<std::uint64_t> resume_at;
};

struct EndAttempt {
  AttemptId attempt;
  std::string reason;
};

// Nothing was done for this task although one might have expected it; `reason` is a code such as "too-young".
struct Decline {
  TaskId task;
  std::string reason;
};

using Decision = std::variant<Speculate, EndAttempt, Decline>;

struct Plan {
  std::vector<Decision> decisions;
  std::optional<TimePoint> next_check;  // when the policy wants to be asked again, if nothing happens before
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual std::string_view name() const = 0;
  virtual Plan plan(const Cluster& cluster, JobId job, std::uint32_t free_slots, TimePoint now) = 0;
};

// By name, as in `--policy`; null for an unknown one.
std::unique_ptr<Policy> make_policy(std::string_view name, const StringMap& parameters);
std::vector<std::string> policy_names();

}  // namespace ontime::scheduler
