#include "lab/results/writing.h"

#include <array>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace ontime::lab {

std::string fixed(double value, int digits) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string number(double value, int digits) {
  if (std::isnan(value)) return "";
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string plot_text(const std::string& text) {
  std::string safe = "\"";
  for (const char c : text) safe += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return safe + "\"";
}

std::string plot_number(double value) { return std::isnan(value) ? "NaN" : number(value); }

std::string plot_colour(std::size_t index) {
  // Okabe and Ito's, with grey for their yellow, which is too pale for lines.
  static constexpr std::array<const char*, 8> kColours{"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                                                       "#D55E00", "#56B4E9", "#000000", "#777777"};
  return " lc rgb '" + std::string(kColours[index % kColours.size()]) + "'";
}

}  // namespace ontime::lab
