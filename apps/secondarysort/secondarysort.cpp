// Sorts pairs of whole numbers by the left, then by the right one, and groups them, as Hadoop's example of that name.

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "apps/sorting/run_buffer.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }

std::string_view take_word(std::string_view& text) {
  const auto begin = std::find_if_not(text.begin(), text.end(), is_blank);
  const auto end = std::find_if(begin, text.end(), is_blank);
  text.remove_prefix(static_cast<std::size_t>(begin - text.begin()));
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - begin));
  text.remove_prefix(word.size());
  return word;
}

std::int64_t parse_number(std::string_view word) {
  const bool has_plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
  const char* const begin = word.data() + (has_plus ? 1 : 0);
  const char* const end = word.data() + word.size();
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stop != end)
    throw std::runtime_error("\"" + std::string(word.substr(0, 40)) + "\" is not a whole number of 64 bits");
  return number;
}

// The numbers of a line that was written by the mapper: decimal, without zeros in front.
struct WrittenPair {
  std::string_view left;
  std::string_view right;
};

WrittenPair split(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos || tab + 1 == line.size())
    throw std::runtime_error("\"" + std::string(line.substr(0, 40)) + "\" is no pair of numbers");
  return {line.substr(0, tab), line.substr(tab + 1)};
}

struct Pair {
  std::int64_t left = 0;
  std::int64_t right = 0;
};

// The first two words of a line; a right number that is missing is 0. Nothing for a line without words. Throws
// std::runtime_error for a word that is not a whole number of 64 bits.
std::optional<Pair> parse_pair(std::string_view line) {
  const std::string_view left = take_word(line);
  if (left.empty()) return {};
  const std::string_view right = take_word(line);
  return Pair{parse_number(left), right.empty() ? 0 : parse_number(right)};
}

// Lines `left<TAB>right` in order of the left, then of the right number. In the answer a separator goes before the
// first line of each group.
class PairOrder final : public Order {
 public:
  void setup(const Parameters& parameters) override {
    separator_ = parameters.get("separator");
    left_.clear();
  }
  std::uint64_t rank(std::string_view line) const override { return rank_of_number(parse_number(split(line).left)); }
  std::uint64_t tie_rank(std::string_view line) const override {
    return rank_of_number(parse_number(split(line).right));
  }
  bool is_before(std::string_view a, std::string_view b) const override { return tie_rank(a) < tie_rank(b); }
  void finish(std::string_view line, Output& answer) override {
    const std::string_view left = split(line).left;
    if (left != left_) {
      left_ = left;
      if (!separator_.empty()) Order::finish(separator_, answer);
    }
    Order::finish(line, answer);
  }

 private:
  std::string separator_;  // empty: none
  std::string left_;       // of the line before; empty: there is none
};

// What Hadoop's example writes between groups.
const std::string kSeparator(48, '-');

class SecondarySortMapper final : public Mapper {
 public:
  void setup(Context& context) override { context_ = &context; }

  void map(const Batch& batch, Output& out) override {
    for (const Line line : batch.lines()) {
      if (const auto pair = parse(line)) add(*pair, out);
    }
  }
  void flush(Output& out) override { runs_.flush(out); }

 private:
  std::optional<Pair> parse(const Line& line) const try {
    return parse_pair(line.text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string(error.what()) + ", in the line at byte " + std::to_string(line.offset) +
                             " of " + context_->input_path());
  }

  void add(const Pair& pair, Output& out) {
    char line[2 * 20 + 1];
    char* to = std::to_chars(line, line + 20, pair.left).ptr;
    *to++ = '\t';
    to = std::to_chars(to, to + 20, pair.right).ptr;
    runs_.add({line, static_cast<std::size_t>(to - line)}, out);
  }

  Context* context_ = nullptr;
  PairOrder order_;
  RunBuffer runs_{order_};
};

class SecondarySort final : public Application {
 public:
  std::string description() const override { return "sorts pairs of whole numbers and groups them by the left one"; }
  std::vector<Parameter> parameters() const override {
    return {{"separator", kSeparator, "the line before each group of the answer; empty for none"}};
  }
  void validate(const Parameters& given) const override {
    if (given.get("separator").find('\n') != std::string::npos)
      throw std::invalid_argument("separator must be one line");
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<SecondarySortMapper>(); }
  std::unique_ptr<Order> make_order() const override { return std::make_unique<PairOrder>(); }
};

}  // namespace

ONTIME_APPLICATION(SecondarySort)
