#pragma once
// How much may be said of an attempt's work. A runner executes foreign code, so its worker refuses what lies beyond and
// fails the attempt. The master checks the same again: it need not trust a worker either.

#include <cstddef>
#include <cstdint>

#include "common/base/byte_range.h"
#include "common/base/result.h"
#include "common/protocol/reports.pb.h"

namespace ontime::protocol {

inline constexpr int kCountersMax = 128;                 // of one seal
inline constexpr std::size_t kCounterNameBytesMax = 64;  // of its name, and of its group's

// Error, a clause that says what is wrong, unless an attempt may have sealed this.
Status check_seal(ByteRange range, std::uint64_t input_end, const wire::SealedOutput& output);
// The same of the boundary that it answers a cut with.
Status check_cut(std::uint64_t at);
// Whether a segment may have these times. No attempt fails for others, as they inform only; they are ignored.
bool is_possible(const wire::SegmentTimes& times);

}  // namespace ontime::protocol
