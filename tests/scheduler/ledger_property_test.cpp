// Whatever sequence of cuts, seals and failures arrives, right or wrong: the segments tile the split.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "scheduler/core/ledger.h"

namespace ontime::scheduler {
namespace {

bool tiles(const Ledger& ledger, ByteRange split) {
  std::uint64_t at = split.begin;
  for (const Segment& segment : ledger.segments()) {
    if (segment.range.begin != at || segment.range.end <= segment.range.begin) return false;
    at = segment.range.end;
  }
  return at == split.end;
}

RC_GTEST_PROP(LedgerProperty, AnySequenceOfCutsSealsAndFailuresKeepsTheTiling, ()) {
  const ByteRange split{100, 100 + *rc::gen::inRange<std::uint64_t>(1, 60)};
  Ledger ledger(split);
  std::map<std::uint64_t, std::uint32_t> sealed;  // begin -> attempt, as first accepted
  const int steps = *rc::gen::inRange(0, 60);
  for (int step = 0; step < steps; ++step) {
    const auto begin = *rc::gen::inRange<std::uint64_t>(98, split.end + 2);
    const auto end = *rc::gen::inRange<std::uint64_t>(98, split.end + 2);
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        ledger.cut(begin, end);
        break;
      case 1:
        ledger.count_failure(begin);
        break;
      case 2:  // a seal of any range, mostly one that does not exist
        if (ledger.seal({begin, end}, end, 1, {})) sealed[begin] = 1;
        break;
      case 3:  // a seal of a segment that exists
        if (const Segment* segment = ledger.containing(begin)) {
          const ByteRange range = segment->range;
          const bool was_sealed = segment->sealed;
          const bool accepted = ledger.seal(range, range.end, 2, {});
          RC_ASSERT(accepted == !was_sealed);
          if (accepted) sealed[range.begin] = 2;
        }
        break;
    }
    RC_ASSERT(tiles(ledger, split));
    std::uint64_t bytes = 0;
    for (const auto& [at, attempt] : sealed) {
      RC_ASSERT(ledger.find(at) != nullptr);
      RC_ASSERT(ledger.find(at)->sealed);
      RC_ASSERT(ledger.find(at)->attempt == attempt);
      bytes += ledger.find(at)->range.size();
    }
    RC_ASSERT(ledger.sealed_bytes() == bytes);
    RC_ASSERT(ledger.is_done() == (bytes == split.size()));
  }
}

}  // namespace
}  // namespace ontime::scheduler
