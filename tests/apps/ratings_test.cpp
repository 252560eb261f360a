#include "tests/apps/ratings.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "apps/ratings/assigning_mapper.h"
#include "apps/ratings/movie.h"

namespace ontime::apps::test {
namespace {

TEST(Movie, IsReadAsItWasWritten) {
  EXPECT_TRUE(rc::check([] {
    const PlainMovie written = *any_movie();
    std::string line = line_of(written);
    line.pop_back();
    if (*rc::gen::arbitrary<bool>()) line += ",";
    Movie movie;
    RC_ASSERT(parse_movie(line, movie));
    RC_ASSERT(movie.id == written.id);
    RC_ASSERT(movie.ratings.size() == written.ratings.size());
    for (std::size_t i = 0; i < movie.ratings.size(); ++i)
      RC_ASSERT(std::pair(movie.ratings[i].user, movie.ratings[i].rating) == written.ratings[i]);
  }));
}

TEST(Movie, LinesWithoutAMovieAreNone) {
  Movie movie;
  for (const char* line : {"", "no colon", ":1_2", "1_2,3_4"}) EXPECT_FALSE(parse_movie(line, movie)) << line;
  EXPECT_TRUE(parse_movie("7:", movie));
  EXPECT_TRUE(movie.ratings.empty());
}

TEST(Movie, WhatIsMalformedIsRefused) {
  Movie movie;
  for (const char* line : {"x:1_2", "1 :1_2", "-1:1_2", "1:1", "1:1_", "1:_2", "1:1_2;3_4", "1:1_11", "1:1_2_3",
                           "1:2147483648_1", "1:99999999999999999999_1", "1234567890123456789:1_2", "1: 1_2"}) {
    EXPECT_THROW(parse_movie(line, movie), std::runtime_error) << line;
  }
  EXPECT_TRUE(parse_movie("999999999999999999:2147483647_10", movie));
}

TEST(Similarity, IsTheCosineRoundedDown) {
  EXPECT_TRUE(rc::check([] {
    const PlainSums sums = compare(*any_movie(), *any_movie());
    const Overlap overlap{sums.products, sums.squares, sums.others};
    const long double millionths = sums.cosine() * 1'000'000;
    RC_ASSERT(std::fabs(static_cast<long double>(cosine_in_millionths(overlap)) + 0.5L - millionths) < 0.501L);
  }));
}

TEST(Similarity, IsExactWhereFloatingPointIsNot) {
  EXPECT_EQ(cosine_in_millionths({12, 12, 12}), 1'000'000u);
  EXPECT_EQ(cosine_in_millionths({0, 0, 0}), 0u);
  EXPECT_EQ(cosine_in_millionths({0, 5, 0}), 0u);
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 31) - 1;
  EXPECT_EQ(cosine_in_millionths({kMost, kMost, kMost}), 1'000'000u);
  EXPECT_EQ(cosine_in_millionths({kMost - 1, kMost, kMost}), 999'999u);
  EXPECT_TRUE(is_more_alike({kMost, kMost, kMost}, {kMost - 1, kMost, kMost}));
  EXPECT_FALSE(is_more_alike({kMost - 1, kMost, kMost}, {kMost, kMost, kMost}));
  EXPECT_FALSE(is_more_alike({2, 4, 1}, {6, 6, 6}));  // both are 1
  EXPECT_TRUE(is_more_alike({1, 100, 100}, {0, 100, 100}));
  EXPECT_FALSE(is_more_alike({0, 100, 100}, {0, 0, 0}));
}

TEST(Centroids, AssignTheMostAlikeAndTheLowestOfSeveral) {
  EXPECT_TRUE(rc::check([] {
    const auto centroids =
        *rc::gen::nonEmpty(rc::gen::scale(0.1, rc::gen::container<std::vector<PlainMovie>>(any_movie())));
    const CentroidFile file(text_of(centroids));
    Centroids index(file.path());
    RC_ASSERT(index.size() == centroids.size());
    for (const PlainMovie& plain : *rc::gen::container<std::vector<PlainMovie>>(any_movie())) {
      Movie movie{plain.id, {}};
      for (const auto& [user, rating] : plain.ratings) movie.ratings.push_back({user, rating});
      const Assignment assignment = index.assign(movie);
      const PlainSums sums = compare(plain, centroids[assignment.cluster]);
      RC_ASSERT(assignment.cluster == cluster_of(plain, centroids));
      RC_ASSERT(assignment.overlap.products == sums.products);
      RC_ASSERT(assignment.overlap.squares == sums.squares);
      RC_ASSERT(assignment.overlap.others == sums.others);
    }
  }));
}

TEST(Centroids, AFileThatCannotBeUsedIsRefused) {
  EXPECT_THROW(Centroids("/tmp/there is no such file"), std::invalid_argument);
  EXPECT_THROW(Centroids(CentroidFile("").path()), std::invalid_argument);
  EXPECT_THROW(Centroids(CentroidFile("no movies\n").path()), std::invalid_argument);
  EXPECT_THROW(Centroids(CentroidFile("1:1_2\n2:x\n").path()), std::invalid_argument);
}

TEST(AssignedLine, IsReadAsItWasWritten) {
  for (const std::uint32_t cosine : {0u, 1u, 10u, 123'456u, 999'999u, 1'000'000u}) {
    std::string line = "12\t34\t";
    append_millionths(line, cosine);
    EXPECT_EQ(line.size(), 14u);
    const AssignedLine parsed = parse_assigned_line(line);
    EXPECT_EQ(parsed.cluster, 12u);
    EXPECT_EQ(parsed.movie, 34u);
    EXPECT_EQ(parsed.cosine, cosine) << line;
  }
  EXPECT_EQ(parse_assigned_line("0\t7").movie, 7u);
  for (const char* line :
       {"", "1", "1\t", "\t1", "1\t2\t", "1\t2\t0.1", "1\t2\t0.12345x", "1\t2\t1.000001", "a\t2", "1 2"})
    EXPECT_THROW(parse_assigned_line(line), std::runtime_error) << line;
}

}  // namespace
}  // namespace ontime::apps::test
