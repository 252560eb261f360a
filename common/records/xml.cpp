// From <TAG to the first </TAG> behind it, or to the end of <TAG .../>. What lies between records belongs to none.
#include <algorithm>
#include <string>

#include "common/records/formats.h"

namespace ontime::records {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kNone = std::string_view::npos;

class Xml final : public app::RecordFormat {
 public:
  explicit Xml(std::string tag) : open_("<" + tag), close_("</" + tag) {}

  std::size_t look_back() const override { return 4096; }

  // The last begin or end of a record before `from` says whether it lies in one.
  Search find_begin(const Window& window, std::uint64_t from) const override {
    const std::string_view bytes = window.bytes;
    auto at = static_cast<std::size_t>(from - window.offset);
    const Search behind = window.is_end ? Search::found(window.offset + bytes.size()) : Search::needs_behind();
    if (!window.is_end && bytes.size() - at <= close_.size()) return behind;
    const std::size_t closed = last(bytes, close_, at);
    const std::size_t opened = last(bytes, open_, at);
    if (closed == kNone && opened == kNone && window.offset > 0) return Search::needs_before();
    if (opened != kNone && (closed == kNone || opened > closed)) {
      const auto size = size_of(bytes.substr(opened));
      if (!size) return behind;
      at = std::max(at, opened + *size);
    }
    const std::size_t next = first(bytes, open_, at);
    return next == kNone ? behind : Search::found(window.offset + next);
  }

  // With blanks behind it.
  std::optional<std::size_t> find_end(const Window& window) const override {
    const auto size = size_of(window.bytes);
    if (!size && window.is_end) throw BadRecord(window.offset, "does not end: there is no " + close_ + ">");
    if (!size) return std::nullopt;
    return std::min(window.bytes.find_first_not_of(kBlanks, *size), window.bytes.size());
  }

  WholeRecords take(const Window& window, std::size_t limit) const override {
    const std::string_view bytes = window.bytes;
    if (const std::size_t next = first(bytes, open_, 0); next > 0) {
      const std::size_t tail = window.is_end ? 0 : std::min(bytes.size(), open_.size());  // may begin a record
      return {std::min({next, bytes.size() - tail, limit}), 0};
    }
    WholeRecords taken;
    while (taken.bytes < limit &&
           first(bytes.substr(0, taken.bytes + open_.size() + 1), open_, taken.bytes) == taken.bytes) {
      const auto end =
          find_end({bytes.substr(taken.bytes), window.offset + taken.bytes, window.is_end, window.longest});
      if (!end) break;
      taken.bytes += *end;
      ++taken.records;
    }
    return taken;
  }

  std::string_view text(std::string_view record) const override {
    return record.substr(0, size_of(record).value_or(0));
  }

 private:
  // <TAG or </TAG, and no longer name.
  static bool is_at(std::string_view bytes, std::string_view name, std::size_t at) {
    const std::size_t behind = at + name.size();
    return behind < bytes.size() &&
           (kBlanks.find(bytes[behind]) != kNone || bytes[behind] == '>' || bytes[behind] == '/');
  }
  static std::size_t first(std::string_view bytes, std::string_view name, std::size_t at) {
    do at = bytes.find(name, at);
    while (at != kNone && !is_at(bytes, name, at++));
    return at == kNone ? kNone : at - 1;
  }
  // That begins before `place`.
  static std::size_t last(std::string_view bytes, std::string_view name, std::size_t place) {
    while (place > 0) {
      const std::size_t at = bytes.rfind(name, place - 1);
      if (at == kNone || is_at(bytes, name, at)) return at;
      place = at;
    }
    return kNone;
  }

  // Of the record at the begin of the bytes, without blanks behind it.
  std::optional<std::size_t> size_of(std::string_view bytes) const {
    char quote = 0;
    for (std::size_t i = open_.size(); i < bytes.size(); ++i) {
      const char byte = bytes[i];
      if (quote != 0) {
        if (byte == quote) quote = 0;
      } else if (byte == '"' || byte == '\'') {
        quote = byte;
      } else if (byte == '>') {
        if (bytes[i - 1] == '/') return i + 1;
        const std::size_t closed = first(bytes, close_, i + 1);
        const std::size_t end = closed == kNone ? kNone : bytes.find('>', closed);
        return end == kNone ? std::nullopt : std::optional(end + 1);
      }
    }
    return std::nullopt;
  }

  const std::string open_;
  const std::string close_;
};

}  // namespace

Made make_xml(std::string_view argument) {
  constexpr std::string_view kNotInNames = " \t\r\n<>/\"'=&";
  if (argument.empty() || argument.size() > 256 || argument.find_first_of(kNotInNames) != kNone)
    return bad_input("xml needs the name of an element, as in xml:page.");
  return make<Xml>(std::string(argument));
}

}  // namespace ontime::records
