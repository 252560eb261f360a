#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>

#include "tests/apps/texts.h"

namespace ontime::apps::test {
namespace {

const std::string kSeparator = std::string(48, '-') + "\n";

std::string sorted_pairs(std::string_view text, const Division& division = {},
                         std::map<std::string, std::string, std::less<>> given = {}) {
  const app::Application& secondarysort = application("secondarysort");
  TestContext context = context_of(secondarysort, std::move(given));
  return sorted(secondarysort, context, map_text(secondarysort, context, text, division));
}

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

std::string reference(Pairs pairs) {
  std::sort(pairs.begin(), pairs.end());
  std::string answer;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i == 0 || pairs[i].first != pairs[i - 1].first) answer += kSeparator;
    answer += std::to_string(pairs[i].first) + '\t' + std::to_string(pairs[i].second) + '\n';
  }
  return answer;
}

TEST(SecondarySort, TheAnswerIsGroupedAndAscendsWhereverTheTextIsDivided) {
  EXPECT_TRUE(rc::check([] {
    const auto pairs = *rc::gen::container<Pairs>(
        rc::gen::pair(rc::gen::inRange<std::int64_t>(-4, 5),
                      rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-3, 4), rc::gen::arbitrary<std::int64_t>())));
    std::string text;
    for (const auto& [left, right] : pairs)
      text += std::to_string(left) + *rc::gen::elementOf(std::vector<std::string>{"\t", " ", "  \t"}) +
              std::to_string(right) + *rc::gen::elementOf(std::vector<std::string>{"\n", "\r\n", " x\n", "\n\n"});
    RC_ASSERT(sorted_pairs(text, *any_division()) == reference(pairs));
  }));
}

TEST(SecondarySort, ReadsLinesAsHadoopsExampleDoes) {
  EXPECT_EQ(sorted_pairs("3 1 9\n\n  \t\n 2\n+3\t-1\n-1 007"),
            kSeparator + "-1\t7\n" + kSeparator + "2\t0\n" + kSeparator + "3\t-1\n3\t1\n");
  EXPECT_EQ(sorted_pairs("2 1\n1 2\n1 1\n", {}, {{"separator", ""}}), "1\t1\n1\t2\n2\t1\n");
}

TEST(SecondarySort, HasAllNumbersOf64Bits) {
  const Pairs extremes{{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()},
                       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()},
                       {-1, 0},
                       {0, -1},
                       {0, 0}};
  std::string text;
  for (const auto& [left, right] : extremes) text += std::to_string(left) + " " + std::to_string(right) + "\n";
  EXPECT_EQ(sorted_pairs(text), reference(extremes));
}

TEST(SecondarySort, SaysWhatIsNoNumberAndWhere) {
  for (const std::string line : {"x 1", "1 x", "1.5 2", "9223372036854775808 1", "+-1 1", "+ 1"}) {
    try {
      sorted_pairs("1 2\n" + line + "\n");
      ADD_FAILURE() << line;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("line at byte 4 of /some/where/input.txt"), std::string::npos)
          << error.what();
    }
  }
}

TEST(SecondarySort, RefusesASeparatorOfSeveralLines) {
  const app::Application& secondarysort = application("secondarysort");
  EXPECT_THROW(secondarysort.validate(context_of(secondarysort, {{"separator", "a\nb"}})), std::invalid_argument);
}

}  // namespace
}  // namespace ontime::apps::test
