#include "common/hdfs/lender.h"

#include <netinet/in.h>
#include <openssl/crypto.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <random>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "common/base/descriptor.h"
#include "common/base/environment.h"
#include "common/base/wording.h"
#include "common/hash/sha256.h"
#include "common/hdfs/file_system.h"
#include "common/hdfs/name.h"
#include "common/http/server.h"

namespace ontime::hdfs {
namespace {

std::int64_t now_in_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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
    Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (::bind(listener.get(), generic, size) != 0 || ::listen(listener.get(), SOMAXCONN) != 0 ||
        ::getsockname(listener.get(), generic, &size) != 0)
      return;
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, to = std::move(listener)]() mutable { server_.run(std::move(to)); });
  }
  ~Server() {
    is_over_ = true;
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  bool listens() const { return thread_.joinable(); }

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

  http::Reply answer(const http::Asked& request) {
    constexpr int kForbidden = 403;
    const std::string asked = name_of(request.path);
    const auto name = parse_name(asked);
    const auto url = name ? hdfs::address_of(*name) : name.error();
    if (!url) return {.status = kForbidden};
    const auto file = std::make_shared<RemoteFile>(*url, &is_over_, patience_);
    const auto state = file->look();
    if (!state) {
      on_refused_(asked, state.error());
      return {.status = status_of(state.error())};
    }
    const auto read = [this, asked, file, state = *state](std::uint64_t offset, std::span<char> piece) {
      const auto got = file->read(state, offset, piece.size(), piece.data());
      if (!got) on_refused_(asked, got.error());
      return static_cast<bool>(got);
    };
    return {.fields = {{"ETag", state->version}}, .size = state->size, .read = read};
  }

  const OnRefused on_refused_;
  const http::Patience patience_;
  std::array<unsigned, 8> key_{};
  std::atomic<bool> is_over_ = false;
  http::RequestServer server_{{}, [this](const http::Asked& request) { return answer(request); }};
  int port_ = 0;
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
