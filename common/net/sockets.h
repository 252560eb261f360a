#pragma once
// Listening and connecting.

#include <asio/awaitable.hpp>
#include <asio/ip/tcp.hpp>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/net/endpoint.h"

namespace ontime::net {

// Before the next connection is taken, as when descriptors have run out.
inline constexpr Duration kPauseAfterFailedAccept = std::chrono::milliseconds(50);

// From where a listening socket may be reached. A caller that allows AnyNetwork guarantees that connections are
// encrypted and strangers turned away, or that nobody else is on that network.
enum class Reach { Loopback, AnyNetwork };

// Listens there. Unless `reach` allows it, an address that is no loopback address is BadInput and says so. A port in
// use is Unavailable and names it. Port 0 picks a free one (ask acceptor.local_endpoint()).
Result<asio::ip::tcp::acceptor> listen(asio::any_io_executor executor, const Endpoint& endpoint,
                                       Reach reach = Reach::Loopback);
// Takes over a listening socket that the parent process opened.
Result<asio::ip::tcp::acceptor> adopt_listener(asio::any_io_executor executor, int descriptor,
                                               Reach reach = Reach::Loopback);

// The kernel ends the connection when the peer acknowledges nothing, or does not read what it is sent, for so long: its
// machine has vanished, or it is stuck.
void end_when_stuck(asio::ip::tcp::socket& socket, Duration limit);
// What the kernel holds of what the peer has not read yet; the kernel's own limit is megabytes.
void limit_send_buffer(asio::ip::tcp::socket& socket, int bytes);

// Unavailable, naming the endpoint, when nobody answers within `limit`. Sets TCP_NODELAY.
asio::awaitable<Result<asio::ip::tcp::socket>> connect(Endpoint endpoint, Duration limit);

}  // namespace ontime::net
