#include "tests/machines/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "common/http/url.h"
#include "tests/machines/network.h"
#include "tests/machines/programs.h"

namespace ontime::lab::machines {
namespace {

using http::percent_decoded;

constexpr std::size_t kRequestBytesMax = 16u << 20;

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// What lies before `separator`, which is taken off too; all if it is not there.
std::string_view take(std::string_view& text, std::string_view separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(std::min(at + separator.size(), text.size()));
  return before;
}

HttpRequest parse(std::string_view head) {
  HttpRequest request;
  std::string_view line = take(head, "\r\n");
  request.method = take(line, " ");
  std::string_view target = take(line, " ");
  request.path = percent_decoded(take(target, "?"));
  while (!target.empty()) {
    std::string_view value = take(target, "&");
    const std::string_view name = take(value, "=");
    request.query[percent_decoded(name)] = percent_decoded(value);
  }
  while (!head.empty()) {
    std::string_view value = take(head, "\r\n");
    const std::string_view name = take(value, ":");
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    request.headers[in_lower_case(name)] = value;
  }
  return request;
}

std::size_t number_in(const std::string& text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string to_bytes(const HttpAnswer& answer) {
  std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " -\r\n";
  for (const auto& [name, value] : answer.headers) text += name + ": " + value + "\r\n";
  const std::size_t size = answer.size.value_or(answer.content.size());
  return text + "Content-Length: " + std::to_string(size) + "\r\n\r\n" + answer.content;
}

// One side of HTTP/1.1: requests are read from a connection, by plain calls on a descriptor, which simulated processes
// make.
class HttpReader {
 public:
  explicit HttpReader(int connection) : connection_(connection) {}
  // None at the end of the connection, after a silence of `patience`, and for what is no request.
  std::optional<HttpRequest> next(Duration patience);

 private:
  bool read_more(Duration patience);

  const int connection_;
  std::string bytes_;  // that came and belong to the next request
};

bool HttpReader::read_more(Duration patience) {
  pollfd waiting{connection_, POLLIN, 0};
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(patience);
  if (::poll(&waiting, 1, static_cast<int>(limit.count())) <= 0) return false;
  char more[16384];
  const ssize_t size = ::recv(connection_, more, sizeof more, 0);
  if (size > 0) bytes_.append(more, static_cast<std::size_t>(size));
  return size > 0 && bytes_.size() <= kRequestBytesMax;
}

std::optional<HttpRequest> HttpReader::next(Duration patience) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  std::size_t end = 0;
  while ((end = bytes_.find(kEnd)) == bytes_.npos) {
    if (!read_more(patience)) return std::nullopt;
  }
  HttpRequest request = parse(std::string_view(bytes_).substr(0, end + 2));
  bytes_.erase(0, end + kEnd.size());
  const std::size_t size = number_in(request.header("content-length"));
  while (bytes_.size() < size) {
    if (!read_more(patience)) return std::nullopt;
  }
  request.content = bytes_.substr(0, size);
  bytes_.erase(0, size);
  return request;
}

constexpr Duration kIdleMax = std::chrono::seconds(20);  // of a connection

}  // namespace

std::string HttpRequest::header(const char* name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

// One connection, on a thread of the server's process.
class HttpServer::Session {
 public:
  Session(HttpServer& server, int connection)
      : server_(server),
        world_(World::here()->world()),
        connection_(connection),
        socket_(std::static_pointer_cast<TcpSocket>(World::here()->process().at(connection))) {}

  void run() {
    HttpReader reader(connection_);
    while (const auto request = reader.next(kIdleMax)) {
      if (!answer(*request)) break;
    }
    ::close(connection_);
  }

 private:
  bool happens(double share) { return share > 0 && world_.uniform() < share; }

  bool answer(const HttpRequest& request) {
    const std::uint32_t from = socket_->remote().host;
    const Trouble& trouble = server_.trouble;
    const auto place = server_.under_way_.insert(server_.under_way_.end(), &request);
    if (trouble.slower_by > Duration(0)) {
      const double longer = world_.uniform() * seconds(trouble.slower_by);
      World::here()->sleep_until(world_.now() + from_seconds(longer));
    }
    server_.on_request(request, from, Moment::Come);
    const bool is_refused = happens(trouble.refuses);
    const bool breaks_off = happens(trouble.breaks_off);
    const bool is_done = !(is_refused && trouble.status != 500) && !((is_refused || breaks_off) && happens(0.5));
    HttpAnswer answer = server_.refusal(trouble.status);
    if (is_done) {
      HttpAnswer done = server_.perform(request, !socket_->has_peer());
      if (!is_refused) answer = std::move(done);
    }
    server_.under_way_.erase(place);
    if (request.method == "HEAD") answer.content.clear();
    server_.on_request(request, from, Moment::Done);
    const std::string bytes = to_bytes(answer);
    if (!breaks_off) return send(bytes);
    if (is_done) static_cast<void>(send(bytes.substr(0, bytes.size() - answer.content.size() / 2 - 1)));
    socket_->resets_when_closed = true;
    return false;
  }

  bool send(const std::string& bytes) {
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t size = ::send(connection_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (size <= 0) return false;
      sent += static_cast<std::size_t>(size);
    }
    return true;
  }

  HttpServer& server_;
  World& world_;
  const int connection_;
  const std::shared_ptr<TcpSocket> socket_;
};

std::string HttpServer::endpoint() const {
  return "http://" + dotted(machine_.address()) + ":" + std::to_string(kPort);
}

Process& HttpServer::start() {
  Process& process = cluster_.start(machine_, name_, [this] { return serve(); });
  process.is_limited = false;
  return process;
}

int HttpServer::serve() {
  under_way_.clear();  // of a process that was killed
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return 1;
  ::listen(listener, 128);
  for (int connection = 0; (connection = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    const int on = 1;  // clients whose machine has lost its power never say so
    ::setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    std::thread([this, connection] { Session(*this, connection).run(); }).detach();
  }
  return 1;
}

bool HttpServer::is_under_way(const HttpRequest& request) const {
  const auto is_it = [&](const HttpRequest* other) { return other == &request; };
  const auto is_same = [&](const HttpRequest* other) {
    return other->method == request.method && other->path == request.path;
  };
  return std::any_of(under_way_.begin(), std::find_if(under_way_.begin(), under_way_.end(), is_it), is_same);
}

}  // namespace ontime::lab::machines
