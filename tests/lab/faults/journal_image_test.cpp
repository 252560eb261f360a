#include "lab/faults/journal_image.h"

#include <gtest/gtest.h>

#include "master/journal/record_codec.h"

namespace ontime::lab::faults {
namespace {

std::string record_number(std::uint32_t number) {
  return journal::encode_record({from_unix_ns(number), scheduler::fact::CommitStarted{JobId{number}}});
}

// How many records a new master reads.
std::size_t recovered(JournalImage& journal) {
  JournalContent content;
  EXPECT_TRUE(journal.recover(content));
  return content.records.size();
}

TEST(JournalImage, OfABatchThatWasTornAnywhereNothingIsRead) {
  JournalImage whole;
  whole.begin({record_number(1), record_number(2)});
  whole.finish();
  const std::size_t first = whole.bytes();
  whole.begin({record_number(3), record_number(4), record_number(5)});
  whole.finish();
  const std::size_t second = whole.bytes() - first;
  for (std::size_t bytes = 0; bytes <= second; ++bytes) {
    JournalImage journal;
    journal.begin({record_number(1), record_number(2)});
    journal.finish();
    journal.begin({record_number(3), record_number(4), record_number(5)});
    journal.tear(static_cast<double>(bytes) / static_cast<double>(second));
    ASSERT_EQ(journal.bytes(), first + bytes);
    EXPECT_EQ(recovered(journal), bytes == second ? 5u : 2u);
    EXPECT_EQ(journal.bytes(), bytes == second ? first + second : first);  // it is written on from there
    journal.begin({record_number(6)});
    journal.finish();
    EXPECT_EQ(recovered(journal), bytes == second ? 6u : 3u);
  }
}

}  // namespace
}  // namespace ontime::lab::faults
