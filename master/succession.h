#pragma once
// What a master does while another one leads, on a journal that both have.

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <functional>

#include "common/base/result.h"
#include "common/net/handshake.h"
#include "master/journal/shared_journal.h"

namespace ontime::master {

// Has `on_told_to_end` called, once at most, when this process has to end; returns what ends the watch.
using WatchEnd = std::function<std::function<void()>(asio::io_context& io, std::function<void()> on_told_to_end)>;
std::function<void()> watch_signals(asio::io_context& io, std::function<void()> on_told_to_end);  // SIGTERM, SIGINT

// Returns when this master leads; false: it was told to end before. Meanwhile it runs `io` and answers on `socket`,
// which listens, with who leads. `identity` says whom it tells that. REQUIRES: identity.follows.
Result<bool> wait_to_lead(asio::io_context& io, journal::SharedJournal& journal, asio::ip::tcp::acceptor& socket,
                          net::HostIdentity identity, const WatchEnd& watch_end = watch_signals);

}  // namespace ontime::master
