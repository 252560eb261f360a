// Rows of RFC 4180: a field in quotes may hold line ends, and a quote as two. A quote anywhere else is an error; so a
// place inside quotes soon shows that it is not outside of them, and the other way round.
#include <algorithm>
#include <string>
#include <vector>

#include "common/records/formats.h"

namespace ontime::records {
namespace {

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

// Behind a quote inside quotes comes another one, or what ends the field.
enum class State { FieldBegin, Field, Quoted, BehindQuote, BehindReturn };

// What a reader knows that was in some state where the window begins. Places are bytes of the window.
struct Reading {
  State state = State::FieldBegin;
  std::uint64_t begin = kNowhere;        // of the last record that it has seen begin
  std::uint64_t begin_there = kNowhere;  // of the first one at or behind the place that is asked for
  std::uint64_t records = 0;             // that it has seen end
  std::uint64_t wrong_at = kNowhere;     // here it was wrong, or the input is
};

class Csv final : public app::RecordFormat {
 public:
  Csv(char delimiter, bool has_header) : delimiter_(delimiter), has_header_(has_header) {}

  app::RecordShape shape() const override { return {app::RecordShape::Kind::Csv, delimiter_}; }
  std::size_t look_back() const override { return 4096; }
  bool has_header() const override { return has_header_; }
  // So far an attempt looks back where there are no quotes: a few percent of a split.
  std::uint64_t longest_by_default() const override { return 4u << 20; }

  // All readings that are possible where the window begins go on until those that are left agree.
  Search find_begin(const Window& window, std::uint64_t from) const override {
    std::vector<Reading> readings{{State::FieldBegin}};
    if (window.offset > 0) {
      for (const State state : {State::Field, State::Quoted, State::BehindQuote, State::BehindReturn})
        readings.push_back({state});
    }
    walk(window.bytes, [&](const Stretch& stretch) {
      for (Reading& reading : readings) go_on(reading, stretch, from - window.offset);
      std::erase_if(readings, [](const Reading& one) { return one.wrong_at != kNowhere; });
      return !readings.empty() && !(agree(readings) && readings[0].begin_there != kNowhere);
    });
    std::erase_if(readings, [&](const Reading& one) { return is_hopeless(one, window); });
    if (readings.empty())
      throw BadRecord(window.offset, "or one behind it is no CSV: a quote stands inside a field, or quotes do not end");
    if (!agree(readings)) return Search::needs_before();
    if (readings[0].begin_there != kNowhere) return Search::found(window.offset + readings[0].begin_there);
    return window.is_end ? Search::found(window.offset + window.bytes.size()) : Search::needs_behind();
  }

  std::optional<std::size_t> find_end(const Window& window) const override {
    const WholeRecords taken = take(window, 1);
    return taken.records > 0 ? std::optional(taken.bytes) : std::nullopt;
  }

  WholeRecords take(const Window& window, std::size_t limit) const override {
    Reading reading{State::FieldBegin, 0};
    walk(window.bytes, [&](const Stretch& stretch) {
      go_on(reading, stretch, limit);
      return reading.wrong_at == kNowhere && reading.begin_there == kNowhere;
    });
    const bool is_wrong = reading.wrong_at != kNowhere;
    if (reading.begin_there == kNowhere && window.is_end && !is_wrong && reading.state != State::Quoted &&
        reading.begin < window.bytes.size())
      return {window.bytes.size(), reading.records + 1};
    if (reading.records > 0 || !(is_wrong || window.is_end) || window.bytes.empty())
      return {static_cast<std::size_t>(reading.begin), reading.records};
    throw BadRecord(window.offset,
                    is_wrong ? "is no CSV: at byte " + std::to_string(window.offset + reading.wrong_at) +
                                   " there is a quote inside a field, or something between a field's quotes and its end"
                             : "is no CSV: the file ends inside its quotes");
  }

  std::string_view text(std::string_view record) const override { return lines().text(record); }

 private:
  // Bytes without a quote, with one behind them or where the window ends.
  struct Stretch {
    std::string_view bytes;
    std::size_t begin = 0;
    bool has_quote = false;
  };

