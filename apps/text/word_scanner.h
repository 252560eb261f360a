#pragma once
// The words of a stretch of text: found in order and in groups, so that the caller can work on many at a time, or only
// counted.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "apps/text/byte_class.h"

namespace ontime::apps {

// Where a word stands in the text that was scanned.
struct WordSpan {
  std::uint32_t begin;
  std::uint32_t size;

  std::string_view in(std::string_view text) const { return text.substr(begin, size); }
};

class WordScanner {
 public:
  static constexpr std::size_t kBlocksAtOnce = 16;
  static constexpr std::size_t kBytesAtOnce = kBlocksAtOnce * kBlockBytes;
  static constexpr std::size_t kMaxGroup = kBytesAtOnce / 2 + 1;  // a word of one letter every other byte

  // `text` (less than 4 GiB) must outlive the scanner. Its end ends the last word.
  explicit WordScanner(std::string_view text, InstructionSet = best_instruction_set());

  // The next words, at most kMaxGroup; valid until the next call. None at the end of the text.
  std::span<const WordSpan> next();

 private:
  std::string_view text_;
  WordSpan* (*find_words_)(const char* text, std::uint32_t at, std::uint32_t& word_begin, WordSpan* out);
  std::size_t at_ = 0;            // everything before has been looked at
  std::uint32_t word_begin_ = 0;  // behind the white space seen last
  bool ended_ = false;
  std::array<WordSpan, kMaxGroup + kBlockBytes> words_;  // with room for what is written ahead
};

// How many words a text has and how long they are together.
struct WordTotals {
  std::uint64_t words = 0;
  std::uint64_t bytes = 0;        // of all words
  std::uint64_t code_points = 0;  // bytes of words that do not continue a UTF-8 sequence

  WordTotals& operator+=(const WordTotals& other) {
    words += other.words;
    bytes += other.bytes;
    code_points += other.code_points;
    return *this;
  }
  bool operator==(const WordTotals&) const = default;
};

// Without looking at any word. The end of the text ends the last word. `code_points` stays 0 unless asked for.
WordTotals count_totals(std::string_view text, bool code_points, InstructionSet set = best_instruction_set());

}  // namespace ontime::apps
