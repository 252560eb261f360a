#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "common/records/formats.h"

namespace ontime::records {
namespace {

TEST(CountRecords, EveryLengthAndAlignmentAgreesWithCountingByHand) {
  std::mt19937_64 random(1);
  std::string bytes(200, ' ');
  for (char& byte : bytes) byte = random() % 3 == 0 ? '\n' : static_cast<char>(random());
  for (std::size_t begin = 0; begin < 40; ++begin) {
    for (std::size_t size = 1; begin + size <= bytes.size(); ++size) {
      const std::string_view piece = std::string_view(bytes).substr(begin, size);
      const auto feeds = static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
      ASSERT_EQ(count_lines(piece), feeds + (piece.back() != '\n'));
      ASSERT_EQ(count_feeds_portable(piece), feeds);
    }
  }
}

TEST(CountRecords, ManyFeedsDoNotOverflowALane) {
  const std::string bytes(1'000'003, '\n');
  EXPECT_EQ(count_lines(bytes), bytes.size());
  EXPECT_EQ(count_lines(""), 0u);
}

}  // namespace
}  // namespace ontime::records
