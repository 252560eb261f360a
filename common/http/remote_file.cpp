#include "common/http/remote_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/units.h"
#include "common/base/wording.h"
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

Failure another_version() { return {Trouble::Changed, "it is another version now"}; }

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

// The begin of what comes. More than that is counted, up to a bound.
class BeginSink final : public Sink {
 public:
  BeginSink(std::string& begin, std::uint64_t bytes_max) : begin_(begin), bytes_max_(bytes_max) {}
  std::span<char> room() override { return bytes_ >= bytes_max_ ? std::span<char>() : std::span(piece_); }
  void add(std::size_t size) override {
    begin_.append(piece_.data(), std::min(size, kKept - std::min(kKept, begin_.size())));
    bytes_ += size;
  }
  std::uint64_t bytes() const { return bytes_; }
  static constexpr std::size_t kKept = 16u << 10;

 private:
  std::string& begin_;
  const std::uint64_t bytes_max_;
  std::uint64_t bytes_ = 0;
  std::array<char, 16u << 10> piece_;
};

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

Result<Url> redirected(const Url& from, std::string_view location) {
  std::string to(location.substr(0, location.find('#')));
  const std::size_t scheme = to.find("://");
  if (to.starts_with("//"))
    to.insert(0, from.origin.substr(0, from.origin.find("//")));
  else if (to.starts_with('/'))
    to.insert(0, from.origin);
  else if (to.starts_with('?'))
    to.insert(0, from.origin + from.path);
  else if (scheme == to.npos || scheme > to.find_first_of("/?"))
    to.insert(0, from.origin + from.path.substr(0, from.path.rfind('/') + 1));
  return parse_url(to);
}

RemoteFile::RemoteFile(Url url, const std::atomic<bool>* is_over, Patience patience, Redirects redirects)
    : asked_(std::move(url)),
      url_(asked_),
      is_over_(is_over),
      patience_(patience),
      redirects_(redirects),
      connection_(std::make_unique<Connection>(url_.origin, is_over, patience)) {}

void RemoteFile::go_to(const Url& url) {
  if (url.origin != url_.origin) connection_ = std::make_unique<Connection>(url.origin, is_over_, patience_);
  url_ = url;
}

std::optional<Failure> RemoteFile::refusal_of(const Head& head) {
  if (is_redirect(head.status) && redirects_ == Redirects::Followed && head.fields.contains("Location")) {
    Failure failure = failure_of(head);
    auto next = redirected(url_, head.field("Location"));
    if (!next)
      failure.message += " and redirects to what is no address of a file: " + words_of(next.error().message);
    else if (url_.origin.starts_with("https:") && !next->origin.starts_with("https:"))
      failure.message += " and redirects from HTTPS to HTTP, at " + words_of(next->origin);
    else
      next_ = std::move(*next);
    is_for_public_ = is_for_public_ || !head.is_private;
    return failure;
  }
  const std::string encoding = head.field("Content-Encoding");
  const bool is_stored = encoding.empty() || encoding == "identity" || encoding == "gzip" || encoding == "x-gzip";
  if (head.status / 100 != 2 || is_stored) return std::nullopt;
  return Failure{Trouble::Refused, "the server sends it encoded as " + words_of(encoding) +
                                       ", though it was asked not to; download the file and name the copy"};
}

Answer<void> RemoteFile::insist(const std::function<Try(Client&)>& once) {
  for (int redirects = 0;;) {
    next_.reset();
    auto done = connection_->insist(once);
    if (done) return done;
    if (next_ && redirects++ == kRedirectsMax)
      return Failure{Trouble::Refused, "the server redirects more than " + std::to_string(kRedirectsMax) +
                                           " times, at last to " + words_of(next_->origin)};
    // An address that a server redirects to may be good for some minutes only.
    const bool has_moved = url_.origin != asked_.origin || url_.target != asked_.target;
    const int status = done.error().status;
    const bool may_have_expired = has_moved && redirects == 0 && status / 100 == 4 && status != 412 && status != 416;
    if (!next_ && !may_have_expired) return done;
    if (may_have_expired) ++redirects;
    go_to(next_ ? *next_ : asked_);
  }
}

struct RemoteFile::Looking {
  State state{};
  std::string begin{};
  std::optional<Failure> failure{};
  bool is_known = false;
  bool has_no_size = false;  // and so all of it has to come
  Sink* sink = nullptr;
};

// What the head of an answer to a look says.
void RemoteFile::take_look(const Head& head, Looking& looking) {
  looking.failure = refusal_of(head);
  if (looking.failure) return;
  const auto range = content_range(head);
  const auto size = number_in<std::uint64_t>(head.field("Content-Length"));
  if ((head.status == 206 || head.status == 416) && range) {
    looking.state = {range->size, version_of(head), true};
    looking.is_known = true;
  } else if (head.status == 200 && size) {
    looking.state = {*size, version_of(head), false};
    looking.is_known = true;
  } else if (head.status == 200 && head.fields.contains("Content-Length")) {
    looking.failure = Failure{Trouble::Refused, "the server says no size that can be counted"};
  } else if (head.status == 200) {
    looking.state = {0, version_of(head), false};
    looking.has_no_size = true;
  } else if (head.status == 206) {
    looking.failure = Failure{Trouble::Unavailable, "the server sends parts and tells no size"};
    looking.has_no_size = true;
  } else {
    looking.failure = failure_of(head);
  }
}

