#include "apps/text/word_table.h"

#include <algorithm>

namespace ontime::apps {
namespace {

// Loads a word without reading behind it.
template <class Word>
Word load_carefully(std::string_view word, std::uint32_t count) {
  char padded[Word::kReadable] = {};
  std::memcpy(padded, word.data(), word.size());
  return Word::load(padded, word.size(), count);
}

}  // namespace

WordTable::WordTable(const WordTableLimits& limits)
    : limits_(limits),
      shorts_(limits.short_slots, limits.probes),
      mediums_(limits.medium_slots, limits.probes),
      longs_(limits.long_slots, limits.long_text, limits.probes) {
  limits_.longest = std::min(limits_.longest, longs_.longest());
}

void WordTable::add(std::string_view text, std::span<const WordSpan> words, Overflow& overflow) {
  make_room_for(words.size(), overflow);
  std::size_t readable = words.size();  // without those that end too near to the end of the text
  while (readable > 0 && words[readable - 1].begin + MediumWord::kReadable > text.size()) --readable;
  std::size_t others = 0;
  for (const WordSpan& span : words.first(readable)) {
    look_up(shorts_, text.data() + span.begin, span.size, waiting_shorts_);
    not_short_[others] = span;
    const bool is_short = span.size <= ShortWord::kMaxSize;  // counted, not branched upon
    waiting_shorts_.size += is_short;
    others += !is_short;
  }
  for (std::size_t i = 0; i < others; ++i) {
    const WordSpan& span = not_short_[i];
    look_up(mediums_, text.data() + span.begin, span.size, waiting_mediums_);
    if (span.size <= MediumWord::kMaxSize)
      ++waiting_mediums_.size;
    else
      add_long(span.in(text), 1, overflow);
  }
  add_waiting(shorts_, waiting_shorts_, overflow);
  add_waiting(mediums_, waiting_mediums_, overflow);
  for (const WordSpan& span : words.subspan(readable)) add_one(span.in(text), 1, overflow);
}

// Puts a word behind those that wait, without counting it yet.
template <class Word>
void WordTable::look_up(const InlineWordTable<Word>& table, const char* word, std::size_t size,
                        Waiting<Word>& waiting) {
  const Word loaded = Word::load(word, size, 1);
  const std::size_t place = table.place_of(loaded);
  table.prefetch(place);
  waiting.words[waiting.size] = {loaded, place};
}

template <class Word>
void WordTable::add_waiting(InlineWordTable<Word>& table, Waiting<Word>& waiting, Overflow& overflow) {
  const std::size_t size = waiting.size;
  waiting.size = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto& [word, place] = waiting.words[i];
    if (!table.add(word, place)) [[unlikely]]
      add_inline(table, word, overflow);
  }
}

void WordTable::add(std::string_view word, std::uint32_t count, Overflow& overflow) {
  make_room_for(count, overflow);
  add_one(word, count, overflow);
}

// Keeps every count below 2^32.
void WordTable::make_room_for(std::uint64_t count, Overflow& overflow) {
  if (total_ + count > limits_.max_total) {
    spill(overflow);
    total_ = 0;
  }
  total_ += count;
}

void WordTable::spill(Overflow& overflow) {
  if (!empty()) overflow.full(*this);
  const std::uint64_t total = total_;
  clear();
  total_ = total;  // what is being added may come after the spill
}

void WordTable::add_one(std::string_view word, std::uint32_t count, Overflow& overflow) {
  if (word.size() <= ShortWord::kMaxSize)
    add_inline(shorts_, load_carefully<ShortWord>(word, count), overflow);
  else if (word.size() <= MediumWord::kMaxSize)
    add_inline(mediums_, load_carefully<MediumWord>(word, count), overflow);
  else
    add_long(word, count, overflow);
}

template <class Word>
void WordTable::add_inline(InlineWordTable<Word>& table, const Word& word, Overflow& overflow) {
  const std::size_t place = table.place_of(word);
  if (table.add(word, place)) return;
  if (table.full()) {
    spill(overflow);
    if (table.add(word, place)) return;
  }
  char bytes[Word::kMaxSize];
  word.store(bytes);
  overflow.refused({bytes, word.size()}, word.count);
}

void WordTable::add_long(std::string_view word, std::uint32_t count, Overflow& overflow) {
  if (word.size() <= limits_.longest) {
    const std::uint64_t hash = LongWordTable::hash(word);
    if (longs_.add(word, hash, count)) return;
    if (longs_.full()) {
      spill(overflow);
      if (longs_.add(word, hash, count)) return;
    }
  }
  overflow.refused(word, count);
}

void WordTable::clear() {
  shorts_.clear();
  mediums_.clear();
  longs_.clear();
  total_ = 0;
}

}  // namespace ontime::apps
