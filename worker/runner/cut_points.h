#pragma once
// Where an attempt seals and where it stops, and what it answers to a cut. Pure. The segments it seals and what it
// gives back tile the range it was given, whatever cuts come at whatever moment:
//
//   begin                seal points                 end
//   | current segment    |            |              |        (released parts lie behind `end`)

#include <cstdint>
#include <set>

#include "common/base/byte_range.h"

namespace ontime::worker {

class CutPoints {
 public:
  explicit CutPoints(ByteRange held) : begin_(held.begin), end_(held.end) {}

  // What is sealed next.
  ByteRange segment() const { return {begin_, points_.empty() ? end_ : *points_.begin()}; }
  std::uint64_t end() const { return end_; }
  bool is_over() const { return begin_ >= end_; }

  // A request to cut at `at`. `position`: start of the next record not yet claimed; `has_mapped`: something of the
  // current segment is; `at` is a place that a segment may begin at if it lies behind `position`. Returns the place
  // that is honoured; everything below it stays here, everything from it on is given back if `release`.
  std::uint64_t cut(std::uint64_t position, bool has_mapped, std::uint64_t at, bool release);

  // The current segment is sealed.
  void on_sealed();

 private:
  std::uint64_t begin_;             // of the current segment
  std::uint64_t end_;               // of what it holds
  std::set<std::uint64_t> points_;  // strictly between begin_ and end_
};

}  // namespace ontime::worker
