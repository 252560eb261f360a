#pragma once
// What a master does while another one leads, on a journal that both have.

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

#include "common/base/result.h"
#include "common/net/handshake.h"
#include "master/journal/shared_journal.h"
#include "master/operator_signals.h"

namespace ontime::master {

// Returns when this master leads; false: it was told to end before. Meanwhile it runs `io`, serves `signals` (null:
// there are none) and answers on `socket`, which listens, with who leads. `identity` says whom it tells that.
// REQUIRES: identity.follows.
Result<bool> wait_to_lead(asio::io_context& io, journal::SharedJournal& journal, asio::ip::tcp::acceptor& socket,
                          OperatorSignals* signals, net::HostIdentity identity);

}  // namespace ontime::master
