// Records that end with empty lines, all of them; those before the first text are the first record's.
#include "common/records/formats.h"

namespace ontime::records {
namespace {

constexpr std::string_view kEnds = "\r\n";

// Where the line ends that begins at `at`; npos: behind the bytes.
std::size_t line_end(std::string_view bytes, std::size_t at) {
  const std::size_t feed = bytes.find('\n', at);
  return feed == bytes.npos ? feed : feed + 1;
}

bool is_empty(std::string_view line) { return line == "\n" || line == "\r\n"; }

// From the line that begins at `at`, behind text or not: where the first line with text begins that follows an empty
// one that follows text, at or behind `place`. Nothing: not in these bytes.
std::optional<std::size_t> next_begin(const Window& window, std::size_t at, bool is_behind_text, std::size_t place) {
  const std::string_view bytes = window.bytes;
  for (bool has_ended = false; at < bytes.size();) {
    const std::size_t end = line_end(bytes, at);
    const std::string_view line = bytes.substr(at, end - at);
    if (line == "\r") break;  // of an empty one that is not all here, or the last byte, which is no text
    if (is_empty(line)) {
      has_ended = is_behind_text;
    } else {
      if (has_ended && at >= place) return at;
      is_behind_text = true;
      has_ended = false;
    }
    at = end;
  }
  return std::nullopt;
}

class Paragraphs final : public app::RecordFormat {
 public:
  std::size_t look_back() const override { return 4; }

  Search find_begin(const Window& window, std::uint64_t from) const override {
    const auto place = static_cast<std::size_t>(from - window.offset);
    std::size_t text = place;  // where the last text before `from` ends
    while (text > 0 && kEnds.find(window.bytes[text - 1]) != kEnds.npos) --text;
    if (text == 0 && window.offset > 0) return Search::needs_before();
    const std::size_t line = text > 0 ? line_end(window.bytes, text - 1) : 0;
    if (const auto begin = next_begin(window, line, text > 0, place)) return Search::found(window.offset + *begin);
    return window.is_end ? Search::found(window.offset + window.bytes.size()) : Search::needs_behind();
  }

  std::optional<std::size_t> find_end(const Window& window) const override {
    if (const auto begin = next_begin(window, 0, false, 0)) return begin;
    return window.is_end ? std::optional(window.bytes.size()) : std::nullopt;
  }

  std::string_view text(std::string_view record) const override {
    const std::size_t begin = record.find_first_not_of(kEnds);
    return begin == record.npos ? std::string_view() : record.substr(begin, record.find_last_not_of(kEnds) + 1 - begin);
  }
};

}  // namespace

Made make_paragraphs(std::string_view argument) {
  if (!argument.empty()) return bad_input("paragraph takes no argument.");
  return make<Paragraphs>();
}

}  // namespace ontime::records
