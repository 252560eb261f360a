#include "lab/study/study_result.h"

#include <algorithm>
#include <cmath>

namespace ontime::lab {

std::size_t StudyResult::axis(const std::string& name) const {
  return static_cast<std::size_t>(std::find(axes.begin(), axes.end(), name) - axes.begin());
}

std::size_t StudyResult::measure(const std::string& name) const {
  const auto found = std::find_if(measures.begin(), measures.end(), [&](const Measure* m) { return m->name == name; });
  return static_cast<std::size_t>(found - measures.begin());
}

bool differs(const Estimate& ours, const Reading& printed, const Measure& measure) {
  if (std::isnan(ours.value)) return true;
  const double half_digit = 0.5 * std::pow(10.0, -measure.digits);
  const double low = ours.has_interval() ? ours.low : ours.value;
  const double high = ours.has_interval() ? ours.high : ours.value;
  return high < printed.low - half_digit || low > printed.high + half_digit;
}

Agreement agreement_of(const StudyResult& result) {
  Agreement agreement;
  for (const Row& row : result.rows) {
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      if (!row.printed[i]) continue;
      ++agreement.printed;
      agreement.held += differs(row.values[i], *row.printed[i], *result.measures[i]) ? 0 : 1;
    }
  }
  return agreement;
}

}  // namespace ontime::lab
