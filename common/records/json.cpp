// JSON documents one behind another, with or without blanks between them, or the elements of one array. Brackets and
// quotes are counted, and what else tells where a document begins is checked; whether the rest is JSON is for the
// mapper to say. A string holds no line feed, so behind one all is known but how deep it lies. Where no line ends,
// a reader that takes strings for what is between them soon finds words that cannot be. And a value that stands behind
// another, without a comma or colon between them, is a document. An element of an array can only be told from the
// input's begin.
#include <algorithm>
#include <bit>
#include <string>

#include "common/records/formats.h"
#include "common/records/json_bits.h"

namespace ontime::records {
namespace {

constexpr std::string_view kMark = "\xef\xbb\xbf";            // of UTF-8, at the begin of a file
constexpr std::string_view kWordBegins = "-0123456789tfnNI";  // with NaN and Infinity, which many write
constexpr std::string_view kBehindScalar = " \t\r\n,:[]{}\"";

BadRecord broken(std::uint64_t offset, std::uint64_t at, const std::string& how) {
  return {offset, "is no JSON: at byte " + std::to_string(at) + how};
}

BadRecord impossible(const Window& window, std::size_t at) {
  const bool is_feed = window.bytes[at] == '\n';
  return broken(window.offset, window.offset + at,
                is_feed ? " a line ends inside a string" : " stands a backslash outside of a string");
}

// Behind the string whose first quote stands at `at`.
std::size_t string_end(const Window& window, std::size_t at) {
  const std::string_view bytes = window.bytes;
  for (++at;; at += 2) {
    at = bytes.find_first_of("\"\\\n", at);
    if (at == bytes.npos || bytes[at] == '"') return at == bytes.npos ? bytes.npos : at + 1;
    if (bytes[at] == '\n') throw impossible(window, at);
    if (bytes.substr(at + 1, 1) == "\n") throw impossible(window, at + 1);
  }
}

bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

// The byte before the blanks before `at`; none if there is none.
std::size_t before_blanks(std::string_view bytes, std::size_t at) {
  while (at > 0 && is_blank(bytes[at - 1])) --at;
  return at > 0 ? at - 1 : bytes.npos;
}

// The first byte from `at` on that is no blank; none if there is none.
std::size_t behind_blanks(std::string_view bytes, std::size_t at = 0) {
  while (at < bytes.size() && is_blank(bytes[at])) ++at;
  return at < bytes.size() ? at : bytes.npos;
}

std::string_view without_blanks(std::string_view bytes) {
  bytes = bytes.substr(0, before_blanks(bytes, bytes.size()) + 1);
  return bytes.substr(std::min(behind_blanks(bytes), bytes.size()));
}

bool leads(char byte) { return byte == ',' || byte == ':' || byte == '[' || byte == '{'; }

// Goes over the bits that are set, while `step` says so.
template <class Step>
bool for_each_bit(std::uint64_t bits, Step step) {
  for (; bits != 0; bits &= bits - 1) {
    if (!step(static_cast<std::size_t>(std::countr_zero(bits)))) return false;
  }
  return true;
}

BadRecord no_value(const Window& window, std::size_t at) {
  return broken(window.offset, window.offset + at,
                " stands '" + std::string(1, window.bytes[at]) + "' where a value begins");
}

void check_tokens(const Window& window, std::size_t step, const JsonBits& bits, std::uint64_t of) {
  for_each_bit(bits.impossible & of, [&](std::size_t bit) -> bool { throw impossible(window, step + bit); });
  for_each_bit(bits.words & of, [&](std::size_t bit) {
    if (kWordBegins.find(window.bytes[step + bit]) == kWordBegins.npos) throw no_value(window, step + bit);
    return true;
  });
}

void check_nested(const Window& window, std::size_t step, const JsonBits& bits, std::uint64_t of) {
  check_tokens(window, step, bits, of);
  for_each_bit(bits.begins & ~bits.follow & of, [&](std::size_t bit) {
    const std::size_t before = before_blanks(window.bytes, step + bit);
    if (before != std::string_view::npos && !leads(window.bytes[before]))
      throw broken(window.offset, window.offset + step + bit, " a value follows another without a comma");
    return true;
  });
}

// Behind the array or object that begins at `at`, the first byte of the window that is not blank.
std::size_t nested_end(const Window& window, std::size_t at) {
  JsonScanner scanner;
  std::string open;
  for (; at < window.bytes.size(); at += JsonScanner::kStep) {
    const JsonBits bits = scanner.next(window.bytes.substr(at));
    std::uint64_t of = ~std::uint64_t{0};  // up to the value's end
    const bool goes_on = for_each_bit(bits.open | bits.close, [&](std::size_t bit) {
      const char byte = window.bytes[at + bit];
      if ((bits.open >> bit & 1) != 0) {
        open += byte;
        return true;
      }
      if (open.back() != (byte == ']' ? '[' : '{'))
        throw broken(window.offset, window.offset + at + bit,
                     " stands '" + std::string(1, byte) + "' where another bracket is open");
      open.pop_back();
      if (open.empty()) of >>= 63 - bit;
      return !open.empty();
    });
    check_nested(window, at, bits, of);
    if (!goes_on) return at + static_cast<std::size_t>(std::bit_width(of));
  }
  return std::string_view::npos;
}

// Behind the number or word that begins at `at`; there if none does.
std::size_t word_end(const Window& window, std::size_t at) {
  const std::size_t end = window.bytes.find_first_of(kBehindScalar, at);
  if (kWordBegins.find(window.bytes[at]) == kWordBegins.npos) throw no_value(window, at);
  const std::size_t backslash = window.bytes.substr(0, end).find('\\', at);
  if (backslash != std::string_view::npos) throw impossible(window, backslash);
  return end == std::string_view::npos && window.is_end ? window.bytes.size() : end;
}

// Behind the value that begins at `at`, or std::string_view::npos if the bytes do not hold its end.
std::size_t value_end(const Window& window, std::size_t at) {
  const char first = window.bytes[at];
  const bool is_nested = first == '[' || first == '{';
  const std::size_t end = is_nested      ? nested_end(window, at)
                          : first == '"' ? string_end(window, at)
                                         : word_end(window, at);
  if (end == std::string_view::npos && window.is_end)
    throw BadRecord(window.offset, "is no JSON: the file ends inside it");
  return end;
}

class Json final : public app::RecordFormat, public Marked {
 public:
  explicit Json(bool is_array) : Marked(is_array ? kElementBegins : 0), is_array_(is_array) {}

