#pragma once
// The first frame each way on every connection: who are you, may you come in. See Hello in control.proto.

#include <asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/net/connection.h"
#include "common/protocol/control.pb.h"

namespace ontime::net {

// Says hello and waits for the reply. BadInput with the other side's sentence if it refuses; Unavailable on silence.
asio::awaitable<Result<wire::HelloReply>> say_hello(std::shared_ptr<Connection> connection, wire::Hello hello,
                                                    Duration limit);

struct HostIdentity {
  std::string cluster;      // id of this cluster
  std::uint64_t epoch = 0;  // of this master
  std::string token;        // empty: none is asked for
};
// Waits for a hello, checks protocol version, token (in constant time) and cluster, and answers. Any misfit is answered
// with one sentence, the connection is closed, and the sentence is returned as the error.
asio::awaitable<Result<wire::Hello>> answer_hello(std::shared_ptr<Connection> connection, HostIdentity identity,
                                                  Duration limit);

}  // namespace ontime::net
