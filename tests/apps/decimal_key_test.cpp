#include "apps/sort/line_order.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace ontime::apps {
namespace {

int sign(int number) { return (number > 0) - (number < 0); }

int compare_texts(const std::string& a, const std::string& b) {
  return sign(compare(parse_decimal_key(a), parse_decimal_key(b)));
}

TEST(DecimalKey, ComparesByValueWhateverTheSpelling) {
  for (const auto& equal : std::vector<std::vector<std::string>>{{"1", "01", " 1", "\t1.0", "1.", "1x", "1e5", "1,000"},
                                                                 {"0", "-0", "", "x", "+1", "-", ".", "-.0", "--1"},
                                                                 {"-0.5", "-.5", "-00.50"}})
    for (const auto& a : equal)
      for (const auto& b : equal) EXPECT_EQ(compare_texts(a, b), 0) << a << " and " << b;
}

TEST(DecimalKey, AscendsAndItsRankNeverDescends) {
  const std::string huge(600, '9');
  const std::vector<std::string> ascending{"-" + huge + "9",
                                           "-" + huge,
                                           "-10000000000000000000001",
                                           "-10000000000000000000000",
                                           "-2.5",
                                           "-2.25",
                                           "-1",
                                           "-0.001",
                                           "0",
                                           "0.0001",
                                           "0.001",
                                           "1",
                                           "1.00000000000000000001",
                                           "9",
                                           "10",
                                           "12345678901234567890",
                                           "12345678901234567891",
                                           huge,
                                           huge + "0"};
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(compare_texts(ascending[i], ascending[j]), i < j ? -1 : i > j ? 1 : 0) << i << " and " << j;
      if (i < j) {
        EXPECT_LE(rank_of(parse_decimal_key(ascending[i])), rank_of(parse_decimal_key(ascending[j]))) << i << " " << j;
      }
    }
}

TEST(DecimalKey, AgreesWithNumbersThatADoubleHolds) {
  EXPECT_TRUE(rc::check([] {
    const auto number = rc::gen::inRange(-100'000, 100'000);
    const int a = *number, b = *number;
    const std::string left = std::to_string(a / 16.0), right = std::to_string(b / 16.0);
    RC_ASSERT(compare_texts(left, right) == (a < b ? -1 : a > b ? 1 : 0));
    if (a < b) RC_ASSERT(rank_of(parse_decimal_key(left)) <= rank_of(parse_decimal_key(right)));
  }));
}

}  // namespace
}  // namespace ontime::apps
