#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "apps/aggregate/groups.h"
#include "apps/aggregate/regular_rows.h"
#include "apps/aggregate/separated.h"
#include "apps/text/text_output.h"
#include "tests/apps/texts.h"

namespace ontime::apps::test {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

std::string aggregated(std::string_view text, const Given& given, const Division& division = {},
                       const std::string& header = "") {
  const app::Application& aggregate = application("aggregate");
  TestContext context = context_of(aggregate, given);
  context.first_record = header;
  aggregate.validate(context);
  return merge(aggregate, context, map_text(aggregate, context, text, division));
}

std::string aggregated_as(const std::string& records, std::string_view text, const Given& given,
                          const std::string& header = "") {
  const auto format = std::move(records::make_format(records)).value();
  return aggregated(text, given, {.batches = {0}, .cuts = {1}, .format = format.get()}, header);
}

template <class Do>
std::string error_of(Do&& act) {
  try {
    act();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

// In tenths, by whole numbers only.
struct Row {
  std::int64_t count = 0, sum = 0, min = 0, max = 0;
  std::map<std::string, std::int64_t> words;

  void add(std::int64_t tenths, const std::string& word) {
    min = count == 0 ? tenths : std::min(min, tenths);
    max = count == 0 ? tenths : std::max(max, tenths);
    ++count;
    sum += tenths;
    ++words[word];
  }
  std::string top(std::size_t most) const {
    std::vector<std::pair<std::int64_t, std::string>> all;
    for (const auto& [word, times] : words) all.emplace_back(-times, word);
    std::sort(all.begin(), all.end());
    std::string text;
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
      text += (i > 0 ? "," : "") + all[i].second + ":" + std::to_string(-all[i].first);
    return text;
  }
};

std::string tenths(std::int64_t number) {
  return (number < 0 ? "-" : "") + std::to_string(std::abs(number) / 10) + "." + std::to_string(std::abs(number) % 10);
}

TEST(Aggregate, IsWhatAPlainLoopFindsHoweverTheLinesAreDivided) {
  EXPECT_TRUE(rc::check([] {
    using namespace rc;
    const auto name = gen::elementOf(
        std::vector<std::string>{"a", "b", "", "ab", "a group of more than sixteen", "a group of more than seventeen"});
    const auto number = gen::oneOf(gen::inRange<std::int64_t>(-999, 1000),
                                   gen::inRange<std::int64_t>(-1'000'000'000'000, 1'000'000'000'000));
    const auto rows = *gen::container<std::vector<std::tuple<std::string, std::string, std::int64_t>>>(
        gen::tuple(name, name, number));
    std::string text;
    std::map<std::pair<std::string, std::string>, Row> by_both;
    std::map<std::string, Row> by_one;
    const std::string end = *gen::elementOf(std::vector<std::string>{"\n", "\r\n"});
    for (const auto& [one, other, value] : rows) {
      text += one + ";x;" + tenths(value) + ";" + other + end;
      by_both[{one, other}].add(value, other);
      by_one[one].add(value, other.empty() ? "" : other);
    }
    std::string both, one;
    for (const auto& [key, all] : by_both)
      both += key.first + "\t" + key.second + "\t" + tenths(all.max) + "\t" + tenths(all.sum) + "\n";
    for (auto& [key, all] : by_one) {
      const std::int64_t missing = all.words[""];
      all.words.erase("");
      one += key + "\t" + std::to_string(all.count) + "\t" + tenths(all.min) + "\t" + std::to_string(all.words.size()) +
             "\t" + std::to_string(all.count - missing) + "\t" + all.top(2) + "\n";
    }
    RC_ASSERT(aggregated(text, {{"by", "1,4"}, {"take", "max(3),sum(3)"}, {"separator", ";"}}, *any_division()) ==
              both);
    RC_ASSERT(aggregated(text,
                         {{"by", "1"}, {"take", "count,min(3),distinct(4),count(4),top(4,2)"}, {"separator", ";"}},
                         *any_division()) == one);
    // Rows of CSV with quotes are the same fields.
    std::string quoted = text;
    for (std::size_t at = 0; (at = quoted.find(";x;", at)) != quoted.npos; at += 5) quoted.replace(at, 3, ";\"x\";");
    if (text.find('\r') == text.npos) {
      RC_ASSERT(aggregated(quoted, {{"by", "1,4"}, {"take", "max(3),sum(3)"}, {"separator", ";"}, {"format", "csv"}},
                           *any_division()) == both);
    }
  }));
}

// Rows of which most are alike, as RegularRows takes them, in more bytes than are looked at at once.
std::string mostly_alike_rows() {
  using namespace rc;
  const auto digits = gen::inRange<std::int64_t>(-9999, 10000);
  const auto numbers = [&](int decimals) {
    return gen::map(digits, [decimals](std::int64_t some) {
      const std::string text = std::to_string(std::abs(some) + 10'000'000);
      const auto point = text.size() - static_cast<std::size_t>(decimals);
      return (some < 0 ? "-" : "") + text.substr(1, point - 1) + (decimals > 0 ? "." : "") + text.substr(point);
    });
  };
  // Of many decimals: a whole number has its point where another field has one.
  const int decimals = *gen::inRange(0, 4);
  const auto some = numbers(decimals), others = numbers(*gen::inRange(decimals, decimals + 4) % 7);
  const auto odd = gen::elementOf(std::vector<std::string>{"", "x", "-", ".", "1.25", "+7", "123456789.5", "1e2", " 3 ",
                                                           "-.5", "\r", "1\n", "8;9", "5", "55", "555", "-5"});
  const auto key = gen::elementOf(std::vector<std::string>{"a", "b", "", "Inc.", "3.1", "eight--8", "sixteen-------16",
                                                           "twenty-three---------23", "twenty-four-----------24"});
  const std::string end = *gen::elementOf(std::vector<std::string>{"\n", "\r\n"});
  const int seldom = *gen::elementOf(std::vector<int>{1000, 100, 3});
  std::string text;
  const auto rows =
      *gen::container<std::vector<std::tuple<std::string, std::string, std::string>>>(gen::tuple(key, some, others));
  for (int times = *gen::inRange(1, 300); times > 0; --times) {
    for (const auto& [name, one, other] : rows) {
      const auto or_odd = [&](const std::string& usual) { return *gen::inRange(0, seldom) == 0 ? *odd : usual; };
      text += name + ";" + or_odd(one) + ";" + or_odd(other) + end;
    }
    if (text.size() > 20'000) break;
  }
  return text + *gen::elementOf(std::vector<std::string>{"", "a;1", "a;1;2"});
}

TEST(Aggregate, TakesRowsThatAreAlikeAsAnyOthers) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = mostly_alike_rows();
    const std::string by = *rc::gen::elementOf(std::vector<std::string>{"", "1", "3"});
    const std::string take = *rc::gen::elementOf(std::vector<std::string>{
        "count", "sum(2)", "count,min(3),max(3)", "mean(2),count,sum(3)", "max(3),min(2),sum(1)"});
    const Division division = *any_division();
    const auto aggregate = [&](const std::string& taken) {
      return aggregated(text, {{"by", by}, {"take", taken}, {"separator", ";"}, {"bad", "skip"}}, division);
    };
    std::string slowly;  // with a column more, for which rows are taken one by one; without it
    const std::string with_column = aggregate("count(2)," + take);
    const std::size_t column = by.empty() ? 0 : 1;
    for (const app::Line line : app::Lines(with_column, 0)) {
      std::size_t begin = 0;
      for (std::size_t i = 0; i < column; ++i) begin = line.text.find('\t', begin) + 1;
      slowly += line.text.substr(0, begin);
      slowly += line.text.substr(line.text.find('\t', begin) + 1);
      slowly += '\n';
    }
    RC_ASSERT(aggregate(take) == slowly);
  }));
}

