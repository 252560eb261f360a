#include "apps/secondarysort/pair_order.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "apps/sorting/rank.h"

namespace ontime::apps {
namespace {

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

}  // namespace

std::optional<Pair> parse_pair(std::string_view line) {
  const std::string_view left = take_word(line);
  if (left.empty()) return {};
  const std::string_view right = take_word(line);
  return Pair{parse_number(left), right.empty() ? 0 : parse_number(right)};
}

void PairOrder::setup(const app::Parameters& parameters) {
  separator_ = parameters.get("separator");
  left_.clear();
}

std::uint64_t PairOrder::rank(std::string_view line) const { return rank_of_number(parse_number(split(line).left)); }

std::uint64_t PairOrder::tie_rank(std::string_view line) const {
  return rank_of_number(parse_number(split(line).right));
}

bool PairOrder::is_before(std::string_view a, std::string_view b) const { return tie_rank(a) < tie_rank(b); }

void PairOrder::finish(std::string_view line, app::Output& answer) {
  const std::string_view left = split(line).left;
  if (left != left_) {
    left_ = left;
    if (!separator_.empty()) {
      answer.write(separator_);
      answer.write("\n");
    }
  }
  answer.write(line);
  answer.write("\n");
}

}  // namespace ontime::apps
