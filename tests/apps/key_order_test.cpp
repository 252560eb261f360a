#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "apps/termvector/term_vector.h"

namespace ontime::apps {
namespace {

TEST(KeyOrder, IsThatOfASortWithAnyInstructionSet) {
  EXPECT_TRUE(rc::check([] {
    const auto drawn = *rc::gen::container<std::set<std::int64_t>>(rc::gen::arbitrary<std::int64_t>());
    std::vector<std::int64_t> keys(drawn.begin(), drawn.end());
    keys.resize(std::min(keys.size(), kMaxKeys));
    std::shuffle(keys.begin(), keys.end(), std::minstd_rand(static_cast<unsigned>(*rc::gen::arbitrary<int>())));
    std::vector<std::uint32_t> expected(keys.size());
    std::iota(expected.begin(), expected.end(), 0U);
    std::sort(expected.begin(), expected.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
    for (const InstructionSet set : instruction_sets()) {
      std::vector<std::uint32_t> order(keys.size());
      order_keys(keys, order, set);
      RC_ASSERT(order == expected);
    }
  }));
}

// Few letters and few counts, so that many keys do not tell their terms apart.
TEST(TermOrder, IsMostFrequentFirstAndThenByTheBytesHoweverManyTermsBeginAlike) {
  EXPECT_TRUE(rc::check([] {
    const auto letters = rc::gen::container<std::string>(rc::gen::elementOf(std::string("abB\xff")));
    const auto counts = rc::gen::elementOf(std::vector<std::uint64_t>{1, 2, 254, 255, 256, 70000});
    const bool are_many = *rc::gen::arbitrary<bool>();
    std::map<std::string, std::uint64_t> drawn;
    for (const std::string& end : *rc::gen::container<std::set<std::string>>(letters)) {
      drawn[*rc::gen::elementOf(std::vector<std::string>{"", "x", "abcdef", "abcdefgh"}) + "_" + end] = *counts;
    }
    for (int i = 0; are_many && i < 100; ++i) drawn["prefix" + std::to_string(i)] = *counts;
    std::vector<Term> terms;
    std::vector<std::int64_t> keys;
    for (const auto& [text, count] : drawn) {
      std::uint64_t first_bytes = 0;
      std::memcpy(&first_bytes, text.data(), std::min(text.size(), sizeof first_bytes));
      terms.push_back({text, count});
      keys.push_back(order_key(first_bytes, count));
    }
    std::vector<std::uint32_t> order(terms.size());
    order_terms(terms, keys, order);
    std::vector<std::uint32_t> expected(terms.size());
    std::iota(expected.begin(), expected.end(), 0U);
    std::sort(expected.begin(), expected.end(), [&](auto a, auto b) {
      return terms[a].count != terms[b].count ? terms[a].count > terms[b].count : terms[a].text < terms[b].text;
    });
    RC_ASSERT(order == expected);
  }));
}

}  // namespace
}  // namespace ontime::apps
