#include <algorithm>
#include <charconv>

#include "apps/gen/generator.h"
#include "common/base/random.h"

namespace ontime::apps {
namespace {

constexpr std::size_t kRatingMost = 20 + 3;  // bytes of "user_rating,"

class RatingGenerator final : public Generator {
 public:
  struct Shape {
    std::uint64_t users;  // numbered from 1
    std::uint64_t mean;   // ratings of a movie
    std::uint64_t genres;
  };
  RatingGenerator(std::uint64_t movies, Shape shape, std::uint64_t seed)
      : Generator(movies), seed_(mixed(seed)), random_(seed), shape_(shape) {}

  bool write_some(app::Output& out) override {
    for (std::size_t written = 0; written < kPieceBytes && done_ < amount_;) written += write_movie(++done_, out);
    return done_ < amount_;
  }

 private:
  // Users in ascending order, with gaps such that about the wanted number fit.
  std::size_t write_movie(std::uint64_t movie, app::Output& out) {
    const std::uint64_t genre = random_.below(shape_.genres);
    const std::uint64_t wanted = 1 + random_.below(2 * shape_.mean - 1);
    const std::uint64_t gap = std::max<std::uint64_t>(1, shape_.users / wanted);
    char* const begin = out.reserve(20 + 1 + (wanted + 1) * kRatingMost);
    char* to = std::to_chars(begin, begin + 20, movie).ptr;
    *to++ = ':';
    std::uint64_t user = 1 + random_.below(gap);
    for (std::uint64_t i = 0; i < wanted && user <= shape_.users; ++i) {
      if (i > 0) *to++ = ',';
      to = std::to_chars(to, to + 20, user).ptr;
      *to++ = '_';
      *to++ = static_cast<char>('1' + opinion(user, genre));
      user += 1 + random_.below(2 * gap - 1);
    }
    *to++ = '\n';
    const auto size = static_cast<std::size_t>(to - begin);
    out.commit(size);
    return size;
  }

  // 0 to 4: what the user thinks of the genre, or, for one rating in three, anything.
  std::uint64_t opinion(std::uint64_t user, std::uint64_t genre) {
    if (random_.below(3) == 0) return random_.below(5);
    return DataRandom(seed_ ^ mixed(user * shape_.genres + genre)).below(5);
  }

  std::uint64_t seed_;
  DataRandom random_;
  Shape shape_;
};

}  // namespace

GeneratorKind ratings_kind() {
  return {"ratings",
          "movies with the ratings that users gave them, for kmeans and classification",
          GeneratorKind::Unit::Rows,
          {{"users", "10000", "how many users there are"},
           {"mean", "100", "ratings of a movie on average"},
           {"genres", "8", "kinds of movies about which users think alike"}},
          [](const Recipe& recipe) -> std::unique_ptr<Generator> {
            const auto& settings = recipe.settings;
            return std::make_unique<RatingGenerator>(
                recipe.amount,
                RatingGenerator::Shape{.users = whole_number(settings, "users", 1, 2'147'483'647),
                                       .mean = whole_number(settings, "mean", 1, 1'000'000),
                                       .genres = whole_number(settings, "genres", 1, 1'000'000)},
                recipe.seed);
          }};
}

}  // namespace ontime::apps
