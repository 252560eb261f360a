#include "master/measures.h"

#include <algorithm>

namespace ontime::master {

void Histogram::add(Duration value) {
  value = std::max(value, Duration(0));
  std::size_t index = 0;
  while (index < kBounds && value > bound(index)) ++index;
  ++counts_[index];
  sum_ += value;
}

}  // namespace ontime::master
