#include "apps/sort/decimal_key.h"

#include <algorithm>

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

}  // namespace ontime::apps