TEST(Aggregate, TakesNoPointOfAnotherFieldForANumbersOwn) {
  std::string rows;
  for (int i = 0; i < 50; ++i) rows += "a;1.125\n";
  EXPECT_EQ(aggregated(rows + "Acme Inc.;55\n" + rows, {{"by", "1"}, {"take", "sum(2)"}, {"separator", ";"}}, {}),
            "Acme Inc.\t55\na\t112.500\n");
}

TEST(Aggregate, TakesRowsThatAreAlikeWithAnyInstructions) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = mostly_alike_rows();
    const TestContext context = context_of(application("aggregate"), {{"by", "1"}, {"take", "count,mean(2)"}});
    const Plan plan = Plan::parse(context);
    std::set<std::string> outputs;
    for (const InstructionSet set : instruction_sets()) {
      const auto rows = RegularRows::find(plan, {1, 2}, ';', "a;1", set);
      FieldEnds ends(';', set);
      Groups groups(plan);
      std::string others, output;
      rows->add(text, ends, [&](std::string_view line) { others += line; });
      rows->drain(groups);
      TextOutput out(output);
      groups.flush(out);
      out.finish();
      outputs.insert(output + "others\n" + others);
    }
    RC_ASSERT(outputs.size() == 1u);
  }));
}

TEST(Aggregate, HandsOnRowsOfMoreGroupsThanItHoldsAndCountsAll) {
  std::string text, expected;
  for (int i = 100'000; i < 150'000; ++i) text += std::to_string(i) + ";1\n";
  for (int i = 100'000; i < 150'000; ++i) expected += std::to_string(i) + "\t2\t2\n";
  EXPECT_TRUE(aggregated(text + text, {{"by", "1"}, {"take", "count,sum(2)"}, {"separator", ";"}}) == expected);
}

