#include "common/hdfs/lender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "common/http/remote_file.h"
#include "tests/hdfs/fake_hdfs.h"
#include "tests/support/temporary_directory.h"

namespace ontime::hdfs {
namespace {

using test::FakeHdfs;

class LenderTest : public testing::Test {
 protected:
  void SetUp() override {
    test::write_file(directory_ / "token", "SECRET");
    ::setenv("ONTIME_HDFS_TOKEN_FILE", (directory_ / "token").c_str(), 1);
    hdfs_.put("/in/a b+%", "hello");
    hdfs_.put("/other", "other");
  }
  void TearDown() override { ::unsetenv("ONTIME_HDFS_TOKEN_FILE"); }

  static http::Patience impatient_reader() {
    http::Patience patience;
    patience.pause = std::chrono::milliseconds(1);
    patience.tries = 2;
    return patience;
  }
  static http::RemoteFile file_at(const std::string& address) {
    return http::RemoteFile(*http::parse_url(address), nullptr, impatient_reader());
  }
  // What an attempt reads from there, or how it is refused.
  static std::string read(const std::string& address, std::uint64_t offset, std::size_t size) {
    auto file = file_at(address);
    const auto state = file.look();
    if (!state) return state.error().message;
    std::string bytes(size, '\0');
    const auto got = file.read(*state, offset, size, bytes.data());
    return got ? bytes : got.error().message;
  }

  const test::TemporaryDirectory directory_;
  FakeHdfs hdfs_;
};

TEST_F(LenderTest, ReadsAFileForWhoHasNoToken) {
  Lender lender;
  const auto address = lender.lend(hdfs_.root() + "/in/a b+%");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_THAT(*address, testing::Not(testing::HasSubstr("SECRET")));
  EXPECT_EQ(read(*address, 0, 5), "hello");
  EXPECT_THAT(hdfs_.last_query(), testing::HasSubstr("delegation=SECRET"));
  EXPECT_EQ(read(*address, 1, 3), "ell");
}

TEST_F(LenderTest, LendsThatFileOnlyAndForSomeTime) {
  Lender lender;
  const std::string address = *lender.lend(hdfs_.root() + "/in/a b+%");
  const std::size_t name = address.find("/in/");
  const std::size_t path = address.find('/', 8);
  ASSERT_NE(name, address.npos);
  std::string signature = address;
  signature[path + 1] = signature[path + 1] == '0' ? '1' : '0';
  for (const std::string& forged :
       {address.substr(0, name) + "/other", address + "x", signature, address.substr(0, path) + "/x"}) {
    EXPECT_THAT(read(forged, 0, 5), testing::HasSubstr("403")) << forged;
  }
  Lender brief(std::chrono::seconds(-1));
  EXPECT_THAT(read(*brief.lend(hdfs_.root() + "/other"), 0, 5), testing::HasSubstr("403"));
}

TEST_F(LenderTest, SaysThatAFileIsAnotherOneOrGone) {
  Lender lender;
  const std::string address = *lender.lend(hdfs_.root() + "/other");
  auto file = file_at(address);
  const auto state = file.look();
  ASSERT_TRUE(state);
  hdfs_.put("/other", "again");
  std::string bytes(5, '\0');
  const auto got = file.read(*state, 0, 5, bytes.data());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().trouble, http::Trouble::Changed);
  EXPECT_THAT(read(*lender.lend(hdfs_.root() + "/nothing"), 0, 5), testing::HasSubstr("404"));
}

}  // namespace
}  // namespace ontime::hdfs
