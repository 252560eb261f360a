#pragma once
// The rest of a long answer, read from its connection in large pieces. The library reads 4 KiB at a time, which takes
// two system calls; and it wakes up for each few that come, which costs the server time too where it is on the same
// machine. The connection cannot be used for another request.

#include <cstdint>

#include "common/http/sink.h"

namespace httplib {
class ClientImpl;
struct Response;
}  // namespace httplib

namespace ontime::http {

// Whether that many bytes of the answer are worth it, and come as they are: not encrypted and not in chunks.
bool may_take_rest(const httplib::ClientImpl& client, const httplib::Response& head, std::uint64_t size);

// The next `size` bytes that come at the socket, which nobody has read ahead. Ends early when the sink wants no more or
// the connection ends: a Watchdog ends one that is silent.
void take_rest(int socket, std::uint64_t size, Sink& sink);

}  // namespace ontime::http
