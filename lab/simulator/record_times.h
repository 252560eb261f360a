#pragma once
// Records that take longer than others, in every attempt: each so many times as long as a usual one of its size.

#include <cstdint>
#include <utility>
#include <vector>

namespace ontime::lab {

class RecordTimes {
 public:
  // The factors, > 0, of the records from `first` on, each of record_bytes.
  RecordTimes(std::uint64_t record_bytes, std::uint64_t first, const std::vector<double>& factors);

  // Bytes of usual records that take as long as what lies below `place`, and back.
  double work_of(double place) const;
  double place_of(double work) const;

 private:
  double record_bytes_;
  double begin_;               // of the first
  std::vector<double> works_;  // at the begin of each, and at the end of the last
};

}  // namespace ontime::lab
