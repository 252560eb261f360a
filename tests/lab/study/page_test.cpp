#include "lab/results/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "lab/study/study.h"
#include "tests/lab/study/small_study.h"

namespace ontime::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Written {
  Study study;
  StudyResult result;
};

// With numbers that can be told in advance.
Written written() {
  auto study = read_study(kStudy);
  auto result = run_study(*study, {}, one_by_one);
  for (std::size_t i = 0; i < result->rows.size(); ++i) {
    const double value = 0.1 * static_cast<double>(i + 1);
    result->rows[i].values[0] = {value, value - 0.05, value + 0.05, 2};
  }
  return {std::move(*study), std::move(*result)};
}

TEST(Page, ShowsThePrintedNumberBesideOursAndMarksWhatDiffers) {
  const Written given = written();
  const std::string page = page_of(given.study, given.result, {"small", "small.yaml", true});
  EXPECT_TRUE(page.starts_with("# A small one\n"));
  EXPECT_THAT(page, HasSubstr("| tasks | policy | deadline 20 | deadline 40 |"));
  EXPECT_THAT(page, HasSubstr("| few | Hadoop | **0.100 ± 0.050** [-1] | 0.300 ± 0.050 |"));
  EXPECT_THAT(page, HasSubstr("| few | Ours | 0.200 ± 0.050 [0.2 to 1] | 0.400 ± 0.050 [0.2 to 1] |"));
  EXPECT_THAT(page, HasSubstr("It holds 4 of 5"));
  EXPECT_THAT(page, HasSubstr("ontime simulate small.yaml --output"));
  EXPECT_THAT(page, HasSubstr("![A small one](small.svg)"));
  EXPECT_THAT(page, HasSubstr("## What differs, and why\n\nLess."));
  EXPECT_THAT(page, HasSubstr("## What was assumed\n\nNothing."));
}

TEST(Page, ShowsNoFigureThatThereIsNot) {
  const Written given = written();
  EXPECT_THAT(page_of(given.study, given.result, {"small", "small.yaml", false}), Not(HasSubstr("svg")));
}

TEST(Page, WithoutAnXAxisMeasuresStandSideBySide) {
  Written given = written();
  given.study.figure = {};
  EXPECT_THAT(tables_of(given.study, given.result),
              HasSubstr("| tasks | deadline | policy | PoCD | machine time per job (s) |"));
}

TEST(Page, CsvHasOneRowPerPoint) {
  const Written given = written();
  const std::string csv = csv_of(given.result);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 9);
  EXPECT_THAT(csv, HasSubstr("tasks,deadline,policy,seeds,pocd,pocd_low,pocd_high,pocd_printed_low"));
  EXPECT_THAT(csv, HasSubstr("few,20,Hadoop,2,0.1,0.05,0.15,-1,-1,"));
  EXPECT_EQ(curves_csv_of(given.study, given.result), "");
}

TEST(Page, CurvesAreTimesByQuantile) {
  std::string text = kStudy;
  text.replace(text.find("{kind: lines, x: deadline, y: pocd}"), 35, "{kind: cdf}");
  const auto study = read_study(text);
  ASSERT_TRUE(study) << study.error().message;
  const auto result = run_study(*study, {1, "Ours", {}}, one_by_one);
  ASSERT_TRUE(result);
  const std::string csv = curves_csv_of(*study, *result);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 4 * 201);
}

TEST(Document, IsTheSameAsMarkdownAndAsHtml) {
  Document document("A & B");
  document.text("Some words.");
  document.text("");
  document.grid({{"policy", "PoCD"}, 1, {{"none", "-"}, {"a<b", "0.5"}}});
  document.grid({{"nothing"}, 1, {}});
  document.heading("More");
  document.code("x: 1\ny: 2");
  document.figure("F", "how to read it", "f.svg", "<svg/>");
  EXPECT_EQ(document.markdown(),
            "# A & B\n\nSome words.\n\n| policy | PoCD |\n| --- | ---: |\n| none | - |\n| a<b | 0.5 |\n\n## More\n\n"
            "    x: 1\n    y: 2\n\n![F](f.svg)\n\nhow to read it\n");
  const std::string html = document.html();
  EXPECT_THAT(html,
              HasSubstr("<h1>A &amp; B</h1>\n<p>Some words.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                        "aria-label=\"table 1\">\n<table>\n<tr><th>policy</th><th>PoCD</th></tr>\n"));
  EXPECT_THAT(
      html,
      HasSubstr(
          "<tr><td>a&lt;b</td><td>0.5</td></tr>\n</table></div>\n<h2>More</h2>\n<pre tabindex=\"0\">x: 1\ny: 2</pre>"));
  EXPECT_THAT(html, HasSubstr("<svg/>"));
  EXPECT_THAT(html, Not(HasSubstr("nothing")));
}

TEST(PageNumbers, AreFixedAndSayWhatIsMissing) {
  EXPECT_EQ(fixed(0.12345, 3), "0.123");
  EXPECT_EQ(fixed(std::numeric_limits<double>::quiet_NaN(), 3), "-");
  EXPECT_EQ(fixed(-std::numeric_limits<double>::infinity(), 3), "-inf");
  EXPECT_EQ(text_of({1, 0.9, 1, 2}, 2), "1.00 (0.90 to 1.00)");
  EXPECT_EQ(text_of(Reading{0.5, 0.5}), "0.5");
}

}  // namespace
}  // namespace ontime::lab