  // While `step` says so.
  template <class Step>
  static void walk(std::string_view bytes, Step step) {
    for (std::size_t begin = 0; begin < bytes.size();) {
      const std::size_t quote = bytes.find('"', begin);
      if (!step({bytes.substr(begin, quote - begin), begin, quote != bytes.npos})) return;
      begin = quote == bytes.npos ? bytes.size() : quote + 1;
    }
  }

  void go_on(Reading& reading, const Stretch& stretch, std::uint64_t place) const {
    if (reading.state != State::Quoted && !stretch.bytes.empty()) read_outside(reading, stretch, place);
    if (!stretch.has_quote || reading.wrong_at != kNowhere) return;
    if (reading.state == State::Field || reading.state == State::BehindReturn)
      reading.wrong_at = stretch.begin + stretch.bytes.size();
    reading.state = reading.state == State::Quoted ? State::BehindQuote : State::Quoted;
  }

  void read_outside(Reading& reading, const Stretch& stretch, std::uint64_t place) const {
    const std::string_view bytes = stretch.bytes;
    const char first = bytes[0];
    const bool is_return = reading.state == State::BehindQuote && first == '\r';
    if ((reading.state == State::BehindQuote && first != delimiter_ && first != '\n' && !is_return) ||
        (reading.state == State::BehindReturn && first != '\n') ||
        (is_return && bytes.size() > 1 && bytes[1] != '\n')) {
      reading.wrong_at = stretch.begin;
      return;
    }
    std::size_t last = bytes.npos;
    if (reading.begin_there == kNowhere) {
      last = bytes.find('\n', place > stretch.begin ? place - 1 - stretch.begin : 0);
      if (last != bytes.npos) reading.begin_there = stretch.begin + last + 1;
    }
    if (last == bytes.npos) last = bytes.rfind('\n');
    if (last != bytes.npos) {
      reading.begin = stretch.begin + last + 1;
      reading.records += count_lines(bytes.substr(0, last + 1));
    }
    const bool is_begin = bytes.back() == delimiter_ || bytes.back() == '\n';
    reading.state = is_return && bytes.size() == 1 ? State::BehindReturn : is_begin ? State::FieldBegin : State::Field;
  }

  // On where the next record begins.
  static bool agree(const std::vector<Reading>& readings) {
    return std::all_of(readings.begin(), readings.end(), [&](const Reading& one) {
      const bool is_outside = one.state == State::FieldBegin || one.state == State::Field;
      return one.begin_there == readings[0].begin_there &&
             (one.begin_there != kNowhere || readings.size() == 1 || is_outside);
    });
  }

  // It says that a record is longer than any, or that the input ends inside quotes.
  static bool is_hopeless(const Reading& reading, const Window& window) {
    if (reading.begin_there != kNowhere) return false;
    const std::uint64_t begin = reading.begin == kNowhere ? 0 : reading.begin;
    return window.bytes.size() - begin > window.longest || (window.is_end && reading.state == State::Quoted);
  }

  const char delimiter_;
  const bool has_header_;
};

}  // namespace

Made make_csv(std::string_view argument) {
  char delimiter = ',';
  bool has_header = false;
  for (std::string_view rest = argument; !rest.empty();) {
    const std::size_t next = rest.starts_with("delimiter=,") ? std::min<std::size_t>(11, rest.size())
                                                             : std::min(rest.find(','), rest.size());
    const std::string_view option = rest.substr(0, next);
    rest.remove_prefix(std::min(next + 1, rest.size()));
    const auto bytes = option.starts_with("delimiter=") ? unescaped(option.substr(10)) : std::nullopt;
    if (bytes && bytes->size() == 1 && bytes->find_first_of("\"\r\n") == std::string::npos) {
      delimiter = (*bytes)[0];
    } else if (option == "header=yes" || option == "header=no") {
      has_header = option == "header=yes";
    } else {
      return bad_input("csv takes delimiter=BYTE and header=yes, as in csv:delimiter=;,header=yes.");
    }
  }
  return make<Csv>(delimiter, has_header);
}

}  // namespace ontime::records
