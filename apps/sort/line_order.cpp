#include "apps/sort/line_order.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

#include "apps/sorting/run_buffer.h"
#include "apps/text/switch.h"

namespace ontime::apps {
namespace {

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

int compare_sizes(const DecimalKey& a, const DecimalKey& b) {
  if (a.whole.size() != b.whole.size()) return a.whole.size() < b.whole.size() ? -1 : 1;
  if (const int order = a.whole.compare(b.whole); order != 0) return order;
  return a.fraction.compare(b.fraction);
}

}  // namespace

DecimalKey parse_decimal_key(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  DecimalKey key;
  if (text.starts_with('-')) {
    key.is_negative = true;
    text.remove_prefix(1);
  }
  key.whole = take_digits(text);
  key.whole.remove_prefix(std::min(key.whole.find_first_not_of('0'), key.whole.size()));
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    key.fraction = take_digits(text);
    key.fraction = key.fraction.substr(0, key.fraction.find_last_not_of('0') + 1);
  }
  if (key.whole.empty() && key.fraction.empty()) key.is_negative = false;
  return key;
}

int compare(const DecimalKey& a, const DecimalKey& b) {
  if (a.is_negative != b.is_negative) return a.is_negative ? -1 : 1;
  return a.is_negative ? compare_sizes(b, a) : compare_sizes(a, b);
}

// How many digits stand before the point, then the first 16 digits. The highest bit tells the sign.
std::uint64_t rank_of(const DecimalKey& key) {
  constexpr std::size_t kDigits = 16;  // below 2^54
  constexpr std::size_t kSizeMost = 511;
  std::uint64_t digits = 0;
  for (std::size_t i = 0; i < kDigits; ++i) {
    const std::size_t behind = i - std::min(i, key.whole.size());
    const char digit = i < key.whole.size() ? key.whole[i] : behind < key.fraction.size() ? key.fraction[behind] : '0';
    digits = digits * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  if (key.whole.size() >= kSizeMost) digits = 0;
  const std::uint64_t size = std::min(key.whole.size(), kSizeMost) << 54 | digits;
  constexpr std::uint64_t kPositive = std::uint64_t{1} << 63;
  return key.is_negative ? kPositive - 1 - size : kPositive + size;
}

namespace {

std::uint32_t parse_field(const std::string& text) {
  if (text == "whole") return 0;
  std::uint32_t field = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), field);
  if (error != std::errc() || end != text.data() + text.size() || field == 0)
    throw std::invalid_argument("key must be whole or the number of a field, from 1 on, not \"" + text + "\"");
  return field;
}

}  // namespace

std::vector<app::Parameter> LineOrder::parameters() {
  return {{"key", "whole", "what lines are compared by: whole, or the number of a field; a tab ends a field"},
          {"numeric", "no", "compare keys as decimal numbers: yes or no"},
          {"reverse", "no", "the last first: yes or no"}};
}

void LineOrder::setup(const app::Parameters& parameters) {
  field_ = parse_field(parameters.get("key"));
  is_numeric_ = parse_switch(parameters, "numeric");
  is_reverse_ = parse_switch(parameters, "reverse");
}

std::string_view LineOrder::key_of(std::string_view line) const {
  if (field_ == 0) return line;
  for (std::uint32_t field = 1; field < field_; ++field) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return {};
    line.remove_prefix(tab + 1);
  }
  return line.substr(0, line.find('\t'));
}

std::uint64_t LineOrder::rank(std::string_view line) const {
  const std::string_view key = key_of(line);
  const std::uint64_t rank = is_numeric_ ? rank_of(parse_decimal_key(key)) : rank_of_bytes(key);
  return is_reverse_ ? ~rank : rank;
}

// The bytes behind those that the rank has looked at.
std::uint64_t LineOrder::tie_rank(std::string_view line) const {
  if (is_numeric_) return 0;
  const std::string_view key = key_of(line);
  const std::uint64_t rank = rank_of_bytes(key.substr(std::min<std::size_t>(8, key.size())));
  return is_reverse_ ? ~rank : rank;
}

int LineOrder::compare_keys(std::string_view a, std::string_view b) const {
  if (!is_numeric_) return a.compare(b);
  return compare(parse_decimal_key(a), parse_decimal_key(b));
}

bool LineOrder::is_before(std::string_view a, std::string_view b) const {
  if (is_reverse_) std::swap(a, b);
  if (field_ != 0 || is_numeric_) {
    if (const int order = compare_keys(key_of(a), key_of(b)); order != 0) return order < 0;
  }
  return a < b;
}

}  // namespace ontime::apps
