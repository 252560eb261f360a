#include "common/http/server_stream.h"

#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace ontime::http {
namespace {

constexpr std::size_t kReadBytes = 16u << 10;
constexpr std::size_t kUnwantedBytesMax = 256u << 10;

SSL* make_tls(int socket, SSL_CTX* context, bool wants_certificate) {
  if (context == nullptr) return nullptr;
  SSL* tls = SSL_new(context);
  if (tls == nullptr || SSL_set_fd(tls, socket) != 1) return tls;  // the handshake fails
  if (!wants_certificate) SSL_set_verify(tls, SSL_VERIFY_PEER, nullptr);
  SSL_set_accept_state(tls);
  return tls;
}

}  // namespace

ServerStream::ServerStream(int socket, SSL_CTX* context, bool wants_certificate)
    : socket_(socket), tls_(make_tls(socket, context, wants_certificate), SSL_free) {}

ServerStream::~ServerStream() {
  if (!tls_) return;
  if (SSL_is_init_finished(tls_.get())) SSL_shutdown(tls_.get());  // says goodbye, and waits for no answer
  ERR_clear_error();
}

bool ServerStream::wait_for(short events) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wanted{socket_, events, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// `plain` and `tls` are tried until one byte at least has gone through.
template <class Plain, class Tls>
std::ptrdiff_t ServerStream::transfer(short events, Plain plain, Tls tls) {
  for (;;) {
    short wanted = events;
    if (!tls_) {
      const ssize_t moved = plain();
      if (moved >= 0) return moved;
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return -1;
    } else {
      ERR_clear_error();
      const int moved = tls();
      if (moved > 0) return moved;
      const int why = SSL_get_error(tls_.get(), moved);
      if (why == SSL_ERROR_ZERO_RETURN) return 0;
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return -1;
      wanted = why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    }
    if (!wait_for(wanted)) return -1;
  }
}

bool ServerStream::shake_hands() {
  const auto nothing = [] { return ssize_t{1}; };
  return transfer(POLLIN, nothing, [this] { return SSL_do_handshake(tls_.get()); }) > 0;
}

bool ServerStream::has_more() const { return (tls_ && SSL_pending(tls_.get()) > 0) || wait_for(POLLIN); }

bool ServerStream::read_some(std::string& to) {
  if (Clock::now() >= until_) return false;  // bytes that come one by one would be there each time
  std::array<char, kReadBytes> piece;
  const auto got = transfer(
      POLLIN, [&] { return ::recv(socket_, piece.data(), piece.size(), 0); },
      [&] { return SSL_read(tls_.get(), piece.data(), static_cast<int>(piece.size())); });
  if (got > 0) to.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0;
}

bool ServerStream::write(std::string_view all) {
  constexpr std::size_t kMost = 1 << 20;  // SSL_write takes an int
  while (!all.empty()) {
    if (Clock::now() >= until_) return false;
    const std::size_t some = std::min(all.size(), kMost);
    const auto sent = transfer(
        POLLOUT, [&] { return ::send(socket_, all.data(), some, MSG_NOSIGNAL); },
        [&] { return SSL_write(tls_.get(), all.data(), static_cast<int>(some)); });
    if (sent <= 0) return false;
    all.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void ServerStream::end(Duration time) {
  allow(time);
  if (tls_) SSL_shutdown(tls_.get());
  ::shutdown(socket_, SHUT_WR);
  std::string unwanted;
  while (unwanted.size() < kUnwantedBytesMax && read_some(unwanted)) {
  }
}

bool ServerStream::shows_certificate() const {
  return tls_ && SSL_get_verify_result(tls_.get()) == X509_V_OK && SSL_get0_peer_certificate(tls_.get()) != nullptr;
}

std::string ServerStream::address() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> text{};
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  const int failed = ::getnameinfo(generic, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return failed != 0 ? "" : text.data();
}

}  // namespace ontime::http
