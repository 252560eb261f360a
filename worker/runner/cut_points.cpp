#include "worker/runner/cut_points.h"

#include <algorithm>

namespace ontime::worker {

std::uint64_t CutPoints::cut(std::uint64_t position, bool has_mapped, std::uint64_t at, bool release) {
  position = std::max(position, begin_);  // a compressed stream may have ended before its last seal point
  // A cut before the first record of a segment of which nothing is mapped yet gives all of it back.
  const std::uint64_t honoured = at > position ? at : has_mapped ? position : begin_;
  if (honoured >= end_) return end_;
  if (release) {
    end_ = honoured;
    points_.erase(points_.lower_bound(honoured), points_.end());
  } else if (honoured > begin_) {
    points_.insert(honoured);
  }
  return honoured;
}

void CutPoints::on_sealed() {
  begin_ = segment().end;
  points_.erase(begin_);
}

}  // namespace ontime::worker
