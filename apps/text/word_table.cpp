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

WordTable::WordTable(const WordTableLimits& limits, InstructionSet set)
    : limits_(limits),
      shorts_(limits.short_slots, limits.probes),
      mediums_(limits.medium_slots, limits.probes),
      longs_(limits.long_slots, limits.long_text, limits.probes),
      add_readable_(choose(set)) {
  limits_.longest = std::min(limits_.longest, longs_.longest());
}

void WordTable::add(std::string_view text, std::span<const WordSpan> words, Overflow& overflow) {
  make_room_for(words.size(), overflow);
  std::size_t readable = words.size();  // without those that end too near to the end of the text
  while (readable > 0 && words[readable - 1].begin + MediumWord::kReadable > text.size()) --readable;
  (this->*add_readable_)(text.data(), words.first(readable), overflow);
  for (const WordSpan& span : words.subspan(readable)) add_one(span.in(text), 1, overflow);
}

template <WordTable::LoadOnce load_once, WordTable::AddInLine add_in_line>
[[gnu::always_inline]] inline void WordTable::add_readable(const char* text, std::span<const WordSpan> words,
                                                           Overflow& overflow) {
  std::size_t shorts = 0, others = 0;
  for (const WordSpan& span : words) {
    const std::size_t place = shorts_.place_of(load_once(text + span.begin, span.size, waiting_shorts_.words[shorts]));
    shorts_.prefetch(place);
    waiting_shorts_.places[shorts] = static_cast<std::uint32_t>(place);
    not_short_[others] = span;
    const bool is_short = span.size <= ShortWord::kMaxSize;  // counted, not branched upon
    shorts += is_short;
    others += !is_short;
  }
  const std::size_t mediums = others == 0 ? 0 : look_up_mediums(text, {not_short_.data(), others}, overflow);
  for (std::size_t i = 0; i < shorts; ++i) {
    const ShortWord& word = waiting_shorts_.words[i];
    if (!shorts_.add<add_in_line>(word, waiting_shorts_.places[i])) [[unlikely]]
      add_inline(shorts_, word, waiting_shorts_.places[i], overflow);
  }
  for (std::size_t i = 0; i < mediums; ++i) {
    add_inline(mediums_, waiting_mediums_.words[i], waiting_mediums_.places[i], overflow);
  }
}

void WordTable::add_readable_portable(const char* text, std::span<const WordSpan> words, Overflow& overflow) {
  add_readable<apps::load_once, apps::add_in_line<ShortWord>>(text, words, overflow);
}

#ifdef __x86_64__
ONTIME_TARGET_AVX2 void WordTable::add_readable_avx2(const char* text, std::span<const WordSpan> words,
                                                     Overflow& overflow) {
  add_readable<apps::load_once, add_in_line_avx2>(text, words, overflow);
}

ONTIME_TARGET_AVX512 void WordTable::add_readable_avx512(const char* text, std::span<const WordSpan> words,
                                                         Overflow& overflow) {
  add_readable<load_once_avx512, add_in_line_avx512>(text, words, overflow);
}

WordTable::AddReadable WordTable::choose(InstructionSet set) {
  switch (set) {
    case InstructionSet::Avx512: return &WordTable::add_readable_avx512;
    case InstructionSet::Avx2: return &WordTable::add_readable_avx2;
    case InstructionSet::Simd128:
    case InstructionSet::Portable: break;
  }
  return &WordTable::add_readable_portable;
}
#else
WordTable::AddReadable WordTable::choose(InstructionSet) { return &WordTable::add_readable_portable; }
#endif

// Adds the long words at once. Puts the medium words aside, with their places prefetched, and returns how many.
std::size_t WordTable::look_up_mediums(const char* text, std::span<const WordSpan> words, Overflow& overflow) {
  std::size_t mediums = 0;
  for (const WordSpan& span : words) {
    const char* const begin = text + span.begin;
    if (span.size > MediumWord::kMaxSize) {
      add_long({begin, span.size}, 1, overflow);
      continue;
    }
    const MediumWord word = MediumWord::load(begin, span.size, 1);
    const std::size_t place = mediums_.place_of(word.hash());
    mediums_.prefetch(place);
    waiting_mediums_.words[mediums] = word;
    waiting_mediums_.places[mediums++] = static_cast<std::uint32_t>(place);
  }
  return mediums;
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
  const auto add_to = [&]<class Word>(InlineWordTable<Word>& table) {
    const Word loaded = load_carefully<Word>(word, count);
    add_inline(table, loaded, table.place_of(loaded.hash()), overflow);
  };
  if (word.size() <= ShortWord::kMaxSize)
    add_to(shorts_);
  else if (word.size() <= MediumWord::kMaxSize)
    add_to(mediums_);
  else
    add_long(word, count, overflow);
}

template <class Word>
void WordTable::add_inline(InlineWordTable<Word>& table, const Word& word, std::size_t place, Overflow& overflow) {
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
