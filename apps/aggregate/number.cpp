#include "apps/aggregate/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace ontime::apps {
namespace {

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

}  // namespace ontime::apps
