#include "apps/text/long_word_table.h"

#include <cstring>

#include "apps/text/counted_word.h"

namespace ontime::apps {
namespace {

std::uint64_t load64(const char* from) {
  std::uint64_t value;
  std::memcpy(&value, from, 8);
  return value;
}

}  // namespace

LongWordTable::LongWordTable(std::size_t slots, std::size_t text_bytes, std::size_t probes)
    : slots_(slots),
      text_(text_bytes),
      mask_(slots - 1),
      probes_(probes < slots ? probes : slots),
      limit_(slots - slots / 8) {}

// Sixteen bytes a step; the last step looks at the last sixteen bytes, some of them for the second time.
std::uint64_t LongWordTable::hash(std::string_view word) {
  const char* from = word.data();
  const char* const end = from + word.size();
  std::uint64_t state = word.size() * kFirstKey;
  for (; end - from > 16; from += 16) state = fold_product(load64(from) ^ state, load64(from + 8) ^ kSecondKey);
  const char* const first = word.size() < 16 ? word.data() : end - 16;
  return fold_product(load64(first) ^ state, load64(end - 8) ^ kSecondKey);
}

bool LongWordTable::add(std::string_view word, std::uint64_t hash, std::uint32_t count) {
  std::size_t place = hash & mask_;
  for (std::size_t i = 0; i < probes_; ++i, place = (place + 1) & mask_) {
    Slot& slot = slots_[place];
    if (slot.count == 0) return insert(word, hash, place, count);
    if (slot.hash == hash && word_of(slot) == word) {
      slot.count += count;
      return true;
    }
  }
  return false;
}

bool LongWordTable::insert(std::string_view word, std::uint64_t hash, std::size_t place, std::uint32_t count) {
  if (used_.size() >= limit_ || text_used_ + word.size() > text_.size()) {
    full_ = true;
    return false;
  }
  std::memcpy(text_.data() + text_used_, word.data(), word.size());
  slots_[place] = {hash, static_cast<std::uint32_t>(text_used_), static_cast<std::uint32_t>(word.size()), count};
  text_used_ += word.size();
  used_.push_back(static_cast<std::uint32_t>(place));
  return true;
}

void LongWordTable::clear() {
  for (const std::uint32_t place : used_) slots_[place] = {};
  used_.clear();
  text_used_ = 0;
  full_ = false;
}

}  // namespace ontime::apps
