#pragma once
// All terms of a document of any size, in order.

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/text/counts.h"
#include "common/app/application.h"

namespace ontime::apps {

// A term of a document, and the text of many: `term:count term:count ...`, most frequent first, then by their bytes. A
// term may hold colons: the count stands behind the last one.

struct Term {
  std::string_view text;
  std::uint64_t count;
};
bool comes_before(const Term& a, const Term& b);

// What may be read behind the beginning of every term.
enum class Padding { None, SixteenBytes };

// Writes a term and the blank behind it, which the last one has too many. Returns its end. REQUIRES: room for the text
// and kTermExtra, and with padding for sixteen bytes of text.
inline constexpr std::size_t kTermExtra = kMaxDecimal + 2;
inline char* write_term(char* to, const Term& term, Padding padding) {
  const auto& [text, count] = term;
  constexpr std::size_t at_once = 16;
  if (text.size() <= at_once && padding == Padding::SixteenBytes)
    std::memcpy(to, text.data(), at_once);
  else
    std::memcpy(to, text.data(), text.size());
  to += text.size();
  *to++ = ':';
  to = write_decimal(to, count);
  *to++ = ' ';
  return to;
}

class TermVector {
 public:
  void clear() { terms_.clear(); }
  // `term` must stay valid until the vector is written.
  void add(std::string_view term, std::uint64_t count) { terms_.push_back({term, count}); }
  // Sorts the terms and writes them, without a line end.
  void write(app::Output& out);

 private:
  std::vector<Term> terms_;
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