Answer<State> RemoteFile::look() {
  if (is_all_here()) return *looked_;
  bool wants_all = false;
  Looking looking;
  const auto once = [&](Client& client) -> Try {
    looking = {};
    BeginSink sink(looking.begin, kUntoldBytesMax);
    const auto on_head = [&](const Head& head) -> Sink* {
      take_look(head, looking);
      if (looking.failure || (looking.is_known && head.status == 416)) return nullptr;
      return head.status == 206 || looking.has_no_size || looking.state.size <= BeginSink::kKept ? &sink : nullptr;
    };
    Fields fields{{"Accept-Encoding", "identity"}};
    if (!wants_all) fields.emplace("Range", "bytes=0-" + std::to_string(BeginSink::kKept - 1));
    const Ending ending = client.send(
        {.target = url_.target, .fields = fields, .has_time = true, .is_for_public = is_for_public_}, on_head);
    wants_all = wants_all || (looking.failure && looking.has_no_size);
    if (looking.failure) return {looking.failure, static_cast<std::size_t>(sink.bytes())};
    if (looking.is_known) return {};
    if (looking.has_no_size && ending == Ending::Whole) {
      looking.state.size = sink.bytes();
      return {};
    }
    if (looking.has_no_size && ending == Ending::Unwanted)
      return {Failure{Trouble::Refused, "the server tells no size, and it has more than 4 GiB; name a copy of it"}};
    return {failure_of(ending, url_.origin)};
  };
  if (auto looked = insist(once); !looked) return std::move(looked).error();
  if (url_.origin != asked_.origin || url_.target != asked_.target) looking.state.moved_to = url_.origin + url_.target;
  looking.begin.resize(static_cast<std::size_t>(std::min<std::uint64_t>(looking.begin.size(), looking.state.size)));
  begin_ = std::move(looking.begin);
  looked_ = looking.state;
  return looking.state;
}

Answer<void> RemoteFile::read(const State& state, std::uint64_t offset, std::uint64_t size, Sink& to) {
  std::uint64_t got = 0;
  if (looked_ && *looked_ == state && size <= begin_.size() && offset <= begin_.size() - size) {
    for (std::span<char> room; got < size && !(room = to.room()).empty();) {
      const std::size_t count =
          begin_.copy(room.data(), std::min<std::uint64_t>(room.size(), size - got), offset + got);
      to.add(count);
      got += count;
    }
    return {};
  }
  const auto once = [&](Client& client) -> Try {
    std::optional<Failure> failure;
    Fields fields{{"Range", "bytes=" + std::to_string(offset + got) + "-" + std::to_string(offset + size - 1)},
                  {"Accept-Encoding", "identity"}};
    if (state.version.starts_with('"')) fields.emplace("If-Match", state.version);
    CountedSink sink(to, size - got);
    const auto on_head = [&](const Head& head) -> Sink* {
      const auto range = content_range(head);
      failure = refusal_of(head);
      if (failure) return nullptr;
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
    const Ending ending =
        client.send({.target = url_.target, .fields = fields, .is_for_public = is_for_public_}, on_head);
    got += sink.added();
    if (!failure && (got == size || ending == Ending::Unwanted)) return {};
    return {failure ? failure : failure_of(ending, url_.origin), static_cast<std::size_t>(sink.added())};
  };
  return insist(once);
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
      if (at > state.size) failure = another_version();  // of a server that tells no size
      if (failure) return false;
      taken = std::max(taken, at);
      bytes.remove_prefix(static_cast<std::size_t>(known));
      return bytes.empty() || take(bytes);
    };
    TakenSink sink(take_new);
    const auto on_head = [&](const Head& head) -> Sink* {
      const auto size = number_in<std::uint64_t>(head.field("Content-Length"));
      const bool has_size = !head.fields.contains("Content-Length") || size == state.size;
      failure = refusal_of(head);
      if (failure) return nullptr;
      if (head.status == 412 || (head.status == 200 && (!has_size || version_of(head) != state.version))) {
        failure = another_version();
      } else if (head.status != 200) {
        failure = failure_of(head);
      }
      return failure ? nullptr : &sink;
    };
    // A slow server would begin anew each time.
    const Ending ending = client.send(
        {.target = url_.target, .fields = fields, .has_time = true, .is_for_public = is_for_public_}, on_head);
    if (!failure && (ending == Ending::Unwanted || taken == state.size)) return {};
    if (!failure && ending == Ending::Whole) failure = another_version();  // it is shorter
    return {failure ? failure : failure_of(ending, url_.origin), static_cast<std::size_t>(taken - before)};
  };
  return insist(once);
}

}  // namespace ontime::http
