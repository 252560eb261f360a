#include "common/http/client.h"

#include <httplib.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <limits>
#include <utility>

#include "common/base/time.h"
#include "common/http/url.h"

namespace ontime::http {
namespace {

class BoundedStream final : public httplib::Stream {
 public:
  explicit BoundedStream(httplib::Stream& stream) : stream_(stream) {}

  // The library reads lines byte by byte, and content in larger pieces.
  ssize_t read(char* to, std::size_t size) override {
    const ssize_t got = stream_.read(to, size);
    line_bytes_ = size == 1 ? line_bytes_ + 1 : 0;
    return line_bytes_ <= kLineBytesMax ? got : -1;
  }
  ssize_t write(const char* from, std::size_t size) override { return stream_.write(from, size); }
  bool is_readable() const override { return stream_.is_readable(); }
  bool is_writable() const override { return stream_.is_writable(); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { stream_.get_remote_ip_and_port(ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { stream_.get_local_ip_and_port(ip, port); }
  socket_t socket() const override { return stream_.socket(); }

 private:
  httplib::Stream& stream_;
  std::size_t line_bytes_ = 0;  // since content
};

// As the library's own, which its header does not offer.
class TlsStream final : public httplib::Stream {
 public:
  TlsStream(socket_t socket, SSL* tls, Duration read_silence, Duration write_silence)
      : socket_(socket), tls_(tls), read_silence_(read_silence), write_silence_(write_silence) {}

  ssize_t read(char* to, std::size_t size) override {
    return once_ready(&TlsStream::is_readable, [&] { return SSL_read(tls_, to, bounded(size)); });
  }
  ssize_t write(const char* from, std::size_t size) override {
    return once_ready(&TlsStream::is_writable, [&] { return SSL_write(tls_, from, bounded(size)); });
  }
  bool is_readable() const override { return SSL_pending(tls_) > 0 || becomes(POLLIN, read_silence_); }
  bool is_writable() const override { return becomes(POLLOUT, write_silence_); }
  // Only servers ask.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  static int bounded(std::size_t size) {
    return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
  }
  bool becomes(short event, Duration silence) const {
    pollfd socket{socket_, event, 0};
    int found = 0;
    do {
      found = ::poll(&socket, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(silence).count()));
    } while (found < 0 && errno == EINTR);
    return found > 0;
  }
  template <class Action>
  ssize_t once_ready(bool (TlsStream::*is_ready)() const, const Action& action) const {
    int result = -1;
    do {
      if (!(this->*is_ready)()) return -1;
      ERR_clear_error();
      result = action();
    } while (is_to_be_repeated(result));
    return result;
  }
  // What came was a part of a record, or one of TLS itself.
  bool is_to_be_repeated(int result) const {
    if (result > 0) return false;
    const int problem = SSL_get_error(tls_, result);
    return problem == SSL_ERROR_WANT_READ || problem == SSL_ERROR_WANT_WRITE;
  }

  const socket_t socket_;
  SSL* const tls_;
  const Duration read_silence_;
  const Duration write_silence_;
};

using Exchange = std::function<bool(httplib::Stream&)>;

Exchange bounded(Exchange exchange) {
  return [exchange = std::move(exchange)](httplib::Stream& stream) {
    BoundedStream bounded(stream);
    return exchange(bounded);
  };
}

class PlainClient final : public httplib::ClientImpl {
  using ClientImpl::ClientImpl;
  bool process_socket(const Socket& socket, Exchange exchange) override {
    return httplib::detail::process_client_socket(socket.sock, read_timeout_sec_, read_timeout_usec_,
                                                  write_timeout_sec_, write_timeout_usec_,
                                                  bounded(std::move(exchange)));
  }
};

class TlsClient final : public httplib::SSLClient {
  using SSLClient::SSLClient;
  bool process_socket(const Socket& socket, Exchange exchange) override {
    const auto duration = [](time_t seconds, time_t microseconds) {
      return std::chrono::seconds(seconds) + std::chrono::microseconds(microseconds);
    };
    TlsStream stream(socket.sock, socket.ssl, duration(read_timeout_sec_, read_timeout_usec_),
                     duration(write_timeout_sec_, write_timeout_usec_));
    return bounded(std::move(exchange))(stream);
  }
};

}  // namespace

// The library and OpenSSL write to a socket whose other side has gone as if that had to end the process.
std::unique_ptr<httplib::ClientImpl> make_client(const std::string& origin) {
  std::signal(SIGPIPE, SIG_IGN);
  const Server server = server_of(origin);
  if (server.is_encrypted) return std::make_unique<TlsClient>(server.host, server.port);
  return std::make_unique<PlainClient>(server.host, server.port);
}

bool is_encrypted(const httplib::ClientImpl& client) {
  return dynamic_cast<const httplib::SSLClient*>(&client) != nullptr;
}

}  // namespace ontime::http
