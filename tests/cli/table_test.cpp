#include "cli/show/table.h"

#include <gtest/gtest.h>

namespace ontime::cli {
namespace {

TEST(Table, ColumnsAreAlignedTwoApartWithoutTrailingBlanks) {
  Table table({{"NAME"}, {"SIZE", Align::Right}, {"NOTE"}});
  table.add_row({"a", "1", ""});
  table.add_row({"longer", "12345", "x"});
  EXPECT_EQ(table.to_string(),
            "NAME     SIZE  NOTE\n"
            "a           1\n"
            "longer  12345  x\n");
}

TEST(Table, WidthCountsCodePointsNotBytes) {
  Table table({{"A"}, {"B"}});
  table.add_row({"h\xC3\xA9", "1"});
  table.add_row({"xyz", "2"});
  EXPECT_EQ(table.to_string(), "A    B\nh\xC3\xA9   1\nxyz  2\n");
}

TEST(Table, ControlCharactersCannotReachTheTerminal) {
  Table table({{"A"}});
  table.add_row({"evil\033[2J\n"});
  EXPECT_EQ(table.to_string(), "A\nevil?[2J?\n");
  EXPECT_EQ(printable_lines("a\n\tb\r\033"), "a\n\tb??");
  EXPECT_EQ(printable("\u009b31m ü \u202e \xff"), "?31m ü ? \xff");
}

TEST(Table, CellsHaveColoursWhereTheyAreWantedAndColumnsStayAligned) {
  Table table({{"STATE"}, {"NAME"}});
  table.add_row({{"failed", Colour::Red}, "failed"});
  table.add_row({"running", "b"});
  EXPECT_EQ(table.to_string({.colours = Colours::Yes}),
            "STATE    NAME\n"
            "\033[31mfailed\033[0m   failed\n"
            "running  b\n");
  EXPECT_EQ(table.to_string().find('\033'), std::string::npos);
}

TEST(Table, FitsATerminalByLeavingOutColumnsAndCuttingTexts) {
  Table table({{"JOB"},
               {"NAME", Align::Left, Table::Cut::End},
               {"INPUT", Align::Right, Table::Cut::No, 2},
               {"OUTPUT", Align::Left, Table::Cut::Begin, 1}});
  table.add_row({"job-1", "a name of many lett\u00e9rs", "12.0 MiB", "/data/some/where/out"});
  const std::string whole = table.to_string();
  EXPECT_EQ(whole, table.to_string({.width = 200}));
  EXPECT_EQ(table.to_string({.width = 44}),
            "JOB    NAME             INPUT  OUTPUT\n"
            "job-1  a name of m\u2026  12.0 MiB  \u2026me/where/out\n");
  EXPECT_EQ(table.to_string({.width = 26}),
            "JOB    NAME      OUTPUT\n"
            "job-1  a name \u2026  \u2026here/out\n");
  EXPECT_EQ(table.to_string({.width = 16}),
            "JOB    NAME\n"
            "job-1  a name o\u2026\n");
  EXPECT_EQ(table.to_string({.width = 3}),
            "JOB    NAME\n"
            "job-1  a name \u2026\n")
      << "what cannot be left out stays";
}

TEST(Table, WithoutRowsShowsTheTitles) { EXPECT_EQ(Table({{"A"}, {"B"}}).to_string(), "A  B\n"); }

}  // namespace
}  // namespace ontime::cli
