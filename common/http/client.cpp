#include "common/http/client.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "common/base/environment.h"
#include "common/base/units.h"

namespace ontime::http {
namespace {

constexpr long kPieceBytes = 256l << 10;  // that are read or sent at a time

template <auto end>
struct EndedBy {
  void operator()(auto* handle) const { end(handle); }
};
using Lines = std::unique_ptr<curl_slist, EndedBy<curl_slist_free_all>>;

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  if (curl_easy_setopt(easy, option, value) != CURLE_OK) throw std::bad_alloc();
}

// What is between a request and its answer. Called back by the library, through which no exception may pass.
class Exchange {
 public:
  Exchange(const Request& request, const Client::OnHead& on_head, Pace& pace, CURL* easy)
      : request_(request), on_head_(on_head), pace_(pace), easy_(easy) {}

  // True once, when all of the content has been given.
  bool is_sent_just_now() { return sent_ == request_.content.size && !std::exchange(is_sent_, true); }
  bool is_unwanted() const { return is_unwanted_; }
  bool is_kept_from_private() const { return is_kept_from_private_; }
  // Those that have come since the last time are the sink's.
  void flush() {
    if (filled_ > 0) sink_->add(std::exchange(filled_, 0));
    room_ = {};
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

  void call_back_from(CURL* easy) {
    set(easy, CURLOPT_OPENSOCKETDATA, this);
    set(
        easy, CURLOPT_OPENSOCKETFUNCTION, +[](void* exchange, curlsocktype, curl_sockaddr* address) {
          return static_cast<Exchange*>(exchange)->open_socket(*address);
        });
    set(easy, CURLOPT_HEADERDATA, this);
    set(
        easy, CURLOPT_HEADERFUNCTION, +[](char* line, std::size_t, std::size_t size, void* exchange) {
          return called(
              exchange,
              [&](Exchange& self) {
                return self.take_line({line, size}) ? size : 0;
              },
              std::size_t{0});
        });
    set(easy, CURLOPT_WRITEDATA, this);
    set(
        easy, CURLOPT_WRITEFUNCTION, +[](char* bytes, std::size_t, std::size_t size, void* exchange) {
          return called(
              exchange,
              [&](Exchange& self) {
                return self.take({bytes, size}) ? size : 0;
              },
              std::size_t{0});
        });
    set(easy, CURLOPT_READDATA, this);
    set(
        easy, CURLOPT_READFUNCTION, +[](char* to, std::size_t, std::size_t size, void* exchange) {
          return called(
              exchange, [&](Exchange& self) { return self.give(to, size); }, std::size_t{CURL_READFUNC_ABORT});
        });
    set(easy, CURLOPT_SEEKDATA, this);
    set(
        easy, CURLOPT_SEEKFUNCTION, +[](void* exchange, curl_off_t offset, int) {
          static_cast<Exchange*>(exchange)->sent_ = static_cast<std::uint64_t>(offset);
          return CURL_SEEKFUNC_OK;
        });
  }

 private:
  template <class Work, class Failed>
  static Failed called(void* exchange, const Work& work, Failed failed) {
    auto& self = *static_cast<Exchange*>(exchange);
    try {
      return work(self);
    } catch (...) {
      self.thrown_ = std::current_exception();
      return failed;
    }
  }

  curl_socket_t open_socket(const curl_sockaddr& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const auto* const at = &address.addr;
    const void* const bytes = address.family == AF_INET6
                                  ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(at)->sin6_addr)
                                  : &reinterpret_cast<const sockaddr_in*>(at)->sin_addr;
    if (request_.is_for_public) {
      const char* const written = ::inet_ntop(address.family, bytes, text.data(), text.size());
      is_kept_from_private_ = written == nullptr || is_private_address(written);
      if (is_kept_from_private_) return CURL_SOCKET_BAD;
    }
    return ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
  }

  // Of heads, of which the last one counts, and what stands behind chunks.
  bool take_line(std::string_view line) {
    head_bytes_ += line.size();
    if (head_bytes_ > kHeadBytesMax) return false;
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    if (sink_ != nullptr) return true;
    if (line.starts_with("HTTP/")) {
      const std::size_t status = std::min(line.find(' ') + 1, line.size());
      head_ = {number_in<int>(line.substr(status, 3)).value_or(0),
               std::string(line.substr(std::min(status + 4, line.size()))),
               {},
               false};
    } else if (line.empty()) {
      if (head_.status / 100 == 1) return true;
      const char* address = nullptr;
      curl_easy_getinfo(easy_, CURLINFO_PRIMARY_IP, &address);
      head_.is_private = is_private_address(address == nullptr ? "" : address);
      sink_ = on_head_(head_);
      is_unwanted_ = sink_ == nullptr;
    } else if (const std::size_t colon = line.find(':'); colon != line.npos) {
      std::string_view value = line.substr(colon + 1);
      while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
      while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
      head_.fields.emplace(line.substr(0, colon), value);
    }
    return !is_unwanted_;
  }

