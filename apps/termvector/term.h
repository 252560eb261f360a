#pragma once
// A term of a document, and the text of many: `term:count term:count ...`, most frequent first, then by their bytes. A
// term may hold colons: the count stands behind the last one.

#include <cstdint>
#include <span>
#include <string_view>

#include "apps/text/instruction_set.h"
#include "common/app/output.h"

namespace ontime::apps {

// Sorts a few numbers without a branch on any of them: the place of each is how many are smaller.
inline constexpr std::size_t kMaxKeys = 32;

// Writes to order[k] the index of the k-th smallest key. REQUIRES: the keys differ; at most kMaxKeys; `order` as long.
void order_keys(std::span<const std::int64_t> keys, std::span<std::uint32_t> order,
                InstructionSet set = best_instruction_set());

struct Term {
  std::string_view text;
  std::uint64_t count;
};

// What may be read behind the beginning of every term.
enum class Padding { None, SixteenBytes };

// Bytes of a term from `from` on, as they stand in memory: the first is the lowest. Zero behind its end.
std::uint64_t term_bytes(std::string_view term, std::size_t from);

// A number that puts terms in order without looking at their text, or not at all: two may have the same. `first_bytes`:
// term_bytes(term, 0).
std::int64_t order_key(std::uint64_t first_bytes, std::uint64_t count);

// Writes to order[k] the index of the k-th term. `keys`: of the terms; changed. All three are equally long.
void order_terms(std::span<const Term> terms, std::span<std::int64_t> keys, std::span<std::uint32_t> order);

// Without a line end.
void write_terms(std::span<const Term> terms, std::span<const std::uint32_t> order, Padding padding, app::Output& out);

}  // namespace ontime::apps
