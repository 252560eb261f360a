// The applications that sort and assign, as real jobs: the answer equals coreutils', or one uncut run's.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

std::string answer(const TemporaryDirectory& directory, const std::string& name, const std::string& input,
                   const Arguments& options) {
  const std::string output = directory / (name + "-" + std::to_string(options.size()));
  Arguments arguments{"run", name, input, "--output", output, "--quiet", "--workers", "3"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Finished finished = ontime(std::move(arguments));
  EXPECT_EQ(finished.status, 0) << finished.err;
  return verified_answer(output);
}

void generate(const Arguments& arguments) {
  Arguments all{"gen"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Finished finished = ontime(std::move(all));
  ASSERT_EQ(finished.status, 0) << finished.err;
}

std::string coreutils(const std::string& command) {
  const Finished finished = shell("export LC_ALL=C; " + command);
  EXPECT_EQ(finished.status, 0) << finished.err;
  return finished.out;
}

TEST(Applications, SortIsCoreutilsSort) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(answer(directory, "sort", kText, {"--splits", "11"}) == coreutils("cat " + kText + "/*.txt | sort"));
  const std::string pairs = directory / "pairs";
  generate({"pairs", "20000", "--output", pairs});
  EXPECT_TRUE(answer(directory, "sort", pairs,
                     {"--splits", "5", "--set", "key=2", "--set", "numeric=yes", "--set", "reverse=yes"}) ==
              coreutils("sort -t \"$(printf '\\t')\" -k 2,2 -n -r " + pairs));
}

TEST(Applications, SecondarySortIsCoreutilsSortByTwoNumbers) {
  const TemporaryDirectory directory;
  const std::string pairs = directory / "pairs";
  generate({"pairs", "20000", "--output", pairs, "--set", "groups=50"});
  EXPECT_TRUE(answer(directory, "secondarysort", pairs, {"--splits", "7", "--set", "separator="}) ==
              coreutils("sort -k 1,1n -k 2,2n " + pairs));
}

TEST(Applications, GrepIsGnuGrep) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(answer(directory, "grep", kText, {"--splits", "11", "--set", "pattern=[Hh]er (own|self)"}) ==
              coreutils("cat " + kText + "/*.txt | grep -E '[Hh]er (own|self)'"));
  EXPECT_TRUE(answer(directory, "grep", kText,
                     {"--split-size", "100003", "--set", "pattern=the", "--set", "word=yes", "--set", "only=yes",
                      "--set", "with=file,offset"}) == coreutils("grep -r -w -o -b -H the " + kText + "/*.txt"));
  EXPECT_TRUE(answer(directory, "grep", kText,
                     {"--set", "pattern=THE", "--set", "ignore-case=yes", "--set", "invert=yes", "--set",
                      "count=yes"}) == coreutils("grep -c -i -v -r THE " + kText + "/*.txt | tr : '\\t'"));
  const Finished refused =
      ontime({"run", "grep", kText, "--output", directory / "refused", "--set", "pattern=a(b", "--quiet"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("missing ): a(b"), std::string::npos) << refused.err;
}

// In tenths of degrees, so that awk adds whole numbers.
const std::string kStations =
    "tr -d . | awk -F';' '{ n[$1]++; s[$1] += $2; if (n[$1] == 1 || $2 < a[$1]) a[$1] = $2; if (n[$1] == 1 || $2 > "
    "b[$1]) "
    "b[$1] = $2 } function t(v) { return (v < 0 ? \"-\" : \"\") int(v < 0 ? -v / 10 : v / 10) \".\" (v < 0 ? -v : v) % "
    "10 } "
    "END { for (k in n) printf \"%s\\t%d\\t%s\\t%s\\t%s\\n\", k, n[k], t(a[k]), t(s[k]), t(b[k]) }' | sort";

class Aggregate : public PacedJobs {};

TEST_F(Aggregate, IsWhatAwkFindsThoughAWorkerIsKilled) {
  const std::string rows = cluster_ / "rows";
  generate({"weather", "60000", "--output", rows, "--set", "stations=300"});
  cluster_.start_master({"--inject", "pace=300ms"});
  cluster_.add_worker(1);
  cluster_.add_worker(1);
  const std::string job =
      cluster_.submit({"aggregate", rows, "--output", cluster_ / "out", "--splits", "6", "--checkpoint", "50ms",
                       "--set", "by=1", "--set", "take=count,min(2),sum(2),max(2)", "--set", "separator=;"});
  ASSERT_TRUE(eventually([&] { return has_begun(job); }));
  cluster_.replace_worker(0);
  ASSERT_EQ(cluster_.wait(job), "succeeded");
  EXPECT_EQ(verified_answer(cluster_ / "out"), coreutils("cat " + rows + " | " + kStations));
}

TEST(Applications, AggregateReadsCsvOverAllItsSplits) {
  const TemporaryDirectory directory;
  coreutils(
      "python3 -c 'import csv, sys\nw = csv.writer(sys.stdout)\nw.writerow([\"kind\", \"n\"])\n"
      "for i in range(20000): w.writerow([\"a, \\\"%d\\\"\\nb\" % (i % 3), i])' >" +
      (directory / "rows.csv"));
  EXPECT_EQ(answer(directory, "aggregate", directory / "rows.csv",
                   {"--records", "csv:header=yes", "--split-size", "30011", "--set", "by=kind", "--set",
                    "take=count,sum(n)"}),
            "a, \"0\"\\nb\t6667\t66663333\na, \"1\"\\nb\t6667\t66670000\na, \"2\"\\nb\t6666\t66656667\n");
}

std::size_t segments_of(const std::string& output) {
  const nlohmann::json manifest = nlohmann::json::parse(read_file(output + "/_manifest.json"));
  std::size_t segments = 0;
  for (const auto& task : manifest["tasks"]) segments += task["segments"].size();
  return segments;
}

// Splits and cuts fall anywhere; records do not.
TEST(Applications, TeraSortAscendsWithTheChecksumOfItsInput) {
  const TemporaryDirectory directory;
  const std::string records = directory / "records";
  generate({"teragen", "10000", "--output", records});
  const std::string first = coreutils(kBin + "/ontime teravalidate " + records + " || true");
  const Arguments options{"--splits", "3", "--checkpoint", "50ms", "--heartbeat", "10ms", "--inject", "pace=300ms"};
  std::ofstream(directory / "sorted", std::ios::binary) << answer(directory, "terasort", records, options);
  EXPECT_GT(segments_of(directory / ("terasort-" + std::to_string(options.size()))), 6u);
  const Finished validated = ontime({"teravalidate", directory / "sorted"});
  EXPECT_EQ(validated.status, 0) << validated.out;
  EXPECT_NE(validated.out.find("sorted\tyes"), std::string::npos);
  EXPECT_EQ(validated.out.substr(0, validated.out.find("sorted")), first.substr(0, first.find("sorted")));
  EXPECT_EQ(ontime({"teravalidate", records}).status, 1);
}

TEST(Applications, MoviesGoToTheSameClustersHoweverTheInputIsCut) {
  const TemporaryDirectory directory;
  const std::string ratings = directory / "ratings";
  const std::string centroids = "centroids=" + (directory / "centroids");
  generate({"ratings", "2000", "--output", ratings, "--set", "users=300"});
  coreutils("head -n 6 " + ratings + " > " + (directory / "centroids"));
  for (const std::string name : {"kmeans", "classification"}) {
    const std::string whole = answer(directory, name, ratings, {"--splits", "1", "--set", centroids});
    EXPECT_GT(whole.size(), 10'000u);
    EXPECT_TRUE(answer(directory, name, ratings, {"--split-size", "20003", "--quiet", "--set", centroids}) == whole);
  }
}

TEST(Gen, ReplacesAFileOnlyWhenTold) {
  const TemporaryDirectory directory;
  write_file(directory / "text", "mine");
  const Finished refused = ontime({"gen", "text", "1kB", "--output", directory / "text"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(read_file(directory / "text"), "mine");
  generate({"text", "1kB", "--output", directory / "text", "--force"});
  EXPECT_EQ(read_file(directory / "text").size(), 1000u);
  EXPECT_EQ(ontime({"gen", "text", "1kB"}).out, read_file(directory / "text"));
  EXPECT_EQ(ontime({"gen", "novel", "1kB"}).status, 2);
  EXPECT_EQ(ontime({"gen", "pairs", "1kB"}).status, 2);
  EXPECT_EQ(ontime({"gen", "text", "1kB", "--set", "pages=1"}).status, 2);
}

}  // namespace
}  // namespace ontime::test