  app::RecordShape shape() const override { return {app::RecordShape::Kind::Json}; }
  std::size_t look_back() const override { return is_array_ ? kFromTheBegin : 4096; }

  Search find_begin(const Window& window, std::uint64_t from) const override {
    const auto place = static_cast<std::size_t>(from - window.offset);
    const std::size_t feed = window.bytes.substr(0, place).rfind('\n');
    if (feed != std::string_view::npos) return search(window, feed + 1, place, JsonScanner());
    if (window.offset == 0) return search(window, behind_mark(window), place, JsonScanner());
    // One of these is right, and those that are left have to agree.
    std::optional<Search> agreed;
    for (const JsonScanner& scanner : {JsonScanner(), JsonScanner(true), JsonScanner(true, true)}) {
      try {
        const Search one = search(window, 0, place, scanner);
        if (agreed && (agreed->result != one.result || agreed->at != one.at)) return Search::needs_before();
        agreed = one;
      } catch (const BadRecord&) {
        // That was not the right one, or there is none.
      }
    }
    return agreed ? *agreed : Search::needs_before();
  }

  // With what separates it from the next one.
  std::optional<std::size_t> find_end(const Window& window) const override {
    const std::size_t begin = behind_blanks(window.bytes);
    if (begin == std::string_view::npos) return window.is_end ? std::optional(window.bytes.size()) : std::nullopt;
    const std::size_t value = value_end(window, begin);
    if (value == std::string_view::npos) return std::nullopt;
    const std::size_t next = behind_blanks(window.bytes, value);
    if (next == std::string_view::npos && !window.is_end) return std::nullopt;
    if (!is_array_) return std::min(next, window.bytes.size());
    if (next == std::string_view::npos) throw BadRecord(window.offset, "is the last one of an array that does not end");
    if (window.bytes[next] == ',') return behind_comma(window, next + 1);
    if (window.bytes[next] != ']')
      throw BadRecord(window.offset, "is followed by '" + std::string(1, window.bytes[next]) + "' at byte " +
                                         std::to_string(window.offset + next) + ", where , or ] is due");
    return end_of_array(window, next + 1);
  }

