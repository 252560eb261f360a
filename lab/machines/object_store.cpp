#include "lab/machines/object_store.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "common/base/crc32c.h"
#include "common/s3/access.h"
#include "lab/machines/network.h"
#include "lab/machines/programs.h"

namespace ontime::lab::machines {
namespace {

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

// "%41" is "A".
std::string decoded(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char value = 0;
    const char* const digits = text.data() + i + 1;
    const bool is_code =
        text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    plain += is_code ? static_cast<char>(value) : text[i];
    i += is_code ? 2 : 0;
  }
  return plain;
}

HttpRequest parse(std::string_view head) {
  HttpRequest request;
  std::string_view line = take(head, "\r\n");
  request.method = take(line, " ");
  std::string_view target = take(line, " ");
  request.path = decoded(std::string(take(target, "?")));
  while (!target.empty()) {
    std::string_view value = take(target, "&");
    const std::string_view name = take(value, "=");
    request.query[decoded(std::string(name))] = decoded(std::string(value));
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

std::string version_of(const std::string& bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "\"%08x-%zx\"", crc32c(bytes), bytes.size());
  return text;
}

HttpAnswer error(int status, const std::string& code) {
  return {status, {}, "<Error><Code>" + code + "</Code><Message>as the schedule wants it</Message></Error>"};
}
HttpAnswer no_such_key() { return error(404, "NoSuchKey"); }

struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
};

// "bytes=0-99"; none for anything else.
std::optional<Range> range_in(const std::string& text) {
  constexpr std::string_view kUnit = "bytes=";
  Range range;
  if (!text.starts_with(kUnit)) return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data() + kUnit.size(), end, range.first);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto last = std::from_chars(first.ptr + 1, end, range.last);
  return last.ec == std::errc() && last.ptr == end && range.first <= range.last ? std::optional(range) : std::nullopt;
}

std::string key_in(const std::string& path) {
  const std::string bucket = std::string("/") + ObjectStore::kBucket + "/";
  return path.starts_with(bucket) ? path.substr(bucket.size()) : "";
}

}  // namespace

