// Records that end with a text of 1 to 64 bytes, found from left to right; the last may lack it.
#include <algorithm>
#include <charconv>
#include <string>

#include "common/records/formats.h"

namespace ontime::records {
namespace {

constexpr std::size_t kDelimiterMost = 64;

class Delimited final : public app::RecordFormat {
 public:
  explicit Delimited(std::string delimiter) : delimiter_(std::move(delimiter)), overlaps_(overlaps(delimiter_)) {}

  std::size_t look_back() const override { return overlaps_ ? 4 * delimiter_.size() : delimiter_.size(); }

  Search find_begin(const Window& window, std::uint64_t from) const override {
    const auto at = first_free_place(window, from);
    if (!at) return Search::needs_before();
    for (std::size_t begin = *at;;) {
      const std::size_t found = window.bytes.find(delimiter_, begin);
      if (found == window.bytes.npos) break;
      begin = found + delimiter_.size();
      if (window.offset + begin >= from) return Search::found(window.offset + begin);
    }
    return window.is_end ? Search::found(window.offset + window.bytes.size()) : Search::needs_behind();
  }

  std::optional<std::size_t> find_end(const Window& window) const override {
    const std::size_t found = window.bytes.find(delimiter_);
    if (found != window.bytes.npos) return found + delimiter_.size();
    return window.is_end ? std::optional(window.bytes.size()) : std::nullopt;
  }

  std::string_view text(std::string_view record) const override {
    if (record.ends_with(delimiter_)) record.remove_suffix(delimiter_.size());
    return record;
  }

 private:
  static bool overlaps(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text.starts_with(text.substr(i))) return true;
    }
    return false;
  }

  // A place in the window, no later than a delimiter may begin that ends at `from`, over which no delimiter reaches:
  // a search from there finds those that one from the input's begin finds.
  std::optional<std::size_t> first_free_place(const Window& window, std::uint64_t from) const {
    const std::uint64_t latest = from - std::min<std::uint64_t>(from, delimiter_.size());
    if (latest >= window.offset) {
      if (!overlaps_) return static_cast<std::size_t>(latest - window.offset);
      for (auto at = static_cast<std::size_t>(latest - window.offset);; --at) {
        if (window.offset + at == 0 || (at + 1 >= delimiter_.size() && is_free(window.bytes, at))) return at;
        if (at == 0) break;
      }
    }
    return std::nullopt;
  }

  bool is_free(std::string_view bytes, std::size_t at) const {
    for (std::size_t begin = at + 1 - delimiter_.size(); begin < at; ++begin) {
      if (bytes.substr(begin).starts_with(delimiter_)) return false;
    }
    return true;
  }

  const std::string delimiter_;
  const bool overlaps_;  // with itself: "\n\n" does, in "\n\n\n"
};

}  // namespace

std::optional<std::string> unescaped(std::string_view text) {
  constexpr std::string_view kNames = "nrt0\\";
  constexpr std::string_view kBytes("\n\r\t\0\\", 5);
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    if (const std::size_t known = kNames.find(text[i]); known != kNames.npos) {
      bytes += kBytes[known];
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    if (text[i] != 'x' || digits.size() < 2) return std::nullopt;
    if (std::from_chars(digits.begin(), digits.end(), byte, 16).ptr != digits.end()) return std::nullopt;
    bytes += static_cast<char>(byte);
    i += 2;
  }
  return bytes;
}

Made make_delimited(std::string_view argument) {
  auto bytes = unescaped(argument);
  if (!bytes || bytes->empty() || bytes->size() > kDelimiterMost)
    return bad_input(
        "A delimiter has 1 to 64 bytes, in which \\n, \\r, \\t, \\0, \\\\ and \\xHH stand for one, as in "
        "delimiter:\\r\\n.");
  if (*bytes == "\n") return make_lines("");
  return make<Delimited>(std::move(*bytes));
}

}  // namespace ontime::records
