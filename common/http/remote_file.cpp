#include "common/http/remote_file.h"

#include <httplib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/units.h"
#include "common/http/take_rest.h"

namespace ontime::http {
namespace {

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
  const auto size = number_in<std::uint64_t>(std::string_view(text).substr(slash + 1));
  if (!size) return std::nullopt;
  const std::string_view range = std::string_view(text).substr(kUnit.size(), slash - kUnit.size());
  if (range == "*") return ContentRange{std::nullopt, *size};
  const auto first = number_in<std::uint64_t>(range.substr(0, range.find('-')));
  if (!first) return std::nullopt;
  return ContentRange{first, *size};
}

std::string version_of(const httplib::Response& response) {
  if (response.has_header("ETag")) return response.get_header_value("ETag");
  if (response.has_header("Last-Modified")) return "modified " + response.get_header_value("Last-Modified");
  return "";
}

}  // namespace

RemoteFile::RemoteFile(Url url, const std::atomic<bool>* is_over, Patience patience)
    : url_(std::move(url)), connection_(url_.origin, is_over, patience) {}

Answer<State> RemoteFile::look() {
  State state;
  const httplib::Headers headers{{"Range", "bytes=0-0"}, {"Accept-Encoding", "identity"}};
  const auto once = [&](httplib::ClientImpl& client) -> Try {
    Watchdog watchdog = connection_.watchdog();
    watchdog.guard(&client);
    std::optional<Failure> failure;
    const auto on_answer = [&](const httplib::Response& response) {
      const auto range = content_range(response);
      if ((response.status == 206 || response.status == 416) && range) {
        state = {range->size, version_of(response), true};
        return response.status == 206;
      }
      if (response.status == 200 && response.has_header("Content-Length")) {
        const auto size = number_in<std::uint64_t>(response.get_header_value("Content-Length"));
        if (size)
          state = {*size, version_of(response), false};
        else
          failure = Failure{Trouble::Refused, "the server says no size that can be counted"};
      } else if (response.status == 200 || response.status == 206) {
        failure =
            Failure{Trouble::Refused,
                    "the server neither sends parts of it nor tells its size; download the file and name the copy"};
      } else {
        failure = failure_of(response);
      }
      return false;
    };
    state = {~std::uint64_t{0}, "", true};
    const auto result = client.Get(url_.target, headers, on_answer, [](const char*, std::size_t) { return true; });
    if (failure) return {failure};
    if (!result && result.error() != httplib::Error::Canceled) return {failure_of(result.error(), url_.origin)};
    if (state.size == ~std::uint64_t{0}) return {failure_of(httplib::Error::Read, url_.origin)};
    return {};
  };
  if (auto looked = connection_.insist(once); !looked) return std::move(looked).error();
  return state;
}

Answer<void> RemoteFile::read(const State& state, std::uint64_t offset, std::uint64_t size, Sink& to) {
  std::uint64_t got = 0;
  const auto once = [&](httplib::ClientImpl& client) -> Try {
    Watchdog watchdog = connection_.watchdog();
    watchdog.guard(&client);
    std::optional<Failure> failure;
    bool is_plain = false;
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
        failure = failure_of(response);
      }
      is_plain = may_take_rest(client, response, size - got);
      return !failure;
    };
    GuardedSink sink(to, size - got, connection_, watchdog, client);
    const auto on_bytes = [&](const char* bytes, std::size_t count) {
      const bool is_first = sink.added() == 0;  // which may be what the library has read together with the head
      if (!put(sink, bytes, count)) return false;
      if (is_first || !is_plain) return true;
      take_rest(client.socket(), size - got - sink.added(), sink);
      return false;
    };
    const auto result = client.Get(url_.target, headers, on_answer, on_bytes);
    const auto bytes = static_cast<std::size_t>(sink.added());
    got += bytes;
    if (failure) return {failure, bytes};
    if (got == size || sink.is_full()) return {};
    if (watchdog.has_bitten()) return {Failure{Trouble::Unavailable, "the server is silent or too slow"}, bytes};
    return {failure_of(result ? httplib::Error::Read : result.error(), url_.origin), bytes};
  };
  return connection_.insist(once);
}

Answer<void> RemoteFile::read_whole(const State& state, const std::function<bool(std::string_view)>& take) {
  std::uint64_t taken = 0;
  bool is_enough = false;
  const auto once = [&](httplib::ClientImpl& client) -> Try {
    const std::uint64_t before = taken;
    Watchdog watchdog = connection_.watchdog();
    watchdog.guard(&client);
    std::uint64_t at = 0;
    std::optional<Failure> failure;
    httplib::Headers headers{{"Accept-Encoding", "identity"}};
    if (state.version.starts_with('"')) headers.emplace("If-Match", state.version);
    const auto on_answer = [&](const httplib::Response& response) {
      const auto size = number_in<std::uint64_t>(response.get_header_value("Content-Length"));
      if (response.status == 412 ||
          (response.status == 200 && (size != state.size || version_of(response) != state.version))) {
        failure = Failure{Trouble::Changed, "it is another version now"};
      } else if (response.status != 200) {
        failure = failure_of(response);
      }
      watchdog.attend(&client);  // who takes the bytes may let them wait, and a slow server would begin anew each time
      return !failure;
    };
    const auto on_bytes = [&](const char* bytes, std::size_t count) {
      const std::size_t known = static_cast<std::size_t>(std::min<std::uint64_t>(count, taken - at));
      at += count;
      if (known == count) return !connection_.is_over();
      taken += count - known;
      is_enough = !take({bytes + known, count - known});
      return !is_enough && !connection_.is_over();
    };
    const auto result = client.Get(url_.target, headers, on_answer, on_bytes);
    if (failure) return {failure};
    if (is_enough || taken == state.size) return {};
    return {failure_of(result ? httplib::Error::Read : result.error(), url_.origin),
            static_cast<std::size_t>(taken - before)};
  };
  return connection_.insist(once);
}

}  // namespace ontime::http
