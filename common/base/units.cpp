#include "common/base/units.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <utility>

namespace ontime {
Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const auto value = number_in<std::uint64_t>(text);
  if (value && *value >= least && *value <= most) return *value;
  return bad_input("'" + std::string(text) + "' is not a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most));
}

Result<double> parse_number(std::string_view text, double least, double most) {
  const auto value = number_in<double>(text);
  if (value && std::isfinite(*value) && *value >= least && *value <= most) return *value;
  const std::string bounds =
      std::isfinite(most) ? "from " + shortest(least) + " to " + shortest(most) : "of " + shortest(least) + " or more";
  return bad_input("'" + std::string(text) + "' is not a number " + bounds);
}

namespace {

// Splits "1.5GB" into 1.5 and what follows; false if it does not begin with a number that is not negative.
bool take_number(std::string_view& text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0 || text.front() == '-') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::string_view take_letters(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && ((text[size] >= 'a' && text[size] <= 'z') || (text[size] >= 'A' && text[size] <= 'Z')))
    ++size;
  const std::string_view letters = text.substr(0, size);
  text.remove_prefix(size);
  return letters;
}

constexpr double kSizeMost = 9e18;  // what 63 bits hold, and a little less

constexpr double kKi = 1024.0;
constexpr double kMi = kKi * kKi;
constexpr double kGi = kKi * kMi;
constexpr double kTi = kKi * kGi;
constexpr std::pair<std::string_view, double> kSizeUnits[] = {
    {"", 1},    {"B", 1},   {"k", kKi},   {"K", kKi},   {"Ki", kKi},  {"KiB", kKi}, {"kB", 1e3}, {"KB", 1e3},
    {"m", kMi}, {"M", kMi}, {"Mi", kMi},  {"MiB", kMi}, {"MB", 1e6},  {"g", kGi},   {"G", kGi},  {"Gi", kGi},
    {"t", kTi}, {"T", kTi}, {"GiB", kGi}, {"Ti", kTi},  {"TiB", kTi}, {"GB", 1e9},  {"TB", 1e12}};

constexpr std::pair<std::string_view, double> kTimeUnits[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}};

double factor_of(std::span<const std::pair<std::string_view, double>> units, std::string_view name) {
  for (const auto& [unit, factor] : units) {
    if (unit == name) return factor;
  }
  return 0;
}

std::string print(const char* format, double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, format, value, unit);
  return text;
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  const std::string whole(text);
  const auto wrong = [&whole] {
    return bad_input("'" + whole + "' is not a size; write for instance 4096, 64KiB or 128MiB");
  };
  double number = 0;
  if (text.empty() || !take_number(text, number)) return wrong();
  const double factor = factor_of(kSizeUnits, text);
  if (factor == 0) return wrong();
  if (number * factor > kSizeMost) return bad_input("'" + whole + "' is too large; give 8000000TiB or less");
  return static_cast<std::uint64_t>(std::llround(number * factor));
}

Result<Duration> parse_duration(std::string_view text) {
  const std::string whole(text);
  const auto wrong = [&whole] {
    return bad_input("'" + whole + "' is not a duration; write for instance 200ms, 90s or 1h30m");
  };
  if (text == "0") return Duration(0);
  if (text.empty()) return wrong();
  double total = 0;
  while (!text.empty()) {
    double number = 0;
    if (!take_number(text, number)) return wrong();
    const double factor = factor_of(kTimeUnits, take_letters(text));
    if (factor == 0) return wrong();
    total += number * factor;
  }
  if (total > static_cast<double>(kDurationMost.count()))
    return bad_input("'" + whole + "' is too long; give 3650d or less");
  return Duration(std::llround(total));
}

std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string format_size(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  static constexpr std::array<const char*, 5> units{"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes) / kKi;
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < units.size()) {
    value /= kKi;
    ++unit;
  }
  return print("%.1f %s", value, units[unit]);
}

std::string format_duration(Duration duration) {
  const double s = seconds(duration);
  if (s < 1e-3) return print("%.0f %s", s * 1e6, "us");
  if (s < 1) return print("%.1f %s", s * 1e3, "ms");
  if (s < 60) return print("%.2f %s", s, "s");
  char text[64];
  const auto whole = static_cast<long long>(s);
  if (whole < 3600)
    std::snprintf(text, sizeof text, "%lldm %llds", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%lldh %lldm", whole / 3600, whole / 60 % 60);
  return text;
}

}  // namespace ontime
