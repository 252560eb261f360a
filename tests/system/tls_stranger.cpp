#include "tests/system/tls_stranger.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <functional>
#include <memory>
#include <string_view>

#include "tests/system/loopback_socket.h"

namespace ontime::test {
namespace {

std::string reason() {
  const char* text = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return text == nullptr ? "the connection ended" : text;
}

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Tls = std::unique_ptr<SSL, decltype(&SSL_free)>;

Context make_context(const StrangerTls& stranger) {
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (stranger.only_tls_1_2) SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
  if (!stranger.authority.empty()) {
    SSL_CTX_load_verify_file(context.get(), stranger.authority.c_str());
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  }
  if (!stranger.certificate.empty()) {
    SSL_CTX_use_certificate_file(context.get(), stranger.certificate.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context.get(), stranger.key.c_str(), SSL_FILETYPE_PEM);
  }
  return context;
}

// The beginning of a TLS record with the first message of a handshake, in the clear.
constexpr std::string_view kHello("\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03", 10);

// What `then` makes of a session; or why there is none.
std::string in_session(const std::string& port, const StrangerTls& stranger,
                       const std::function<std::string(SSL* session, int socket)>& then) {
  const Context context = make_context(stranger);
  const LoopbackSocket socket(port);
  if (!socket.is_connected()) return "nobody listens";
  const Tls ssl(SSL_new(context.get()), SSL_free);
  SSL_set_fd(ssl.get(), socket.get());
  return SSL_connect(ssl.get()) == 1 ? then(ssl.get(), socket.get()) : reason();
}

}  // namespace

std::string try_tls(const std::string& port, const StrangerTls& stranger) {
  return in_session(port, stranger, [](SSL* session, int) -> std::string {
    char byte = 0;
    return SSL_read(session, &byte, 1) == 1 ? "it was let in" : reason();
  });
}

std::string try_second_handshake(const std::string& port, const StrangerTls& stranger) {
  return in_session(port, stranger, [](SSL* session, int socket) -> std::string {
    if (::send(socket, kHello.data(), kHello.size(), MSG_NOSIGNAL) < 0) return "nothing can be sent";
    std::array<char, 4096> part{};
    while (SSL_read(session, part.data(), static_cast<int>(part.size())) > 0) continue;
    return reason();
  });
}

std::string try_bytes(const std::string& port, const std::string& bytes) {
  const LoopbackSocket socket(port);
  if (!socket.is_connected()) return "nobody listens";
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto size = ::send(socket.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (size <= 0) break;
    sent += static_cast<std::size_t>(size);
  }
  ::shutdown(socket.get(), SHUT_WR);
  std::string answer;
  std::array<char, 4096> part{};
  for (;;) {
    const auto size = ::recv(socket.get(), part.data(), part.size(), 0);
    if (size <= 0) return answer;
    answer.append(part.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace ontime::test
