#pragma once
// How many bytes of records to claim at a time. Cuts are answered, and progress is reported, between two blocks: so a
// block shall not last longer than a moment, whatever a record takes, down to one record. Where records are quick
// blocks are as large as the reader's, which costs nothing: it takes some 17 doublings to get there, a millisecond in
// all. Pure.

#include <algorithm>
#include <cstdint>

#include "common/base/time.h"

namespace ontime::worker {

class BlockSize {
 public:
  static constexpr Duration kTarget = std::chrono::milliseconds(50);

  explicit BlockSize(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  // Records that start within so many bytes may be claimed: at least one.
  std::uint64_t bytes() const { return bytes_; }

  // A block of so many bytes has lasted so long.
  void on_mapped(std::uint64_t bytes, Duration lasted) {
    if (lasted > 2 * kTarget) {
      const double share = std::chrono::duration<double>(kTarget) / std::chrono::duration<double>(lasted);
      const auto fitting = static_cast<std::uint64_t>(share * static_cast<double>(std::min(bytes, bytes_)));
      bytes_ = std::max<std::uint64_t>(1, fitting);
    } else if (lasted < kTarget / 2 && bytes >= bytes_ / 2) {  // the last piece of a segment tells nothing
      bytes_ = std::min(bytes_max_, 2 * std::max(bytes, bytes_));
    }
  }

 private:
  const std::uint64_t bytes_max_;
  std::uint64_t bytes_ = 1;
};

}  // namespace ontime::worker
