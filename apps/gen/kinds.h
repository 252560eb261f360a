#pragma once
// The kinds of data that `ontime gen` makes, except for TeraSort's (teragen.h).

#include <cstdint>

#include "apps/gen/generator.h"

namespace ontime::apps {

__extension__ using Uint128 = unsigned __int128;

// A stream of 64 well mixed bits (SplitMix64), and whole numbers drawn from it.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  static std::uint64_t mix(std::uint64_t word) {
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
  }

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15); }

  // From 0 to count - 1. Off the uniform by less than count / 2^64. REQUIRES: count > 0.
  std::uint64_t below(std::uint64_t count) { return static_cast<std::uint64_t>((Uint128{next()} * count) >> 64); }

 private:
  std::uint64_t state_;
};

// Pairs of whole numbers, `left<TAB>right`, for `secondarysort`.
GeneratorKind pairs_kind();

// Movies and who has rated them how, `movie:user_rating,user_rating,...`, for `kmeans` and `classification`. Movies are
// of a genre and users like some genres better than others, so there is something to find.
GeneratorKind ratings_kind();

// Text of made-up words, of which the r-th occurs 1/r times as often as the first (Zipf), for demonstrations.
GeneratorKind words_kind();

}  // namespace ontime::apps
