#pragma once
// Counts as decimal text: written, read, and added up by the merge.

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "common/app/application.h"

namespace ontime::apps {

inline constexpr std::size_t kMaxDecimal = 20;  // digits of 2^64 - 1

// Writes `number` to `to`, which has room for kMaxDecimal bytes; returns the end.
inline char* write_decimal(char* to, std::uint64_t number) {
  if (number < 10) {
    *to = static_cast<char>('0' + number);
    return to + 1;
  }
  return std::to_chars(to, to + kMaxDecimal, number).ptr;
}

// Reads a decimal number that fills `text`; throws with a sentence that names the key otherwise.
inline std::uint64_t parse_count(std::string_view key, std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::runtime_error("the value of \"" + std::string(key) + "\" is \"" + std::string(text.substr(0, 40)) +
                             "\", which is not a count; the part files were not written by this application");
  }
  return number;
}

[[noreturn]] inline void throw_sum_overflow(std::string_view key) {
  throw std::runtime_error("the counts of \"" + std::string(key) + "\" add up to more than 2^64 - 1");
}

// The merge of every application whose values are whole numbers that add up.
class SumMerger : public app::Merger {
 public:
  void merge(std::string_view key, std::span<const std::string_view> values, std::string& merged) override {
    std::uint64_t sum = 0;
    for (const std::string_view value : values) {
      if (__builtin_add_overflow(sum, parse_count(key, value), &sum)) throw_sum_overflow(key);
    }
    merged = std::to_string(sum);
  }
};

}  // namespace ontime::apps
