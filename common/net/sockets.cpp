#include "common/net/sockets.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <asio/error.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "common/net/coroutine.h"

namespace ontime::net {
namespace {

using asio::ip::tcp;

void close_on_exec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

// Numeric addresses and "localhost" cost no look-up.
std::vector<tcp::endpoint> find_numeric(const Endpoint& endpoint) {
  if (endpoint.host == "localhost") return {{asio::ip::address_v4::loopback(), endpoint.port}};
  asio::error_code error;
  const auto address = asio::ip::make_address(endpoint.host, error);
  if (error) return {};
  return {{address, endpoint.port}};
}

Status check_loopback(const tcp::endpoint& address, const std::string& shown) {
  if (address.address().is_loopback()) return {};
  return bad_input(
      "cannot listen on " + shown +
      ", which is no loopback address, without TLS and a token: make certificates with 'ontime certs init' "
      "and 'ontime certs node NAME', and give --tls-ca, --tls-cert, --tls-key and --token-file");
}

Error cannot_listen(const Endpoint& endpoint, const asio::error_code& error) {
  if (error == asio::error::address_in_use) {
    return unavailable("port " + std::to_string(endpoint.port) + " of " + endpoint.host +
                       " is in use; stop the program that listens there or choose another port");
  }
  return failed("cannot listen on " + to_string(endpoint) + ": " + error.message());
}

Result<tcp::endpoint> resolve_now(const asio::any_io_executor& executor, const Endpoint& endpoint) {
  const auto numeric = find_numeric(endpoint);
  if (!numeric.empty()) return numeric.front();
  asio::error_code error;
  tcp::resolver resolver(executor);
  const auto found = resolver.resolve(endpoint.host, std::to_string(endpoint.port), error);
  if (error || found.empty()) return bad_input("there is no host named " + endpoint.host + ": " + error.message());
  return found.begin()->endpoint();
}

// One try to connect and the timer that ends it. Shared with the timer's handler, which may outlive the coroutine.
struct Dialling {
  explicit Dialling(const asio::any_io_executor& executor) : resolver(executor), socket(executor), timer(executor) {}
  tcp::resolver resolver;
  tcp::socket socket;
  asio::steady_timer timer;
  bool is_late = false;

  void give_up() {
    asio::error_code ignored;
    is_late = true;
    resolver.cancel();
    socket.close(ignored);
  }
};

std::shared_ptr<Dialling> start_dialling(const asio::any_io_executor& executor, Duration limit) {
  auto dialling = std::make_shared<Dialling>(executor);
  dialling->timer.expires_after(limit);
  dialling->timer.async_wait([weak = std::weak_ptr(dialling)](const asio::error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->give_up();
  });
  return dialling;
}

asio::awaitable<Result<std::vector<tcp::endpoint>>> resolve(std::shared_ptr<Dialling> dialling, Endpoint endpoint) {
  auto addresses = find_numeric(endpoint);
  if (!addresses.empty()) co_return addresses;
  const std::string port = std::to_string(endpoint.port);
  const auto [error, found] = co_await dialling->resolver.async_resolve(endpoint.host, port, no_throw);
  for (const auto& entry : found) addresses.push_back(entry.endpoint());
  if (error) co_return unavailable("cannot find the host " + endpoint.host + ": " + error.message());
  co_return addresses;
}

// The error of the last address that was tried, none as soon as one answers.
asio::awaitable<asio::error_code> connect_to_any(std::shared_ptr<Dialling> dialling,
                                                 std::vector<tcp::endpoint> addresses) {
  asio::error_code last = asio::error::host_not_found;
  for (const auto& address : addresses) {
    if (dialling->is_late) break;
    asio::error_code ignored;
    dialling->socket.close(ignored);
    const auto [error] = co_await dialling->socket.async_connect(address, no_throw);
    last = error;
    if (!error) break;
  }
  co_return last;
}

}  // namespace

Result<tcp::acceptor> listen(asio::any_io_executor executor, const Endpoint& endpoint, Reach reach) {
  const auto address = resolve_now(executor, endpoint);
  if (!address) return address.error();
  if (reach == Reach::Loopback) {
    if (const auto allowed = check_loopback(*address, to_string(endpoint)); !allowed) return allowed.error();
  }
  asio::error_code error;
  tcp::acceptor acceptor(executor);
  acceptor.open(address->protocol(), error);
  if (!error) close_on_exec(acceptor.native_handle());
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(*address, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) return cannot_listen(endpoint, error);
  return acceptor;
}

Result<tcp::acceptor> adopt_listener(asio::any_io_executor executor, int descriptor, Reach reach) {
  const std::string shown = "descriptor " + std::to_string(descriptor);
  int is_listening = 0;
  socklen_t size = sizeof is_listening;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) != 0 || is_listening == 0) {
    return bad_input(shown + " is not a listening socket; it must be opened by the process that starts this one");
  }
  tcp::endpoint local;
  size = static_cast<socklen_t>(local.capacity());
  if (::getsockname(descriptor, local.data(), &size) != 0 ||
      (local.data()->sa_family != AF_INET && local.data()->sa_family != AF_INET6)) {
    return bad_input(shown + " is not a TCP socket");
  }
  local.resize(size);
  if (reach == Reach::Loopback) {
    if (const auto allowed = check_loopback(local, shown); !allowed) return allowed.error();
  }
  close_on_exec(descriptor);
  asio::error_code error;
  tcp::acceptor acceptor(executor);
  acceptor.assign(local.protocol(), descriptor, error);
  if (error) return failed("cannot listen on " + shown + ": " + error.message());
  return acceptor;
}

void end_when_stuck(tcp::socket& socket, Duration limit) {
  const auto ms = static_cast<unsigned>(limit / std::chrono::milliseconds(1));
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

void limit_send_buffer(tcp::socket& socket, int bytes) {
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

asio::awaitable<Result<tcp::socket>> connect(Endpoint endpoint, Duration limit) {
  const auto executor = co_await asio::this_coro::executor;
  const auto dialling = start_dialling(executor, limit);
  const auto addresses = co_await resolve(dialling, endpoint);
  asio::error_code error = asio::error::operation_aborted;
  if (addresses && !dialling->is_late) error = co_await connect_to_any(dialling, *addresses);
  if (dialling->is_late) co_return unavailable(to_string(endpoint) + " does not answer within the time allowed");
  dialling->timer.cancel();
  if (!addresses) co_return addresses.error();
  if (error) co_return unavailable("cannot connect to " + to_string(endpoint) + ": " + error.message());
  close_on_exec(dialling->socket.native_handle());
  dialling->socket.set_option(tcp::no_delay(true), error);
  co_return std::move(dialling->socket);
}

}  // namespace ontime::net
