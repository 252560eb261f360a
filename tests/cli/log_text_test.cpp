#include "cli/show/job_text.h"

#include <gtest/gtest.h>

#include "tests/cli/scratch.h"

namespace ontime::cli {
namespace {

TEST(LogText, TitlesSayWhoseLinesFollow) {
  LogText text(false);
  EXPECT_EQ(text.next({0, 0, "w1", 0, "one\n"}), "== t00000-a0 on w1\none\n");
  EXPECT_EQ(text.next({0, 0, "w1", 0, "one\ntwo"}), "two");
  EXPECT_EQ(text.next({2, 1, "w2", 0, "three\n"}), "\n== t00002-a1 on w2\nthree\n");
  EXPECT_EQ(text.next({2, 1, "w2", 0, "three\n"}), "");
}

TEST(LogText, SaysWhatIsNotKept) {
  LogText text(false);
  EXPECT_EQ(text.next({0, 0, "w", 2048, "end\n"}), "== t00000-a0 on w\n[2.0 KiB are not kept]\nend\n");
}

TEST(LogText, JsonIsALineForEachPiece) {
  LogText text(true);
  EXPECT_EQ(text.next({3, 1, "w", 0, "a\n"}), R"({"task":3,"attempt":1,"node":"w","begin":0,"text":"a\n"})"
                                              "\n");
  EXPECT_EQ(text.next({3, 1, "w", 0, "a\n\xff"}),
            "{\"task\":3,\"attempt\":1,\"node\":\"w\",\"begin\":2,\"text\":\"\xef\xbf\xbd\"}\n");
}

TEST(KeptLogs, AreReadAsTheyWereWritten) {
  const Scratch scratch;
  EXPECT_TRUE(output::read_logs(scratch.path())->empty());
  ASSERT_TRUE(output::write_logs(scratch.path(), {{0, 0, "w", 0, "a\nb\n"}, {1, 2, "v", 7, "\t\"c\""}}));
  const auto logs = output::read_logs(scratch.path());
  ASSERT_TRUE(logs) << logs.error().message;
  ASSERT_EQ(logs->size(), 2u);
  EXPECT_EQ((*logs)[0].text, "a\nb\n");
  EXPECT_EQ((*logs)[1].attempt, 2u);
  EXPECT_EQ((*logs)[1].begin, 7u);
  EXPECT_EQ((*logs)[1].text, "\t\"c\"");
}

TEST(KeptLogs, AreRefusedWhenTheyAreDamaged) {
  const Scratch scratch;
  scratch.file(output::kLogsName, "{\"task\":0,\n");
  EXPECT_NE(output::read_logs(scratch.path()).error().message.find("is damaged in line 1"), std::string::npos);
  EXPECT_NE(output::read_logs(scratch / "none").error().message.find("cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace ontime::cli
