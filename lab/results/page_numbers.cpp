#include <cmath>

#include "lab/results/page.h"

namespace ontime::lab {

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
