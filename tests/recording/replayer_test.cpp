#include "master/recording/replayer.h"

#include <gtest/gtest.h>

#include "master/recording/block.h"
#include "master/recording/entry.h"
#include "scheduler/core/record.h"
#include "tests/recording/recorded_history.h"
#include "tests/support/temporary_directory.h"

namespace ontime::recording::test {
namespace {

using ontime::test::TemporaryDirectory;
namespace event = scheduler::event;
namespace fact = scheduler::fact;

Status feed(Replayer& replayer, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    if (Status status = replayer.feed(entry); !status) return status;
  }
  return {};
}

// Two epochs, the second on what the first has left, without its last records: as after a kill.
class ReplayerTest : public testing::Test {
 protected:
  ReplayerTest() {
    RecordedHistory first(options(), 1);
    first.run_job(30);
    first.run_job(3);
    first.end();
    std::vector<scheduler::JournalRecord> known = first.records();
    known.resize(known.size() - 5);
    RecordedHistory second(options(), 2, known);
    second.run_job(10);
    second.end();
    records_ = first.records().size() + second.records().size();
    for (const std::uint64_t epoch : {1, 2}) {
      const Contents contents = read_all(path_of(directory_ / "recordings", epoch));
      entries_.insert(entries_.end(), contents.entries.begin(), contents.entries.end());
    }
  }
  Recorder::Options options() {
    return {directory_ / "recordings", 1u << 30, [](const std::string&) {}};
  }

  // The step of the first epoch whose event is of that kind, counted from 0.
  template <class What>
  RecordedStep& step_with(std::size_t skip = 0) {
    for (Entry& entry : entries_) {
      auto* step = std::get_if<RecordedStep>(&entry);
      if (step != nullptr && step->event && std::holds_alternative<What>(*step->event) && skip-- == 0) return *step;
    }
    ADD_FAILURE() << "there is no such step";
    return std::get<RecordedStep>(entries_.front());
  }

  TemporaryDirectory directory_;
  std::vector<Entry> entries_;
  std::size_t records_ = 0;
};

TEST_F(ReplayerTest, TheSameEventsGiveTheSameRecordsAndActions) {
  std::size_t seen = 0;
  Replayer replayer([&](const scheduler::JournalRecord&) { ++seen; });
  ASSERT_TRUE(feed(replayer, entries_));
  EXPECT_TRUE(replayer.is_identical());
  ASSERT_EQ(replayer.epochs().size(), 2u);
  EXPECT_EQ(replayer.epochs()[1].epoch, 2u);
  EXPECT_EQ(replayer.epochs()[0].records + replayer.epochs()[1].records, records_);
  EXPECT_EQ(seen, records_);
  EXPECT_GT(replayer.epochs()[1].known, 0u);
  EXPECT_TRUE(replayer.epochs()[0].end.has_value());
}

TEST_F(ReplayerTest, AnotherRecordIsTheFirstDifference) {
  RecordedStep& step = step_with<event::SegmentSealed>(4);
  auto sealed = decode_step_record(step.records.at(0));
  ASSERT_TRUE(sealed);
  std::get<fact::SegmentSealed>(sealed->fact).output.length += 1;
  step.records[0] = encode_step_record(*sealed);
  Replayer replayer;
  ASSERT_TRUE(feed(replayer, entries_));
  EXPECT_FALSE(replayer.is_identical());
  const Difference& difference = *replayer.epochs()[0].difference;
  EXPECT_EQ(difference.at, step.at);
  ASSERT_TRUE(difference.recorded && difference.replayed);
  EXPECT_NE(scheduler::describe(difference.recorded->fact), scheduler::describe(difference.replayed->fact));
  EXPECT_FALSE(replayer.epochs()[1].difference) << "the next epoch stands on what the journal held";
}

TEST_F(ReplayerTest, AnotherTimeOfARecordIsADifference) {
  RecordedStep& step = step_with<event::SegmentSealed>();
  auto sealed = decode_step_record(step.records.at(0));
  ASSERT_TRUE(sealed);
  sealed->at += Duration(1);
  step.records[0] = encode_step_record(*sealed);
  Replayer replayer;
  ASSERT_TRUE(feed(replayer, entries_));
  EXPECT_FALSE(replayer.is_identical());
}

TEST_F(ReplayerTest, AMissingRecordAndAMissingEventAreDifferences) {
  step_with<event::SegmentSealed>(2).records.pop_back();
  Replayer without_record;
  ASSERT_TRUE(feed(without_record, entries_));
  ASSERT_TRUE(without_record.epochs()[0].difference);
  EXPECT_FALSE(without_record.epochs()[0].difference->recorded);
  EXPECT_TRUE(without_record.epochs()[0].difference->replayed);

  entries_.erase(entries_.begin() + 3);
  Replayer without_event;
  ASSERT_TRUE(feed(without_event, entries_));
  EXPECT_FALSE(without_event.is_identical());
}

TEST_F(ReplayerTest, OtherActionsAreADifference) {
  RecordedStep& step = step_with<event::JobSubmitted>();
  ASSERT_GT(step.actions, 0u);
  step.action_checksum ^= 1;
  Replayer replayer;
  ASSERT_TRUE(feed(replayer, entries_));
  ASSERT_TRUE(replayer.epochs()[0].difference);
  EXPECT_FALSE(replayer.epochs()[0].difference->recorded);
  EXPECT_FALSE(replayer.epochs()[0].difference->actions_replayed.empty());
}

TEST_F(ReplayerTest, WhatNoMasterRecordsIsAnError) {
  Replayer headless;
  EXPECT_FALSE(headless.feed(entries_.at(1)));
  Replayer twice;
  ASSERT_TRUE(twice.feed(entries_.at(0)));
  ASSERT_TRUE(twice.feed(entries_.at(1)));
  EXPECT_FALSE(twice.feed(entries_.at(1)));
}

}  // namespace
}  // namespace ontime::recording::test
