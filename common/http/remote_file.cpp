#include "common/http/remote_file.h"

#include <httplib.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "common/base/random.h"

namespace ontime::http {
namespace {

using Clock = std::chrono::steady_clock;

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "bytes 0-99/1234", or "bytes */1234" of a range that there is not.
struct ContentRange {
  std::optional<std::uint64_t> first;
  std::uint64_t size = 0;
};
std::optional<ContentRange> content_range(const httplib::Response& response) {
  const std::string text = response.get_header_value("Content-Range");
  constexpr std::string_view kUnit = "bytes ";
  const std::size_t slash = text.find('/');
  if (!text.starts_with(kUnit) || slash == text.npos) return std::nullopt;
  const auto size = number_of(std::string_view(text).substr(slash + 1));
  if (!size) return std::nullopt;
  const std::string_view range = std::string_view(text).substr(kUnit.size(), slash - kUnit.size());
  if (range == "*") return ContentRange{std::nullopt, *size};
  const auto first = number_of(range.substr(0, range.find('-')));
  if (!first) return std::nullopt;
  return ContentRange{first, *size};
}

std::string version_of(const httplib::Response& response) {
  if (response.has_header("ETag")) return response.get_header_value("ETag");
  if (response.has_header("Last-Modified")) return "modified " + response.get_header_value("Last-Modified");
  return "";
}

bool may_pass(int status) { return status == 408 || status == 429 || (status >= 500 && status != 501); }

std::string answered(const httplib::Response& response) {
  return "the server answers " + std::to_string(response.status) + " " + response.reason;
}

std::string broken(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout:
      return "the server cannot be reached";
    case httplib::Error::SSLServerVerification:
    case httplib::Error::SSLLoadingCerts:
      return "the certificate of the server cannot be verified";
    case httplib::Error::SSLConnection:
      return "the server speaks no TLS that is understood here";
    default:
      return "the connection broke or was silent for too long";
  }
}

}  // namespace

class RemoteFile::Connection {
 public:
  Connection(const std::string& origin, const Patience& patience, Duration silence) : client_(origin) {
    client_.set_connection_timeout(patience.connect);
    client_.set_read_timeout(silence);
    client_.set_write_timeout(silence);
    client_.set_keep_alive(true);
    client_.set_decompress(false);
  }
  httplib::Client& client() { return client_; }

 private:
  httplib::Client client_;
};

// What one request has come to.
struct RemoteFile::Try {
  std::optional<Failure> failure;  // none: all is there
  std::size_t bytes = 0;           // that came, wanted ones only
};

RemoteFile::RemoteFile(Url url, const std::atomic<bool>* is_over, Patience patience)
    : url_(std::move(url)),
      is_over_(is_over),
      patience_(patience),
      jitter_(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count())) {}
RemoteFile::~RemoteFile() = default;

// Until `once` succeeds, meets something that will not pass, or has brought nothing so many times in a row.
template <class Once>
Answer<void> RemoteFile::insist(Once&& once) {
  SplitMix64 chance(jitter_);
  for (unsigned in_vain = 0;;) {
    const Duration silence = std::min(patience_.silence * (1u << in_vain), patience_.silence_max);
    if (!connection_) connection_ = std::make_unique<Connection>(url_.origin, patience_, silence);
    const Try result = once(connection_->client());
    if (!result.failure) return {};
    connection_.reset();
    if (result.failure->trouble != Trouble::Unavailable) return *result.failure;
    in_vain = result.bytes > 0 ? 0 : in_vain + 1;
    if (in_vain >= patience_.tries || is_over()) return *result.failure;
    const auto longest = static_cast<std::uint64_t>((patience_.pause * (1u << in_vain)).count());
    jitter_ = chance.next();
    std::this_thread::sleep_for(Duration(static_cast<Duration::rep>(longest / 4 + chance.below(longest / 4 + 1))));
  }
}

Answer<State> RemoteFile::look() {
  State state;
  const httplib::Headers headers{{"Range", "bytes=0-0"}, {"Accept-Encoding", "identity"}};
  const auto once = [&](httplib::Client& client) -> Try {
    std::optional<Failure> failure;
    const auto on_answer = [&](const httplib::Response& response) {
      const auto range = content_range(response);
      if ((response.status == 206 || response.status == 416) && range) {
        state = {range->size, version_of(response)};
        return response.status == 206;
      }
      const bool is_whole = response.status == 200 && response.get_header_value("Content-Length") != "0";
      if (response.status == 200 && !is_whole) {
        state = {0, version_of(response)};
      } else if (is_whole || response.status == 206) {
        failure =
            Failure{Trouble::Refused,
                    "the server cannot send parts of it (it ignores ranges); download the file and name the copy"};
      } else {
        failure = Failure{may_pass(response.status) ? Trouble::Unavailable : Trouble::Refused, answered(response)};
      }
      return false;
    };
    state = {~std::uint64_t{0}, ""};
    const auto result = client.Get(url_.target, headers, on_answer, [](const char*, std::size_t) { return true; });
    if (failure) return {failure};
    if (!result && result.error() != httplib::Error::Canceled)
      return {Failure{Trouble::Unavailable, broken(result.error())}};
    if (state.size == ~std::uint64_t{0}) return {Failure{Trouble::Unavailable, broken(httplib::Error::Read)}};
    return {};
  };
  if (auto looked = insist(once); !looked) return std::move(looked).error();
  return state;
}

Answer<void> RemoteFile::read(const State& state, std::uint64_t offset, std::size_t size, char* to) {
  std::size_t got = 0;
  const auto once = [&](httplib::Client& client) -> Try {
    const std::size_t before = got;
    const auto began = Clock::now();
    std::optional<Failure> failure;
    httplib::Headers headers{
        {"Range", "bytes=" + std::to_string(offset + got) + "-" + std::to_string(offset + size - 1)},
        {"Accept-Encoding", "identity"}};
    if (state.version.starts_with('"')) headers.emplace("If-Match", state.version);
    const auto on_answer = [&](const httplib::Response& response) {
      const auto range = content_range(response);
      if (response.status == 412 || response.status == 416 || (range && range->size != state.size) ||
          (response.status == 206 && version_of(response) != state.version)) {
        failure = Failure{Trouble::Changed, "it is another version now"};
      } else if (response.status == 206 && (!range || range->first != offset + got)) {
        failure = Failure{Trouble::Unavailable, "the server sends another part than the one that was asked for"};
      } else if (response.status == 200) {
        failure = Failure{Trouble::Unavailable, "the server ignores ranges"};
      } else if (response.status != 206) {
        failure = Failure{may_pass(response.status) ? Trouble::Unavailable : Trouble::Refused, answered(response)};
      }
      return !failure;
    };
    const auto on_bytes = [&](const char* bytes, std::size_t count) {
      count = std::min(count, size - got);
      std::copy_n(bytes, count, to + got);
      got += count;
      const double took = seconds(Clock::now() - began - patience_.silence);
      return !is_over() && took * patience_.bytes_per_second_min <= static_cast<double>(got - before);
    };
    const auto result = client.Get(url_.target, headers, on_answer, on_bytes);
    if (failure) return {failure, got - before};
    if (got == size) return {};
    const bool is_slow = !result && result.error() == httplib::Error::Canceled;
    return {Failure{Trouble::Unavailable,
                    is_slow ? "the server is too slow" : broken(result ? httplib::Error::Read : result.error())},
            got - before};
  };
  return insist(once);
}

}  // namespace ontime::http
