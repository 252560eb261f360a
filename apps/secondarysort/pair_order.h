#pragma once
// Pairs of whole numbers in order of the left, then of the right one, and the answer grouped by the left one.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/app/application.h"

namespace ontime::apps {

struct Pair {
  std::int64_t left = 0;
  std::int64_t right = 0;
};

// The first two words of a line; a right number that is missing is 0. Nothing for a line without words. Throws
// std::runtime_error for a word that is not a whole number of 64 bits.
std::optional<Pair> parse_pair(std::string_view line);

// Lines `left<TAB>right`.
class PairOrder final : public app::Order {
 public:
  void setup(const app::Parameters& parameters) override;
  std::uint64_t rank(std::string_view line) const override;
  std::uint64_t tie_rank(std::string_view line) const override;
  bool is_before(std::string_view a, std::string_view b) const override;
  // A separator goes before the first line of each group.
  void finish(std::string_view line, app::Output& answer) override;

 private:
  std::string separator_;  // empty: none
  std::string left_;       // of the line before; empty: there is none
};

}  // namespace ontime::apps
