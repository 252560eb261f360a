// kmeans and classification against the plain way to compute them.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

#include "tests/apps/ratings.h"
#include "tests/apps/texts.h"

namespace ontime::apps::test {
namespace {

std::string answer_of(const std::string& name, std::string_view text, const CentroidFile& centroids,
                      const Division& division = {}) {
  const app::Application& app = application(name);
  TestContext context = context_of(app, {{"centroids", centroids.path()}});
  return sorted(app, context, map_text(app, context, text, division));
}

std::string shown(std::uint64_t millionths) {
  char text[16];
  std::snprintf(text, sizeof text, "%d.%06d", static_cast<int>(millionths / 1'000'000),
                static_cast<int>(millionths % 1'000'000));
  return text;
}

// The largest m with m^2 squares others <= 10^12 products^2; the sums of test movies are small.
std::uint64_t millionths(const PlainSums& sums) {
  auto m = static_cast<std::uint64_t>(sums.cosine() * 1'000'000 + 0.5L);
  const auto fits = [&](std::uint64_t value) {
    return static_cast<long double>(value) * static_cast<long double>(value) *
               static_cast<long double>(sums.squares * sums.others) <=
           1e12L * static_cast<long double>(sums.products * sums.products);
  };
  while (m > 0 && !fits(m)) --m;
  return m;
}

struct Member {
  std::uint64_t cosine;
  std::uint64_t movie;
};

std::string totals_of(std::uint32_t cluster, const std::vector<Member>& members) {
  std::uint64_t sum = 0;
  for (const Member& member : members) sum += member.cosine;
  const auto distance = [&](const Member& member) {
    return std::llabs(static_cast<long long>(member.cosine * members.size()) - static_cast<long long>(sum));
  };
  const auto closest = std::min_element(members.begin(), members.end(),
                                        [&](const Member& a, const Member& b) { return distance(a) < distance(b); });
  return std::to_string(cluster) + "\ttotal\t" + std::to_string(members.size()) + "\t" + shown(sum / members.size()) +
         "\t" + std::to_string(closest->movie) + "\n";
}

std::string reference(const std::vector<PlainMovie>& movies, const std::vector<PlainMovie>& centroids) {
  std::map<std::uint32_t, std::vector<Member>> clusters;
  for (const PlainMovie& movie : movies) {
    const std::uint32_t cluster = cluster_of(movie, centroids);
    clusters[cluster].push_back({millionths(compare(movie, centroids[cluster])), movie.id});
  }
  std::string answer;
  for (auto& [cluster, members] : clusters) {
    std::sort(members.begin(), members.end(),
              [](auto& a, auto& b) { return a.cosine != b.cosine ? a.cosine > b.cosine : a.movie < b.movie; });
    for (const Member& member : members)
      answer += std::to_string(cluster) + "\t" + std::to_string(member.movie) + "\t" + shown(member.cosine) + "\n";
    answer += totals_of(cluster, members);
  }
  return answer;
}

rc::Gen<std::vector<PlainMovie>> any_movies() { return rc::gen::container<std::vector<PlainMovie>>(any_movie()); }
rc::Gen<std::vector<PlainMovie>> any_centroids() { return rc::gen::nonEmpty(rc::gen::scale(0.1, any_movies())); }

TEST(KMeans, TheAnswerIsThePlainOneWhereverTheInputIsDivided) {
  EXPECT_TRUE(rc::check([] {
    const auto movies = *any_movies();
    const auto centroids = *any_centroids();
    RC_ASSERT(answer_of("kmeans", text_of(movies), CentroidFile(text_of(centroids)), *any_division()) ==
              reference(movies, centroids));
  }));
}

TEST(Classification, TheAnswerIsThePlainOneWhereverTheInputIsDivided) {
  EXPECT_TRUE(rc::check([] {
    const auto movies = *any_movies();
    const auto centroids = *any_centroids();
    std::vector<std::pair<std::uint32_t, std::uint64_t>> members;
    for (const PlainMovie& movie : movies) members.emplace_back(cluster_of(movie, centroids), movie.id);
    std::sort(members.begin(), members.end());
    std::string expected;
    for (const auto& [cluster, movie] : members)
      expected += std::to_string(cluster) + "\t" + std::to_string(movie) + "\n";
    RC_ASSERT(answer_of("classification", text_of(movies), CentroidFile(text_of(centroids)), *any_division()) ==
              expected);
  }));
}

TEST(KMeans, NamesTheMovieClosestToTheMean) {
  const CentroidFile centroids("1:1_1,2_1\n2:9_5\n");
  // 1, 0.707106, 0 (rated by nobody whom the centroid knows): the mean is 0.569035.
  EXPECT_EQ(answer_of("kmeans", "10:1_3,2_3\n11:1_5,2_0\n12:7_5\n13:9_1\n", centroids),
            "0\t10\t1.000000\n0\t11\t0.707106\n0\t12\t0.000000\n0\ttotal\t3\t0.569035\t11\n"
            "1\t13\t1.000000\n1\ttotal\t1\t1.000000\t13\n");
}

TEST(KMeans, CountsWhatItHasSeen) {
  const app::Application& kmeans = application("kmeans");
  const CentroidFile centroids("1:1_1\n");
  TestContext context = context_of(kmeans, {{"centroids", centroids.path()}});
  map_text(kmeans, context, "5:1_2,2_3\nnothing\n6:7_1\r\n");
  EXPECT_EQ(context.counters, (std::map<std::string, std::uint64_t>{{"ratings,movies", 2},
                                                                    {"ratings,ratings", 3},
                                                                    {"ratings,movies like no centroid", 1},
                                                                    {"ratings,lines skipped", 1}}));
}

TEST(KMeans, NeedsCentroidsAndSaysWhereALineIsBad) {
  for (const std::string name : {"kmeans", "classification"}) {
    const app::Application& app = application(name);
    EXPECT_THROW(app.validate(context_of(app)), std::invalid_argument);
    TestContext missing = context_of(app, {{"centroids", "/tmp/there is no such file"}});
    EXPECT_THROW(app.make_mapper()->setup(missing), std::invalid_argument);
    TestContext endless = context_of(app, {{"centroids", "/dev/zero"}});
    EXPECT_THROW(app.make_mapper()->setup(endless), std::invalid_argument);
    // Of a file that is not the job's own.
    const CentroidFile secrets("1:1_1\npassword:hunter2\n");
    try {
      TestContext curious = context_of(app, {{"centroids", secrets.path()}});
      app.make_mapper()->setup(curious);
      ADD_FAILURE();
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("line 2 of"), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find("hunter2"), std::string::npos) << error.what();
    }
    try {
      answer_of(name, "1:1_1\n2:oh\n", CentroidFile("1:1_1\n"));
      ADD_FAILURE();
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("line at byte 6 of"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace ontime::apps::test
