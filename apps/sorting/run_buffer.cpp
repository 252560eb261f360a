#include "apps/sorting/run_buffer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace ontime::apps {
namespace {

// Entries come in two copies while they are sorted.
constexpr std::size_t kEntryBytes = 2 * 16;
constexpr std::size_t kRadixFromEntries = 4096;

}  // namespace

RunBuffer::RunBuffer(const app::Order& order, std::size_t memory_bytes)
    : order_(order),
      memory_bytes_(memory_bytes),
      are_lines_(order.record_bytes() == 0),
      bytes_(std::make_unique_for_overwrite<char[]>(memory_bytes)) {
  static_assert(sizeof(Entry) * 2 == kEntryBytes);
}

bool RunBuffer::has_room_for(std::size_t size) const {
  return used_ + size + (entries_.size() + 1) * kEntryBytes <= memory_bytes_;
}

void RunBuffer::add(std::string_view record, app::Output& out) {
  if (!has_room_for(record.size())) {
    flush(out);
    if (!has_room_for(record.size())) return write(record, out);  // a run of its own
  }
  if (!record.empty()) std::memcpy(bytes_.get() + used_, record.data(), record.size());
  entries_.push_back(
      {order_.rank(record), static_cast<std::uint32_t>(used_), static_cast<std::uint32_t>(record.size())});
  used_ += record.size();
}

void RunBuffer::flush(app::Output& out) {
  sort();
  for (const Entry& entry : entries_) write(record_of(entry), out);
  entries_.clear();
  used_ = 0;
}

void RunBuffer::write(std::string_view record, app::Output& out) const {
  char* to = out.reserve(record.size() + 1);
  if (!record.empty()) std::memcpy(to, record.data(), record.size());
  to[record.size()] = '\n';
  out.commit(record.size() + (are_lines_ ? 1 : 0));
}

// By rank, the many with a radix sort that skips the bytes in which all ranks agree; then ties by the records.
void RunBuffer::sort() {
  const auto by_rank = [](const Entry& a, const Entry& b) { return a.rank < b.rank; };
  if (std::is_sorted(entries_.begin(), entries_.end(), by_rank)) {
    // nothing to move
  } else if (entries_.size() < kRadixFromEntries) {
    std::sort(entries_.begin(), entries_.end(), by_rank);
  } else {
    radix_sort();
  }
  for (auto tie = entries_.begin(); tie != entries_.end();) {
    const auto end = std::find_if(tie, entries_.end(), [&](const Entry& entry) { return entry.rank != tie->rank; });
    if (end - tie > 1) sort_ties(&*tie, &*tie + (end - tie));
    tie = end;
  }
}

// From the lowest byte to the highest, each pass stable.
void RunBuffer::radix_sort() {
  std::array<std::array<std::uint32_t, 256>, 8> counts{};
  for (const Entry& entry : entries_)
    for (unsigned byte = 0; byte < 8; ++byte) ++counts[byte][entry.rank >> 8 * byte & 255];
  scratch_.resize(entries_.size());
  for (unsigned byte = 0; byte < 8; ++byte) {
    auto& places = counts[byte];
    if (places[entries_.front().rank >> 8 * byte & 255] == entries_.size()) continue;
    std::uint32_t place = 0;
    for (std::uint32_t& count : places) place += std::exchange(count, place);
    for (const Entry& entry : entries_) scratch_[places[entry.rank >> 8 * byte & 255]++] = entry;
    entries_.swap(scratch_);
  }
}

void RunBuffer::sort_ties(Entry* begin, Entry* end) const {
  for (Entry* entry = begin; entry != end; ++entry) entry->rank = order_.tie_rank(record_of(*entry));
  std::sort(begin, end, [this](const Entry& a, const Entry& b) {
    return a.rank != b.rank ? a.rank < b.rank : order_.is_before(record_of(a), record_of(b));
  });
}

}  // namespace ontime::apps
