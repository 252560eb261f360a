#pragma once
// All terms of a document of any size, in order.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/text/byte_class.h"
#include "apps/text/word_table.h"
#include "common/app/application.h"

namespace ontime::apps {

// A term of a document, and the text of many: `term:count term:count ...`, most frequent first, then by their bytes. A
// term may hold colons: the count stands behind the last one.

// Sorts a few numbers without a branch on any of them: the place of each is how many are smaller.
inline constexpr std::size_t kMaxKeys = 64;

// Writes to order[k] the index of the k-th smallest key. REQUIRES: the keys differ; at most kMaxKeys; `order` as long.
void order_keys(std::span<const std::int64_t> keys, std::span<std::uint32_t> order,
                InstructionSet set = best_instruction_set());

struct Term {
  std::string_view text;
  std::uint64_t count;
};

// What may be read behind the beginning of every term.
enum class Padding { None, SixteenBytes };

// A number that puts terms in order without looking at their text, or not at all: two may have the same. `first_bytes`:
// the first eight, as they stand in memory, zero behind the term's end.
std::int64_t order_key(std::uint64_t first_bytes, std::uint64_t count);

// Writes to order[k] the index of the k-th term. `keys`: of the terms; changed. All three are equally long.
void order_terms(std::span<const Term> terms, std::span<std::int64_t> keys, std::span<std::uint32_t> order);

// Without a line end.
void write_terms(std::span<const Term> terms, std::span<const std::uint32_t> order, Padding padding, app::Output& out);

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
