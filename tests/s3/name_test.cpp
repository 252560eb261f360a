#include "common/s3/name.h"

#include <gtest/gtest.h>

namespace ontime::s3 {
namespace {

TEST(NameOfAnObject, HasABucketAndAKeyAsTheStoreHasThem) {
  EXPECT_EQ(*parse_name("s3://books/a b/c%20d?.txt"), (Name{"s3://books", "a b/c%20d?.txt"}));
  EXPECT_EQ(parse_name("s3://books/a\nb\x01")->key, "a\nb\x01");
  EXPECT_EQ(*parse_name("s3://books"), (Name{"s3://books", ""}));
  EXPECT_EQ(*parse_name("s3://books/"), (Name{"s3://books", ""}));
  EXPECT_EQ((Name{"s3://books", "a/b"}).text(), "s3://books/a/b");
}

TEST(NameOfAnObject, ThatIsNoneIsRefusedWithASentence) {
  for (const char* text : {"s3://", "s3:///key", "s3://Books/x", "s3://ab/x", "s3://a..b/x", "s3://-books/x",
                           "s3://books/../x", "s3://books/a/./x", "http://books/x"}) {
    const auto name = parse_name(text);
    ASSERT_FALSE(name) << text;
    EXPECT_TRUE(name.error().message.ends_with('.')) << name.error().message;
  }
  EXPECT_FALSE(parse_name(std::string("s3://books/a\0b", 14)));
  EXPECT_FALSE(parse_name("s3://books/" + std::string(1025, 'x')));
}

}  // namespace
}  // namespace ontime::s3
