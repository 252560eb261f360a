#pragma once
// httplib's server, protected against slow visitors. A request has to be done within kRequestMax. When all threads are
// busy, a new visitor replaces the one whose request is the oldest. HTTPS is TLS 1.3, for visitors with a certificate
// of the same authority, or for all.

#include <httplib.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "common/net/tls_identity.h"

namespace ontime::cli {

// The connection of one visitor, plain or TLS, as httplib reads and writes it. It bounds the time of a whole request,
// from its first byte to the last one of its answer; httplib itself bounds only the time between two bytes.
// Threads: one at a time.
class VisitorStream final : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kRequestBytesMax = 256 << 10;  // httplib bounds a line only when it has read it

  // Plain if `context` is null. The caller owns the socket, which outlives the stream.
  VisitorStream(int socket, SSL_CTX* context, bool wants_certificate);
  ~VisitorStream() override;

  // Whatever follows fails after `limit`, or when it is longer than kRequestBytesMax.
  void begin_request(std::chrono::milliseconds limit) {
    until_ = Clock::now() + limit;
    taken_ = 0;
  }
  bool is_late() const { return Clock::now() >= until_; }
  bool shake_hands();     // true if it is plain
  bool has_more() const;  // whether bytes of the next request are there, or come before `until_`
  SSL* tls() const { return tls_.get(); }

  bool is_readable() const override { return has_more(); }
  bool is_writable() const override;
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  bool wait_for(short events) const;
  template <class Plain, class Tls>
  ssize_t transfer(short events, Plain plain, Tls tls);

  const int socket_;
  const std::unique_ptr<SSL, decltype(&SSL_free)> tls_;
  Clock::time_point until_{};
  std::size_t taken_ = 0;  // bytes of the request
  // httplib reads the lines of a request byte by byte.
  std::array<char, 4096> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

enum class VisitorCertificate { Wanted, Optional };  // optional where a token does as well

// The visitors that hold a thread, by the age of their requests. Threads: any.
class Visits {
 public:
  using Number = std::uint64_t;
  Number begin(int socket);
  // The visitor's next request begins. False if it has been pushed out.
  bool renew(Number& number, int socket);
  void end(Number number);  // before its socket is closed
  bool push_out_oldest();   // whatever it does with its socket fails at once; false if nobody is there

 private:
  std::mutex mutex_;
  std::map<Number, int> sockets_;
  Number next_ = 0;
};

class VisitorServer final : public httplib::Server {
 public:
  static constexpr std::size_t kThreads = 128;
  static constexpr auto kRequestMax = std::chrono::seconds(10);

  // Plain HTTP if `identity` is null.
  VisitorServer(net::TlsPointer identity, VisitorCertificate certificate);

 private:
  bool process_and_close_socket(socket_t socket) override;
  bool serve(int socket, Visits::Number& number);

  const net::TlsPointer identity_;
  const VisitorCertificate certificate_;
  Visits visits_;
};

// The request came with a certificate that our authority has signed.
bool shows_certificate(const httplib::Request& request);

}  // namespace ontime::cli
