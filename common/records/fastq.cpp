// Four lines a record: @ and a name, the sequence, +, and a quality for each letter. A quality may begin with @ too,
// but two lines behind it comes a sequence, which never begins with +.
#include <array>
#include <string>

#include "common/records/formats.h"

namespace ontime::records {
namespace {

constexpr std::size_t kLines = 4;

// The first lines of some bytes, without their ends.
struct Four {
  std::array<std::string_view, kLines> lines;
  std::size_t count = 0;  // that are whole
  std::size_t end = 0;    // of those
};

Four four_lines(std::string_view bytes, bool is_end) {
  Four four;
  while (four.count < kLines && four.end < bytes.size()) {
    const std::size_t feed = bytes.find('\n', four.end);
    if (feed == bytes.npos && !is_end) break;
    const std::size_t end = feed == bytes.npos ? bytes.size() : feed + 1;
    four.lines[four.count++] = lines().text(bytes.substr(four.end, end - four.end));
    four.end = end;
  }
  return four;
}

class Fastq final : public app::RecordFormat {
 public:
  std::size_t look_back() const override { return 1; }

  Search find_begin(const Window& window, std::uint64_t from) const override {
    auto line = lines().find_begin(window, from);
    while (line.result == Search::Result::Found) {
      const Four four = four_lines(window.bytes.substr(line.at - window.offset), window.is_end);
      if (four.count < 3 && !window.is_end) return Search::needs_behind();
      if (four.count == 0) break;
      if (four.lines[0].starts_with('@') && four.lines[2].starts_with('+')) return line;
      line = lines().find_begin(window, line.at + 1);
    }
    return line;
  }

  // With empty lines behind it.
  std::optional<std::size_t> find_end(const Window& window) const override {
    const Four four = four_lines(window.bytes, window.is_end);
    if (four.count < kLines && !window.is_end) return std::nullopt;
    check(four, window.offset);
    const std::size_t next = window.bytes.find_first_not_of("\r\n", four.end);
    if (next != window.bytes.npos) return next;
    return window.is_end ? std::optional(window.bytes.size()) : std::nullopt;
  }

  std::string_view text(std::string_view record) const override {
    return lines().text(record.substr(0, four_lines(record, true).end));
  }

 private:
  static void check(const Four& four, std::uint64_t offset) {
    const auto& [name, sequence, plus, quality] = four.lines;
    if (four.count < kLines) throw BadRecord(offset, "ends after " + std::to_string(four.count) + " of its 4 lines");
    if (!name.starts_with('@') || !plus.starts_with('+'))
      throw BadRecord(offset, "is no FASTQ: its first line begins with @ and its third with +");
    if (sequence.size() != quality.size())
      throw BadRecord(offset, "is no FASTQ: its sequence has " + std::to_string(sequence.size()) +
                                  " letters and its quality " + std::to_string(quality.size()));
  }
};

}  // namespace

Made make_fastq(std::string_view argument) {
  if (!argument.empty()) return bad_input("fastq takes no argument.");
  return make<Fastq>();
}

}  // namespace ontime::records