  bool take(std::string_view bytes) {
    pace_.add(bytes.size());
    while (!bytes.empty()) {
      if (filled_ == room_.size()) {
        flush();
        room_ = sink_->room();
        pace_.skip_wait();
      }
      is_unwanted_ = room_.empty();
      if (is_unwanted_) return false;
      const std::size_t count = std::min(bytes.size(), room_.size() - filled_);
      std::memcpy(room_.data() + filled_, bytes.data(), count);
      filled_ += count;
      bytes.remove_prefix(count);
    }
    return true;
  }

  std::size_t give(char* to, std::size_t size) {
    size = static_cast<std::size_t>(std::min<std::uint64_t>(size, request_.content.size - sent_));
    if (size > 0 && !request_.content.read(sent_, size, to)) return CURL_READFUNC_ABORT;
    sent_ += size;
    return size;
  }

  const Request& request_;
  const Client::OnHead& on_head_;
  Pace& pace_;
  CURL* const easy_;
  std::uint64_t sent_ = 0;
  std::size_t head_bytes_ = 0;
  Head head_;
  Sink* sink_ = nullptr;
  std::span<char> room_;
  std::size_t filled_ = 0;  // of the room
  bool is_sent_ = false;
  bool is_unwanted_ = false;
  bool is_kept_from_private_ = false;
  std::exception_ptr thrown_;
};

Lines lines_of(const Request& request) {
  Lines lines;
  const auto add = [&](const std::string& line) {
    curl_slist* const more = curl_slist_append(lines.get(), line.c_str());
    if (more == nullptr) throw std::bad_alloc();
    static_cast<void>(lines.release());
    lines.reset(more);
  };
  for (const auto& [name, value] : request.fields) add(name + ": " + value);
  add("Expect:");  // else it would wait for a word before it sends the content
  return lines;
}

void set_method(CURL* easy, const Request& request) {
  if (request.method == "HEAD") {
    set(easy, CURLOPT_NOBODY, 1L);
  } else if (request.method == "PUT" || request.method == "POST") {
    set(easy, CURLOPT_UPLOAD, 1L);
    set(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.content.size));
  }
  set(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

// What OpenSSL itself would do: a file if the environment names one, and the system's directory.
void set_authorities(CURL* easy) {
  const std::string file = environment_variable("SSL_CERT_FILE"), directory = environment_variable("SSL_CERT_DIR");
  set(easy, CURLOPT_CAINFO, file.empty() ? nullptr : file.c_str());
  if (!directory.empty()) set(easy, CURLOPT_CAPATH, directory.c_str());
}

void set_tls_files(CURL* easy, const TlsFiles& files) {
  if (!files.authority.empty()) {
    set(easy, CURLOPT_CAINFO, files.authority.c_str());
    set(easy, CURLOPT_CAPATH, nullptr);
  }
  if (files.certificate.empty()) return;
  set(easy, CURLOPT_SSLCERT, files.certificate.c_str());
  set(easy, CURLOPT_SSLKEY, files.key.c_str());
}

Ending ending_of(CURLcode code, CURL* easy) {
  long system_error = 0;
  switch (code) {
    case CURLE_OK:
      return Ending::Whole;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return Ending::Untrusted;
    case CURLE_SSL_CERTPROBLEM:
      return Ending::NoCertificate;
    case CURLE_SSL_CONNECT_ERROR:
      return Ending::NoTls;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:  // no line of a status
      return Ending::NoHttp;
    case CURLE_COULDNT_RESOLVE_HOST:
      return Ending::Unknown;
    case CURLE_COULDNT_CONNECT:
      curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &system_error);
      return system_error == ECONNREFUSED ? Ending::Refused : Ending::Unreachable;
    case CURLE_OPERATION_TIMEDOUT:  // of the connecting: there is no other
      return Ending::Unanswered;
    default:
      return Ending::Broken;
  }
}

void set_up(CURL* easy, const Request& request, const std::string& origin, Duration connect_limit) {
  const auto limit = std::chrono::ceil<std::chrono::milliseconds>(connect_limit).count();
  curl_easy_reset(easy);
  set(easy, CURLOPT_URL, (origin + "/").c_str());
  set(easy, CURLOPT_REQUEST_TARGET, request.target.c_str());
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(easy, CURLOPT_USERAGENT, "ontime");
  set(easy, CURLOPT_PROXY, "");  // nor one that the environment names
  set(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_QUICK_EXIT, 1L);  // nobody waits for a name server
  set(easy, CURLOPT_BUFFERSIZE, kPieceBytes);
  set(easy, CURLOPT_UPLOAD_BUFFERSIZE, kPieceBytes);
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limit));
  set_authorities(easy);
  if (request.tls != nullptr) set_tls_files(easy, *request.tls);
  set_method(easy, request);
}

}  // namespace

