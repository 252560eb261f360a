#include "common/hdfs/lender.h"

#include <httplib.h>
#include <openssl/crypto.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <random>
#include <semaphore>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/environment.h"
#include "common/base/wording.h"
#include "common/hash/sha256.h"
#include "common/hdfs/file_system.h"
#include "common/hdfs/name.h"

namespace ontime::hdfs {
namespace {

constexpr std::size_t kThreads = 16;
constexpr std::size_t kConnectionsMax = 64;  // the others wait in the kernel
constexpr std::size_t kPieceBytes = 4u << 20;
constexpr int kIdleSeconds = 1;  // an attempt sends its request as soon as it is connected
constexpr std::size_t kHeadBytesMax = 16u << 10;
constexpr auto kGlance = std::chrono::milliseconds(1);

std::int64_t now_in_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// As many at a time as there are threads; who connects when there are too many is not accepted yet.
class Connections final : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> connection) override {
    room_.acquire();
    asio::post(threads_, [this, connection = std::move(connection)] {
      connection();
      room_.release();
    });
  }
  void shutdown() override { threads_.join(); }

 private:
  std::counting_semaphore<> room_{kConnectionsMax};
  asio::thread_pool threads_{kThreads};
};

// A request without content is all head. The library would wait for one byte after another without an end, and take
// lines of any length, so it is looked at whole before the library has it.
bool has_whole_head(int socket) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(kIdleSeconds);
  std::vector<char> head(kHeadBytesMax);
  while (std::chrono::steady_clock::now() < until) {
    const ssize_t got = ::recv(socket, head.data(), head.size(), MSG_PEEK | MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
    const std::string_view text(head.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (text.find("\r\n\r\n") != text.npos) return true;
    if (text.size() == head.size()) return false;
    std::this_thread::sleep_for(kGlance);
  }
  return false;
}

class BoundedServer final : public httplib::Server {
  bool process_and_close_socket(socket_t socket) override {
    bool is_closed = false;
    const auto exchange = [&](httplib::Stream& stream) { return process_request(stream, true, is_closed, nullptr); };
    const bool went_well = has_whole_head(socket) &&
                           httplib::detail::process_client_socket(socket, read_timeout_sec_, read_timeout_usec_,
                                                                  write_timeout_sec_, write_timeout_usec_, exchange);
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return went_well;
  }
};

// As the attempt is to take it: what may pass is tried again.
int status_of(const http::Failure& failure) {
  constexpr int kBadGateway = 502, kUnavailable = 503;
  if (failure.trouble == http::Trouble::Unavailable) return kUnavailable;  // HDFS says 403 to that too
  return failure.status > 0 ? failure.status : kBadGateway;
}

}  // namespace

bool has_token() { return !environment_variable("ONTIME_HDFS_TOKEN_FILE").empty(); }

class Lender::Server {
 public:
  Server(OnRefused on_refused, http::Patience patience) : on_refused_(std::move(on_refused)), patience_(patience) {
    std::random_device random;
    for (auto& number : key_) number = random();
    server_.new_task_queue = [] { return new Connections; };
    server_.set_keep_alive_max_count(1);           // an idle connection would hold a thread
    server_.set_keep_alive_timeout(kIdleSeconds);  // until its first request, too
    server_.set_read_timeout(kIdleSeconds);
    server_.set_payload_max_length(0);
    server_.set_tcp_nodelay(true);
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return httplib::Server::HandlerResponse::Handled;
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    if (port_ <= 0) return;
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      has_ended_ = true;
    });
    while (!server_.is_running() && !has_ended_) std::this_thread::yield();  // else stop() would be too early
  }
  ~Server() {
    is_over_ = true;
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  bool listens() const { return port_ > 0 && !has_ended_; }

  std::string address_of(const std::string& name, Duration good_for) const {
    const auto until = now_in_seconds() + std::chrono::duration_cast<std::chrono::seconds>(good_for).count();
    const std::string lent = std::to_string(until) + "/" + name;
    return "http://127.0.0.1:" + std::to_string(port_) + "/" + signature_of(lent) + "/" +
           http::percent_encoded(lent, "/");
  }

 private:
  std::string signature_of(const std::string& lent) const {
    const std::string_view key(reinterpret_cast<const char*>(key_.data()), sizeof key_);
    return hex_digits(hash::hmac_sha256(key, lent));
  }

  // The name, of an address that is still good; else "".
  std::string name_of(const std::string& path) const {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string given = path.substr(std::min<std::size_t>(1, end), end - 1);
    const std::string lent = path.substr(std::min(end + 1, path.size()));
    const std::string right = signature_of(lent);
    if (given.size() != right.size() || CRYPTO_memcmp(given.data(), right.data(), right.size()) != 0) return "";
    std::int64_t until = 0;
    std::from_chars(lent.data(), lent.data() + lent.size(), until);
    return now_in_seconds() <= until ? lent.substr(lent.find('/') + 1) : "";
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    constexpr int kForbidden = 403;
    response.status = kForbidden;
    const std::string asked = name_of(request.path);
    const auto name = parse_name(asked);
    const auto url = name ? hdfs::address_of(*name) : name.error();
    if (!url) return;
    const auto file = std::make_shared<RemoteFile>(*url, &is_over_, patience_);
    const auto state = file->look();
    if (!state) {
      on_refused_(asked, state.error());
      response.status = status_of(state.error());
      return;
    }
    response.status = -1;  // as the ranges want it
    response.set_header("ETag", state->version);
    const auto provide = [this, asked, file, state = *state](std::size_t offset, std::size_t length,
                                                             httplib::DataSink& sink) {
      if (offset >= state.size) return false;  // the library takes ranges as they come, also from behind the end
      std::vector<char> bytes(
          static_cast<std::size_t>(std::min<std::uint64_t>({length, kPieceBytes, state.size - offset})));
      const auto got = file->read(state, offset, bytes.size(), bytes.data());
      if (!got) on_refused_(asked, got.error());
      return got && sink.write(bytes.data(), bytes.size());
    };
    response.set_content_provider(state->size, "application/octet-stream", provide);
  }

  const OnRefused on_refused_;
  const http::Patience patience_;
  std::array<unsigned, 8> key_{};
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> has_ended_ = false;  // it listens no longer, or has failed to
  BoundedServer server_;
  int port_ = -1;
  std::thread thread_;
};

Lender::Lender(OnRefused on_refused, Duration good_for, http::Patience patience)
    : on_refused_(std::move(on_refused)), good_for_(good_for), patience_(patience) {}
Lender::~Lender() = default;

Result<std::string> Lender::lend(const std::string& name) {
  if (!server_) server_ = std::make_unique<Server>(on_refused_, patience_);
  if (server_->listens()) return server_->address_of(name, good_for_);
  server_.reset();
  return failed("this machine has no port for the files of HDFS");
}

}  // namespace ontime::hdfs