  WholeRecords take(const Window& window, std::size_t limit) const override {
    const std::size_t before = before_record(window);
    const bool is_begin_of_array = is_array_ && window.offset == 0;
    return before > 0 || is_begin_of_array ? WholeRecords{before, 0} : RecordFormat::take(window, limit);
  }

  // Behind the value stand blanks, and in an array a comma or the closing bracket.
  std::string_view text(std::string_view record) const override {
    record = without_blanks(record);
    if (is_array_ && !record.empty()) record = without_blanks(record.substr(0, record.size() - 1));
    return record;
  }

 private:
  static Search search(const Window& window, std::size_t at, std::size_t place, JsonScanner scanner) {
    for (; at < window.bytes.size(); at += JsonScanner::kStep) {
      const JsonBits bits = scanner.next(window.bytes.substr(at));
      check_tokens(window, at, bits, ~std::uint64_t{0});
      std::optional<Search> found;
      for_each_bit(bits.begins & ~bits.follow, [&](std::size_t bit) {
        if (at + bit >= place) found = document_at(window, at + bit);
        return !found;
      });
      if (found) return *found;
    }
    return window.is_end ? Search::found(window.offset + window.bytes.size()) : Search::needs_behind();
  }

  static std::size_t behind_mark(const Window& window) {
    return window.offset == 0 && window.bytes.starts_with(kMark) ? kMark.size() : 0;
  }

  // Nothing if the value there is no document but lies in one.
  static std::optional<Search> document_at(const Window& window, std::size_t at) {
    const std::size_t before = before_blanks(window.bytes, at);
    if (before == std::string_view::npos && window.offset > 0) return Search::needs_before();
    if (before != std::string_view::npos && leads(window.bytes[before])) return std::nullopt;
    return Search::found(window.offset + at);
  }

  // Bytes before the next record: blanks, and the bracket that opens the array.
  std::size_t before_record(const Window& window) const {
    const std::string_view bytes = window.bytes;
    const std::size_t first = behind_blanks(bytes, behind_mark(window));
    if (!is_array_ || window.offset > 0) return std::min(first, bytes.size());
    if (first == std::string_view::npos) return window.is_end ? bytes.size() : 0;
    if (bytes[first] != '[') throw BadRecord(0, "is no element of an array: the file does not begin with [");
    const std::size_t next = behind_blanks(bytes, first + 1);
    if (next == std::string_view::npos) return 0;
    return bytes[next] == ']' ? end_of_array(window, next + 1).value_or(0) : next;
  }

  // Where the next record begins.
  static std::optional<std::size_t> behind_comma(const Window& window, std::size_t at) {
    const std::size_t next = behind_blanks(window.bytes, at);
    if (next != std::string_view::npos) return next;
    if (window.is_end) throw BadRecord(window.offset, "is the last one of an array that does not end");
    return std::nullopt;
  }

  // Where the input ends, behind the bracket that closes the array.
  static std::optional<std::size_t> end_of_array(const Window& window, std::size_t at) {
    const std::size_t more = behind_blanks(window.bytes, at);
    if (more != std::string_view::npos)
      throw BadRecord(window.offset, "is the last one of an array that something follows, at byte " +
                                         std::to_string(window.offset + more));
    return window.is_end ? std::optional(window.bytes.size()) : std::nullopt;
  }

  const bool is_array_;
};

}  // namespace

Made make_json(std::string_view argument) {
  if (!argument.empty() && argument != "array")
    return bad_input("json is for documents one behind another, and json:array for the elements of one array.");
  return make<Json>(!argument.empty());
}

}  // namespace ontime::records
