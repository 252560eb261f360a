#include "apps/text/word_table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>
#include <memory>
#include <set>

#include "tests/apps/texts.h"
#include "tests/apps/tiny_tables.h"
#include "tests/apps/white_space.h"

namespace ontime::apps {
namespace {

using test::Counts;
using test::counts_of;

// Adds up what the table gives away.
class Sum final : public WordTable::Overflow {
 public:
  void full(const WordTable& table) override {
    ++spills;
    take(table);
  }
  void refused(std::string_view word, std::uint64_t count) override {
    ++refusals;
    counts[std::string(word)] += count;
  }
  void take(const WordTable& table) {
    table.for_each([this](std::string_view word, std::uint32_t count) {
      EXPECT_GT(count, 0U);
      counts[std::string(word)] += count;
    });
  }

  Counts counts;
  int spills = 0;
  int refusals = 0;
};

void add_text(WordTable& table, std::string_view text, WordTable::Overflow& overflow) {
  const auto exact = std::make_unique<char[]>(text.size());
  if (!text.empty()) std::memcpy(exact.get(), text.data(), text.size());
  const std::string_view copy(exact.get(), text.size());
  WordScanner scanner(copy);
  for (auto words = scanner.next(); !words.empty(); words = scanner.next()) table.add(copy, words, overflow);
}

Counts count_with(const WordTableLimits& limits, std::string_view text, Sum* statistics = nullptr,
                  InstructionSet set = best_instruction_set()) {
  WordTable table(limits, set);
  Sum sum;
  add_text(table, text, sum);
  sum.take(table);
  if (statistics != nullptr) *statistics = sum;
  return sum.counts;
}

TEST(CountedWord, ComesBackAsItWasPutIn) {
  EXPECT_TRUE(rc::check([] {
    std::string word = *rc::gen::container<std::string>(
        rc::gen::suchThat(rc::gen::arbitrary<char>(), [](char c) { return !is_space(c); }));
    word.resize(std::min<std::size_t>(word.size(), MediumWord::kMaxSize));
    const std::string padded = word + std::string(MediumWord::kReadable, '#');
    char bytes[MediumWord::kMaxSize];
    const MediumWord medium = MediumWord::load(padded.data(), word.size(), 7);
    medium.store(bytes);
    RC_ASSERT(std::string(bytes, medium.size()) == word);
    RC_ASSERT(medium.count == 7U);
    if (word.size() > ShortWord::kMaxSize) return;
    const ShortWord brief = ShortWord::load(padded.data(), word.size(), 1);
    brief.store(bytes);
    RC_ASSERT(std::string(bytes, brief.size()) == word);
  }));
}

TEST(CountedWord, KeepsApartWhatDiffersInNulBytesAtTheEnd) {
  const char text[MediumWord::kReadable + 1] = "a";
  for (std::size_t size = 1; size < ShortWord::kMaxSize; ++size) {
    EXPECT_FALSE(ShortWord::load(text, size, 1).same_word(ShortWord::load(text, size + 1, 1)));
    EXPECT_EQ(ShortWord::load(text, size, 1).size(), size);
  }
}

TEST(WordTable, CountsTheWordsOfAnyText) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *test::any_text();
    const WordTableLimits limits = {.short_slots = 1 << 10, .medium_slots = 1 << 8, .long_slots = 1 << 6};
    for (const InstructionSet set : instruction_sets()) {
      RC_ASSERT(count_with(limits, text, nullptr, set) == counts_of(text));
    }
  }));
}

TEST(WordTable, KeepsItsCountsWhenItGoesOnInHugePages) {
  EXPECT_TRUE(rc::check([] {
    const std::string before = *test::any_text();
    const std::string after = *test::any_text();
    WordTable table;
    Sum sum;
    add_text(table, before, sum);
    table.expect_tens_of_words();
    table.expect_hundreds_of_words();
    add_text(table, after, sum);
    sum.take(table);
    RC_ASSERT(sum.counts == counts_of(before + " " + after));
  }));
}

TEST(WordTable, LosesNothingWhenItIsTooSmall) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *test::any_text();
    for (const InstructionSet set : instruction_sets()) {
      RC_ASSERT(count_with(test::kTinyTables, text, nullptr, set) == counts_of(text));
    }
  }));
}

