#pragma once
// The terms of a short document, most often a line.
//
// Its words are sorted all by a number each, the first bytes and the place, and equal ones meet: for so few this takes
// less time than a table of those that are there already. What costs time are branches that are not foreseen, such as
// the ends of loops that run as often as a line has words. So there are few of them.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "apps/termvector/term_vector.h"
#include "apps/text/byte_class.h"
#include "apps/text/word_scanner.h"
#include "common/app/application.h"

namespace ontime::apps {

// Sorts a few numbers without a branch on any of them: the place of each is how many are smaller.
inline constexpr std::size_t kMaxKeys = 64;
inline constexpr std::size_t kKeysAtOnce = 8;
// REQUIRES: the keys differ; `count` is at most kMaxKeys; both have room for kKeysAtOnce more, which is overwritten.
void sort_keys(std::int64_t* keys, std::int64_t* sorted, std::size_t count,
               InstructionSet set = best_instruction_set());

class LineTerms {
 public:
  static constexpr std::size_t kMaxWords = 256;
  static constexpr std::size_t kReadable = 16;  // bytes that are read of every word, whatever its size

  // Takes words from the front of `words`, until one begins at `end` or behind it, or there is no room for it, or fewer
  // than kReadable bytes of `text` follow its begin. Returns how many. `text` must stay valid until clear().
  std::size_t take(std::string_view text, std::span<const WordSpan> words, std::size_t end);

  std::span<const std::string_view> words() const { return {words_.data(), size_}; }
  // Without a line end. Once: clear() comes next.
  void write(app::Output& out);
  void clear();

 private:
  bool has_alike() const;
  std::string_view word_of(std::int64_t key) const { return words_[static_cast<std::size_t>(key) & (kMaxWords - 1)]; }
  void order_alike(std::size_t begin, std::size_t end);
  std::span<const Term> count_repeated();

  std::size_t size_ = 0;
  std::size_t bytes_ = 0;  // of all words
  std::array<std::string_view, kMaxWords> words_;
  std::array<std::int64_t, kMaxWords + kKeysAtOnce> keys_;
  std::array<std::int64_t, kMaxWords + kKeysAtOnce> sorted_{};
  // Of count_repeated(); here, as an array of them takes longer to make than to fill.
  static constexpr std::size_t kRepeatedMost = kMaxWords / 2;
  std::array<Term, kRepeatedMost + kMaxWords> terms_;
  std::array<Term, kRepeatedMost> repeated_;
};

}  // namespace ontime::apps
