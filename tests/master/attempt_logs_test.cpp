#include "master/outputs/attempt_logs.h"

#include <gtest/gtest.h>

namespace ontime::master {
namespace {

AttemptId attempt(std::uint32_t task, std::uint32_t number = 0, std::uint32_t job = 1) {
  return {{JobId{job}, task}, number};
}

TEST(AttemptLogs, PiecesOfAnAttemptAreJoined) {
  AttemptLogs logs;
  logs.append(attempt(3), "w", 0, "one\n");
  logs.append(attempt(3), "w", 4, "two\n");
  logs.append(attempt(3), "w", 0, "one\ntwo\nthree\n");  // sent again, with more
  logs.append(attempt(3), "w", 4, "two\n");
  ASSERT_EQ(logs.of(JobId{1}).size(), 1u);
  EXPECT_EQ(logs.of(JobId{1})[0].text, "one\ntwo\nthree\n");
  EXPECT_EQ(logs.of(JobId{1})[0].begin, 0u);
  EXPECT_EQ(logs.of(JobId{1})[0].node, "w");
}

TEST(AttemptLogs, TheEndOfAnAttemptIsKept) {
  AttemptLogs logs({.of_attempt = 8, .of_job = 100, .of_all = 100});
  logs.append(attempt(0), "w", 0, "12345678");
  logs.append(attempt(0), "w", 8, "9abc");
  EXPECT_EQ(logs.of(JobId{1})[0].text, "56789abc");
  EXPECT_EQ(logs.of(JobId{1})[0].begin, 4u);
  logs.append(attempt(0), "w", 100, "later");  // what lay between was lost on the way
  EXPECT_EQ(logs.of(JobId{1})[0].text, "later");
  EXPECT_EQ(logs.of(JobId{1})[0].begin, 100u);
}

TEST(AttemptLogs, AJobAndAllJobsAreBounded) {
  AttemptLogs logs({.of_attempt = 10, .of_job = 20, .of_all = 30});
  for (std::uint32_t task = 0; task < 5; ++task) logs.append(attempt(task), "w", 0, "0123456789");
  ASSERT_EQ(logs.of(JobId{1}).size(), 2u);  // those that changed last
  EXPECT_EQ(logs.of(JobId{1})[0].task, 3u);
  EXPECT_EQ(logs.slice({.job = JobId{1}}).dropped, 3u);
  for (std::uint32_t task = 0; task < 2; ++task) logs.append(attempt(task, 0, 2), "w", 0, "0123456789");
  EXPECT_EQ(logs.of(JobId{1}).size(), 1u);
  EXPECT_EQ(logs.of(JobId{2}).size(), 2u);
  logs.forget(JobId{2});
  EXPECT_TRUE(logs.of(JobId{2}).empty());
  for (std::uint32_t task = 0; task < 2; ++task) logs.append(attempt(task, 0, 3), "w", 0, "0123456789");
  EXPECT_EQ(logs.of(JobId{1}).size(), 1u);  // there is room again
}

TEST(AttemptLogs, WhoAsksAgainGetsWhatHasChanged) {
  AttemptLogs logs;
  logs.append(attempt(0), "w", 0, "a");
  logs.append(attempt(1), "w", 0, "b");
  const auto first = logs.slice({.job = JobId{1}});
  EXPECT_EQ(first.logs.size(), 2u);
  EXPECT_TRUE(logs.slice({.job = JobId{1}, .since = first.next}).logs.empty());
  logs.append(attempt(0), "w", 1, "c");
  const auto second = logs.slice({.job = JobId{1}, .since = first.next});
  ASSERT_EQ(second.logs.size(), 1u);
  EXPECT_EQ(second.logs[0].text, "ac");
}

TEST(AttemptLogs, OneTaskOrAttemptCanBeAskedFor) {
  AttemptLogs logs;
  logs.append(attempt(1, 0), "w", 0, "a");
  logs.append(attempt(1, 1), "w", 0, "b");
  logs.append(attempt(2, 1), "w", 0, "c");
  EXPECT_EQ(logs.slice({.job = JobId{1}, .task = 1}).logs.size(), 2u);
  const auto one = logs.slice({.job = JobId{1}, .task = 1, .attempt = 1}).logs;
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].text, "b");
}

TEST(AttemptLogs, AReplyHoldsSoMuchAndSaysThatThereIsMore) {
  AttemptLogs logs;
  for (std::uint32_t task = 0; task < 10; ++task) logs.append(attempt(task), "w", 0, std::string(60'000, 'x'));
  std::size_t seen = 0;
  int slices = 0;
  for (auto slice = logs.slice({.job = JobId{1}});; slice = logs.slice({.job = JobId{1}, .since = slice.next})) {
    seen += slice.logs.size();
    ++slices;
    if (!slice.is_partial) break;
  }
  EXPECT_EQ(seen, 10u);
  EXPECT_GT(slices, 2);
}

}  // namespace
}  // namespace ontime::master
