#include "apps/aggregate/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace ontime::apps {
namespace {

#ifdef __x86_64__
ONTIME_TARGET_AVX2 __m256i in_all(std::uint64_t word) { return _mm256_set1_epi64x(static_cast<long long>(word)); }
#endif

constexpr std::size_t kWholeDigits = 20;
constexpr int kMeanDecimals = 6;

Digits power_of_ten(int exponent) {
  Digits power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

// The digits without their point, and how many stand behind it. Whether that is all of the text.
bool take_digits(std::string_view& text, std::string& digits, int& decimals) {
  bool has_point = false;
  while (!text.empty() && (is_digit(text[0]) || (text[0] == '.' && !has_point))) {
    if (text[0] == '.') has_point = true;
    if (text[0] != '.') digits += text[0];
    if (text[0] != '.' && has_point) ++decimals;
    text.remove_prefix(1);
  }
  return !digits.empty();
}

bool take_exponent(std::string_view text, int& exponent) {
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('+') && text.size() > 1 && is_digit(text[1])) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  return error == std::errc() && end == text.data() + text.size() && exponent > -10'000 && exponent < 10'000;
}

void append_wide(std::string& to, Digits number) {
  std::array<char, 40> buffer;
  char* at = buffer.end();
  const bool is_negative = number < 0;
  do {
    const auto digit = static_cast<int>(number % 10);
    *--at = static_cast<char>('0' + (is_negative ? -digit : digit));
    number /= 10;
  } while (number != 0);
  if (is_negative) to += '-';
  to.append(at, buffer.end());
}

std::optional<Digits> parse_wide(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  Digits number = 0;
  if (text.empty()) return std::nullopt;
  for (const char byte : text) {
    const Digits digit = is_negative ? -(byte - '0') : byte - '0';
    if (!is_digit(byte) || __builtin_mul_overflow(number, Digits{10}, &number) ||
        __builtin_add_overflow(number, digit, &number))
      return std::nullopt;
  }
  return number;
}

std::string_view take_part(std::string_view& text) {
  const std::string_view part = text.substr(0, text.find(':'));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

}  // namespace

std::optional<Number> parse_number(std::string_view text) {
  text = trimmed(text);
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  std::string digits;
  int decimals = 0, exponent = 0;
  if (!take_digits(text, digits, decimals) || !take_exponent(text, exponent)) return std::nullopt;
  decimals -= exponent;
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return Number{0, std::clamp(decimals, 0, kMaxDecimals)};
  bool is_rounded_up = false;
  if (decimals > kMaxDecimals) {
    const auto dropped = static_cast<std::size_t>(decimals - kMaxDecimals);
    is_rounded_up = dropped <= digits.size() && digits[digits.size() - dropped] >= '5';
    digits.resize(digits.size() - std::min(dropped, digits.size()));
    decimals = kMaxDecimals;
  }
  const std::size_t size = digits.size() + static_cast<std::size_t>(std::max(0, -decimals));
  if (size > kWholeDigits + static_cast<std::size_t>(std::max(0, decimals))) return std::nullopt;
  digits.resize(size, '0');
  const Digits number = parse_wide(digits).value_or(0) + (is_rounded_up ? 1 : 0);
  return Number{is_negative ? -number : number, std::max(0, decimals)};
}

std::string to_text(const Number& number) {
  std::string text;
  append_wide(text, number.digits);
  if (number.decimals == 0) return text;
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const auto decimals = static_cast<std::size_t>(number.decimals);
  if (text.size() - sign <= decimals) text.insert(sign, decimals + 1 - (text.size() - sign), '0');
  text.insert(text.size() - decimals, 1, '.');
  return text;
}

std::string mean_text(const Number& sum, std::uint64_t count) {
  Number mean = sum;
  int more = 0;
  for (; more < kMeanDecimals; ++more) {
    Digits next;
    if (__builtin_mul_overflow(mean.digits, Digits{10}, &next)) break;
    mean = {next, mean.decimals + 1};
  }
  const auto divisor = static_cast<Digits>(count);
  const Digits rest = mean.digits % divisor;
  mean.digits /= divisor;
  if (2 * (rest < 0 ? -rest : rest) >= divisor) mean.digits += sum.digits < 0 ? -1 : 1;
  for (; more > 0 && mean.digits % 10 == 0; --more) mean = {mean.digits / 10, mean.decimals - 1};
  return to_text(mean);
}

void Totals::throw_too_large() {
  throw std::runtime_error("the numbers of a group need more than 38 digits; no sum of them is exact any more");
}

void Totals::use_decimals(int decimals) {
  settle();
  const Digits factor = power_of_ten(decimals - decimals_);
  for (Digits* number : {&all_.sum, &all_.min, &all_.max}) {
    if (__builtin_mul_overflow(*number, factor, number)) throw_too_large();
  }
  decimals_ = decimals;
}

void Totals::add_same(const Kept<Digits>& more) {
  if (more.count == 0) return;
  all_.min = all_.count == 0 ? more.min : std::min(all_.min, more.min);
  all_.max = all_.count == 0 ? more.max : std::max(all_.max, more.max);
  all_.count += more.count;
  if (__builtin_add_overflow(all_.sum, more.sum, &all_.sum)) throw_too_large();
}

void Totals::settle() {
  add_same({few_.count, few_.sum, few_.min, few_.max});
  few_ = kNoneYet;
}

Totals::Kept<Digits> Totals::settled() const {
  Totals copy = *this;
  copy.settle();
  return copy.all_;
}

void Totals::add(const Number& number) {
  if (number.decimals > decimals_) use_decimals(number.decimals);
  Digits digits = number.digits;
  if (__builtin_mul_overflow(digits, power_of_ten(decimals_ - number.decimals), &digits)) throw_too_large();
  add_same({1, digits, digits, digits});
}

void Totals::add(const Totals& other) {
  Totals more = other;
  if (more.decimals_ < decimals_) more.use_decimals(decimals_);
  if (more.decimals_ > decimals_) use_decimals(more.decimals_);
  add_same(more.settled());
}

void Totals::write(std::string& to) const {
  const Kept<Digits> all = settled();
  to += std::to_string(all.count);
  for (const Digits number : {all.sum, all.min, all.max}) {
    to += ':';
    append_wide(to, number);
  }
  to += ':';
  to += std::to_string(decimals_);
}

std::optional<Totals> Totals::parse(std::string_view text) {
  Totals totals;
  const auto count = parse_wide(take_part(text));
  const auto sum = parse_wide(take_part(text)), min = parse_wide(take_part(text)), max = parse_wide(take_part(text));
  const auto decimals = parse_wide(text);
  if (!count || !sum || !min || !max || !decimals || *count < 0 || *decimals < 0 || *decimals > kMaxDecimals)
    return std::nullopt;
  totals.all_ = {static_cast<std::uint64_t>(*count), *sum, *min, *max};
  totals.decimals_ = static_cast<int>(*decimals);
  return totals;
}

#ifdef __x86_64__

ONTIME_TARGET_AVX2 std::size_t FixedForm::parse_fours(const char* from, const std::int32_t* ends, std::size_t fields,
                                                      std::int32_t returns, std::size_t rows,
                                                      std::int32_t* digits) const {
  const __m256i behind = in_all(behind_), before = in_all(before_), point = in_all(point_), points = in_all(points_);
  const __m256i dots = _mm256_and_si256(_mm256_set1_epi8('.'), point);
  const __m256i digits_least = in_all(std::max<std::size_t>(1, decimals_)), bits = in_all(64);
  std::size_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    const std::array<const std::int32_t*, 4> end{ends, ends + fields, ends + 2 * fields, ends + 3 * fields};
    ends += 4 * fields;
    const auto word_of = [&](std::size_t i) {
      long long word;
      std::memcpy(&word, from + (*end[i] - returns) - 8, 8);
      return word;
    };
    const auto size_of = [&](std::size_t i) { return *end[i] - returns - end[i][-1] - 1; };
    // Not by way of memory, which would have to wait for it.
    const __m256i word = _mm256_setr_epi64x(word_of(0), word_of(1), word_of(2), word_of(3));
    const __m256i size = _mm256_setr_epi64x(size_of(0), size_of(1), size_of(2), size_of(3));
    const __m256i first = _mm256_srlv_epi64(word, _mm256_sub_epi64(bits, _mm256_slli_epi64(size, 3)));
    const __m256i sign = _mm256_cmpeq_epi64(_mm256_and_si256(first, in_all(0xff)), in_all('-'));
    const __m256i count = _mm256_add_epi64(_mm256_sub_epi64(size, points), sign);
    __m256i values = _mm256_or_si256(_mm256_and_si256(word, behind),
                                     _mm256_and_si256(_mm256_sllv_epi64(word, _mm256_slli_epi64(points, 3)), before));
    values = _mm256_xor_si256(values, _mm256_set1_epi8('0'));
    const __m256i unused = _mm256_sub_epi64(bits, _mm256_slli_epi64(count, 3));
    values = _mm256_and_si256(values, _mm256_sllv_epi64(_mm256_set1_epi8(-1), unused));
    const __m256i wrong =
        _mm256_or_si256(_mm256_or_si256(_mm256_cmpgt_epi64(digits_least, count), _mm256_cmpgt_epi64(size, in_all(8))),
                        _mm256_or_si256(_mm256_subs_epu8(values, _mm256_set1_epi8(9)),
                                        _mm256_xor_si256(_mm256_and_si256(word, point), dots)));
    if (_mm256_testz_si256(wrong, wrong) == 0) break;
    const __m256i pairs =
        _mm256_maddubs_epi16(values, _mm256_set1_epi16(0x010a));  // ten times the first, and the second
    const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00010064));
    const __m256i eights = _mm256_add_epi64(_mm256_mul_epu32(fours, in_all(10'000)), _mm256_srli_epi64(fours, 32));
    const __m256i numbers = _mm256_sub_epi64(_mm256_xor_si256(eights, sign), sign);
    const __m256i packed = _mm256_permutevar8x32_epi32(numbers, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(digits + row), _mm256_castsi256_si128(packed));
  }
  return row;
}

#endif

}  // namespace ontime::apps
