#pragma once
// How `sort` compares lines: by bytes or by a decimal number, the whole line or one field of it; lines whose keys are
// equal by their bytes. The same as GNU sort in the C locale with --field-separator=TAB and --key=N,N.

#include <cstdint>
#include <string_view>

#include "common/app/application.h"

namespace ontime::apps {

class LineOrder final : public app::Order {
 public:
  // The parameters that a job can set.
  static std::vector<app::Parameter> parameters();
  // Throws std::invalid_argument with a sentence.
  void setup(const app::Parameters& parameters) override;

  std::uint64_t rank(std::string_view line) const override;
  std::uint64_t tie_rank(std::string_view line) const override;
  bool is_before(std::string_view a, std::string_view b) const override;

 private:
  std::string_view key_of(std::string_view line) const;
  int compare_keys(std::string_view a, std::string_view b) const;

  std::uint32_t field_ = 0;  // from 1; 0: the whole line
  bool is_numeric_ = false;
  bool is_reverse_ = false;
};

}  // namespace ontime::apps
