#pragma once
// All terms of a document of any size, in order.

#include <cstdint>
#include <string_view>
#include <vector>

#include "apps/termvector/term.h"
#include "apps/text/word_table.h"
#include "common/app/output.h"

namespace ontime::apps {

class TermVector {
 public:
  void clear();
  // `term` must stay valid until the vector is written.
  void add(std::string_view term, std::uint64_t count);
  // Sorts the terms and writes them, without a line end.
  void write(app::Output& out);

 private:
  std::vector<Term> terms_;
  std::vector<std::int64_t> keys_;
  std::vector<std::uint32_t> order_;
};

}  // namespace ontime::apps
