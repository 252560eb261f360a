#pragma once
// The user that attempts run as.

#include <sys/types.h>

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

}  // namespace ontime::worker
