#pragma once
// The connection of one visitor of a server, plain or TLS, with a time for whatever is done there.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/time.h"

struct ssl_ctx_st;
struct ssl_st;

namespace ontime::http {

// Threads: one at a time.
class ServerStream {
 public:
  // Plain if `context` is null. The caller owns the socket, which does not block and outlives the stream.
  ServerStream(int socket, ssl_ctx_st* context, bool wants_certificate);
  ~ServerStream();
  ServerStream(const ServerStream&) = delete;

  void allow(Duration time) { until_ = Clock::now() + time; }  // whatever follows fails afterwards
  bool shake_hands();                                          // true if it is plain
  bool has_more() const;                                       // bytes are there, or come in time
  bool read_some(std::string& to);                             // appends what is there, at least a byte
  bool write(std::string_view all);
  // Says that no more is written, and takes what still comes, so that it does not undo what was sent.
  void end(Duration time);

  bool shows_certificate() const;
  std::string address() const;  // of the visitor

 private:
  using Clock = std::chrono::steady_clock;
  bool wait_for(short events) const;
  template <class Plain, class Tls>
  std::ptrdiff_t transfer(short events, Plain plain, Tls tls);

  const int socket_;
  const std::unique_ptr<ssl_st, void (*)(ssl_st*)> tls_;
  Clock::time_point until_{};
};

}  // namespace ontime::http
