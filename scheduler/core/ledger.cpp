#include "scheduler/core/ledger.h"

#include <algorithm>
#include <limits>

namespace ontime::scheduler {
namespace {

// More than a file or an input can have counts as the most.
KeptOutput kept(const SealedOutput& output) {
  constexpr std::uint64_t kBytesMost = (std::uint64_t{1} << 54) - 1;
  constexpr std::uint64_t kRecordsMost = (std::uint64_t{1} << 62) - 1;
  KeptOutput kept;
  kept.file_offset = std::min(output.file_offset, kBytesMost) & kBytesMost;
  kept.length = std::min(output.length, kBytesMost) & kBytesMost;
  kept.content_length = std::min(output.content_length, kBytesMost) & kBytesMost;
  kept.records = std::min(output.records, kRecordsMost) & kRecordsMost;
  kept.crc32c = output.crc32c;
  return kept;
}

// The segment that begins at or before `offset`, or the end.
template <class Segments>
auto last_not_after(Segments& segments, std::uint64_t offset) {
  auto after = std::upper_bound(segments.begin(), segments.end(), offset,
                                [](std::uint64_t at, const Segment& segment) { return at < segment.range.begin; });
  return after == segments.begin() ? segments.end() : after - 1;
}

}  // namespace

std::vector<Segment>::iterator Ledger::locate(std::uint64_t begin) {
  const auto found = last_not_after(segments_, begin);
  return found != segments_.end() && found->range.begin == begin ? found : segments_.end();
}

const Segment* Ledger::find(std::uint64_t begin) const {
  const auto found = last_not_after(segments_, begin);
  return found != segments_.end() && found->range.begin == begin ? &*found : nullptr;
}

const Segment* Ledger::containing(std::uint64_t offset) const {
  const auto found = last_not_after(segments_, offset);
  return found != segments_.end() && found->range.contains(offset) ? &*found : nullptr;
}

bool Ledger::cut(std::uint64_t begin, std::uint64_t at) {
  const auto left = locate(begin);
  if (left == segments_.end() || left->sealed || at <= begin || at >= left->range.end) return false;
  Segment right = *left;
  right.range = {at, left->range.end};
  right.silences = right.stalls = 0;  // those stood further in front
  left->range.end = at;
  segments_.insert(left + 1, right);
  ++open_;
  return true;
}

bool Ledger::seal(ByteRange range, std::uint64_t input_end, std::uint32_t attempt, const SealedOutput& output) {
  const auto segment = locate(range.begin);
  if (segment == segments_.end() || segment->sealed || segment->range != range) return false;
  if (range.is_open_ended() ? input_end < range.begin : input_end != range.end) return false;
  segment->range.end = input_end;
  segment->sealed = true;
  --open_;
  sealed_bytes_ += segment->range.size();
  segment->attempt = attempt;
  segment->output = kept(output);
  return true;
}

void Ledger::seal_rest(std::uint64_t input_end, std::uint32_t attempt) {
  for (Segment& segment : segments_) {
    if (segment.sealed) continue;
    const ByteRange range = segment.range;
    seal(range, range.is_open_ended() ? std::max(range.begin, input_end) : range.end, attempt, {});
  }
}

void Ledger::reopen(std::uint64_t end) {
  Segment whole;
  whole.range = {segments_.front().range.begin, end};
  whole.failures = most_failures();
  *this = Ledger(whole.range);
  segments_.front() = whole;
  count_failure(whole.range.begin);
}

std::uint8_t Ledger::most_failures() const {
  std::uint8_t most = 0;
  for (const Segment& segment : segments_) most = std::max(most, segment.failures);
  return most;
}

void Ledger::count(std::uint64_t begin, std::uint8_t Segment::*what) {
  const auto segment = locate(begin);
  if (segment == segments_.end() || segment->sealed) return;
  if ((*segment).*what < std::numeric_limits<std::uint8_t>::max()) ++((*segment).*what);
}

SealedOutput Ledger::sealed_output() const {
  SealedOutput sum;
  for (const Segment& segment : segments_) {
    sum.length += segment.output.length;
    sum.records += segment.output.records;
    sum.content_length += segment.output.content_length;
  }
  return sum;
}

std::uint64_t Ledger::open_until(std::uint64_t begin) const {
  std::uint64_t end = begin;
  for (const Segment* segment = find(begin); segment != nullptr && !segment->sealed; segment = find(end)) {
    end = segment->range.end;
    if (segment->range.is_open_ended()) break;
  }
  return end;
}

}  // namespace ontime::scheduler
