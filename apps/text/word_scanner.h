#pragma once
// Finds the words of a stretch of text, in order and in groups, so that the caller can work on many at a time.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "apps/text/byte_class.h"
#include "apps/text/instruction_set.h"

namespace ontime::apps {

// Where a word stands in the text that was scanned.
struct WordSpan {
  std::uint32_t begin;
  std::uint32_t size;

  std::string_view in(std::string_view text) const { return text.substr(begin, size); }
};

class WordScanner {
 public:
  static constexpr std::size_t kBlocksAtOnce = 8;
  static constexpr std::size_t kBytesAtOnce = kBlocksAtOnce * kBlockBytes;
  static constexpr std::size_t kMaxGroup = kBytesAtOnce / 2 + 1;  // a word of one letter every other byte

  // `text` (less than 4 GiB) must outlive the scanner. Its end ends the last word.
  explicit WordScanner(std::string_view text, InstructionSet = best_instruction_set());

  // The next words, at most kMaxGroup; valid until the next call. None at the end of the text.
  std::span<const WordSpan> next();

 private:
  using Masks = std::array<std::uint64_t, kBlocksAtOnce>;

  Masks load_masks();
  const WordSpan* find_words(const Masks& masks);

  std::string_view text_;
  InstructionSet set_;
  std::size_t at_ = 0;            // everything before has been looked at
  std::uint32_t word_begin_ = 0;  // behind the white space seen last
  bool ended_ = false;
  std::array<WordSpan, kMaxGroup + kBlockBytes> words_;  // with room for what a block's loop writes ahead
};

}  // namespace ontime::apps