TEST(Aggregate, FindsTheSameFieldsWithAnyInstructions) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::scale(6, rc::gen::container<std::string>(rc::gen::elementOf(std::string("a;;\n;"))));
    const std::string_view some = std::string_view(text).substr(0, FieldEnds::kMaxBytes);
    FieldEnds portable(';', InstructionSet::Portable);
    const auto expected = portable.find(some);
    for (const InstructionSet set : instruction_sets()) {
      FieldEnds ends(';', set);
      const auto found = ends.find(some);
      RC_ASSERT(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
    }
  }));
}

TEST(Aggregate, SumsAreExactInAnyOrder) {
  const std::string numbers = "0.1\n0.2\n99999999999999999999\n-99999999999999999999\n1e-18\n+2.5E2\n";
  EXPECT_EQ(aggregated(numbers, {{"take", "sum(1),min(1),max(1),count"}}),
            "250.300000000000000001\t-99999999999999999999.000000000000000000\t"
            "99999999999999999999.000000000000000000\t6\n");
  EXPECT_EQ(aggregated("1\n2\n", {{"take", "sum(1),mean(1)"}}), "3\t1.5\n");
  EXPECT_EQ(aggregated("1\n1\n2\n", {{"take", "mean(1)"}}), "1.333333\n");
  EXPECT_EQ(aggregated("-1\n-1\n-2\n-1.50\n", {{"take", "mean(1),sum(1)"}}), "-1.375\t-5.50\n");
  EXPECT_EQ(aggregated("-0.5\n.25\n7.\n00\n 1 \n", {{"take", "sum(1),min(1)"}}), "7.75\t-0.50\n");
  EXPECT_EQ(aggregated("9.9\n-99999999999999999999\n9\n1\n", {{"take", "min(1),max(1),sum(1)"}}),
            "-99999999999999999999.0\t9.9\t-99999999999999999979.1\n");
  EXPECT_EQ(aggregated("1.0000000000000000005\n", {{"take", "sum(1)"}}), "1.000000000000000001\n");
}

TEST(Aggregate, AValueThatIsNoNumberIsNamedOrLeftOut) {
  const Given given{{"by", "1"}, {"take", "count,sum(2),max(2)"}};
  const std::string text = "a\t1\na\tx\nb\t\nb\n";
  EXPECT_EQ(error_of([&] { aggregated(text, given); }),
            "has no number below 10^20 in the field 2: \"x\"; --set bad=skip leaves it out");
  const app::Application& aggregate = application("aggregate");
  Given skipping = given;
  skipping["bad"] = "skip";
  TestContext context = context_of(aggregate, skipping);
  EXPECT_EQ(merge(aggregate, context, map_text(aggregate, context, text)), "a\t2\t1\t1\nb\t2\t0\t\n");
  EXPECT_EQ(context.counters["aggregate,values left out"], 1u);
  EXPECT_NE(context.status.find("byte 4"), std::string::npos);
  EXPECT_NE(error_of([&] { aggregated("1e20\n", {{"take", "sum(1)"}}); }).find("below 10^20"), std::string::npos);
}

