#pragma once
// How a connection begins: TLS if the host has it, then two frames each way. See Hello in control.proto. A peer that is
// not let in learns why in one sentence where it can read it, and is closed.
//
//   guest                      host
//   Hello, with a nonce   ->
//                         <-   Challenge, with a nonce
//   Proof of the token    ->
//                         <-   HelloReply, with the host's own proof of the same token

#include <asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/net/connection.h"
#include "common/net/masters.h"
#include "common/net/token.h"
#include "common/protocol/control.pb.h"

namespace ontime::net {

// A connection to that host, encrypted if there is an identity. Unavailable, naming the endpoint, when nobody answers
// within `limit`; BadInput when the TLS handshake fails. A host that acknowledges nothing for 15 s counts as gone.
asio::awaitable<Result<std::shared_ptr<Connection>>> open_connection(Endpoint endpoint, TlsPointer identity,
                                                                     Duration limit);

// Says hello (with this program's version if it has none), proves that it knows `token` (empty: none) and waits for the
// reply. BadInput with the other side's sentence if it refuses; Unavailable on silence. With a token: Failed if the
// other side cannot prove that it knows the token too; it then learns nothing that it could use. Unavailable also if
// the other side is a master that follows another. `limit` is for each of its two frames.
asio::awaitable<Result<wire::HelloReply>> say_hello(std::shared_ptr<Connection> connection, wire::Hello hello,
                                                    std::string token, Duration limit);

struct HostIdentity {
  std::string cluster;                   // id of this cluster
  std::uint64_t epoch = 0;               // of this master
  Tokens tokens{};                       // none: none is asked for
  TlsPointer tls{};                      // null: connections are not encrypted
  bool advises = false;                  // Hadoop's application masters, and has no work for workers
  std::optional<std::string> follows{};  // the master that leads ("": none); this one lets nobody in
};

struct Reached {
  std::shared_ptr<Connection> connection;
  wire::HelloReply reply;
};
// A connection to the master that leads, by which `hello` was said. A single master is tried once, and whom it names;
// of several one after another, until one lets us in or refuses us, or `limit` has passed: Unavailable, as is a failure
// of TLS if `hello` names the cluster, which has let us in before. Otherwise the errors of open_connection() and
// say_hello(). `masters` outlives it and begins with the last that was reached.
asio::awaitable<Result<Reached>> reach_leader(Masters* masters, TlsPointer identity, wire::Hello hello,
                                              std::string token, Duration limit);

// A peer that was let in.
struct Guest {
  wire::Hello hello;
  Rights rights;                 // those that both its token and its certificate have
  std::string credentials;       // what they are, without the token: "token of submit, certificate of alice (submit)"
  std::string name;              // the token's; if it has none, the certificate's; empty: nobody in particular
  std::optional<Token> token{};  // none: none was asked for
};

// Encrypts if the host has TLS, and waits for a hello and a proof. Checks the protocol version, the proof (in constant
// time), the cluster, and whether a worker has the right to be one. If a check fails, the peer gets one sentence, the
// connection is closed, and the sentence is returned as the error. `limit` is for TLS, the hello and the proof each.
asio::awaitable<Result<Guest>> answer_hello(std::shared_ptr<Connection> connection, HostIdentity identity,
                                            Duration limit);

}  // namespace ontime::net
