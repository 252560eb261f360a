// What of an HDFS a job can have as its input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "master/input_listing.h"
#include "tests/hdfs/fake_hdfs.h"

namespace ontime::master {
namespace {

// HDFS allows such a name. Workers could not ask for the file.
TEST(InputObjects, OfNamesThatCannotBeWrittenAreRefused) {
  test::FakeHdfs hdfs;
  hdfs.put("/in/a.txt", "text");
  hdfs.put("/in/b\tb", "");
  const auto listed = list_inputs({hdfs.root() + "/in"});
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->files.size(), 1u) << "nobody reads an empty file";
  hdfs.put("/in/b\tb", "text");
  const auto refused = list_inputs({hdfs.root() + "/in"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("holds a control character"));
}

}  // namespace
}  // namespace ontime::master
