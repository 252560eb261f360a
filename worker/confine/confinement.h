#pragma once
// What keeps attempts within bounds, and the users they run as. The worker tells its launcher, and each runner confines
// itself accordingly.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace ontime::worker {

// The user that attempts run as.
struct Identity {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups;  // the further ones

  bool operator==(const Identity&) const = default;
};

// Of "USER", with all groups of that user, or "USER:GROUP", with that group alone; names or numbers. BadInput, with one
// sentence, if there is no such user or group.
Result<Identity> parse_identity(const std::string& text);

// Takes that identity for good: this process cannot get back what it had. Failed, with nothing or something done,
// unless that is certain.
Status become(const Identity& identity);

// A range of users that stand for jobs: numbers that belong to nobody, each with the group of the same number. The last
// one is no job's: in its shape the processes of the others are ended.
struct UserRange {
  static constexpr std::size_t kUsersMax = 10'000;

  uid_t first = 0;
  uid_t last = 0;  // is part of it; more than `first`

  uid_t sweeper() const { return last; }
  std::size_t size() const { return last - first; }  // without the sweeper
  bool operator==(const UserRange&) const = default;
};

// Whether it is two numbers with a '-' between them, which no user is called.
bool is_user_range(const std::string& text);
// Reads "FIRST-LAST". BadInput, with one sentence, if the range has no user for a job, is too long, or holds root or a
// user or group with a name: whatever runs as a user of the range may be killed.
Result<UserRange> parse_user_range(const std::string& text);

// For good. This process can then signal what that user may, and is out of the reach of the user's own processes, which
// could otherwise stop or end it. Failed unless that is certain.
Status become_sweeper_of(uid_t user, uid_t sweeper);

inline Identity identity_of(uid_t user) { return {user, user, {}}; }

// Whether any process of this machine, as far as this one can see, runs as that user; those that hang or wait to be
// reaped too.
bool has_processes(uid_t user);

// What the processes of an attempt may use, and how an attempt that used it up says so. Zero: no limit.
struct AttemptLimits {
  std::uint64_t memory_bytes = 0;  // RLIMIT_DATA of each process: what is allocated, not what is mapped from files
  std::uint64_t files = 0;         // RLIMIT_NOFILE: open at a time, in each process
  std::uint64_t processes = 0;     // RLIMIT_NPROC: of its user, on the whole machine, threads too; does not bind root
  std::uint64_t cpu_seconds = 0;   // RLIMIT_CPU of each process

  bool operator==(const AttemptLimits&) const = default;
};

// Limits this process and those that it starts from now on; no core dumps in any case. Failed if the system refuses.
Status apply(const AttemptLimits& limits);

// The rest of a sentence about a failure: "; it had all 64 files open that --attempt-files allows". Looks at what this
// process can still get, and at the words of the failure. Empty if no limit seems to be behind it.
std::string used_up(const AttemptLimits& limits, const std::string& failure);
// The same of memory, for one that could not get any.
std::string used_up_memory(const AttemptLimits& limits);
// The same from outside, of a process that ended with this status (of waitpid).
std::string used_up_by(int wait_status, const AttemptLimits& limits);

// Control groups (of version 1 or 2) that somebody has made for attempts, with what limits he liked. What they bound
// they bound together; limits bound each process.

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
