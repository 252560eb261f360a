// Records of ISO 28500: a head that tells the length of what follows it. What looks like a head may be content; so
// where a record begins can only be told from the input's begin.
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

class Warc final : public app::RecordFormat {
 public:
  std::size_t look_back() const override { return kFromTheBegin; }
  Search find_begin(const Window&, std::uint64_t) const override { return Search::needs_before(); }

  std::optional<std::size_t> find_end(const Window& window) const override {
    const std::string_view bytes = window.bytes;
    if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size()))
      throw BadRecord(window.offset, "is no WARC record: it does not begin with WARC/");
    const std::size_t head = bytes.substr(0, kHeadMost).find(kEnd);
    if (head == bytes.npos) {
      if (!window.is_end && bytes.size() < kHeadMost) return std::nullopt;
      throw BadRecord(window.offset, "is no WARC record: its head does not end");
    }
    const auto length = length_in(bytes.substr(0, head + 2));
    if (!length) throw BadRecord(window.offset, "is no WARC record: its head has no Content-Length");
    const std::size_t begin = head + kEnd.size();
    const std::size_t there = bytes.size() - begin;
    if (*length > there || there - *length < kEnd.size()) {
      if (!window.is_end) return std::nullopt;
      throw BadRecord(window.offset, "ends in the middle: its content has " + std::to_string(*length) + " bytes");
    }
    const std::size_t end = begin + static_cast<std::size_t>(*length);
    if (bytes.substr(end, kEnd.size()) != kEnd)
      throw BadRecord(window.offset, "is no WARC record: its content is not followed by two line ends");
    return end + kEnd.size();
  }

  std::string_view text(std::string_view record) const override {
    return record.ends_with(kEnd) ? record.substr(0, record.size() - kEnd.size()) : record;
  }
};

}  // namespace

Made make_warc(std::string_view argument) {
  if (!argument.empty()) return bad_input("warc takes no argument.");
  return make<Warc>();
}

}  // namespace ontime::records