// So part files are the same on every machine.
TEST(WordTable, DoesTheSameForTheSameCallsWithAnyInstructionSet) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *test::any_text();
    std::set<std::string> orders;
    for (const InstructionSet set : instruction_sets()) {
      for (const bool used_before : {false, true}) {
        WordTable table(test::kTinyTables, set);
        Sum sum;
        if (used_before) {  // what was counted and cleared before leaves no trace
          add_text(table, "other words were here before", sum);
          table.clear();
        }
        add_text(table, text, sum);
        std::string order;
        table.for_each([&](std::string_view word, std::uint32_t count) {
          order.append(word).append(1, ' ').append(std::to_string(count)).append(1, '\n');
        });
        orders.insert(order);
      }
    }
    RC_ASSERT(orders.size() == 1U);
  }));
}

TEST(WordTable, SpillsWhenItsSlotsAreUsedUpAndGoesOn) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "w" + std::to_string(i) + ' ';
  Sum statistics;
  EXPECT_EQ(count_with({.short_slots = 64, .medium_slots = 8, .long_slots = 8}, text, &statistics), counts_of(text));
  EXPECT_GE(statistics.spills, 1000 / 64);
  EXPECT_EQ(statistics.refusals, 0);
}

TEST(WordTable, SpillsWhenTheTextOfLongWordsIsUsedUp) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::string(40, 'l') + std::to_string(i) + ' ';
  Sum statistics;
  EXPECT_EQ(count_with({.long_text = 1000}, text, &statistics), counts_of(text));
  EXPECT_GE(statistics.spills, 4);
  EXPECT_EQ(statistics.refusals, 0);
}

TEST(WordTable, PassesVeryLongWordsOnAtOnce) {
  const std::string text = std::string(5000, 'v') + " short " + std::string(5000, 'v');
  Sum statistics;
  EXPECT_EQ(count_with({}, text, &statistics), counts_of(text));
  EXPECT_EQ(statistics.refusals, 2);
}

// Words for which a table of 2^18 slots starts to look at the same place.
std::vector<std::string> words_of_one_place(std::size_t count) {
  std::vector<std::string> words;
  for (std::uint64_t i = 0; words.size() < count; ++i) {
    char word[ShortWord::kReadable + 1] = {};
    for (int digit = 0; digit < 6; ++digit) word[digit] = static_cast<char>('a' + (i >> 4 * digit & 15));
    if (ShortWord::load(word, 6, 1).hash() >> 52 == 0) words.emplace_back(word, 6);
  }
  return words;
}

TEST(WordTable, WordsChosenToCollideAreRefusedAfterABoundedSearch) {
  std::string text;
  for (const std::string& word : words_of_one_place(600)) (text += word) += ' ';
  text += text;
  Sum statistics;
  EXPECT_EQ(count_with({.short_slots = 1 << 12, .probes = 16}, text, &statistics), counts_of(text));
  EXPECT_EQ(statistics.spills, 0);
  EXPECT_EQ(statistics.refusals, 2 * (600 - 16));
}

TEST(WordTable, SpillsBeforeACountCouldOverflow) {
  WordTable table;
  Sum sum;
  for (int i = 0; i < 5; ++i) table.add("often", 0xc0000000, sum);
  sum.take(table);
  EXPECT_EQ(sum.counts, (Counts{{"often", 5ULL * 0xc0000000}}));
  EXPECT_EQ(sum.spills, 4);
}

TEST(WordTable, IsClearedWhetherFewOrManyWordsWereInIt) {
  for (const int words : {10, 20'000}) {
    WordTable table;
    Sum sum;
    std::string text;
    for (int i = 0; i < words; ++i) text += std::to_string(i) + ' ';
    add_text(table, text, sum);
    EXPECT_EQ(table.size(), static_cast<std::size_t>(words));
    table.clear();
    EXPECT_TRUE(table.empty());
    table.for_each([](std::string_view word, std::uint32_t) { ADD_FAILURE() << word; });
    add_text(table, text, sum);
    sum.take(table);
    EXPECT_EQ(sum.counts, counts_of(text));
  }
}

}  // namespace
}  // namespace ontime::apps
