#pragma once
// How many words a text has and how long they are together, without looking at any of them.

#include <cstdint>
#include <string_view>

#include "apps/text/instruction_set.h"

namespace ontime::apps {

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

// The end of the text ends the last word. `code_points` stays 0 unless asked for.
WordTotals count_totals(std::string_view text, bool code_points, InstructionSet set = best_instruction_set());

}  // namespace ontime::apps
