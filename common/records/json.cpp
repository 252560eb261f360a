// JSON documents one behind another, with or without blanks between them, or the elements of one array. Brackets and
// quotes are counted; whether all else is JSON is for the mapper to say. Where a record begins can only be told from
// the input's begin.
#include <algorithm>
#include <string>

#include "common/records/formats.h"

namespace ontime::records {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kBehindScalar = " \t\r\n,:[]{}\"";

// Behind the string whose first quote stands at `at`.
std::size_t string_end(std::string_view bytes, std::size_t at) {
  for (++at;; at += 2) {
    at = bytes.find_first_of("\"\\", at);
    if (at == std::string_view::npos || bytes[at] == '"')
      return at == std::string_view::npos ? std::string_view::npos : at + 1;
  }
}

// Behind the array or object that begins at `at`.
std::size_t nested_end(std::string_view bytes, std::size_t at, std::uint64_t offset) {
  std::string open;
  while ((at = bytes.find_first_of("\"[]{}", at)) != std::string_view::npos) {
    const char byte = bytes[at];
    if (byte == '"') {
      at = string_end(bytes, at);
      if (at == std::string_view::npos) break;
      continue;
    }
    ++at;
    if (byte == '[' || byte == '{') {
      open += byte;
      continue;
    }
    if (open.back() != (byte == ']' ? '[' : '{'))
      throw BadRecord(offset, "is no JSON: at byte " + std::to_string(offset + at - 1) + " stands '" + byte +
                                  "' where another bracket is open");
    open.pop_back();
    if (open.empty()) return at;
  }
  return std::string_view::npos;
}

// Behind the value that begins at `at`, or std::string_view::npos if the bytes do not hold its end.
std::size_t value_end(const Window& window, std::size_t at) {
  const std::string_view bytes = window.bytes;
  std::size_t end = std::string_view::npos;
  if (bytes[at] == '[' || bytes[at] == '{') {
    end = nested_end(bytes, at, window.offset);
  } else if (bytes[at] == '"') {
    end = string_end(bytes, at);
  } else {
    end = bytes.find_first_of(kBehindScalar, at);
    if (end == at)
      throw BadRecord(window.offset, "is no JSON: at byte " + std::to_string(window.offset + at) + " stands '" +
                                         bytes[at] + "' where a value begins");
    if (end == std::string_view::npos && window.is_end) end = bytes.size();
  }
  if (end == std::string_view::npos && window.is_end)
    throw BadRecord(window.offset, "is no JSON: the file ends inside it");
  return end;
}

class Json final : public app::RecordFormat {
 public:
  explicit Json(bool is_array) : is_array_(is_array) {}

  std::size_t look_back() const override { return kFromTheBegin; }
  Search find_begin(const Window&, std::uint64_t) const override { return Search::needs_before(); }

  // With what separates it from the next one.
  std::optional<std::size_t> find_end(const Window& window) const override {
    const std::size_t begin = window.bytes.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return window.is_end ? std::optional(window.bytes.size()) : std::nullopt;
    const std::size_t value = value_end(window, begin);
    if (value == std::string_view::npos) return std::nullopt;
    const std::size_t next = window.bytes.find_first_not_of(kSpace, value);
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

  std::string_view text(std::string_view record) const override {
    const std::size_t begin = std::min(record.find_first_not_of(kSpace), record.size());
    if (begin == record.size()) return {};
    return record.substr(begin, value_end({record, 0, true}, begin) - begin);
  }

 private:
  // Bytes before the next record: blanks, and the bracket that opens the array.
  std::size_t before_record(const Window& window) const {
    const std::string_view bytes = window.bytes;
    const std::size_t first = bytes.find_first_not_of(kSpace);
    if (!is_array_ || window.offset > 0) return std::min(first, bytes.size());
    if (first == std::string_view::npos) return window.is_end ? bytes.size() : 0;
    if (bytes[first] != '[') throw BadRecord(0, "is no element of an array: the file does not begin with [");
    const std::size_t next = bytes.find_first_not_of(kSpace, first + 1);
    if (next == std::string_view::npos) return 0;
    return bytes[next] == ']' ? end_of_array(window, next + 1).value_or(0) : next;
  }

  // Where the next record begins.
  static std::optional<std::size_t> behind_comma(const Window& window, std::size_t at) {
    const std::size_t next = window.bytes.find_first_not_of(kSpace, at);
    if (next != std::string_view::npos) return next;
    if (window.is_end) throw BadRecord(window.offset, "is the last one of an array that does not end");
    return std::nullopt;
  }

  // Where the input ends, behind the bracket that closes the array.
  static std::optional<std::size_t> end_of_array(const Window& window, std::size_t at) {
    const std::size_t more = window.bytes.find_first_not_of(kSpace, at);
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
