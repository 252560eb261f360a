#include "apps/gen/generator.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "apps/text/text_output.h"
#include "tests/apps/texts.h"

namespace ontime::apps::test {
namespace {

const GeneratorKind& kind(std::string_view name) {
  const auto& kinds = generator_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& each) { return each.name == name; });
  EXPECT_NE(found, kinds.end()) << name;
  return *found;
}

std::string made(std::string_view name, std::uint64_t amount, std::uint64_t seed = 1,
                 std::map<std::string, std::string, std::less<>> settings = {}) {
  for (const app::Parameter& parameter : kind(name).parameters)
    settings.emplace(parameter.name, parameter.default_value);
  const TestContext context(std::move(settings));
  const auto generator = kind(name).make({.amount = amount, .seed = seed, .settings = context});
  std::string text;
  TextOutput out(text);
  while (generator->write_some(out)) EXPECT_LE(generator->share_done(), 1);
  out.finish();
  EXPECT_EQ(generator->share_done(), 1);
  return text;
}

std::uint32_t checksum(const std::string& text) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

// What was written once has to be written alike in all versions, on every machine.
TEST(Generators, WriteTheSameBytesAsEver) {
  EXPECT_EQ(checksum(made("text", 200'000)), 2284236840u);
  EXPECT_EQ(checksum(made("text", 200'000, 7, {{"words", "50"}})), 1858822648u);
  EXPECT_EQ(checksum(made("pairs", 10'000)), 1776200379u);
  EXPECT_EQ(checksum(made("ratings", 500)), 1633038481u);
  EXPECT_EQ(checksum(made("teragen", 2'000)), 2528399677u);
}

TEST(Generators, AnotherSeedGivesOtherData) {
  for (const std::string name : {"text", "pairs", "ratings", "weather"})
    EXPECT_NE(made(name, 1000), made(name, 1000, 2)) << name;
}

TEST(Generators, HelpAlignsNamesOfAnyLength) {
  const auto kind_named = [](std::string_view name) {
    return GeneratorKind{name, "makes it", GeneratorKind::Unit::Rows, {}, nullptr};
  };
  EXPECT_EQ(help_of({kind_named("text")}), "  text      makes it\n");
  EXPECT_EQ(help_of({kind_named("text"), kind_named("measurements")}),
            "  text         makes it\n  measurements makes it\n");
}

TEST(Generators, NothingOfAKindIsNothing) {
  for (const auto& each : generator_kinds()) EXPECT_EQ(made(each.name, 0), "") << each.name;
}

TEST(Text, HasTheSizeThatWasAskedForAndWholeLines) {
  for (const std::uint64_t size : {1u, 2u, 100u, 65'535u, 65'536u, 65'537u, 300'000u}) {
    const std::string text = made("text", size);
    EXPECT_EQ(text.size(), size);
    EXPECT_EQ(text.back(), '\n');
  }
}

TEST(Text, CommonWordsFollowZipf) {
  const Counts counts = counts_of(made("text", 4'000'000, 3, {{"words", "1000"}}));
  EXPECT_LE(counts.size(), 1001u);  // the last word may be cut short
  std::vector<double> most;
  for (const auto& [word, count] : counts) most.push_back(static_cast<double>(count));
  std::sort(most.rbegin(), most.rend());
  for (const std::size_t rank : {2u, 5u, 10u, 50u})
    EXPECT_NEAR(most[0] / most[rank - 1] / static_cast<double>(rank), 1, 0.1) << rank;
}

TEST(Pairs, AreTwoNumbersWithAsManyLeftOnesAsAsked) {
  const std::string text = made("pairs", 5'000, 1, {{"groups", "7"}});
  std::set<std::int64_t> lefts;
  std::istringstream in(text);
  std::size_t rows = 0;
  for (std::int64_t left = 0, right = 0; in >> left >> right; ++rows) lefts.insert(left);
  EXPECT_EQ(rows, 5'000u);
  EXPECT_EQ(lefts, (std::set<std::int64_t>{-3, -2, -1, 0, 1, 2, 3}));
}

TEST(Weather, AreStationsAsManyAsAskedWithTenthsOfDegrees) {
  const std::string text = made("weather", 20'000, 1, {{"stations", "500"}});
  std::set<std::string> stations;
  const std::regex form("([A-Z][a-z]{1,25});-?[1-9]?[0-9][.][0-9]");
  for (const app::Line line : app::Lines(text, 0)) {
    std::smatch match;
    const std::string row(line.text);
    ASSERT_TRUE(std::regex_match(row, match, form)) << row;
    stations.insert(match[1]);
  }
  EXPECT_EQ(stations.size(), 500u);
}

TEST(Ratings, AreMoviesWithUsersInOrderWhoRateFromOneToFive) {
  std::istringstream lines(made("ratings", 300, 1, {{"users", "500"}, {"mean", "20"}}));
  std::size_t movies = 0, ratings = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::uint64_t movie = 0, user = 0, last = 0, rating = 0;
    char mark = 0;
    ASSERT_TRUE(in >> movie >> mark);
    EXPECT_EQ(movie, ++movies);
    for (char underline = 0; in >> user >> underline >> rating; in >> mark, ++ratings) {
      EXPECT_EQ(underline, '_');
      EXPECT_GT(user, last);
      EXPECT_LE(user, 500u);
      EXPECT_TRUE(rating >= 1 && rating <= 5) << rating;
      last = user;
    }
  }
  EXPECT_EQ(movies, 300u);
  EXPECT_NEAR(static_cast<double>(ratings) / 300, 20, 4);
}

TEST(Generators, RefuseSettingsOutOfRange) {
  EXPECT_THROW(made("text", 1, 1, {{"words", "0"}}), std::invalid_argument);
  EXPECT_THROW(made("pairs", 1, 1, {{"groups", "many"}}), std::invalid_argument);
  EXPECT_THROW(made("ratings", 1, 1, {{"users", "2147483648"}}), std::invalid_argument);
  EXPECT_THROW(made("teragen", 1, 1, {{"first", "-1"}}), std::invalid_argument);
}

}  // namespace
}  // namespace ontime::apps::test
