#include "common/base/wording.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "common/base/units.h"

namespace ontime {
namespace {

TEST(Wording, CountsHaveTheRightPlural) {
  EXPECT_EQ(counted(0, "task"), "0 tasks");
  EXPECT_EQ(counted(1, "task"), "1 task");
  EXPECT_EQ(counted(2, "copy", "copies"), "2 copies");
}

TEST(Wording, TheNearestWordIsASlipOrTwoAway) {
  const std::vector<std::string> verbs{"run", "submit", "jobs", "job", "result", "replay"};
  for (const auto& [word, wanted] : std::vector<std::pair<std::string, std::string>>{{"rn", "run"},
                                                                                     {"rnu", "run"},
                                                                                     {"RUN", "run"},
                                                                                     {"sumbit", "submit"},
                                                                                     {"reslut", "result"},
                                                                                     {"res", "result"},
                                                                                     {"jobsss", "jobs"},
                                                                                     {"frobnicate", ""},
                                                                                     {"x", ""},
                                                                                     {"", ""}})
    EXPECT_EQ(nearest(word, verbs), wanted) << word;
}

TEST(Wording, AdviceNamesTheNearestOrAll) {
  EXPECT_EQ(advice("lat", {"none", "late"}), "did you mean 'late'?");
  EXPECT_EQ(advice("magic", {"none", "late"}), "choose one of: none, late");
}

TEST(Wording, AComplaintIsOneSentence) {
  EXPECT_EQ(complaint("ontime run", "the file 'x' is empty"), "ontime run: The file 'x' is empty.\n");
  EXPECT_EQ(complaint("ontime", "There is none."), "ontime: There is none.\n");
  EXPECT_EQ(complaint("ontime", "did you mean 'run'?"), "ontime: Did you mean 'run'?\n");
  EXPECT_EQ(complaint("ontime", "job-1 has ended"), "ontime: job-1 has ended.\n") << "a name keeps its case";
  EXPECT_EQ(complaint("ontime", "--top: '0' is too little"), "ontime: --top: '0' is too little.\n");
}

TEST(Wording, WhatATerminalActsOnIsShownAsAQuestionMark) {
  EXPECT_EQ(complaint("ontime kill", "'\x1b[31m\u202e' is no job\n\tof 2"),
            "ontime kill: '?[31m?' is no job\n\tof 2\n");
  EXPECT_EQ(quoted("a\u202eb\x1b\u009b\n\xff"), "\"a?b??\\n\xff\"");
}

TEST(Wording, WordsForTheShellCanBePasted) {
  EXPECT_EQ(shell_word("/data/counts-1.tsv"), "/data/counts-1.tsv");
  EXPECT_EQ(shell_word("my counts"), "'my counts'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("it's\n\\\x7f"), "$'it\\'s\\012\\\\\\177'");
}

TEST(Numbers, WholeOnesAreDigitsWithinARange) {
  EXPECT_EQ(*parse_whole("0", 0, 9), 0u);
  EXPECT_EQ(*parse_whole("18446744073709551615", 0, UINT64_MAX), UINT64_MAX);
  for (const char* text : {"", "-1", "+1", "0x10", "1e3", "1.5", " 1", "1 ", "abc", "99999999999999999999999", "10"}) {
    const auto number = parse_whole(text, 1, 9);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().message, "'" + std::string(text) + "' is not a whole number from 1 to 9");
  }
}

TEST(Numbers, OthersAreFiniteAndWithinARange) {
  EXPECT_EQ(*parse_number("0.5", 0, 1), 0.5);
  for (const char* text : {"", "nan", "inf", "1.5", "-1", "0x1", "1,5"}) EXPECT_FALSE(parse_number(text, 0, 1)) << text;
  EXPECT_EQ(parse_number("2", 0.01, 0.9999).error().message, "'2' is not a number from 0.01 to 0.9999");
  EXPECT_EQ(parse_number("-1", 0, HUGE_VAL).error().message, "'-1' is not a number of 0 or more");
}

}  // namespace
}  // namespace ontime
