#include "common/http/server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#include <atomic>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <cerrno>
#include <csignal>
#include <limits>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/units.h"
#include "common/http/server_stream.h"
#include "common/http/url.h"

namespace ontime::http {
namespace {

namespace beast = boost::beast::http;

constexpr std::size_t kAskedBytesMax = 64u << 10;  // browsers send the cookies of all servers of a host
constexpr std::size_t kPieceBytes = 4u << 20;
constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr int kChanged = 412, kOutOfRange = 416, kPart = 206;

// The visitors that hold a thread, by the age of their requests. Threads: any.
class Visits {
 public:
  using Number = std::uint64_t;
  Number begin(int socket) {
    const std::lock_guard lock(mutex_);
    sockets_.emplace(next_, socket);
    return next_++;
  }
  // The visitor's next request begins. False if it has been sent away.
  bool renew(Number& number, int socket) {
    const std::lock_guard lock(mutex_);
    if (sockets_.erase(number) == 0) return false;
    number = next_++;
    sockets_.emplace(number, socket);
    return true;
  }
  void end(Number number) {  // before its socket is closed
    const std::lock_guard lock(mutex_);
    sockets_.erase(number);
  }
  // Whatever it does with its socket fails at once; false if nobody is there.
  bool send_oldest_away() {
    const std::lock_guard lock(mutex_);
    if (sockets_.empty()) return false;
    ::shutdown(sockets_.begin()->second, SHUT_RDWR);
    sockets_.erase(sockets_.begin());
    return true;
  }

 private:
  std::mutex mutex_;
  std::map<Number, int> sockets_;
  Number next_ = 0;
};

std::map<std::string, std::string> parameters_of(std::string_view query) {
  std::map<std::string, std::string> parameters;
  while (!query.empty()) {
    std::string one(query.substr(0, query.find('&')));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    std::replace(one.begin(), one.end(), '+', ' ');
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::size_t value = std::min(equals + 1, one.size());
    if (!one.empty()) parameters.emplace(percent_decoded(one.substr(0, equals)), percent_decoded(one.substr(value)));
  }
  return parameters;
}

struct Heard {
  Asked asked;
  bool has_content = false;  // which nobody reads, so that it would be taken for the next request
  bool is_last = false;
};

// `head`: with the empty line at its end. Nothing: it is no HTTP.
std::optional<Heard> heard(std::string_view head) {
  beast::request_parser<beast::empty_body> parser;
  parser.header_limit(kAskedBytesMax);
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());  // it is not read
  boost::system::error_code error;
  parser.put(boost::asio::const_buffer(head.data(), head.size()), error);
  if ((error && error != beast::error::need_more) || !parser.is_header_done()) return std::nullopt;
  const auto& request = parser.get();
  const std::string_view target(request.target().data(), request.target().size());
  if (!target.starts_with('/')) return std::nullopt;
  const std::size_t path = std::min(target.find('?'), target.size());
  Heard result;
  result.asked.method = std::string(request.method_string());
  result.asked.path = percent_decoded(target.substr(0, path));
  result.asked.parameters = parameters_of(target.substr(std::min(path + 1, target.size())));
  for (const auto& field : request) result.asked.fields.emplace(field.name_string(), field.value());
  const Fields& fields = result.asked.fields;
  result.has_content = fields.contains("Content-Length") || fields.contains("Transfer-Encoding");
  result.is_last = result.has_content || !parser.keep_alive();
  return result;
}

// All of the next request's head, without what comes behind it.
std::optional<std::string> next_head(ServerStream& stream, std::string& there) {
  for (std::size_t searched = 0;;) {
    const std::size_t end = there.find(kEndOfHead, searched);
    if (end != there.npos) {
      std::string head = there.substr(0, end + kEndOfHead.size());
      there.erase(0, head.size());
      return head;
    }
    searched = there.size() - std::min(there.size(), kEndOfHead.size() - 1);
    if (there.size() > kAskedBytesMax || !stream.read_some(there)) return std::nullopt;
  }
}

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// "bytes=2-5", "bytes=2-" or "bytes=-5". Nothing: all is sent instead. Empty: there are no such bytes.
std::optional<Range> range_of(std::string_view wanted, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  const std::size_t dash = wanted.find('-');
  if (!wanted.starts_with(kUnit) || dash == wanted.npos) return std::nullopt;
  const std::string_view first = wanted.substr(kUnit.size(), dash - kUnit.size());
  const std::string_view last = wanted.substr(dash + 1);
  const auto begin = number_in<std::uint64_t>(first);
  const auto end = number_in<std::uint64_t>(last);
  if (first.empty() && end) return Range{size - std::min(size, *end), size};
  if (!begin || (!end && !last.empty()) || (end && *end < *begin)) return std::nullopt;
  return *begin >= size ? Range{} : Range{*begin, end ? std::min(size - 1, *end) + 1 : size};
}

// What is sent of a reply that has a function.
Range sent_range(const Asked& asked, Reply& reply) {
  const std::string size = std::to_string(reply.size);
  const auto wanted = asked.method == "GET" ? range_of(asked.field("Range"), reply.size) : std::nullopt;
  reply.fields.emplace("Accept-Ranges", "bytes");
  if (const auto match = asked.fields.find("If-Match");
      match != asked.fields.end() && match->second != reply.fields["ETag"]) {
    reply.status = kChanged;
    return {};
  }
  if (!wanted) return {0, reply.size};
  const bool is_there = wanted->begin < wanted->end;
  reply.status = is_there ? kPart : kOutOfRange;
  reply.fields["Content-Range"] =
      "bytes " + (is_there ? std::to_string(wanted->begin) + "-" + std::to_string(wanted->end - 1) : std::string("*")) +
      "/" + size;
  return *wanted;
}

std::string head_of(const Reply& reply, std::uint64_t length, bool is_last) {
  const auto reason = beast::obsolete_reason(beast::int_to_status(static_cast<unsigned>(reply.status)));
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " " + std::string(reason) + "\r\n";
  for (const auto& [name, value] : reply.fields) head += name + ": " + value + "\r\n";
  head += "Content-Length: " + std::to_string(length) + "\r\n";
  return head + (is_last ? "Connection: close" : "Connection: keep-alive") + std::string(kEndOfHead);
}

}  // namespace

