#include "apps/ratings/movie.h"

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ontime::apps {
namespace {

__extension__ using Uint128 = unsigned __int128;

}  // namespace

// p / sqrt(s o) > p' / sqrt(s' o') where all are positive: squares of both sides, multiplied out, are below 2^124.
bool is_more_alike(const Overlap& a, const Overlap& b) {
  if (a.products == 0 || b.products == 0) return a.products > b.products;
  return Uint128{a.products * a.products} * (b.squares * b.others) >
         Uint128{b.products * b.products} * (a.squares * a.others);
}

// The largest m with (m / 10^6)^2 <= p^2 / (s o): guessed, then put right.
std::uint32_t cosine_in_millionths(const Overlap& overlap) {
  if (overlap.products == 0) return 0;
  const std::uint64_t norm = overlap.squares * overlap.others;
  const Uint128 target = Uint128{overlap.products * overlap.products} * (std::uint64_t{kMillion} * kMillion);
  const auto fits = [&](std::uint64_t cosine) { return Uint128{cosine * cosine} * norm <= target; };
  auto cosine = static_cast<std::uint64_t>(static_cast<double>(overlap.products) /
                                           std::sqrt(static_cast<double>(norm)) * kMillion);
  while (!fits(cosine)) --cosine;
  while (fits(cosine + 1)) ++cosine;
  return static_cast<std::uint32_t>(cosine);
}

namespace {

[[noreturn]] void throw_malformed(std::string_view text) {
  throw std::runtime_error(
      "\"" + std::string(text.substr(0, 40)) +
      "\" is not a movie with ratings: movie:user_rating,user_rating,... with users below 2^31 and "
      "ratings from 0 to " +
      std::to_string(kRatingMost));
}

// Digits, at least one and at most `most` of them, from `at` on; moves `at` behind them.
template <class Number>
bool take_number(const char*& at, const char* end, std::size_t most, Number& number) {
  const char* const begin = at;
  number = 0;
  for (; at != end && *at >= '0' && *at <= '9'; ++at) number = number * 10 + static_cast<Number>(*at - '0');
  return at != begin && static_cast<std::size_t>(at - begin) <= most;
}

bool take_rating(const char*& at, const char* end, Rating& rating) {
  std::uint64_t user = 0;
  if (!take_number(at, end, 10, user) || user >= std::uint64_t{1} << 31) return false;
  rating.user = static_cast<std::uint32_t>(user);
  if (at == end || *at++ != '_') return false;
  return take_number(at, end, 2, rating.rating) && rating.rating <= kRatingMost;
}

}  // namespace

bool parse_movie(std::string_view line, Movie& movie) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const char* at = line.data();
  const char* const end = at + line.size();
  if (!take_number(at, end, 18, movie.id) || at != line.data() + colon) throw_malformed(line);
  movie.ratings.clear();
  for (++at; at != end;) {
    if (*at == ',') {
      ++at;
      continue;
    }
    const char* const begin = at;
    Rating rating;
    if (!take_rating(at, end, rating) || (at != end && *at != ','))
      throw_malformed({begin, static_cast<std::size_t>(end - begin)});
    movie.ratings.push_back(rating);
  }
  if (movie.ratings.size() > kRatingsMost)
    throw std::runtime_error("movie " + std::to_string(movie.id) + " has more than " + std::to_string(kRatingsMost) +
                             " ratings");
  return true;
}

}  // namespace ontime::apps
