#pragma once
// How often words occur, in bounded memory: what does not fit goes to an Overflow. The counts held and those handed to
// the overflow together are right; how they are divided is not defined, but the same for the same calls.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/text/counted_word.h"
#include "apps/text/long_word_table.h"
#include "apps/text/word_line.h"
#include "apps/text/word_scanner.h"

namespace ontime::apps {

// Counts of words that stand in the slots of an open-addressing table: a look-up touches one cache line, nearly always.
// The table never grows. A word that finds no slot in its line or the next ones is refused, so words chosen to collide
// cost a bounded number of steps each. Not thread-safe.
template <class Word>  // a CountedWord
class InlineWordTable {
 public:
  using Line = WordLine<Word>;

  // REQUIRES: slots is a power of two, at least 8. `probes`: slots looked at before a word is refused, in whole lines.
  InlineWordTable(std::size_t slots, std::size_t probes)
      : lines_(slots / Line::kSlots),
        shift_(64 - static_cast<unsigned>(std::countr_zero(lines_.size()))),
        probes_(std::clamp<std::size_t>(probes / Line::kSlots, 1, lines_.size())),
        limit_(slots - slots / 8) {
    first_used_.reserve(kListed);
  }

  std::size_t place_of(std::uint64_t hash) const { return hash >> shift_; }
  void prefetch(std::size_t place) const { __builtin_prefetch(lines_.data() + place, 1); }

  // False when the word is new and there is no room for it. `add_in_line`: any variant of it.
  template <bool (*add_in_line)(Line&, const Word&) = apps::add_in_line<Word>>
  [[gnu::always_inline]] bool add(const Word& word, std::size_t place) {
    if (add_in_line(lines_[place], word)) [[likely]]
      return true;
    for (std::size_t i = 1;; ++i) {
      for (std::size_t slot = 0; slot < Line::kSlots; ++slot) {
        if (lines_[place].counts[slot] == 0) return insert(word, place * Line::kSlots + slot);
      }
      if (i == probes_) return false;
      place = (place + 1) & (lines_.size() - 1);
      if (add_in_line(lines_[place], word)) return true;
    }
  }

  // Goes on in huge pages, which memory that has been touched cannot become; if there is memory for both at a time.
  void expect_many() try {
    if (!listed()) return;
    ZeroedMemory<Line> huge(lines_.size());
    huge.use_huge_pages();
    for (const std::uint32_t number : first_used_) huge[number / Line::kSlots] = lines_[number / Line::kSlots];
    swap(lines_, huge);
  } catch (const std::bad_alloc&) {
    return;
  }
  void touch() { lines_.touch(); }

  bool full() const { return used_ >= limit_; }
  std::size_t size() const { return used_; }

  // Visits each word in an order that depends only on what was added, and in which order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (listed()) {
      for (const std::uint32_t number : first_used_) visit(lines_[number / Line::kSlots].get(number % Line::kSlots));
    } else {
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        for (std::size_t slot = 0; slot < Line::kSlots; ++slot) {
          if (lines_[i].counts[slot] != 0) visit(lines_[i].get(slot));
        }
      }
    }
  }

  void clear() {
    if (listed()) {
      for (const std::uint32_t number : first_used_) lines_[number / Line::kSlots] = {};
    } else {
      std::memset(static_cast<void*>(lines_.data()), 0, lines_.size() * sizeof(Line));
    }
    first_used_.clear();
    used_ = 0;
  }

 private:
  // While few slots are used they are listed, so that small segments do not pay for the size of the table.
  static constexpr std::size_t kListed = 4096;
  bool listed() const { return used_ <= kListed; }

  [[gnu::noinline]] bool insert(const Word& word, std::size_t number) {
    if (full()) return false;
    lines_[number / Line::kSlots].set(number % Line::kSlots, word);
    if (used_++ < kListed) first_used_.push_back(static_cast<std::uint32_t>(number));
    return true;
  }

  ZeroedMemory<Line> lines_;
  unsigned shift_;
  std::size_t probes_;  // lines
  std::size_t limit_;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> first_used_;
};

// All of the table's memory, which is used only as far as words come. The default serves 229,000 distinct words of up
// to 12 bytes from 4 MiB, 57,000 of up to 28 bytes and as many longer ones.
struct WordTableLimits {
  std::size_t short_slots = 1 << 18;   // of 16 bytes; a power of two, as the next two
  std::size_t medium_slots = 1 << 16;  // of 32 bytes
  std::size_t long_slots = 1 << 16;    // of 24 bytes
  std::size_t long_text = 4 << 20;     // bytes of all long words together
  std::size_t longest = 4096;          // bytes of a word that is kept; longer ones go to the overflow at once
  std::size_t probes = 256;
  std::uint32_t max_total = 0xffffffff;  // sum of all counts
};

