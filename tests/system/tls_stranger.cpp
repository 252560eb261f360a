#include "tests/system/tls_stranger.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <memory>

#include "tests/system/loopback_socket.h"

namespace ontime::test {
namespace {

std::string reason() {
  const char* text = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return text == nullptr ? "the connection ended" : text;
}

}  // namespace

std::string try_tls(const std::string& port, const StrangerTls& stranger) {
  ERR_clear_error();
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (stranger.only_tls_1_2) SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
  if (!stranger.authority.empty()) {
    SSL_CTX_load_verify_file(context.get(), stranger.authority.c_str());
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  }
  if (!stranger.certificate.empty()) {
    SSL_CTX_use_certificate_file(context.get(), stranger.certificate.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context.get(), stranger.key.c_str(), SSL_FILETYPE_PEM);
  }
  const LoopbackSocket socket(port);
  if (!socket.is_connected()) return "nobody listens";
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), SSL_free);
  SSL_set_fd(ssl.get(), socket.get());
  if (SSL_connect(ssl.get()) != 1) return reason();
  char byte = 0;
  if (SSL_read(ssl.get(), &byte, 1) == 1) return "it was let in";
  return reason();
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
