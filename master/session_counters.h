#pragma once
// What came over the connections that should not have. Control thread only.

#include <cstdint>

namespace ontime::master {

struct SessionCounters {
  std::uint64_t refused = 0;    // by the handshake, because there were too many, or never registered
  std::uint64_t forbidden = 0;  // requests beyond the rights of their client
  std::uint64_t malformed = 0;  // frames that closed their connection
  std::uint64_t stuck = 0;      // peers that did not read what they were sent, and were closed
};

}  // namespace ontime::master
