// Records of ISO 28500: a head that tells the length of what follows it. What looks like a head may be content; so
// where a record begins can only be told from the input's begin, by the head of one record after another.
#include <algorithm>
#include <cctype>
#include <string>

#include "common/base/units.h"
#include "common/records/formats.h"

namespace ontime::records {
namespace {

constexpr std::string_view kMagic = "WARC/";
constexpr std::string_view kEnd = "\r\n\r\n";  // of the head, and of the record
constexpr std::size_t kHeadMost = 1 << 20;

bool is_length(std::string_view line) {
  constexpr std::string_view kName = "content-length:";
  return line.size() > kName.size() && std::equal(kName.begin(), kName.end(), line.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

std::optional<std::uint64_t> length_in(std::string_view head) {
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    const std::string_view line = lines().text(head.substr(at, std::min(end + 1, head.size()) - at));
    at = end + 1;
    if (!is_length(line)) continue;
    const std::string_view value = line.substr(line.find(':') + 1);
    const std::size_t begin = std::min(value.find_first_not_of(" \t"), value.size());
    return number_in<std::uint64_t>(value.substr(begin, value.find_last_not_of(" \t") + 1 - begin));
  }
  return std::nullopt;
}

// What comes before the content, and how much that is.
struct Head {
  std::size_t bytes = 0;
  std::uint64_t content = 0;
};

// Nothing if its end is not there. Throws BadRecord, for a record at `offset`.
std::optional<Head> head_of(std::string_view bytes, std::uint64_t offset, bool is_end) {
  if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size()))
    throw BadRecord(offset, "is no WARC record: it does not begin with WARC/");
  const std::size_t head = bytes.substr(0, kHeadMost).find(kEnd);
  if (head == bytes.npos) {
    if (!is_end && bytes.size() < kHeadMost) return std::nullopt;
    throw BadRecord(offset, "is no WARC record: its head does not end");
  }
  const auto length = length_in(bytes.substr(0, head + 2));
  if (!length) throw BadRecord(offset, "is no WARC record: its head has no Content-Length");
  return Head{head + kEnd.size(), *length};
}

class Warc final : public app::RecordFormat, public Marked {
 public:
  Warc() : Marked(kWarcBegins) {}

  std::size_t look_back() const override { return kFromTheBegin; }
  Search find_begin(const Window&, std::uint64_t) const override { return Search::needs_before(); }

  std::optional<std::size_t> find_end(const Window& window) const override {
    const std::string_view bytes = window.bytes;
    const auto head = head_of(bytes, window.offset, window.is_end);
    if (!head) return std::nullopt;
    const std::size_t there = bytes.size() - head->bytes;
    if (head->content > there || there - head->content < kEnd.size()) {
      if (!window.is_end) return std::nullopt;
      throw BadRecord(window.offset, "ends in the middle: its content has " + std::to_string(head->content) + " bytes");
    }
    const std::size_t end = head->bytes + static_cast<std::size_t>(head->content);
    if (bytes.substr(end, kEnd.size()) != kEnd)
      throw BadRecord(window.offset, "is no WARC record: its content is not followed by two line ends");
    return end + kEnd.size();
  }

  std::string_view text(std::string_view record) const override {
    return record.ends_with(kEnd) ? record.substr(0, record.size() - kEnd.size()) : record;
  }
};

}  // namespace

std::optional<std::uint64_t> length_of(const app::RecordFormat& format, std::string_view head) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (dynamic_cast<const Warc*>(&format) == nullptr) return std::nullopt;
  try {
    const auto found = head_of(head, 0, false);
    if (found && found->content < kMost) return found->bytes + found->content + kEnd.size();
  } catch (const BadRecord&) {
    // Who reads the record says so.
  }
  return std::nullopt;
}

Made make_warc(std::string_view argument) {
  if (!argument.empty()) return bad_input("warc takes no argument.");
  return make<Warc>();
}

}  // namespace ontime::records
