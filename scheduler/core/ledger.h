#pragma once
// The segments of one task. Invariant, whatever happens: they tile the split, in order, without gap or overlap; a
// sealed segment has exactly one output and changes only when all of the task is opened again. A segment is named by
// its begin, which no cut moves.

#include <compare>
#include <cstdint>
#include <vector>

#include "common/base/byte_range.h"
#include "scheduler/core/record.h"

namespace ontime::scheduler {

// A SealedOutput as the ledger keeps it: there may be millions, and a file has less than 16 PiB
// (common/protocol/bounds.cpp).
struct [[gnu::packed]] KeptOutput {
  std::uint64_t file_offset : 54 = 0;
  std::uint64_t length : 54 = 0;
  std::uint64_t content_length : 54 = 0;
  std::uint64_t records : 62 = 0;
  std::uint32_t crc32c = 0;
};

struct Segment {
  ByteRange range;
  bool sealed = false;
  // Attempts that worked on it and ended badly. At most 255 are counted.
  std::uint8_t failures = 0;  // what is cut off inherits them
  std::uint8_t silences = 0;  // that were ended because they did not answer a cut
  std::uint8_t stalls = 0;    // because they stood still; these are failures too
  std::uint32_t attempt = 0;  // sealed: number of the attempt whose output counts
  KeptOutput output;          // sealed only
};

class Ledger {
 public:
  explicit Ledger(ByteRange split) : segments_(1) { segments_.front().range = split; }

  const std::vector<Segment>& segments() const { return segments_; }
  ByteRange split() const { return {segments_.front().range.begin, segments_.back().range.end}; }

  const Segment* find(std::uint64_t begin) const;  // the segment that begins there, or null
  const Segment* containing(std::uint64_t offset) const;

  // Divides the open segment that begins at `begin`. False, and nothing changes, unless begin < at < end and it is
  // open.
  bool cut(std::uint64_t begin, std::uint64_t at);
  // False, and nothing changes, unless exactly this range is an open segment. `input_end` closes an unknown end.
  bool seal(ByteRange range, std::uint64_t input_end, std::uint32_t attempt, const SealedOutput& output);
  // What is open is sealed without output, an unknown end at `input_end`.
  void seal_rest(std::uint64_t input_end, std::uint32_t attempt);
  // What was sealed is lost: all is one open segment again, up to `end`, and that counts as a failure.
  void reopen(std::uint64_t end);
  std::uint8_t most_failures() const;  // of any segment
  // Count against an open segment.
  void count_failure(std::uint64_t begin) { count(begin, &Segment::failures); }
  void count_silence(std::uint64_t begin) { count(begin, &Segment::silences); }
  void count_stall(std::uint64_t begin) { count(begin, &Segment::stalls); }

  bool is_done() const { return open_ == 0; }  // every segment is sealed
  std::size_t open_segments() const { return open_; }
  // Calls look(segment) for each open segment, the last one first. Work moves forward, so open segments are at the end
  // of the list, and a task with many checkpoints costs no more than one with few.
  template <class Look>
  void for_each_open_from_back(const Look& look) const {
    std::size_t left = open_;
    for (auto segment = segments_.rbegin(); left > 0; ++segment) {
      if (segment->sealed) continue;
      --left;
      look(*segment);
    }
  }
  std::uint64_t sealed_bytes() const { return sealed_bytes_; }
  SealedOutput sealed_output() const;  // lengths and records of all sealed segments, added up
  // End of the run of open segments that starts at `begin`.
  std::uint64_t open_until(std::uint64_t begin) const;

 private:
  void count(std::uint64_t begin, std::uint8_t Segment::*what);
  std::vector<Segment>::iterator locate(std::uint64_t begin);
  std::vector<Segment> segments_;
  std::size_t open_ = 1;  // segments that are not sealed
  std::uint64_t sealed_bytes_ = 0;
};

// Names an open segment within its job.
struct SegmentKey {
  std::uint32_t task = 0;  // TaskId::index
  std::uint64_t begin = 0;
  auto operator<=>(const SegmentKey&) const = default;
};

}  // namespace ontime::scheduler
