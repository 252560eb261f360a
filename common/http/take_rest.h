#pragma once
// The rest of a long answer, read from its connection in large pieces. The library reads 4 KiB at a time, which takes
// two system calls; and it wakes up for each few that come, which costs the server time too where it is on the same
// machine.

#include <cstddef>
#include <cstdint>
#include <functional>

namespace ontime::http {

// The next `size` bytes that come at the socket, which nobody has read ahead. `take` gets them as they come, may let
// them wait, and ends it by false. Ends early when the connection does: a Watchdog ends one that is silent.
void take_rest(int socket, std::uint64_t size, const std::function<bool(const char* bytes, std::size_t size)>& take);

}  // namespace ontime::http