TEST(Aggregate, ReadsCsvByTheNamesOfItsHeader) {
  const std::string rows = "\"Smith, J\",\"say \"\"a\"\"\n\",2\r\nb,c,3\n\"Smith, J\",d,4\n";
  EXPECT_EQ(
      aggregated_as("csv:header=yes", rows, {{"by", "the name"}, {"take", "sum(n),top(2)"}}, "the name,what,n\r\n"),
      "Smith, J\t6\td:1,say \"a\"\\n:1\nb\t3\tc:1\n");
  EXPECT_EQ(aggregated_as("csv:delimiter=;", "a;1\nb;2\na;3\n", {{"by", "1"}, {"take", "sum(2)"}}), "a\t4\nb\t2\n");
  EXPECT_EQ(error_of([&] { aggregated_as("csv", rows, {{"by", "name"}}); }).substr(0, 20), "has no field \"name\":");
  EXPECT_NE(error_of([&] {
              aggregated_as("csv:header=yes", rows, {{"by", "x"}}, "a,b,c\n");
            }).find("neither in the header"),
            std::string::npos);
}

// Rows with quotes in some of their fields, and the same as documents.
TEST(Aggregate, FindsInCsvWithQuotesWhatItFindsInJson) {
  EXPECT_TRUE(rc::check([] {
    using namespace rc;
    const auto field = gen::elementOf(std::vector<std::string>{"a", "b", "", "a group of more than sixteen", "c,d",
                                                               "say \"x\"", "\"", "two\nlines", "\r\n", "e\r"});
    const auto rows = *gen::container<std::vector<std::tuple<std::string, std::int64_t, std::string>>>(
        gen::tuple(field, gen::inRange<std::int64_t>(-999, 1000), field));
    const std::string end = *gen::elementOf(std::vector<std::string>{"\n", "\r\n"});
    const auto csv_of = [&](const std::string& text) {
      if (text.find_first_of(",\"\r\n") == text.npos && *gen::inRange(0, 9) > 0) return text;
      std::string quoted = "\"";
      for (const char byte : text) quoted += byte == '"' ? std::string("\"\"") : std::string(1, byte);
      return quoted + '"';
    };
    const auto json_of = [](const std::string& text) {
      std::string quoted = "\"";
      for (const char byte : text)
        quoted += byte == '"' ? "\\\"" : byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : std::string(1, byte);
      return quoted + '"';
    };
    std::string csv, json;
    for (const auto& [one, value, other] : rows) {
      csv += csv_of(one) + "," + csv_of(tenths(value)) + "," + csv_of(other) + end;
      json += "{\"n\":" + tenths(value) + ", \"a\" : " + json_of(one) + ",\"x\":[{}],\"t\":" + json_of(other) + "}" +
              *gen::elementOf(std::vector<std::string>{"", "\n", " "});
    }
    const auto answer = [&](const std::string& records, const std::string& text, Given given) {
      const auto format = std::move(records::make_format(records)).value();
      Division division = *any_division();
      division.format = format.get();
      return aggregated(text, given, division);
    };
    RC_ASSERT(answer("csv", csv, {{"by", "1"}, {"take", "count,sum(2),max(2),top(3,9)"}}) ==
              answer("json", json, {{"by", "a"}, {"take", "count,sum(n),max(n),top(t,9)"}}));
  }));
}

TEST(Aggregate, ReadsJsonByNames) {
  const std::string documents =
      "{\"a\": \"x\\n\", \"n\": 1.50, \"o\": {\"p\": 7, \"q\": [1]}}\n{\"n\": 2, \"a\": \"y\"} "
      "{\"a\":\"y\",\"n\":null,\"o\":3}{\"o\":{\"p\":true},\"b\":{},\"n\":-1e1,\"a\":\"y\"}";
  const Given given{{"by", "a"}, {"take", "count,sum(n),count(o.p),top(o.p)"}};
  EXPECT_EQ(aggregated_as("json", documents, given), "x\\n\t1\t1.50\t1\t7:1\ny\t3\t-8\t1\ttrue:1\n");
  Given lines = given;
  lines["format"] = "json";
  EXPECT_EQ(aggregated("{\"a\":\"y\"}\n{\"a\":\"y\",\"n\":3}\n", lines, {.batches = {0}, .cuts = {}}),
            "y\t2\t3\t0\t\n");
  EXPECT_NE(error_of([&] { aggregated("{\"a\":\n", lines); }).find("is no object of JSON"), std::string::npos);
  lines["bad"] = "skip";
  EXPECT_EQ(aggregated("{\"a\":\n{\"a\":\"y\"}\n", lines), "y\t1\t0\t0\t\n");
}

