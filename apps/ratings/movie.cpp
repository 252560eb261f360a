#include "apps/ratings/movie.h"

#include <charconv>
#include <stdexcept>
#include <string>

namespace ontime::apps {
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
