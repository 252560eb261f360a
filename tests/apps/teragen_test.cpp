#include "apps/gen/teragen.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "tests/apps/mapped.h"

namespace ontime::apps::test {
namespace {

std::string records(std::uint64_t count, std::uint64_t first = 0) {
  std::string bytes(count * kTeraRecordBytes, '\0');
  TeraRandom random(first);
  for (std::uint64_t i = 0; i < count; ++i)
    write_tera_record(bytes.data() + i * kTeraRecordBytes, random.next(), first + i);
  return bytes;
}

constexpr Uint128 make128(std::uint64_t high, std::uint64_t low) { return Uint128{high} << 64 | low; }

// The increment was chosen so that the first key reads as it does.
TEST(TeraGen, TheFirstRecordIsTheOneOfGensort) {
  std::string expected = "JimGrayRIP" + std::string("\x00\x11", 2) + std::string(32, '0') + "\x88\x99\xAA\xBB";
  for (const char digit : std::string("202020202001")) expected += std::string(4, digit);
  EXPECT_EQ(records(1), expected + "\xCC\xDD\xEE\xFF");
}

// gensort publishes multiplier and increment of 2 and of 4 steps too; from zero, the increment is where they lead.
TEST(TeraGen, TwoAndFourStepsLeadToThePublishedIncrements) {
  TeraRandom random;
  random.next();
  EXPECT_TRUE(random.next() == make128(0x95e0e48262b3edfe, 0x04479485c755b646));
  random.next();
  EXPECT_TRUE(random.next() == make128(0x882a02c315362b60, 0x765f100068b33a1c));
}

TEST(TeraGen, SkippingIsTheSameAsDrawing) {
  EXPECT_TRUE(rc::check([] {
    const auto skipped = *rc::gen::inRange<std::uint64_t>(0, 2000);
    TeraRandom drawn, jumped(skipped);
    for (std::uint64_t i = 0; i < skipped; ++i) drawn.next();
    RC_ASSERT(drawn.next() == jumped.next());
    const auto far = *rc::gen::arbitrary<std::uint64_t>();
    TeraRandom here(far), one_further(Uint128{far} + 1);
    here.next();
    RC_ASSERT(here.next() == one_further.next());
  }));
}

// What Hadoop's TeraValidate prints for a million rows of TeraGen.
TEST(TeraGen, AMillionRecordsHaveTheChecksumThatHadoopFinds) {
  TeraSummary summary;
  for (std::uint64_t first = 0; first < 1'000'000; first += 10'000) summary.add(records(10'000, first));
  EXPECT_EQ(summary.records(), 1'000'000u);
  EXPECT_EQ(summary.checksum(), "7a27e2d0d55de");
  EXPECT_EQ(summary.duplicate_keys(), 0u);
}

TEST(TeraSummary, TellsWhetherKeysAscendAndWhereTheyDoNot) {
  const std::string three = records(3);
  std::vector<std::string> sorted = records_of(three, kTeraRecordBytes);
  std::sort(sorted.begin(), sorted.end());
  TeraSummary ascending, repeated, descending;
  for (const auto& record : sorted) ascending.add(record);
  EXPECT_EQ(ascending.misplaced(), 0u);
  repeated.add(sorted[0]);
  repeated.add(sorted[0]);
  EXPECT_EQ(repeated.duplicate_keys(), 1u);
  EXPECT_EQ(repeated.misplaced(), 0u);
  descending.add(sorted[1] + sorted[2]);
  descending.add(sorted[0]);
  EXPECT_EQ(descending.misplaced(), 1u);
  EXPECT_EQ(descending.first_misplaced(), 2u);
  EXPECT_EQ(TeraSummary().checksum(), "0");
}

TEST(TeraSort, TheAnswerIsTheSortedRecordsWhereverTheyAreDivided) {
  const app::Application& terasort = application("terasort");
  const auto format = terasort.record_format(context_of(terasort));
  EXPECT_TRUE(rc::check([&] {
    // Few keys and some equal records, besides those of the benchmark.
    const auto few = *rc::gen::inRange<std::size_t>(0, 8);
    std::string bytes = records(*rc::gen::inRange<std::uint64_t>(0, 50), *rc::gen::arbitrary<std::uint32_t>());
    for (std::size_t i = 0; i < few; ++i)
      bytes +=
          std::string(kTeraKeyBytes, *rc::gen::element('\n', '\xff')) + std::string(90, *rc::gen::element('a', '\r'));
    Division division = *rc::gen::map(
        rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 60)), [&](auto cuts) {
          return Division{cuts, cuts, format.get()};
        });
    TestContext context = context_of(terasort);
    auto expected = records_of(bytes, kTeraRecordBytes);
    std::sort(expected.begin(), expected.end());
    std::string whole;
    for (const auto& record : expected) whole += record;
    RC_ASSERT(sorted(terasort, context, map_text(terasort, context, bytes, division)) == whole);
  }));
}

}  // namespace
}  // namespace ontime::apps::test
