#pragma once
// Adds up the term vectors of one document and drops the rare terms of the answer.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "apps/termvector/term_vector.h"
#include "common/app/application.h"

namespace ontime::apps {

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
