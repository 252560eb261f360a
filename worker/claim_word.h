#pragma once
// What a runner has claimed of its attempt, and where its worker cuts in its place while the runner is busy: inside a
// record, in its start, in a full pipe. One word in memory that both have, changed by compare-and-swap only, so a place
// is either claimed or cut off, and a cut is answered by one of the two. Places are input offsets. Records belong to
// the part in which they begin, so any place is as good a border as another.
//
//         claim: more                   worker: cut, behind what is claimed        worker: cut once more, lower
//        .-----------.                .------------------------------------>      .-------------.
//        '-------->  open, claimed  --'                                      cut  '------------->
//                      |       ^      <------------------------------------
//      runner: take_answer     |           runner: take_cut, before it claims more
//                      v       |
//                   the runner answers    (claims go on; the worker asks again: expect_answer)

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "common/base/byte_range.h"

namespace ontime::worker {

struct Cut {
  std::uint64_t at = 0;
  bool release = false;
  bool operator==(const Cut&) const = default;
};

class ClaimWord {
 public:
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << 61) - 1;  // no input is longer: all of it

  // ---- the runner ----

  // Records that begin below `end` are its own from now on. False: the worker has cut, see take_cut.
  bool claim(std::uint64_t end) {
    end = std::min(end, kMost);
    std::uint64_t word = word_.load(std::memory_order_acquire);
    while ((word & kIsCut) == 0) {
      if (end <= (word & kPlace) || change(word, (word & kIsAnswered) | end)) return true;
    }
    return false;
  }

  // It answers the cut that it was asked for, and has claimed what lies below `claimed` and nothing else. False: the
  // worker has answered.
  bool take_answer(std::uint64_t claimed) {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    while ((word & kIsCut) == 0) {
      if (change(word, kIsAnswered | std::min(claimed, kMost))) return true;
    }
    return false;
  }

  // The cut that the worker has made, if any. It is to be obeyed, and counts as the answer to all that was asked.
  std::optional<Cut> take_cut(std::uint64_t claimed) {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    while ((word & kIsCut) != 0) {
      const std::uint64_t place = word & kPlace;
      const bool releases = (word & kReleases) != 0;
      if (change(word, std::min(claimed, kMost))) return Cut{place < kMost ? place : kUnknownEnd, releases};
    }
    return std::nullopt;
  }

  // ---- the worker; what it finds here may have been written by anybody ----

  // REQUIRES: the runner is idle, or a standby that waits.
  void reset(std::uint64_t begin) { word_.store(std::min(begin, kMost), std::memory_order_release); }

  // Before it asks for a cut.
  void expect_answer() { word_.fetch_and(~kIsAnswered, std::memory_order_acq_rel); }

  // The runner has not seen yet that the worker has cut. Nothing can be asked of it meanwhile.
  bool is_cut() const { return (word_.load(std::memory_order_acquire) & kIsCut) != 0; }

  // Cuts there, or behind what is claimed, and within what the attempt holds. `claimed` is kept by the worker from one
  // call to the next. The runner finds one border: while it has not seen the last cut, one that does not release is
  // answered with that border and changes nothing; one that releases is answered with it too, or with a lower one.
  // Nothing: the runner answers itself.
  std::optional<std::uint64_t> cut(Cut wanted, ByteRange held, std::uint64_t& claimed) {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    for (int tries = 0; tries < kTriesMost; ++tries) {
      if ((word & kIsAnswered) != 0) return std::nullopt;
      const bool is_second = (word & kIsCut) != 0;
      if (!is_second) claimed = word & kPlace;
      if (is_second && !wanted.release) return within(held, word & kPlace);
      const std::uint64_t behind = std::max(wanted.at, claimed);
      const std::uint64_t at = within(held, is_second ? std::min(behind, word & kPlace) : behind);
      if (change(word, kIsCut | (wanted.release ? kReleases : 0) | std::min(at, kMost))) return at;
    }
    return std::nullopt;
  }

 private:
  static constexpr int kTriesMost = 1000;  // a runner that goes astray may change the word all the time
  static constexpr std::uint64_t kPlace = kMost;
  static constexpr std::uint64_t kReleases = std::uint64_t{1} << 61;
  static constexpr std::uint64_t kIsAnswered = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kIsCut = std::uint64_t{1} << 63;

  static std::uint64_t within(ByteRange held, std::uint64_t place) {
    return place >= kMost ? held.end : std::clamp(place, held.begin, held.end);
  }

  // If not, `word` is what it is.
  bool change(std::uint64_t& word, std::uint64_t to) {
    return word_.compare_exchange_weak(word, to, std::memory_order_acq_rel, std::memory_order_acquire);
  }

  std::atomic<std::uint64_t> word_{0};
};

}  // namespace ontime::worker
