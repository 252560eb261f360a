#include <gtest/gtest.h>

#include "worker/agent/runners/text.h"
#include "worker/agent/session/outboxes.h"

namespace ontime::worker {
namespace {

const AttemptId kAttempt{{JobId{1}, 2}, 3};

TEST(LogOutbox, GivesAwayWhatItWasGiven) {
  LogOutbox outbox;
  EXPECT_TRUE(outbox.is_empty());
  outbox.add(kAttempt, {});
  EXPECT_TRUE(outbox.is_empty());
  outbox.add(kAttempt, {5, "text"});
  const auto logs = outbox.take();
  ASSERT_EQ(logs.logs_size(), 1);
  EXPECT_EQ(logs.logs(0).begin(), 5u);
  EXPECT_EQ(logs.logs(0).text(), "text");
  EXPECT_TRUE(outbox.is_empty());
}

TEST(LogOutbox, WhatComesBeyondItsRoomLosesItsBeginning) {
  LogOutbox outbox;
  outbox.add(kAttempt, {0, std::string(LogOutbox::kRoomBytes - 2, 'x')});
  outbox.add(kAttempt, {0, "12345"});
  auto logs = outbox.take();
  ASSERT_EQ(logs.logs_size(), 2);
  EXPECT_EQ(logs.logs(1).begin(), 3u);
  EXPECT_EQ(logs.logs(1).text(), "45");
  outbox.add(kAttempt, {5, "6"});
  EXPECT_TRUE(outbox.is_empty());
  outbox.refill();
  outbox.add(kAttempt, {6, "7"});
  EXPECT_FALSE(outbox.is_empty());
}

TEST(StderrTail, GivesWhatCameAfterAByte) {
  StderrTail tail;
  tail.append("one two");
  EXPECT_EQ(tail.after(0), "one two");
  EXPECT_EQ(tail.after(4), "two");
  EXPECT_EQ(tail.after(7), "");
  tail.append(std::string(StderrTail::kKeptBytesMax, 'x'));
  EXPECT_EQ(tail.after(0).size(), StderrTail::kKeptBytesMax);
  EXPECT_EQ(tail.after(tail.bytes_seen() - 3), "xxx");
}

}  // namespace
}  // namespace ontime::worker
