#include "common/http/remote_file.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/units.h"
#include "common/http/client.h"

namespace ontime::http {
namespace {

// "bytes 0-99/1234", or "bytes */1234" of a range that there is not.
struct ContentRange {
  std::optional<std::uint64_t> first;
  std::uint64_t size = 0;
};
std::optional<ContentRange> content_range(const Head& head) {
  const std::string text = head.field("Content-Range");
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

std::string version_of(const Head& head) {
  if (head.fields.contains("ETag")) return head.field("ETag");
  if (head.fields.contains("Last-Modified")) return "modified " + head.field("Last-Modified");
  return "";
}

// Gives what comes to a function, which ends it by false.
class TakenSink final : public Sink {
 public:
  explicit TakenSink(const std::function<bool(std::string_view)>& take) : take_(take) {}
  std::span<char> room() override { return is_enough_ ? std::span<char>() : std::span(piece_); }
  void add(std::size_t size) override { is_enough_ = !take_({piece_.data(), size}); }

 private:
  const std::function<bool(std::string_view)>& take_;
  std::vector<char> piece_ = std::vector<char>(128u << 10);
  bool is_enough_ = false;
};

}  // namespace

RemoteFile::RemoteFile(Url url, const std::atomic<bool>* is_over, Patience patience)
    : url_(std::move(url)), connection_(url_.origin, is_over, patience) {}

Answer<State> RemoteFile::look() {
  State state;
  const auto once = [&](Client& client) -> Try {
    std::optional<Failure> failure;
    bool is_known = false;
    std::string content;
    TextSink sink(content, 1);
    const auto on_head = [&](const Head& head) -> Sink* {
      const auto range = content_range(head);
      const auto size = number_in<std::uint64_t>(head.field("Content-Length"));
      is_known = true;
      if ((head.status == 206 || head.status == 416) && range) {
        state = {range->size, version_of(head), true};
      } else if (head.status == 200 && size) {
        state = {*size, version_of(head), false};
      } else if (head.status == 200 && head.fields.contains("Content-Length")) {
        failure = Failure{Trouble::Refused, "the server says no size that can be counted"};
      } else if (head.status == 200 || head.status == 206) {
        failure =
            Failure{Trouble::Refused,
                    "the server neither sends parts of it nor tells its size; download the file and name the copy"};
      } else {
        failure = failure_of(head);
      }
      return head.status == 206 ? &sink : nullptr;
    };
    const Ending ending =
        client.send({"GET", url_.target, {{"Range", "bytes=0-0"}, {"Accept-Encoding", "identity"}}}, on_head);
    if (failure || is_known) return {failure};
    return {failure_of(ending, url_.origin)};
  };
  if (auto looked = connection_.insist(once); !looked) return std::move(looked).error();
  return state;
}

Answer<void> RemoteFile::read(const State& state, std::uint64_t offset, std::uint64_t size, Sink& to) {
  std::uint64_t got = 0;
  const auto once = [&](Client& client) -> Try {
    std::optional<Failure> failure;
    Fields fields{{"Range", "bytes=" + std::to_string(offset + got) + "-" + std::to_string(offset + size - 1)},
                  {"Accept-Encoding", "identity"}};
    if (state.version.starts_with('"')) fields.emplace("If-Match", state.version);
    CountedSink sink(to, size - got);
    const auto on_head = [&](const Head& head) -> Sink* {
      const auto range = content_range(head);
      if (head.status == 412 || head.status == 416 || (range && range->size != state.size) ||
          (head.status == 206 && version_of(head) != state.version)) {
        failure = Failure{Trouble::Changed, "it is another version now"};
      } else if (head.status == 206 && (!range || range->first != offset + got)) {
        failure = Failure{Trouble::Unavailable, "the server sends another part than the one that was asked for"};
      } else if (head.status == 200) {
        failure = Failure{Trouble::Unavailable, "the server ignores ranges"};
      } else if (head.status != 206) {
        failure = failure_of(head);
      }
      return failure ? nullptr : &sink;
    };
    const Ending ending = client.send({"GET", url_.target, fields}, on_head);
    got += sink.added();
    if (!failure && (got == size || ending == Ending::Unwanted)) return {};
    return {failure ? failure : failure_of(ending, url_.origin), static_cast<std::size_t>(sink.added())};
  };
  return connection_.insist(once);
}

Answer<void> RemoteFile::read_whole(const State& state, const std::function<bool(std::string_view)>& take) {
  std::uint64_t taken = 0;
  const auto once = [&](Client& client) -> Try {
    const std::uint64_t before = taken;
    std::uint64_t at = 0;
    std::optional<Failure> failure;
    Fields fields{{"Accept-Encoding", "identity"}};
    if (state.version.starts_with('"')) fields.emplace("If-Match", state.version);
    const std::function<bool(std::string_view)> take_new = [&](std::string_view bytes) {
      const std::uint64_t known = std::min<std::uint64_t>(bytes.size(), taken - at);
      at += bytes.size();
      taken = std::max(taken, at);
      bytes.remove_prefix(static_cast<std::size_t>(known));
      return bytes.empty() || take(bytes);
    };
    TakenSink sink(take_new);
    const auto on_head = [&](const Head& head) -> Sink* {
      const auto size = number_in<std::uint64_t>(head.field("Content-Length"));
      if (head.status == 412 || (head.status == 200 && (size != state.size || version_of(head) != state.version))) {
        failure = Failure{Trouble::Changed, "it is another version now"};
      } else if (head.status != 200) {
        failure = failure_of(head);
      }
      return failure ? nullptr : &sink;
    };
    // A slow server would begin anew each time.
    const Ending ending = client.send({.target = url_.target, .fields = fields, .has_time = true}, on_head);
    if (!failure && (ending == Ending::Unwanted || taken == state.size)) return {};
    return {failure ? failure : failure_of(ending, url_.origin), static_cast<std::size_t>(taken - before)};
  };
  return connection_.insist(once);
}

}  // namespace ontime::http
