#include "cli/web/visitor_server.h"

#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <utility>

namespace ontime::cli {
namespace {

// Every visitor beyond the number of threads has one of the others pushed out, so that none waits for a thread.
class PushingPool final : public httplib::ThreadPool {
 public:
  PushingPool(std::size_t threads, Visits& visits) : ThreadPool(threads), threads_(threads), visits_(visits) {}

  void enqueue(std::function<void()> visit) override {
    if (there_.fetch_add(1) >= threads_) visits_.push_out_oldest();
    ThreadPool::enqueue([this, visit = std::move(visit)] {
      visit();
      there_.fetch_sub(1);
    });
  }
  void shutdown() override {
    while (visits_.push_out_oldest()) {
    }
    ThreadPool::shutdown();
  }

 private:
  const std::size_t threads_;
  Visits& visits_;
  std::atomic<std::size_t> there_ = 0;
};

}  // namespace

Visits::Number Visits::begin(int socket) {
  const std::lock_guard lock(mutex_);
  sockets_.emplace(next_, socket);
  return next_++;
}

bool Visits::renew(Number& number, int socket) {
  const std::lock_guard lock(mutex_);
  if (sockets_.erase(number) == 0) return false;
  number = next_++;
  sockets_.emplace(number, socket);
  return true;
}

void Visits::end(Number number) {
  const std::lock_guard lock(mutex_);
  sockets_.erase(number);
}

bool Visits::push_out_oldest() {
  const std::lock_guard lock(mutex_);
  if (sockets_.empty()) return false;
  ::shutdown(sockets_.begin()->second, SHUT_RDWR);
  sockets_.erase(sockets_.begin());
  return true;
}

VisitorServer::VisitorServer(net::TlsPointer identity, VisitorCertificate certificate)
    : identity_(std::move(identity)), certificate_(certificate) {
  set_keep_alive_max_count(100);
  set_keep_alive_timeout(1);
  new_task_queue = [this] { return new PushingPool(kThreads, visits_); };
}

bool VisitorServer::process_and_close_socket(socket_t socket) {
  Visits::Number number = visits_.begin(socket);
  const bool went_well = serve(socket, number);
  visits_.end(number);
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
  return went_well;
}

bool VisitorServer::serve(int socket, Visits::Number& number) {
  if (svr_sock_ == INVALID_SOCKET) return false;  // stopped while it waited
  SSL_CTX* const context = identity_ ? identity_->context() : nullptr;
  VisitorStream stream(socket, context, certificate_ == VisitorCertificate::Wanted);
  stream.begin_request(kRequestMax);
  if (!stream.shake_hands()) return false;
  for (std::size_t left = keep_alive_max_count_; left > 0 && svr_sock_ != INVALID_SOCKET; --left) {
    stream.begin_request(std::chrono::seconds(keep_alive_timeout_sec_));
    if (!stream.has_more() || !visits_.renew(number, socket)) return true;
    stream.begin_request(kRequestMax);
    bool is_closed = false;
    const auto set_up = [&](httplib::Request& request) { request.ssl = stream.tls(); };
    if (!process_request(stream, left == 1, is_closed, set_up) || stream.is_late()) return false;
    if (is_closed) return true;
  }
  return true;
}

bool shows_certificate(const httplib::Request& request) {
  if (request.ssl == nullptr || SSL_get_verify_result(request.ssl) != X509_V_OK) return false;
  return SSL_get0_peer_certificate(request.ssl) != nullptr;
}

}  // namespace ontime::cli
