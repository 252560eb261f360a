#pragma once
// Jobs that have the master run code with its rights: commands of --notify, policies from files.

#include <optional>
#include <string>

#include "common/net/handshake.h"
#include "common/net/token.h"
#include "common/protocol/types.pb.h"

namespace ontime::master {

// Why such a job may not be submitted; nothing: it may, or is none. `needed`: what a client needs for one; nothing: no
// client has it.
std::optional<std::string> need_for_code(const wire::JobSpec& request, const std::optional<net::Right>& needed,
                                         const net::Guest& guest);

}  // namespace ontime::master
