#include "master/base/attempt_messages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace ontime::master {
namespace {

namespace fact = scheduler::fact;

TEST(AttemptMessages, AreKeptUntilTheirJobIsForgotten) {
  AttemptMessages messages;
  const AttemptId one{{JobId{1}, 0}, 0};
  const AttemptId two{{JobId{2}, 0}, 0};
  messages.observe({from_unix_ns(1), fact::AttemptEnded{one, scheduler::AttemptEnd::Failed, "first"}});
  messages.observe({from_unix_ns(1), fact::AttemptEnded{two, scheduler::AttemptEnd::Failed, "second"}});
  EXPECT_EQ(messages.of(one), "first");
  messages.observe({from_unix_ns(1), fact::JobForgotten{JobId{1}}});
  EXPECT_EQ(messages.of(one), "");
  EXPECT_EQ(messages.of(two), "second");
}

TEST(AttemptMessages, TheLastStatusIsThereUntilItFails) {
  AttemptMessages messages;
  const AttemptId id{{JobId{1}, 0}, 0};
  messages.note_status(id, "at a half");
  messages.note_status(id, std::string(5000, 'x'));
  EXPECT_EQ(messages.of(id), std::string(1024, 'x'));
  messages.observe({from_unix_ns(1), fact::AttemptEnded{id, scheduler::AttemptEnd::Failed, "the disk is full"}});
  EXPECT_EQ(messages.of(id), "the disk is full");
}

TEST(AttemptMessages, AreBounded) {
  AttemptMessages messages;
  for (std::uint32_t task = 0; task < 10'000; ++task) {
    messages.observe({from_unix_ns(1), fact::AttemptEnded{{{JobId{1}, task}, 0}, scheduler::AttemptEnd::Lost, "x"}});
  }
  EXPECT_EQ(messages.of({{JobId{1}, 0}, 0}), "");
  EXPECT_EQ(messages.of({{JobId{1}, 9999}, 0}), "x");
}

}  // namespace
}  // namespace ontime::master
