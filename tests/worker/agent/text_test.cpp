#include "worker/agent/runners/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "common/protocol/control.pb.h"

namespace ontime::worker {
namespace {

TEST(Text, KeepsValidText) {
  const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z";
  EXPECT_EQ(to_utf8(text), text);
}

TEST(Text, ReplacesEachBadByte) {
  EXPECT_EQ(to_utf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(to_utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong
  EXPECT_EQ(to_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // surrogate
  EXPECT_EQ(to_utf8("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // cut off
}

TEST(Text, DoesNotSplitCharacters) {
  EXPECT_EQ(head_of("a\xC3\xA4", 2), "a");
  EXPECT_EQ(head_of("a\xC3\xA4", 3), "a\xC3\xA4");
  EXPECT_EQ(tail_of("\xC3\xA4z", 2), "z");
  EXPECT_EQ(tail_of("\xC3\xA4z", 3), "\xC3\xA4z");
}

// Protobuf's own check is the judge: it refuses to read a string field that is no UTF-8.
RC_GTEST_PROP(TextProperty, AnyBytesBecomeTextThatAMessageCarries, (const std::string& bytes)) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 40);
  for (const std::string& text :
       {to_utf8(bytes), std::string(head_of(to_utf8(bytes), size)), std::string(tail_of(to_utf8(bytes), size))}) {
    wire::JobSetup message;
    message.set_output(text);
    wire::JobSetup read;
    RC_ASSERT(read.ParseFromString(message.SerializeAsString()));
  }
  RC_ASSERT(head_of(to_utf8(bytes), size).size() <= size);
  RC_ASSERT(tail_of(to_utf8(bytes), size).size() <= size);
}

}  // namespace
}  // namespace ontime::worker
