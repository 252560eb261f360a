#pragma once
// The connection of one visitor, plain or TLS, as httplib reads and writes it. A request has a limit of its own time,
// from its first byte to the last one of its answer, however slowly they come: httplib bounds the time of a byte only.
// Threads: one at a time.

#include <httplib.h>

#include <array>
#include <chrono>
#include <memory>

namespace ontime::cli {

class VisitorStream final : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;

  // Plain if `context` is null. The socket belongs to who makes the stream, and outlives it.
  VisitorStream(int socket, SSL_CTX* context, bool wants_certificate);
  ~VisitorStream() override;

  // Whatever follows fails after `limit`.
  void begin_request(std::chrono::milliseconds limit) { until_ = Clock::now() + limit; }
  bool is_late() const { return Clock::now() >= until_; }
  bool shake_hands();     // true if it is plain
  bool has_more() const;  // of the next request there are bytes already, or come within `until_`
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
  // httplib reads the lines of a request byte by byte.
  std::array<char, 4096> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace ontime::cli
