#include "apps/grep/literal.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>
#include <memory>

namespace ontime::apps::test {
namespace {

TEST(Literal, IsFoundWhereStringsFindIt) {
  EXPECT_TRUE(rc::check([] {
    const auto letters = rc::gen::elementOf(std::string("abe \n"));
    const auto text = *rc::gen::scale(4, rc::gen::container<std::string>(letters));
    const auto sought = *rc::gen::nonEmpty(rc::gen::scale(0.1, rc::gen::container<std::string>(letters)));
    const auto bytes = std::make_unique<char[]>(text.size());  // of its very size, for the sanitizers
    std::memcpy(bytes.get(), text.data(), text.size());
    const auto from = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    for (const InstructionSet set : instruction_sets())
      RC_ASSERT(Literal(sought, set).find({bytes.get(), text.size()}, from) == text.find(sought, from));
  }));
}

TEST(Literal, IsWhatEveryMatchOfAPatternHolds) {
  for (const auto& [pattern, literal] : {std::pair<const char*, const char*>{"Holmes", "Holmes"},
                                         {"Mr\\. [A-Z]+ said", " said"},
                                         {"a(bcd)?efg", "efg"},
                                         {"ab|cd", ""},
                                         {"x(ab|cd)yz", "yz"},
                                         {"abc*", "ab"},
                                         {"abc+de", "abc"},
                                         {"abc?", "ab"},
                                         {"ab{0,3}cd", "cd"},
                                         {"na\xc3\xaf*", "na"},
                                         {"[]abc]d", "d"},
                                         {"[^]abc[:digit:]x]de", "de"},
                                         {"[a\\]b]cd", "cd"},
                                         {"\\dabc\\b", "abc"},
                                         {"\\x41bc", "bc"},
                                         {"\\x{41}bc\\pNde\\p{Greek}f", "bc"},
                                         {"\\Qa.b\\E", ""},
                                         {"(?i)abc", ""},
                                         {"\\(a\\)\\\\", "(a)\\"},
                                         {"abc{", ""},
                                         {".*", ""}}) {
    EXPECT_EQ(required_literal(pattern), literal) << pattern;
  }
}

}  // namespace
}  // namespace ontime::apps::test
