#pragma once
// An HTTP server for requests without content, plain or with TLS. It protects itself: a head has a time and a length,
// an answer a time, a connection a number of requests, and when all threads are busy the next visitor waits, or
// replaces the one whose request is the oldest.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "common/base/descriptor.h"
#include "common/base/time.h"
#include "common/http/client.h"

struct ssl_ctx_st;  // OpenSSL's; its headers stay in server_stream.cpp

namespace ontime::http {

// What a visitor asks for.
struct Asked {
  std::string method{};
  std::string path{};                               // decoded, without the query
  std::map<std::string, std::string> parameters{};  // of the query
  Fields fields{};
  std::string address{};           // of the visitor
  bool shows_certificate = false;  // one that our authority has signed

  std::string field(const char* name) const;  // "": there is none
};

struct Reply {
  int status = 200;
  Fields fields{};
  std::string body{};
  // Instead of the body, if there is a function: so many bytes, in pieces, and ranges of them. False: it cannot be
  // read.
  std::uint64_t size = 0;
  std::function<bool(std::uint64_t offset, std::span<char> piece)> read{};
};

enum class WhenFull { Wait, ReplaceOldest };

struct ServerLimits {
  std::size_t threads = 16;
  WhenFull when_full = WhenFull::Wait;
  Duration idle = std::chrono::seconds(1);    // until a request begins
  Duration head = std::chrono::seconds(1);    // for all of its head
  Duration answer = std::chrono::seconds(5);  // for all of the body, or for each piece
  unsigned requests_max = 1;                  // of a connection
};

// Threads: its own for visitors, which call `answer`; stop() from any.
class RequestServer {
 public:
  using Answering = std::function<Reply(const Asked&)>;
  // HTTPS if there is a `tls`; visitors need a certificate for that if `wants_certificate`.
  RequestServer(ServerLimits limits, Answering answer, std::shared_ptr<ssl_ctx_st> tls = nullptr,
                bool wants_certificate = true);
  ~RequestServer();
  RequestServer(const RequestServer&) = delete;

  void run(Descriptor listener);  // until stop(), which may come first
  void stop();                    // ends what is under way, as soon as `answer` returns

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace ontime::http
