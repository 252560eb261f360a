#pragma once
// How `sort` compares lines: by bytes or by a decimal number, the whole line or one field of it; lines whose keys are
// equal by their bytes. The same as GNU sort in the C locale with --field-separator=TAB and --key=N,N.

#include <cstdint>
#include <string_view>

#include "common/app/application.h"

namespace ontime::apps {

// Keys that are decimal numbers of any length, compared exactly: blanks, a minus sign, digits, a point, digits. What is
// no number counts as zero, and what follows a number is not looked at.
struct DecimalKey {
  bool is_negative = false;   // never for zero
  std::string_view whole;     // digits before the point, without leading zeros
  std::string_view fraction;  // digits behind it, without trailing zeros
};

DecimalKey parse_decimal_key(std::string_view text);
// Less than, equal to or greater than 0.
int compare(const DecimalKey& a, const DecimalKey& b);
// A lower number has a lower rank or the same.
std::uint64_t rank_of(const DecimalKey& key);

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
