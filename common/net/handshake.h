#pragma once
// How a connection begins: TLS if the host has it, then one frame each way, who are you and may you come in. See Hello
// in control.proto. Whoever does not get that far is told why in one sentence where it can read it, and is closed.

#include <asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/net/connection.h"
#include "common/net/endpoint.h"
#include "common/net/roles.h"
#include "common/net/token.h"
#include "common/protocol/control.pb.h"

namespace ontime::net {

// A connection to that host, encrypted if there is an identity. Unavailable, naming the endpoint, when nobody answers
// within `limit`; BadInput when TLS does not come about. A host that acknowledges nothing for 15 s is taken for gone.
asio::awaitable<Result<std::shared_ptr<Connection>>> open_connection(Endpoint endpoint, TlsPointer identity,
                                                                     Duration limit);

// Says hello and waits for the reply. BadInput with the other side's sentence if it refuses; Unavailable on silence.
asio::awaitable<Result<wire::HelloReply>> say_hello(std::shared_ptr<Connection> connection, wire::Hello hello,
                                                    Duration limit);

struct HostIdentity {
  std::string cluster;      // id of this cluster
  std::uint64_t epoch = 0;  // of this master
  Tokens tokens{};          // none: none is asked for
  TlsPointer tls{};         // null: connections are not encrypted
};

// Somebody who was let in.
struct Guest {
  wire::Hello hello;
  Rights rights;            // those that both its token and its certificate have
  std::string credentials;  // what they are, without the token: "token of submit, certificate of alice (submit)"
};

// Encrypts if the host has TLS, waits for a hello, checks protocol version, token (in constant time), cluster and that
// a worker may be one, and answers. Any misfit is answered with one sentence, the connection is closed, and the
// sentence is returned as the error. `limit` is for TLS and for the hello each.
asio::awaitable<Result<Guest>> answer_hello(std::shared_ptr<Connection> connection, HostIdentity identity,
                                            Duration limit);

}  // namespace ontime::net
