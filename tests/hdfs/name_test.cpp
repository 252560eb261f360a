#include "common/hdfs/name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/temporary_directory.h"

namespace ontime::hdfs {
namespace {

using testing::HasSubstr;

class NameTest : public testing::Test {
 protected:
  void SetUp() override { ::setenv("HADOOP_USER_NAME", "me too", 1); }
  void TearDown() override {
    for (const char* name : {"HADOOP_USER_NAME", "ONTIME_WEBHDFS_URL", "ONTIME_HDFS_TOKEN_FILE"}) ::unsetenv(name);
  }
  static std::string address(const std::string& text) {
    const auto name = parse_name(text);
    if (!name) return name.error().message;
    const auto url = address_of(*name);
    return url ? url->origin + url->target : url.error().message;
  }
};

TEST_F(NameTest, HasARootAndAPath) {
  const auto name = parse_name("hdfs://nn:8020//logs///2026/a b+%.txt");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->root, "hdfs://nn:8020");
  EXPECT_EQ(name->key, "logs/2026/a b+%.txt");
  EXPECT_EQ(parse_name("webhdfs://nn:9870/in/")->key, "in/");
  EXPECT_EQ(parse_name("webhdfs://nn")->key, "");
}

TEST_F(NameTest, IsRefusedIfItCannotBeOne) {
  const auto problem = [](const std::string& text) {
    const auto name = parse_name(text);
    return name ? "it is good" : name.error().message;
  };
  EXPECT_THAT(problem("hdfs:///x"), HasSubstr("names no host; write hdfs://host/path"));
  EXPECT_THAT(problem("hdfs://me@nn/x"), HasSubstr("or a user"));
  EXPECT_THAT(problem("webhdfs://nn:0/x"), HasSubstr("names no host"));
  EXPECT_THAT(problem("webhdfs://nn?a=b/x"), HasSubstr("names no host"));
  EXPECT_THAT(problem("hdfs://nn/a/../x"), HasSubstr("holds '.' or '..'"));
  EXPECT_THAT(problem(std::string("hdfs://nn/a\0b", 13)), HasSubstr("holds a NUL"));
  EXPECT_THAT(problem("hdfs://n\n/a"), HasSubstr("names no host"));
  EXPECT_THAT(problem("hdfs://nn/" + std::string(9000, 'x')), HasSubstr("8000 bytes"));
  EXPECT_THAT(problem("file:///x"), HasSubstr("is no hdfs://"));
}

// The port of an hdfs:// name is the one of the RPCs.
TEST_F(NameTest, LeadsToWebHdfs) {
  EXPECT_EQ(address("hdfs://nn:8020/a"), "http://nn:9870/webhdfs/v1/a?user.name=me%20too");
  EXPECT_EQ(address("webhdfs://nn/a/"), "http://nn:9870/webhdfs/v1/a?user.name=me%20too");
  EXPECT_EQ(address("webhdfs://nn:50070/a+b%/c"), "http://nn:50070/webhdfs/v1/a%2Bb%25/c?user.name=me%20too");
  EXPECT_EQ(address("swebhdfs://[::1]/"), "https://[::1]:9871/webhdfs/v1?user.name=me%20too");
  ::setenv("ONTIME_WEBHDFS_URL", "https://gateway:14000/", 1);
  EXPECT_EQ(address("hdfs://nameservice1/a"), "https://gateway:14000/webhdfs/v1/a?user.name=me%20too");
  EXPECT_EQ(address("webhdfs://nn/a"), "http://nn:9870/webhdfs/v1/a?user.name=me%20too");
  ::setenv("ONTIME_WEBHDFS_URL", "gateway", 1);
  EXPECT_THAT(address("hdfs://nn/a"), HasSubstr("ONTIME_WEBHDFS_URL is no http:// or https:// address"));
}

TEST_F(NameTest, IsAskedForWithTheTokenOfAFileThatIsReadEachTime) {
  const test::TemporaryDirectory directory;
  ::setenv("ONTIME_HDFS_TOKEN_FILE", (directory / "token").c_str(), 1);
  ::setenv("ONTIME_WEBHDFS_URL", "http://nn:9870", 1);
  EXPECT_THAT(address("hdfs://nn/a"), HasSubstr("from which no delegation token can be read"));
  test::write_file(directory / "token", "HAAEcm_-\n");
  EXPECT_EQ(address("hdfs://nn/a"), "http://nn:9870/webhdfs/v1/a?delegation=HAAEcm_-");
  test::write_file(directory / "token", "another");
  EXPECT_EQ(address("hdfs://nn/a"), "http://nn:9870/webhdfs/v1/a?delegation=another");
}

// Who submits a job names the host, and could take the token there.
TEST_F(NameTest, IsAskedForWithTheTokenAtTheServerOfTheOperatorOnly) {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "token", "SECRET");
  ::setenv("ONTIME_HDFS_TOKEN_FILE", (directory / "token").c_str(), 1);
  for (const char* name : {"hdfs://nn/a", "webhdfs://nn/a"}) {
    EXPECT_THAT(address(name), HasSubstr("ONTIME_HDFS_TOKEN_FILE is set without ONTIME_WEBHDFS_URL; set that"));
  }
  ::setenv("ONTIME_WEBHDFS_URL", "http://nn:9870/", 1);
  for (const char* name : {"hdfs://elsewhere:8020/a", "webhdfs://nn/a", "webhdfs://nn:9870/a"}) {
    EXPECT_EQ(address(name), "http://nn:9870/webhdfs/v1/a?delegation=SECRET");
  }
  for (const char* name :
       {"webhdfs://elsewhere/a", "webhdfs://nn:9871/a", "swebhdfs://nn:9870/a", "webhdfs://nn.x/a"}) {
    EXPECT_THAT(address(name), testing::EndsWith("/webhdfs/v1/a?user.name=me%20too"));
  }
  ::setenv("ONTIME_WEBHDFS_URL", "nn", 1);
  EXPECT_THAT(address("webhdfs://nn/a"), HasSubstr("ONTIME_WEBHDFS_URL is no http:// or https:// address"));
}

TEST_F(NameTest, IsAskedForInTheNameOfTheProcessesUserOtherwise) {
  ::unsetenv("HADOOP_USER_NAME");
  EXPECT_THAT(address("hdfs://nn/a"), testing::MatchesRegex(".*[?]user.name=[^&]+"));
}

}  // namespace
}  // namespace ontime::hdfs