class WordTable {
 public:
  // What becomes of counts that the table cannot hold.
  class Overflow {
   public:
    virtual ~Overflow() = default;
    // The table is full. Take what is in it; it is cleared afterwards.
    virtual void full(const WordTable& table) = 0;
    // A word that finds no place.
    virtual void refused(std::string_view word, std::uint64_t count) = 0;
  };

  explicit WordTable(const WordTableLimits& limits = {}, InstructionSet = best_instruction_set());

  // Says, as early as may be, that tens or hundreds of words come at a time.
  void expect_tens_of_words() {
    if (std::exchange(expects_tens_, true)) return;
    shorts_.expect_many();
    mediums_.expect_many();
  }
  void expect_hundreds_of_words() {
    if (!std::exchange(expects_hundreds_, true)) shorts_.touch();
  }

  // Counts each of `words` of `text` once. REQUIRES: at most WordScanner::kMaxGroup words.
  void add(std::string_view text, std::span<const WordSpan> words, Overflow& overflow);
  // Adds `count` (at least 1) to one word that is not empty and holds no white space.
  void add(std::string_view word, std::uint32_t count, Overflow& overflow);

  std::size_t size() const { return shorts_.size() + mediums_.size() + longs_.size(); }
  bool empty() const { return size() == 0; }
  // Room for the bytes of all words of at most MediumWord::kMaxSize bytes.
  std::size_t inline_bytes() const {
    return shorts_.size() * ShortWord::kMaxSize + mediums_.size() * MediumWord::kMaxSize;
  }
  void clear();

  // The words in the form in which they are kept.
  const InlineWordTable<ShortWord>& shorts() const { return shorts_; }
  const InlineWordTable<MediumWord>& mediums() const { return mediums_; }
  const LongWordTable& longs() const { return longs_; }

  // Visits (word, count), each word once; the view is valid during the call.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const auto visit_inline = [&]<class Word>(const Word& word) {
      char bytes[Word::kMaxSize];
      word.store(bytes);
      visit(std::string_view(bytes, word.size()), word.count);
    };
    shorts_.for_each(visit_inline);
    mediums_.for_each(visit_inline);
    longs_.for_each(visit);
  }

 private:
  // A group of words on its way into a table: all are hashed, and their lines asked of memory, before the first is
  // looked up.
  template <class Word>
  struct Waiting {
    alignas(kCacheLine) Word words[WordScanner::kMaxGroup + 1];
    std::uint32_t places[WordScanner::kMaxGroup + 1];
  };

  // Each adds words behind whose beginnings MediumWord::kReadable bytes can be read.
  using AddReadable = void (WordTable::*)(const char* text, std::span<const WordSpan> words, Overflow& overflow);
  static AddReadable choose(InstructionSet set);
  void add_readable_portable(const char* text, std::span<const WordSpan> words, Overflow& overflow);
  void add_readable_avx2(const char* text, std::span<const WordSpan> words, Overflow& overflow);
  void add_readable_avx512(const char* text, std::span<const WordSpan> words, Overflow& overflow);
  using LoadOnce = std::uint64_t (*)(const char* word, std::size_t size, ShortWord& loaded);
  using AddInLine = bool (*)(WordLine<ShortWord>& line, const ShortWord& word);
  template <LoadOnce load_once, AddInLine add_in_line>
  void add_readable(const char* text, std::span<const WordSpan> words, Overflow& overflow);
  std::size_t look_up_mediums(const char* text, std::span<const WordSpan> words, Overflow& overflow);

  void make_room_for(std::uint64_t count, Overflow& overflow);
  void spill(Overflow& overflow);
  void add_one(std::string_view word, std::uint32_t count, Overflow& overflow);
  template <class Word>
  void add_inline(InlineWordTable<Word>& table, const Word& word, std::size_t place, Overflow& overflow);
  void add_long(std::string_view word, std::uint32_t count, Overflow& overflow);

  WordTableLimits limits_;
  InlineWordTable<ShortWord> shorts_;
  InlineWordTable<MediumWord> mediums_;
  LongWordTable longs_;
  std::uint64_t total_ = 0;  // sum of all counts
  bool expects_tens_ = false;
  bool expects_hundreds_ = false;
  AddReadable add_readable_;
  Waiting<ShortWord> waiting_shorts_;
  Waiting<MediumWord> waiting_mediums_;
  std::array<WordSpan, WordScanner::kMaxGroup + 1> not_short_;
};

}  // namespace ontime::apps
