#pragma once

#include <algorithm>
#include <vector>

namespace ontime {

// Of an even number of values, the greater of the middle two. REQUIRES: at least one value.
inline double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace ontime
