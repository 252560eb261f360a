#pragma once
// Counts of words that stand in the slots of an open-addressing table: a look-up touches one cache line, nearly always.
// The table never grows. A word that finds no slot near its place is refused, so words chosen to collide cost a bounded
// number of steps each. Not thread-safe.

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "apps/text/counted_word.h"
#include "apps/text/zeroed_memory.h"

namespace ontime::apps {

template <class Word>  // a CountedWord
class InlineWordTable {
 public:
  // REQUIRES: slots is a power of two, at least 8. `probes`: slots looked at before a word is refused.
  InlineWordTable(std::size_t slots, std::size_t probes)
      : slots_(slots),
        shift_(64 - static_cast<unsigned>(std::countr_zero(slots))),
        probes_(probes < slots ? probes : slots),
        limit_(slots - slots / 8) {
    first_used_.reserve(kListed);
  }

  std::size_t place_of(const Word& word) const { return word.hash() >> shift_; }
  void prefetch(std::size_t place) const { __builtin_prefetch(slots_.data() + place, 1); }

  // False when the word is new and there is no room for it.
  bool add(const Word& word, std::size_t place) {
    Word& slot = slots_[place];
    if (slot.same_word(word)) [[likely]] {
      slot.count += word.count;
      return true;
    }
    return add_beyond(word, place);
  }

  bool full() const { return used_ >= limit_; }
  std::size_t size() const { return used_; }

  // Visits each word in an order that depends only on what was added, and in which order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (listed()) {
      for (const std::uint32_t place : first_used_) visit(slots_[place]);
    } else {
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (slots_[i].count != 0) visit(slots_[i]);
      }
    }
  }

  void clear() {
    if (listed()) {
      for (const std::uint32_t place : first_used_) slots_[place] = {};
    } else {
      std::memset(static_cast<void*>(slots_.data()), 0, slots_.size() * sizeof(Word));
    }
    first_used_.clear();
    used_ = 0;
  }

 private:
  // While few slots are used they are listed, so that small segments do not pay for the size of the table.
  static constexpr std::size_t kListed = 4096;
  bool listed() const { return used_ <= kListed; }

  bool add_beyond(const Word& word, std::size_t place) {
    for (std::size_t i = 0; i < probes_; ++i, place = (place + 1) & (slots_.size() - 1)) {
      Word& slot = slots_[place];
      if (slot.same_word(word)) {
        slot.count += word.count;
        return true;
      }
      if (slot.count == 0) return insert(word, place);
    }
    return false;
  }

  bool insert(const Word& word, std::size_t place) {
    if (full()) return false;
    slots_[place] = word;
    if (used_++ < kListed) first_used_.push_back(static_cast<std::uint32_t>(place));
    return true;
  }

  ZeroedMemory<Word> slots_;
  unsigned shift_;
  std::size_t probes_;
  std::size_t limit_;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> first_used_;
};

}  // namespace ontime::apps
