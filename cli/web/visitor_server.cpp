#include "cli/web/visitor_server.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
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
    bool is_closed = false, has_content = false;
    const auto set_up = [&](httplib::Request& request) {
      request.ssl = stream.tls();
      request.ranges.clear();  // the library would send what lies behind a body as well
      // Nobody reads it, so that it would be taken for the next request.
      has_content = request.has_header("Transfer-Encoding") || request.has_header("Content-Length");
    };
    if (!process_request(stream, left == 1, is_closed, set_up) || stream.is_late()) return false;
    if (is_closed || has_content) return true;
  }
  return true;
}

bool shows_certificate(const httplib::Request& request) {
  if (request.ssl == nullptr || SSL_get_verify_result(request.ssl) != X509_V_OK) return false;
  return SSL_get0_peer_certificate(request.ssl) != nullptr;
}

namespace {

SSL* make_tls(int socket, SSL_CTX* context, bool wants_certificate) {
  if (context == nullptr) return nullptr;
  SSL* tls = SSL_new(context);
  if (tls == nullptr || SSL_set_fd(tls, socket) != 1) return tls;  // the handshake fails
  if (!wants_certificate) SSL_set_verify(tls, SSL_VERIFY_PEER, nullptr);
  SSL_set_accept_state(tls);
  return tls;
}

void read_address(int (*ask)(int, sockaddr*, socklen_t*), int socket, std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (ask(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    if (::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size()) != nullptr) ip = text.data();
    port = ntohs(v4.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    if (::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size()) != nullptr) ip = text.data();
    port = ntohs(v6.sin6_port);
  }
}

}  // namespace

VisitorStream::VisitorStream(int socket, SSL_CTX* context, bool wants_certificate)
    : socket_(socket), tls_(make_tls(socket, context, wants_certificate), SSL_free) {}

VisitorStream::~VisitorStream() {
  if (!tls_) return;
  if (SSL_is_init_finished(tls_.get())) SSL_shutdown(tls_.get());  // says goodbye, and waits for no answer
  ERR_clear_error();
}

bool VisitorStream::wait_for(short events) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wanted{socket_, events, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// `plain` and `tls` do not block: they are tried until one byte at least has gone through.
template <class Plain, class Tls>
ssize_t VisitorStream::transfer(short events, Plain plain, Tls tls) {
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

bool VisitorStream::shake_hands() {
  return transfer(
             POLLIN, [] { return ssize_t{1}; }, [this] { return SSL_do_handshake(tls_.get()); }) > 0;
}

bool VisitorStream::has_more() const {
  return begin_ < end_ || (tls_ && SSL_pending(tls_.get()) > 0) || wait_for(POLLIN);
}

bool VisitorStream::is_writable() const { return wait_for(POLLOUT); }

ssize_t VisitorStream::read(char* to, std::size_t size) {
  if (taken_ >= kRequestBytesMax) return -1;
  if (begin_ == end_) {
    const ssize_t got = transfer(
        POLLIN, [this] { return ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT); },
        [this] { return SSL_read(tls_.get(), buffer_.data(), static_cast<int>(buffer_.size())); });
    if (got <= 0) return got;
    begin_ = 0;
    end_ = static_cast<std::size_t>(got);
  }
  const std::size_t taken = std::min(size, end_ - begin_);
  std::memcpy(to, buffer_.data() + begin_, taken);
  begin_ += taken;
  taken_ += taken;
  return static_cast<ssize_t>(taken);
}

ssize_t VisitorStream::write(const char* from, std::size_t size) {
  constexpr std::size_t kMost = 1 << 20;  // SSL_write takes an int
  const std::size_t some = std::min(size, kMost);
  return transfer(
      POLLOUT, [&] { return ::send(socket_, from, some, MSG_DONTWAIT | MSG_NOSIGNAL); },
      [&] { return SSL_write(tls_.get(), from, static_cast<int>(some)); });
}

void VisitorStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  read_address(::getpeername, socket_, ip, port);
}

void VisitorStream::get_local_ip_and_port(std::string& ip, int& port) const {
  read_address(::getsockname, socket_, ip, port);
}

}  // namespace ontime::cli
