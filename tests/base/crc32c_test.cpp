#include "common/base/crc32c.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>
#include <string>

namespace ontime {
namespace {

// Vectors of RFC 3720, appendix B.4, and the usual check value.
TEST(Crc32c, KnownVectors) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string ascending(32, '\0');
  std::iota(ascending.begin(), ascending.end(), '\0');
  EXPECT_EQ(crc32c(ascending), 0x46dd794eu);
}

TEST(Crc32c, TableAndInstructionAgree) {
  EXPECT_EQ(crc32c_by_table(0, "123456789", 9), 0xe3069283u);
  EXPECT_TRUE(rc::check([](std::uint32_t before, const std::string& bytes) {
    RC_ASSERT(crc32c_by_table(before, bytes.data(), bytes.size()) == crc32c(before, bytes.data(), bytes.size()));
  }));
}

TEST(Crc32c, ContinuesOverAnyCut) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size() + 1);
    const auto first = crc32c(0, bytes.data(), cut);
    RC_ASSERT(crc32c(first, bytes.data() + cut, bytes.size() - cut) == crc32c(bytes));
  }));
}

TEST(Crc32c, AnyFlippedBitChangesIt) {
  std::string bytes = "What is sealed stays as it was.";
  const auto right = crc32c(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(crc32c(bytes), right) << "bit " << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
  }
}

}  // namespace
}  // namespace ontime
