#pragma once
// A text that is looked for as it stands, as fast as memory is read where the machine has AVX2.

#include <cstddef>
#include <string>
#include <string_view>

#include "apps/text/byte_class.h"

namespace ontime::apps {

class Literal {
 public:
  // REQUIRES: not empty.
  explicit Literal(std::string text, InstructionSet set = best_instruction_set());

  const std::string& text() const { return text_; }
  // Where it begins in `bytes`, at `from` or behind it; std::string_view::npos if nowhere.
  std::size_t find(std::string_view bytes, std::size_t from) const;

 private:
  std::string text_;
  // Two bytes that are rare in most texts: only where both stand the others are compared.
  std::size_t rare_ = 0, other_ = 0;
  bool has_avx2_;
};

// The longest text that stands in all that the pattern matches, as far as is easily told; most often empty if it has
// alternatives. A pattern is one of RE2's that distinguishes upper and lower case.
std::string required_literal(std::string_view pattern);

}  // namespace ontime::apps
