#pragma once
// Decimal numbers, exact: sums of them are the same in whatever order they are made.

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "apps/text/byte_class.h"

namespace ontime::apps {

__extension__ using Digits = __int128;

// digits / 10^decimals.
struct Number {
  Digits digits = 0;
  int decimals = 0;
};

inline constexpr int kMaxDecimals = 18;  // what stands behind them is rounded, half away from zero

// A sign, digits with a point, an exponent, blanks around it; below 10^20. Nothing if it is anything else.
std::optional<Number> parse_number(std::string_view text);
std::string to_text(const Number& number);
// Rounded to six decimals more than the sum has, without zeros at their end. REQUIRES: count > 0.
std::string mean_text(const Number& sum, std::uint64_t count);

// What eight digits say: of 0 to 9 each, the first in the lowest byte.
inline std::int64_t digits_of(std::uint64_t word) {
  word = word * 2561 >> 8;
  word = (word & 0x00ff00ff00ff00ff) * 6553601 >> 16;
  word = (word & 0x0000ffff0000ffff) * 42949672960001 >> 32;
  return static_cast<std::int64_t>(word);
}

// The same for up to eight bytes without exponent, blanks and plus, in a few instructions; false if it is none of
// these. REQUIRES: 1 to 8 bytes; 8 bytes can be read from `text` on.
inline bool parse_short_number(const char* text, std::size_t size, std::int64_t& digits, int& decimals) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t ones = 0x0101010101010101;
  std::uint64_t word;
  std::memcpy(&word, text, 8);
  const auto unused = static_cast<unsigned>(8 * (8 - size));
  // Its last byte is the highest one; zeros before it.
  word = word << unused | ('0' * ones & ((std::uint64_t{1} << unused) - 1));
  const std::int64_t sign = -static_cast<std::int64_t>(*text == '-');  // without branches: nobody foresees signs
  word ^= static_cast<std::uint64_t>(sign) & std::uint64_t{'-' ^ '0'} << unused;
  const std::uint64_t difference = word ^ '.' * ones;
  const std::uint64_t points = (difference - ones) & ~difference & 0x80 * ones;
  std::size_t marks = static_cast<std::size_t>(-sign);
  decimals = 0;
  if (points != 0) {
    const int place = std::countr_zero(points) & ~7;  // in bits
    const std::uint64_t before = (std::uint64_t{1} << place) - 1;
    word = (word & before) << 8 | '0' | (word & ~(before << 8 | 0xff));
    decimals = 7 - place / 8;
    ++marks;
  }
  const bool are_digits = (word & 0xf0 * ones) == 0x30 * ones && ((word + 0x06 * ones) & 0xf0 * ones) == 0x30 * ones;
  digits = (digits_of(word & 0x0f * ones) ^ sign) - sign;
  return are_digits && marks < size;
}

// The same for numbers with a known number of digits behind the point, read from their end: half the instructions.
class FixedForm {
 public:
  static constexpr int kMostDecimals = 6;

  // REQUIRES: 0 to kMostDecimals.
  explicit FixedForm(int decimals)
      : decimals_(static_cast<std::size_t>(decimals)),
        behind_(decimals == 0 ? 0 : ~std::uint64_t{0} << 8 * (8 - decimals)),
        before_(decimals == 0 ? ~std::uint64_t{0} : ~behind_ & ~std::uint64_t{0xff}),
        points_(decimals == 0 ? 0 : 1),
        point_(decimals == 0 ? 0 : std::uint64_t{0xff} << 8 * (7 - decimals)) {}

  int decimals() const { return static_cast<int>(decimals_); }
  // False for what has another form, whether it is a number or not. REQUIRES: 8 bytes can be read before its end, and
  // one from its begin on.
  [[gnu::always_inline]] bool parse(std::string_view text, std::int32_t& digits) const {
    constexpr std::uint64_t ones = 0x0101010101010101;
    std::uint64_t word;
    std::memcpy(&word, text.data() + text.size() - 8, 8);
    const int sign = *text.data() == '-' ? 1 : 0;
    const std::size_t count = text.size() - points_ - static_cast<std::size_t>(sign);
    // With fewer digits than decimals the point would be another field's.
    if ((word & point_) != ('.' * ones & point_) || count - 1 > 7 - points_ || count < decimals_) return false;
    word = ((word & behind_) | (word << 8 * points_ & before_)) ^ '0' * ones;
    word &= ~std::uint64_t{0} << ((64 - 8 * count) & 63);
    if (((word | (word + 0x76 * ones)) & 0x80 * ones) != 0) return false;
    digits = (static_cast<std::int32_t>(digits_of(word)) ^ -sign) + sign;
    return true;
  }
#ifdef __x86_64__
  // The same for a column, four rows at a time: row i's number ends `returns` bytes before the byte at ends[i * fields]
  // of `from`, and begins behind the one before it. Returns how many rows of `rows` it has read into `digits`: it stops
  // at four of which one has another form, or more than eight bytes.
  ONTIME_TARGET_AVX2 std::size_t parse_fours(const char* from, const std::int32_t* ends, std::size_t fields,
                                             std::int32_t returns, std::size_t rows, std::int32_t* digits) const;
#endif

 private:
  std::size_t decimals_;
  std::uint64_t behind_, before_;  // the digits behind the point; those before it, once they are moved next to them
  std::size_t points_;
  std::uint64_t point_;
};

// How many numbers there are, their sum, the least and the greatest. All with as many decimals as any of them has.
class Totals {
 public:
  Totals() = default;
  // REQUIRES: count > 0; no more decimals than kMaxDecimals.
  Totals(std::uint64_t count, std::int64_t sum, std::int64_t min, std::int64_t max, int decimals)
      : few_{count, sum, min, max}, decimals_(decimals) {}
  void add(std::int64_t digits, int decimals) {
    std::int64_t sum;
    if (decimals != decimals_ || __builtin_add_overflow(few_.sum, digits, &sum)) [[unlikely]]
      return add(Number{digits, decimals});
    few_.sum = sum;
    few_.min = digits < few_.min ? digits : few_.min;
    few_.max = digits > few_.max ? digits : few_.max;
    ++few_.count;
  }
  // Throws std::runtime_error if they have more than 38 digits together.
  void add(const Number& number);
  void add(const Totals& other);

  std::uint64_t count() const { return all_.count + few_.count; }
  Number sum() const { return {settled().sum, decimals_}; }
  Number min() const { return {settled().min, decimals_}; }  // of none: 0
  Number max() const { return {settled().max, decimals_}; }

  // `count:sum:min:max:decimals`.
  void write(std::string& to) const;
  // Nothing if it was not written so.
  static std::optional<Totals> parse(std::string_view text);

 private:
  template <class Integer>
  struct Kept {
    std::uint64_t count = 0;
    Integer sum = 0, min = 0, max = 0;
  };
  Kept<Digits> settled() const;
  void settle();
  void add_same(const Kept<Digits>& more);
  void use_decimals(int decimals);
  [[noreturn]] static void throw_too_large();

  static constexpr Kept<std::int64_t> kNoneYet{0, 0, std::numeric_limits<std::int64_t>::max(),
                                               std::numeric_limits<std::int64_t>::min()};
  // Most numbers are small: what has been added since the last time that one was not, in one line of a cache.
  Kept<std::int64_t> few_ = kNoneYet;
  int decimals_ = 0;
  Kept<Digits> all_;  // the others
};

}  // namespace ontime::apps