std::string Asked::field(const char* name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

struct RequestServer::State {
  void serve(int socket);
  void serve_requests(int socket, ServerStream& stream, Visits::Number& number);
  bool reply_to(const Asked& asked, ServerStream& stream, Reply reply, bool is_last) const;

  const ServerLimits limits;
  const Answering answer;
  const std::shared_ptr<ssl_ctx_st> tls;
  const bool wants_certificate;
  Visits visits{};
  std::mutex mutex{};
  int listener = -1;  // while it runs
  std::atomic<bool> is_over = false;
};

bool RequestServer::State::reply_to(const Asked& asked, ServerStream& stream, Reply reply, bool is_last) const {
  const bool is_read = static_cast<bool>(reply.read);
  Range range = is_read ? sent_range(asked, reply) : Range{0, reply.body.size()};
  const std::string head = head_of(reply, range.end - range.begin, is_last);
  stream.allow(limits.answer);
  if (!stream.write(head)) return false;
  if (asked.method == "HEAD") return true;
  if (!is_read) return stream.write(reply.body);
  std::vector<char> bytes;
  for (; range.begin < range.end; range.begin += bytes.size()) {
    bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, range.end - range.begin)));
    if (!reply.read(range.begin, bytes)) return false;
    stream.allow(limits.answer);
    if (!stream.write({bytes.data(), bytes.size()})) return false;
  }
  return true;
}

void RequestServer::State::serve_requests(int socket, ServerStream& stream, Visits::Number& number) {
  std::string there;
  for (unsigned left = limits.requests_max; left > 0 && !is_over; --left) {
    stream.allow(limits.idle);
    if ((there.empty() && !stream.has_more()) || !visits.renew(number, socket)) return;
    stream.allow(limits.head);
    const auto head = next_head(stream, there);
    if (!head) return;
    auto request = heard(*head);
    const bool is_last = !request || request->is_last || left == 1;
    if (!request) {
      reply_to({}, stream, {.status = 400}, is_last);
    } else {
      request->asked.address = stream.address();
      request->asked.shows_certificate = stream.shows_certificate();
      if (!reply_to(request->asked, stream, answer(request->asked), is_last)) return;
    }
    if (!request || request->has_content) return stream.end(limits.idle);
    if (is_last) return;
  }
}

void RequestServer::State::serve(int socket) {
  sigset_t no_reader;  // OpenSSL would raise it where the visitor is gone
  sigemptyset(&no_reader);
  sigaddset(&no_reader, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &no_reader, nullptr);
  Visits::Number number = visits.begin(socket);
  if (!is_over) {
    ServerStream stream(socket, tls.get(), wants_certificate);
    stream.allow(limits.head);
    if (stream.shake_hands()) serve_requests(socket, stream, number);
  }
  visits.end(number);
  ::shutdown(socket, SHUT_RDWR);
}

RequestServer::RequestServer(ServerLimits limits, Answering answer, std::shared_ptr<ssl_ctx_st> tls,
                             bool wants_certificate)
    : state_(std::make_unique<State>(limits, std::move(answer), std::move(tls), wants_certificate)) {}
RequestServer::~RequestServer() = default;

void RequestServer::run(Descriptor listener) {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    state.listener = listener.get();
  }
  const bool waits = state.limits.when_full == WhenFull::Wait;
  asio::thread_pool threads(state.limits.threads);
  std::counting_semaphore<> room(static_cast<std::ptrdiff_t>(state.limits.threads));
  std::atomic<std::size_t> there = 0;
  while (!state.is_over) {
    if (waits) room.acquire();
    auto visitor =
        std::make_shared<Descriptor>(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (visitor->get() < 0) {
      constexpr auto kPause = std::chrono::milliseconds(10);
      if (waits) room.release();
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        std::this_thread::sleep_for(kPause);
      continue;
    }
    const int yes = 1;
    ::setsockopt(visitor->get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (there.fetch_add(1) >= state.limits.threads) state.visits.send_oldest_away();
    asio::post(threads, [&, visitor = std::move(visitor)] {
      state.serve(visitor->get());
      there.fetch_sub(1);
      if (waits) room.release();
    });
  }
  {
    const std::lock_guard lock(state.mutex);
    state.listener = -1;
  }
  while (state.visits.send_oldest_away()) {
  }
  threads.join();
}

void RequestServer::stop() {
  const std::lock_guard lock(state_->mutex);
  state_->is_over = true;
  if (state_->listener >= 0) ::shutdown(state_->listener, SHUT_RDWR);
  while (state_->visits.send_oldest_away()) {
  }
}

}  // namespace ontime::http
