#pragma once
// Keys that are decimal numbers of any length, compared exactly: blanks, a minus sign, digits, a point, digits. What is
// no number counts as zero, and what follows a number is not looked at.

#include <cstdint>
#include <string_view>

namespace ontime::apps {

struct DecimalKey {
  bool is_negative = false;   // never for zero
  std::string_view whole;     // digits before the point, without leading zeros
  std::string_view fraction;  // digits behind it, without trailing zeros
};

DecimalKey parse_decimal_key(std::string_view text);
// Less than, equal to or greater than 0.
int compare(const DecimalKey& a, const DecimalKey& b);
// A lower number has a lower rank or the same.
std::uint64_t rank_of(const DecimalKey& key);

}  // namespace ontime::apps
