#include "apps/sorting/run_buffer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "tests/apps/mapped.h"

namespace ontime::apps::test {
namespace {

// By bytes; `significant` of the rank's bytes count, so that there are ties of every kind.
class ByteOrder final : public app::Order {
 public:
  explicit ByteOrder(unsigned significant = 8) : dropped_bits_(64 - 8 * significant) {}
  std::uint64_t rank(std::string_view record) const override {
    return dropped_bits_ == 64 ? 0 : rank_of_bytes(record) >> dropped_bits_;
  }
  bool is_before(std::string_view a, std::string_view b) const override { return a < b; }

 private:
  unsigned dropped_bits_;
};

std::string written(const ByteOrder& order, const std::vector<std::string>& lines, std::size_t memory) {
  TightOutput out;
  RunBuffer runs(order, memory);
  for (const std::string& line : lines) runs.add(line, out);
  runs.flush(out);
  return out.text();
}

rc::Gen<std::vector<std::string>> any_lines() {
  return rc::gen::container<std::vector<std::string>>(
      rc::gen::container<std::string>(rc::gen::element('a', 'b', '\0', '\xff', '\r')));
}

TEST(RunBuffer, WhatFitsComesOutSorted) {
  EXPECT_TRUE(rc::check([] {
    auto lines = *any_lines();
    const ByteOrder order(*rc::gen::element(0u, 1u, 8u));
    const std::string output = written(order, lines, 1 << 20);
    std::sort(lines.begin(), lines.end());
    RC_ASSERT(records_of(output, 0) == lines);
  }));
}

TEST(RunBuffer, WhatDoesNotFitComesInRunsThatLoseNothing) {
  EXPECT_TRUE(rc::check([] {
    auto lines = *any_lines();
    auto output = records_of(written(ByteOrder(), lines, *rc::gen::inRange<std::size_t>(0, 300)), 0);
    std::sort(lines.begin(), lines.end());
    std::sort(output.begin(), output.end());
    RC_ASSERT(output == lines);
  }));
}

TEST(RunBuffer, ManyRecordsAreSortedByEveryByteOfTheirRank) {
  std::vector<std::string> lines;
  std::uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    lines.push_back(std::string(i % 3, 'a') + std::to_string(state >> (i % 50)));
  }
  const std::string output = written(ByteOrder(), lines, 16 << 20);
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(records_of(output, 0), lines);
}

TEST(RunBuffer, ARecordLargerThanTheMemoryIsARunOfItsOwn) {
  const std::string large(1000, 'a');
  EXPECT_EQ(written(ByteOrder(), {"c", "b", large, "b", "a"}, 200), "b\nc\n" + large + "\na\nb\n");
}

}  // namespace
}  // namespace ontime::apps::test
