#pragma once
// All terms of a document of any size, in order.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/termvector/term.h"
#include "apps/text/word_table.h"
#include "common/app/application.h"
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

// Adds up the term vectors of one document and drops the rare terms of the answer.

// Throws std::invalid_argument unless it is a whole number.
std::uint64_t parse_cutoff(const std::string& text);

class TermVectorMerger final : public app::Merger {
 public:
  void setup(const app::Parameters& parameters) override { cutoff_ = parse_cutoff(parameters.get("cutoff")); }
  void merge(std::string_view key, std::span<const std::string_view> values, std::string& merged) override;
  // A document of which no term is left is left out.
  void finish(std::string_view key, std::string_view value, app::Output& answer) override;

 private:
  std::uint64_t cutoff_ = 0;
  std::unordered_map<std::string_view, std::uint64_t> counts_;  // empty between calls
  TermVector terms_;
};

}  // namespace ontime::apps
