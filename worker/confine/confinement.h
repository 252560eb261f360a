#pragma once
// What keeps attempts within bounds, as the worker tells it to its launcher and as a runner takes it upon itself.

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "worker/confine/identity.h"
#include "worker/confine/limits.h"

namespace ontime::worker {

// Control groups (of version 1 or 2) that somebody has made for attempts, with what limits he liked. What they bound
// they bound together; limits.h bounds each process.

// BadInput if the directory is no control group, or this process may not put others into it.
Status check_control_group(const std::string& directory);
// Takes this process into it, with all that it starts from now on.
Status enter_control_group(const std::string& directory);

struct Confinement {
  std::optional<Identity> run_as;  // none: as the launcher
  uid_t sweeper = 0;               // of a range of users, the one that ends what the others leave behind; 0: no range
  AttemptLimits limits;
  std::vector<std::string> control_groups;  // directories; a runner enters all of them
  std::vector<std::string> output_roots;  // resolved; what the launcher makes for runners of another user lies there

  bool operator==(const Confinement&) const = default;
};

// As arguments of a program, and back. BadInput for arguments that are none of these.
std::vector<std::string> to_arguments(const Confinement& confinement);
Result<Confinement> from_arguments(const std::vector<std::string>& arguments);

// For good, for this process and all it starts: control groups, another user, no way to more rights (no_new_privs),
// limits, nothing made that everybody may write. Failed if any of it cannot be had.
Status confine(const Confinement& confinement);

}  // namespace ontime::worker
