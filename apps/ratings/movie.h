#pragma once
// Movies as PUMA's benchmarks have them: `movie:user_rating,user_rating,...`, one on a line.

#include <cstdint>
#include <string_view>
#include <vector>

namespace ontime::apps {

struct Rating {
  std::uint32_t user = 0;    // below 2^31
  std::uint32_t rating = 0;  // 0 to kRatingMost
};

inline constexpr std::uint32_t kRatingMost = 10;
// So that sums of products of two ratings stay below 2^31.
inline constexpr std::size_t kRatingsMost = std::size_t{1} << 24;

struct Movie {
  std::uint64_t id = 0;  // of at most 18 digits
  std::vector<Rating> ratings;
};

// False for a line that is no movie: one without a colon, or with nothing before it. Pairs may be empty (a comma at the
// end). Throws std::runtime_error for what is neither.
bool parse_movie(std::string_view line, Movie& movie);

}  // namespace ontime::apps
