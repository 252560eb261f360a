#pragma once
// The document that is being read: the lines in a row that have the same key. Its words stand in a small table while
// they are few; a larger document moves on to a large table, one larger still becomes several lines of output with the
// same key, which the merge puts together.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "apps/termvector/term_vector.h"
#include "apps/text/counted_word.h"
#include "apps/text/long_word_table.h"
#include "apps/text/word_table.h"
#include "common/app/application.h"

namespace ontime::apps {

// The terms of a short document, most often a line: a table small enough for the nearest cache that refers to words
// where they stand in the input.
class LineTerms {
 public:
  static constexpr std::size_t kMaxTerms = 256;
  static constexpr std::size_t kReadable = 16;  // bytes that are read of every word, whatever its size

  // REQUIRES: `word` stays valid until clear(), not empty, kReadable bytes can be read. False when there is no room.
  bool add(std::string_view word) {
    const auto [head, tail] = load(word);
    const std::uint64_t hash = (head ^ tail * kFirstKey) * kSecondKey;
    for (std::size_t at = hash >> (64 - kSlotBits);; at = (at + 1) % kSlots) {
      Slot& slot = slots_[at];
      if (slot.document != document_) return insert(slot, word, head, tail);
      if (same(slot.term, word, head, tail)) {
        ++terms_[slot.term].count;
        return true;
      }
    }
  }

  bool empty() const { return size_ == 0; }
  std::span<const Term> terms() const { return {terms_.data(), size_}; }
  void write(app::Output& out);
  void clear();

 private:
  static constexpr unsigned kSlotBits = 9;
  static constexpr std::size_t kSlots = 1 << kSlotBits;
  static_assert(kSlots > kMaxTerms);

  struct Slot {
    std::uint32_t document;  // the slot is free unless this is the current one
    std::uint32_t term;
  };
  struct Ends {
    std::uint64_t head;  // the first eight bytes
    std::uint64_t tail;  // the next eight bytes; of more than sixteen bytes, a hash of all
  };

  static Ends load(std::string_view word) {
    Ends ends;
    std::memcpy(&ends, word.data(), sizeof ends);
    if (word.size() > sizeof ends) [[unlikely]]
      return {ends.head, LongWordTable::hash(word)};
    const WordMask<2>& mask = kWordMasks<2>[word.size()];
    return {ends.head & mask.heads[0], ends.tail & mask.heads[1]};
  }

  bool same(std::uint32_t term, std::string_view word, std::uint64_t head, std::uint64_t tail) const {
    const std::string_view other = terms_[term].text;
    if (heads_[term] != head || tails_[term] != tail || other.size() != word.size()) return false;
    return word.size() <= sizeof(Ends) || other == word;
  }

  bool insert(Slot& slot, std::string_view word, std::uint64_t head, std::uint64_t tail) {
    if (size_ == kMaxTerms) return false;
    slot = {document_, size_};
    heads_[size_] = head;
    tails_[size_] = tail;
    terms_[size_++] = {word, 1};
    return true;
  }

  std::uint32_t document_ = 1;  // counts documents, so that a new one finds all slots free
  std::uint32_t size_ = 0;
  std::array<Slot, kSlots> slots_{};
  std::array<std::uint64_t, kMaxTerms> heads_;
  std::array<std::uint64_t, kMaxTerms> tails_;
  std::array<Term, kMaxTerms> terms_;
};

class Document {
 public:
  explicit Document(const WordTableLimits& limits = {}) : limits_(limits) {}

  const std::string& key() const { return key_; }
  // Ends the document before. `key` holds neither a tab nor a line feed.
  void begin(std::string_view key, app::Output& out);
  // Words of the current document, which must stay valid until forget_text() or the next begin() or end().
  void add(std::string_view text, std::span<const WordSpan> words, app::Output& out);
  // The text of the words is about to go.
  void forget_text(app::Output& out);
  // Writes what there is. A document without words leaves no trace.
  void end(app::Output& out);

 private:
  class Writer;  // what the large table cannot hold becomes output

  void add_to_large(std::string_view word, std::uint64_t count, app::Output& out);
  void write_large(const WordTable& table, app::Output& out);
  void begin_line(app::Output& out) const;

  WordTableLimits limits_;
  std::string key_;
  LineTerms small_;
  std::unique_ptr<WordTable> large_;  // made when first needed, then kept
  bool is_large_ = false;             // some words are in the large table
  TermVector terms_;
};

}  // namespace ontime::apps