std::string HttpRequest::header(const char* name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

// One connection, on a thread of the store's process.
class ObjectStore::Session {
 public:
  Session(ObjectStore& store, int connection)
      : store_(store),
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
    const Trouble& trouble = store_.trouble;
    if (trouble.slower_by > Duration(0)) {
      const double longer = world_.uniform() * seconds(trouble.slower_by);
      World::here()->sleep_until(world_.now() + from_seconds(longer));
    }
    store_.on_request(request, from, Moment::Come);
    const bool is_refused = happens(trouble.refuses);
    const bool breaks_off = happens(trouble.breaks_off);
    const bool is_done = !(is_refused && trouble.status != 500) && !((is_refused || breaks_off) && happens(0.5));
    HttpAnswer answer = error(trouble.status, "SlowDown");
    if (is_done) {
      HttpAnswer done = store_.perform(request, !socket_->has_peer());
      if (!is_refused) answer = std::move(done);
    }
    if (request.method == "HEAD") answer.content.clear();
    store_.on_request(request, from, Moment::Done);
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

  ObjectStore& store_;
  World& world_;
  const int connection_;
  const std::shared_ptr<TcpSocket> socket_;
};

std::string ObjectStore::endpoint() const {
  return "http://" + dotted(machine_.address()) + ":" + std::to_string(kPort);
}

void ObjectStore::name_in_environment() const {
  for (const char* name : {"AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN", "AWS_NO_SIGN_REQUEST", "TMPDIR"})
    ::unsetenv(name);
  ::setenv("AWS_ENDPOINT_URL", endpoint().c_str(), 1);
  ::setenv("AWS_ACCESS_KEY_ID", "AKIDLAB", 1);
  ::setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
  ::setenv("AWS_REGION", "us-east-1", 1);
  ::setenv("AWS_CONFIG_FILE", "/dev/null", 1);
  s3::Access::of_process();  // read now: who is killed while it reads would leave half of it
}

Process& ObjectStore::start() {
  Process& process = cluster_.start(machine_, "store", [this] { return serve(); });
  process.is_limited = false;
  return process;
}

int ObjectStore::serve() {
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

void ObjectStore::put(const std::string& key, std::string bytes) {
  std::string version = version_of(bytes);
  objects_[key] = {std::move(bytes), std::move(version), false};
}

void ObjectStore::set(const std::string& key, const Object* after) {
  const auto found = objects_.find(key);
  std::optional<Object> before;
  if (found != objects_.end()) before = found->second;
  if (after != nullptr) objects_[key] = *after;
  if (after == nullptr) objects_.erase(key);
  on_change(key, before ? &*before : nullptr, after);
}

HttpAnswer ObjectStore::perform(const HttpRequest& request, bool is_late) {
  const std::string key = key_in(request.path);
  if (key.empty()) return list(request);
  if (request.method == "PUT") return write(request, key, is_late);
  if (request.method != "DELETE") return read(request, key);
  if (objects_.contains(key)) set(key, nullptr);
  return {204};
}

HttpAnswer ObjectStore::list(const HttpRequest& request) const {
  const auto value = [&](const char* name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? std::string() : found->second;
  };
  if (value("list-type") != "2") return error(501, "NotImplemented");
  const std::string prefix = value("prefix");
  const std::string from = value("continuation-token");
  const std::size_t most = std::min<std::size_t>(kPageMax, std::strtoull(value("max-keys").c_str(), nullptr, 10));
  std::string items;
  std::string next;
  std::size_t count = 0;
  for (auto at = objects_.lower_bound(std::max(prefix, from));
       at != objects_.end() && at->first.starts_with(prefix) && next.empty(); ++at) {
    const auto& [key, object] = *at;
    if (count++ == most) {
      next = key;
    } else {
      items += "<Contents><Key>" + key + "</Key><Size>" + std::to_string(object.bytes.size()) + "</Size><ETag>" +
               object.version + "</ETag></Contents>";
    }
  }
  if (!next.empty()) items += "<NextContinuationToken>" + next + "</NextContinuationToken>";
  const std::string is_truncated = next.empty() ? "false" : "true";
  return {200, {}, "<ListBucketResult><IsTruncated>" + is_truncated + "</IsTruncated>" + items + "</ListBucketResult>"};
}

HttpAnswer ObjectStore::read(const HttpRequest& request, const std::string& key) const {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return no_such_key();
  const auto& [bytes, version, is_late] = found->second;
  const std::string wanted = request.header("if-match");
  if (!wanted.empty() && wanted != version) return error(412, "PreconditionFailed");
  HttpAnswer answer{200, {{"ETag", version}}, bytes, bytes.size()};
  const auto range = range_in(request.header("range"));
  if (range && range->first >= bytes.size()) {
    answer = error(416, "InvalidRange");
    answer.headers = {{"Content-Range", "bytes */" + std::to_string(bytes.size())}};
  } else if (range) {
    const std::size_t last = std::min(range->last, bytes.size() - 1);
    answer.status = 206;
    answer.content = bytes.substr(range->first, last - range->first + 1);
    answer.size = answer.content.size();
    answer.headers["Content-Range"] =
        "bytes " + std::to_string(range->first) + "-" + std::to_string(last) + "/" + std::to_string(bytes.size());
  }
  return answer;
}

HttpAnswer ObjectStore::write(const HttpRequest& request, const std::string& key, bool is_late) {
  if (request.header("if-none-match") == "*" && objects_.contains(key)) return error(412, "PreconditionFailed");
  Object object{request.content, "", is_late};
  const std::string source = request.header("x-amz-copy-source");
  if (!source.empty()) {
    const auto found = objects_.find(key_in(decoded(source)));
    if (found == objects_.end()) return no_such_key();
    object.bytes = found->second.bytes;
  }
  object.version = version_of(object.bytes);
  set(key, &object);
  return {200, {{"ETag", object.version}}, source.empty() ? "" : "<CopyObjectResult/>"};
}

}  // namespace ontime::lab::machines
