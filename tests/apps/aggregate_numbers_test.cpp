#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/aggregate/number.h"

namespace ontime::apps::test {
namespace {

TEST(Aggregate, AShortNumberIsReadAsAnyOther) {
  EXPECT_TRUE(rc::check([] {
    const auto letters = rc::gen::elementOf(std::string("0123456789..--+ex /:"));
    const auto text = *rc::gen::suchThat(rc::gen::scale(0.1, rc::gen::container<std::string>(letters)),
                                         [](const std::string& one) { return !one.empty() && one.size() <= 8; });
    std::int64_t digits = 0;
    int decimals = 0;
    const bool is_read = parse_short_number((text + "12345678").c_str(), text.size(), digits, decimals);
    const auto number = parse_number(text);
    if (text.find_first_of("+e ") == text.npos) RC_ASSERT(is_read == number.has_value());
    if (is_read) RC_ASSERT(number && number->digits == digits && number->decimals == decimals);
  }));
}

#ifdef __x86_64__

// What is read of `texts`, which end at a tab, until one is refused.
std::vector<std::int32_t> read_column(const FixedForm& form, const std::vector<std::string>& texts, bool in_fours) {
  std::string column = "01234567";
  std::vector<std::int32_t> ends{static_cast<std::int32_t>(column.size() - 1)}, digits(texts.size());
  for (const std::string& text : texts) {
    column += text + "\t";
    ends.push_back(static_cast<std::int32_t>(column.size() - 1));
  }
  std::size_t rows = 0;
  if (in_fours)
    rows = form.parse_fours(column.data(), ends.data() + 1, 1, 0, texts.size(), digits.data());
  else
    while (rows < texts.size() && form.parse({column.data() + ends[rows] + 1, texts[rows].size()}, digits[rows]))
      ++rows;
  digits.resize(rows);
  return digits;
}

TEST(Aggregate, FourNumbersOfAFormAreReadAsOne) {
  if (best_instruction_set() < InstructionSet::Avx2) GTEST_SKIP() << "this machine has no AVX2";
  EXPECT_TRUE(rc::check([] {
    const int decimals = *rc::gen::inRange(0, FixedForm::kMostDecimals + 1);
    const auto letters = rc::gen::elementOf(std::string("0123456789"));
    const auto usual = rc::gen::apply(
        [=](const std::string& digits, bool is_less) {
          const std::size_t behind = std::min<std::size_t>(digits.size(), static_cast<std::size_t>(decimals));
          return (is_less ? "-" : "") + digits.substr(behind) + (decimals > 0 ? "." : "") + digits.substr(0, behind);
        },
        rc::gen::resize(9, rc::gen::container<std::string>(letters)), rc::gen::arbitrary<bool>());
    const auto odd = rc::gen::resize(9, rc::gen::container<std::string>(rc::gen::elementOf(std::string("019.-/: e"))));
    const auto texts = *rc::gen::resize(
        12, rc::gen::container<std::vector<std::string>>(rc::gen::weightedOneOf<std::string>({{20, usual}, {1, odd}})));
    const FixedForm form(decimals);
    const std::vector<std::int32_t> one_by_one = read_column(form, texts, false),
                                    fours = read_column(form, texts, true);
    RC_ASSERT(fours.size() <= one_by_one.size());
    RC_ASSERT(std::equal(fours.begin(), fours.end(), one_by_one.begin()));
    const auto are_short = [&](std::size_t from) {
      return std::all_of(&texts[from], &texts[from] + 4, [](const std::string& text) { return text.size() <= 8; });
    };
    // It stops only where it must.
    const bool goes_on = fours.size() + 4 <= one_by_one.size() && are_short(fours.size());
    RC_ASSERT(!goes_on);
  }));
}

#endif

}  // namespace
}  // namespace ontime::apps::test
