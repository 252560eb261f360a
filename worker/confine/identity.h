#pragma once
// The user that attempts run as.

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace ontime::worker {

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
// Of "FIRST-LAST". BadInput, with one sentence, if it has no job's user, is too long, has root, or has a user or group with a name:
// what runs as a user of the range may be killed.
Result<UserRange> parse_user_range(const std::string& text);

// For good. This process can then signal what that user may, and is out of the reach of the user's own processes, which
// could otherwise stop or end it. Failed unless that is certain.
Status become_sweeper_of(uid_t user, uid_t sweeper);

inline Identity identity_of(uid_t user) { return {user, user, {}}; }

// Whether any process of this machine, as far as this one can see, runs as that user; those that hang or wait to be
// reaped too.
bool has_processes(uid_t user);

}  // namespace ontime::worker
