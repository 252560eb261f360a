#include "common/protocol/bounds.h"

#include <algorithm>

#include "common/base/limits.h"
#include "common/base/time.h"

namespace ontime::protocol {
namespace {

constexpr std::uint64_t kFileBytesMax = (std::uint64_t{1} << 54) - 1;  // as scheduler::KeptOutput has room for
constexpr Duration kAgeMax = std::chrono::years(10);                   // sums of some do not overflow

Status check_range(ByteRange range, std::uint64_t input_end) {
  if (range.begin >= range.end || range.begin > kOffsetMax) return failed("a sealed range is empty or out of range");
  if (!range.is_open_ended() && (range.end > kOffsetMax || input_end != range.end)) {
    return failed("a sealed range has no possible end");
  }
  if (range.is_open_ended() && (input_end < range.begin || input_end > kOffsetMax)) {
    return failed("a sealed range ends before it begins, or out of range");
  }
  return {};
}

}  // namespace

Status check_seal(ByteRange range, std::uint64_t input_end, const wire::SealedOutput& output) {
  if (Status possible = check_range(range, input_end); !possible) return possible;
  if (output.records() > kOffsetMax ||
      std::max({output.file_offset(), output.length(), output.content_length()}) > kFileBytesMax) {
    return failed("a sealed output is out of range");
  }
  if (output.counters_size() > kCountersMax) return failed("a sealed output has too many counters");
  const auto is_too_long = [](const wire::Counter& counter) {
    return std::max(counter.group().size(), counter.name().size()) > kCounterNameBytesMax;
  };
  if (std::any_of(output.counters().begin(), output.counters().end(), is_too_long)) {
    return failed("a counter's name is too long");
  }
  return {};
}

Status check_cut(std::uint64_t at) {
  if (at > kOffsetMax && at != kUnknownEnd) return failed("a cut is out of range");
  return {};
}

bool is_possible(const wire::SegmentTimes& times) {
  const bool is_in_order = times.first_ns() >= 0 && times.first_ns() <= times.last_ns() &&
                           times.last_ns() <= times.age_ns() && Duration(times.age_ns()) <= kAgeMax;
  const bool has_times = (times.timed_bytes() > 0) == (times.moves() > 1);
  return is_in_order && times.timed_bytes() <= kOffsetMax && has_times && (times.moves() > 0 || times.last_ns() == 0);
}

}  // namespace ontime::protocol
