#include "common/base/numbers.h"

#include <charconv>
#include <cmath>
#include <string>

namespace ontime {
namespace {

std::string shown(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

}  // namespace

Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most) return value;
  return bad_input("'" + std::string(text) + "' is not a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most));
}

Result<double> parse_number(std::string_view text, double least, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  if (is_number && value >= least && value <= most) return value;
  const std::string bounds =
      std::isfinite(most) ? "from " + shown(least) + " to " + shown(most) : "of " + shown(least) + " or more";
  return bad_input("'" + std::string(text) + "' is not a number " + bounds);
}

}  // namespace ontime