TEST(Aggregate, EstimatesHowManyAreDistinctToAPercentOrTwo) {
  for (const std::uint64_t count : {256u, 257u, 3000u, 50'000u, 200'000u}) {
    DistinctSketch one, other;
    for (std::uint64_t i = 0; i < count; ++i) (i % 3 == 0 ? one : other).add("value " + std::to_string(i));
    for (std::uint64_t i = 0; i < count; i += 5) other.add("value " + std::to_string(i));
    DistinctSketch both, turned = other;
    both.add(one);
    both.add(other);
    turned.add(one);
    std::string text, text_of_turned;
    both.write(text);
    turned.write(text_of_turned);
    EXPECT_TRUE(text == text_of_turned);
    const std::uint64_t estimate = DistinctSketch::parse(text).value_or(DistinctSketch()).estimate();
    if (count <= DistinctSketch::kExact) {
      EXPECT_EQ(estimate, count);
    }
    EXPECT_NEAR(static_cast<double>(estimate), static_cast<double>(count), 0.024 * static_cast<double>(count));
  }
}

TEST(Aggregate, WritesEarlyWhatDoesNotFit) {
  const app::Application& aggregate = application("aggregate");
  const TestContext context = context_of(aggregate, {{"by", "1"}, {"take", "count,top(1)"}});
  const Plan plan = Plan::parse(context);
  Groups groups(plan, 100'000);
  std::string output;
  TextOutput out(output);
  std::size_t flushes = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string value = std::to_string(i % 4'000);
    const std::string_view values[] = {value};
    groups.add_texts(groups.group_of(values, nullptr), values);
    if (!groups.is_full()) continue;
    groups.flush(out);
    ++flushes;
  }
  groups.flush(out);
  out.finish();
  EXPECT_GT(flushes, 3u);
  const std::string answer = merge(aggregate, context, {output});
  EXPECT_EQ(std::count(answer.begin(), answer.end(), '\n'), 4'000);
  EXPECT_EQ(answer.substr(0, 20), "0\t5\t0:5\n1\t5\t1:5\n10\t5");
}

TEST(Aggregate, KeepsBytesOfAnyKindApart) {
  const std::string text("a\0;\1\n\2;a\n\2\x10;a\n;\n", 16);
  EXPECT_EQ(aggregated(text, {{"by", "1,2"}, {"separator", ";"}}),
            std::string("\t\t1\n\2\ta\t1\n\2\x10\ta\t1\na\0\t\1\t1\n", 24));
  EXPECT_EQ(aggregated("a\tb;1\n", {{"by", "1"}, {"separator", ";"}}), "a\\tb\t1\n");
}

TEST(Aggregate, RefusesWhatItCannotUse) {
  const app::Application& aggregate = application("aggregate");
  for (const Given& given :
       {Given{{"take", ""}}, Given{{"take", "median(2)"}}, Given{{"take", "sum"}}, Given{{"take", "sum()"}},
        Given{{"take", "sum(2"}}, Given{{"take", "top(2,0)"}}, Given{{"take", "top(2,many)"}}, Given{{"by", "1,,2"}},
        Given{{"separator", "ab"}}, Given{{"separator", "\n"}}, Given{{"format", "xml"}}, Given{{"bad", "maybe"}}}) {
    EXPECT_THROW(aggregate.validate(context_of(aggregate, given)), std::invalid_argument) << given.begin()->second;
  }
  EXPECT_NO_THROW(aggregate.validate(context_of(aggregate, {{"take", "top(a, b,3),count,sum(temp (C))"}})));
  const TestContext context = context_of(aggregate, {{"take", "count,sum(1),distinct(1)"}});
  for (const std::string line : {"a", "1", "1 1:2:3:4:5", "1 1:2:3:4:5 x1", "1 1:2:3:4:99 x", "1 1:2:3:4:5 x 7"}) {
    EXPECT_THROW(merge(aggregate, context, {"\t" + line + "\n"}), std::runtime_error) << line;
  }
}

}  // namespace
}  // namespace ontime::apps::test
