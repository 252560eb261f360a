#include "lab/results/page_numbers.h"

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

std::string number(double value) {
  if (std::isnan(value)) return "";
  std::ostringstream text;
  text << std::setprecision(6) << value;
  return text.str();
}

std::string text_of(const Estimate& estimate, int digits) {
  const std::string value = fixed(estimate.value, digits);
  if (!estimate.has_interval()) return value;
  const double below = estimate.value - estimate.low;
  const double above = estimate.high - estimate.value;
  const double half_digit = 0.5 * std::pow(10.0, -digits);
  if (std::abs(above - below) <= half_digit) return value + " ± " + fixed(above, digits);
  return value + " (" + fixed(estimate.low, digits) + " to " + fixed(estimate.high, digits) + ")";
}

std::string text_of(const Reading& reading) {
  return reading.low == reading.high ? number(reading.low) : number(reading.low) + " to " + number(reading.high);
}

std::string cell_of(const Row& row, std::size_t measure, const StudyResult& result) {
  const Measure& what = *result.measures[measure];
  const std::string ours = text_of(row.values[measure], what.digits);
  const auto& printed = row.printed[measure];
  if (!printed) return ours;
  const bool off = differs(row.values[measure], *printed, what);
  return (off ? "**" + ours + "**" : ours) + " [" + text_of(*printed) + "]";
}

}  // namespace ontime::lab
