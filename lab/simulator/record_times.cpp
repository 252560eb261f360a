#include "lab/simulator/record_times.h"

#include <algorithm>
#include <cmath>

namespace ontime::lab {

RecordTimes::RecordTimes(std::uint64_t record_bytes, std::uint64_t first, const std::vector<double>& factors)
    : record_bytes_(static_cast<double>(record_bytes)),
      begin_(static_cast<double>(first * record_bytes)),
      works_{begin_} {
  for (const double factor : factors) works_.push_back(works_.back() + factor * record_bytes_);
}

double RecordTimes::work_of(double place) const {
  const double records = (place - begin_) / record_bytes_;
  if (records <= 0) return place;
  const auto record = static_cast<std::size_t>(records);
  if (record + 1 >= works_.size()) return works_.back();
  return works_[record] + (records - std::floor(records)) * (works_[record + 1] - works_[record]);
}

double RecordTimes::place_of(double work) const {
  const auto next = std::upper_bound(works_.begin(), works_.end(), work);
  if (next == works_.begin()) return work;
  const auto record = static_cast<double>(next - works_.begin() - 1);
  const double behind = next == works_.end() ? 0 : (work - next[-1]) / (*next - next[-1]);
  return begin_ + (record + behind) * record_bytes_;
}

}  // namespace ontime::lab