bool is_private_address(const std::string& address) {
  in6_addr six{};
  in_addr four{};
  if (::inet_pton(AF_INET6, address.c_str(), &six) == 1) {
    if (!IN6_IS_ADDR_V4MAPPED(&six)) {
      const bool is_global = (six.s6_addr[0] & 0xe0) == 0x20;  // 2000::/3 is all that is given to networks
      const bool is_of_tunnel = six.s6_addr[0] == 0x20 && six.s6_addr[1] == 0x02;  // an address of version 4 in it
      return !is_global || is_of_tunnel;
    }
    std::memcpy(&four, six.s6_addr + 12, sizeof(four));
  } else if (::inet_pton(AF_INET, address.c_str(), &four) != 1) {
    return true;
  }
  const std::uint32_t host = ntohl(four.s_addr);
  const auto is_in = [&](std::uint32_t network, unsigned bits) { return (host ^ network) >> (32 - bits) == 0; };
  return is_in(0x00000000, 8) || is_in(0x0a000000, 8) || is_in(0x64400000, 10) || is_in(0x7f000000, 8) ||
         is_in(0xa9fe0000, 16) || is_in(0xac100000, 12) || is_in(0xc0a80000, 16) || is_in(0xc6120000, 15) ||
         host >= 0xe0000000;
}

bool InAnyCase::operator()(const std::string& one, const std::string& other) const {
  return ::strcasecmp(one.c_str(), other.c_str()) < 0;
}

std::string Head::field(const char* name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

struct Client::Handles {
  std::unique_ptr<CURLM, EndedBy<curl_multi_cleanup>> multi{curl_multi_init()};  // keeps the connection
  std::unique_ptr<CURL, EndedBy<curl_easy_cleanup>> easy{curl_easy_init()};      // ends before it
};

Client::Client(std::string origin, Connection& connection)
    : origin_(std::move(origin)), connection_(connection), handles_(std::make_unique<Handles>()) {
  if (!handles_->multi || !handles_->easy) throw std::bad_alloc();
}
Client::~Client() = default;

Ending Client::send(const Request& request, const OnHead& on_head) {
  std::optional<Pace> own;
  if (request.has_time) own.emplace(connection_.silence(), 0);
  Pace& pace = own ? *own : connection_.pace();
  CURL* const easy = handles_->easy.get();
  Exchange exchange(request, on_head, pace, easy);
  CURLM* const multi = handles_->multi.get();
  set_up(easy, request, origin_, connection_.connect_limit());
  const Lines lines = lines_of(request);
  set(easy, CURLOPT_HTTPHEADER, lines.get());
  exchange.call_back_from(easy);
  const auto end = [multi](CURL* under_way) { curl_multi_remove_handle(multi, under_way); };
  if (curl_multi_add_handle(multi, easy) != CURLM_OK) throw std::bad_alloc();
  const std::unique_ptr<CURL, decltype(end)> under_way(easy, end);
  curl_off_t sent = 0;
  // A short request that is made in spite of that, as to clean up, may have its answer.
  const auto first_glance = std::chrono::steady_clock::now() + Connection::kGlance;
  for (int running = 1; running > 0;) {
    curl_multi_perform(multi, &running);
    exchange.flush();
    exchange.rethrow();
    if (exchange.is_unwanted()) return Ending::Unwanted;
    if (running == 0) break;
    const curl_off_t before = sent;
    curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    pace.add(static_cast<std::size_t>(sent - before));
    if (own && request.silence_when_sent > Duration(0) && exchange.is_sent_just_now())
      own.emplace(request.silence_when_sent, 0);
    if (pace.is_late()) return Ending::Silent;
    if (std::chrono::steady_clock::now() >= first_glance && connection_.is_over()) return Ending::Broken;
    const Duration wait = std::clamp<Duration>(pace.until_look(), Duration(0), Connection::kGlance);
    curl_multi_poll(multi, nullptr, 0, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count()),
                    nullptr);
  }
  if (exchange.is_kept_from_private()) return Ending::Private;
  int left = 0;
  const CURLMsg* const message = curl_multi_info_read(multi, &left);
  return message == nullptr ? Ending::Broken : ending_of(message->data.result, easy);
}

}  // namespace ontime::http
