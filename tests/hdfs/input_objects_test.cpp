// What of an HDFS a job can have as its input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "master/inputs/input_listing.h"
#include "tests/hdfs/fake_hdfs.h"

namespace ontime::master {
namespace {

TEST(InputObjects, NamesMayHaveControlCharacters) {
  test::FakeHdfs hdfs;
  hdfs.put("/in/a.txt", "text");
  hdfs.put("/in/b\tb\x01", "more text");
  const auto listed = list_inputs({hdfs.root() + "/in"});
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->files.size(), 2u);
  EXPECT_EQ(listed->files[1].path, hdfs.root() + "/in/b\tb\x01");
  EXPECT_EQ(listed->files[1].size, 9u);
}

// Without a wildcard, alternatives name files or directories as the input itself does.
TEST(InputObjects, AreNamedByBracesAlone) {
  test::FakeHdfs hdfs;
  for (const char* file : {"/in/text/a", "/in/text/_hidden", "/in/gz/a", "/in/gz/b", "/in/other/a", "/in/{x}"})
    hdfs.put(file, "text");
  const auto files_of = [&](const std::string& pattern) {
    std::string files;
    const auto listed = list_inputs({hdfs.root() + pattern});
    if (!listed) return listed.error().message;
    for (const auto& file : listed->files) files += file.path.substr(hdfs.root().size()) + " ";
    return files;
  };
  EXPECT_EQ(files_of("/in/{text,gz}/a"), "/in/gz/a /in/text/a ");
  EXPECT_EQ(files_of("/in/{text,gz}"), "/in/gz/a /in/gz/b /in/text/a ");
  EXPECT_EQ(files_of("/{in/gz/b,in/text/}"), "/in/gz/b /in/text/a ");
  EXPECT_EQ(files_of("/in/{text/a,nothing}"), "/in/text/a ");
  EXPECT_EQ(files_of("/in/{x}"), "/in/{x} ");
  EXPECT_THAT(files_of("/in/{no,nothing}"), testing::HasSubstr("names no object"));
}

}  // namespace
}  // namespace ontime::master
