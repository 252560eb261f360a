#pragma once
// httplib's server, with what it lacks against visitors who take their time: a request has to be done within
// kRequestMax, and where all threads are taken a newcomer pushes out the visitor whose request is the oldest. HTTPS is
// TLS 1.3, for visitors with a certificate of the same authority, or for all.

#include <httplib.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "common/net/tls_identity.h"

namespace ontime::cli {

enum class VisitorCertificate { Wanted, Optional };  // optional where a token does as well

// The visitors that hold a thread, by the age of their requests. Threads: any.
class Visits {
 public:
  using Number = std::uint64_t;
  Number begin(int socket);
  // The visitor's next request begins. False if it has been pushed out.
  bool renew(Number& number, int socket);
  void end(Number number);   // before its socket is closed
  bool push_out_oldest();    // whatever it does with its socket fails at once; false if nobody is there

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

// It came from somebody with a certificate of our authority.
bool shows_certificate(const httplib::Request& request);

}  // namespace ontime::cli
