// The answer is the same however the input is cut, and it is the one that coreutils give.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

using namespace std::string_literals;

std::string run_wordcount(const std::string& input, const Arguments& options, const std::string& output) {
  Arguments arguments{"run", "wordcount", input, "--output", output, "--quiet"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Finished finished = ontime(std::move(arguments));
  EXPECT_EQ(finished.status, 0) << finished.err;
  return verified_answer(output);
}

class AnswerBySplits : public testing::TestWithParam<int> {};

TEST_P(AnswerBySplits, BundledTextIsCountedAsByCoreutils) {
  const TemporaryDirectory directory;
  const std::string splits = std::to_string(GetParam());
  EXPECT_EQ(run_wordcount(kText, {"--splits", splits}, directory / "out"), counted_by_coreutils(kText + "/*.txt"));
}

INSTANTIATE_TEST_SUITE_P(Splits, AnswerBySplits, testing::Values(1, 2, 7, 64));

// Every split size from a byte to the whole of a small text that has all that is hard in it: CRLF, empty lines, NUL
// bytes, invalid UTF-8, every kind of white space, a last line without its end.
TEST(Answer, AnySplitSizeOfADifficultTextGivesTheSame) {
  const TemporaryDirectory directory;
  const std::string text = "one two\r\n\n\ntwo\t three\v\fone\r\nz\0ro \xff\xfe\n \nlast"s;
  write_file(directory / "text", text);
  const std::string expected = run_wordcount(directory / "text", {"--splits", "1"}, directory / "whole");
  EXPECT_EQ(expected, "last\t1\none\t2\nthree\t1\ntwo\t2\nz\0ro\t1\n\xff\xfe\t1\n"s);
  for (std::size_t size = 1; size <= text.size(); size += size < 8 ? 1 : 5) {
    const std::string output = directory / ("by-" + std::to_string(size));
    EXPECT_EQ(run_wordcount(directory / "text", {"--split-size", std::to_string(size)}, output), expected) << size;
  }
}

TEST(Answer, CompressedInputGivesTheSame) {
  const TemporaryDirectory directory;
  const std::string novel = kText + "/austen_persuasion.txt";
  ASSERT_EQ(shell("gzip -c " + novel + " > " + directory / "a.txt.gz").status, 0);
  ASSERT_EQ(shell("zstd -q -c " + novel + " > " + directory / "b.txt.zst").status, 0);
  const std::string expected = counted_by_coreutils(novel);
  EXPECT_EQ(run_wordcount(directory / "a.txt.gz", {}, directory / "gz"), expected);
  EXPECT_EQ(run_wordcount(directory / "b.txt.zst", {}, directory / "zst"), expected);
}

TEST(Answer, StandardInputIsKeptInAFileForAsLongAsTheJobTakes) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "tmp");
  std::filesystem::create_directory(directory / "shared");
  const std::string cat =
      "cat " + kText + "/austen_persuasion.txt | TMPDIR=" + directory / "tmp" + " " + kBin + "/ontime ";
  const Finished run = shell(cat + "run wordcount - --splits 5 -o " + directory / "run");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("is kept in '" + directory / "tmp/ontime-run-"), std::string::npos) << run.err;
  EXPECT_EQ(verified_answer(directory / "run"), counted_by_coreutils(kNovel));
  EXPECT_TRUE(std::filesystem::is_empty(directory / "tmp"));
  EXPECT_EQ(shell(cat + "run wordcount - -q -o " + directory / "quiet").err, "");

  Cluster cluster;
  cluster.start_master();
  cluster.add_worker();
  const std::string to_master = " --wait --master " + cluster.address() + " -o " + directory / "shared/out";
  const Finished submitted = shell(cat + "submit wordcount -" + to_master);
  EXPECT_EQ(submitted.status, 0) << submitted.err;
  EXPECT_EQ(verified_answer(directory / "shared/out"), counted_by_coreutils(kNovel));
  EXPECT_EQ(shell("ls -A " + directory / "shared").out, "out\n");

  const Finished bounded = shell(cat + "run wordcount - --stdin-limit 1k -o " + directory / "bounded");
  EXPECT_EQ(bounded.status, 2);
  EXPECT_NE(bounded.err.find("more than 1.0 KiB"), std::string::npos) << bounded.err;
  EXPECT_TRUE(std::filesystem::is_empty(directory / "tmp"));
}

TEST(Answer, FilesDirectoriesGlobsAndUrlsNameTheSameInput) {
  const TemporaryDirectory directory;
  const std::string expected = counted_by_coreutils(kText + "/austen_*.txt");
  EXPECT_EQ(run_wordcount(kText + "/austen_*.txt", {}, directory / "glob"), expected);
  const Finished finished =
      ontime({"run", "wordcount", "file://" + kText + "/austen_persuasion.txt", kText + "/austen_prideprejudice.txt",
              kText + "/austen_northangerabbey.txt", "--output", directory / "urls", "--quiet"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(verified_answer(directory / "urls"), expected);
}

TEST(Answer, EmptyFilesAddNothing) {
  const TemporaryDirectory directory;
  shell("mkdir " + directory / "in" + " && touch " + directory / "in/empty && echo one two > " +
        directory / "in/words");
  EXPECT_EQ(run_wordcount(directory / "in", {}, directory / "out"), "one\t1\ntwo\t1\n");
}

TEST(Answer, NothingButEmptyFilesGiveAnEmptyAnswer) {
  const TemporaryDirectory directory;
  write_file(directory / "empty", "");
  EXPECT_EQ(run_wordcount(directory / "empty", {}, directory / "out"), "");
}

TEST(Answer, ACheckpointedJobIsStitchedFromSegmentsAndGivesTheSame) {
  const TemporaryDirectory directory;
  const std::string novel = kText + "/austen_persuasion.txt";
  const Finished finished = ontime({"run", "paced", novel, "--output", directory / "out", "--splits", "2",
                                    "--checkpoint", "50ms", "--heartbeat", "10ms", "--set", "lines=10", "--quiet"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(verified_answer(directory / "out"), counted_by_coreutils(novel));
  const nlohmann::json manifest = nlohmann::json::parse(read_file(directory / "out/_manifest.json"));
  std::size_t segments = 0;
  for (const auto& task : manifest["tasks"]) segments += task["segments"].size();
  EXPECT_GT(segments, 2u);
}

TEST(Answer, AJobThatFinishesAfterItsDeadlineSaysSoByItsStatus) {
  const TemporaryDirectory directory;
  write_file(directory / "text", "one two\n");
  const Finished finished =
      ontime({"run", "wordcount", directory / "text", "--output", directory / "out", "--deadline", "1ms", "--quiet"});
  EXPECT_EQ(finished.status, 3) << finished.err;
  EXPECT_EQ(verified_answer(directory / "out"), "one\t1\ntwo\t1\n");
}

// A file in blocks that say how large they are is divided like a plain one, and its attempts resume.
class Blocks : public PacedJobs {
 protected:
  void expect_divided(const std::string& stored) {
    cluster_.start_master();
    cluster_.add_worker(1);
    const std::string job =
        cluster_.submit({"paced", stored, "--output", cluster_ / "out", "--splits", "5", "--checkpoint", "50ms",
                         "--max-attempts", "100", "--set", "lines=3", "--app-dir", kApps});
    ASSERT_TRUE(eventually([&] { return has_begun(job) && cluster_.kill_some_attempt(0); }));
    expect_right_answer(job, "out");
    EXPECT_GE(cluster_.job(job).at("tasks"), 4) << cluster_.job(job).dump(1);
  }
};

TEST_F(Blocks, OfZstandardAreDivided) {
  ASSERT_EQ(shell("cd " + cluster_ / "" + " && split -b 20000 " + kNovel +
                  " part. && for part in part.*; do zstd -q -c $part; done > novel.zst && rm part.*")
                .status,
            0);
  expect_divided(cluster_ / "novel.zst");
}

TEST_F(Blocks, OfXzAreDivided) {
  ASSERT_EQ(shell("xz -0 --block-size=100KiB -c " + kNovel + " > " + cluster_ / "novel").status, 0);
  expect_divided(cluster_ / "novel");
}

// As `bgzip` writes them: a member of gzip for each 64 KiB, with its size in its header, and an empty one at the end.
TEST_F(Blocks, OfBgzfAreDivided) {
  write_file(cluster_ / "bgzf.py", R"(
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
with open(sys.argv[2], "wb") as to:
    for at in list(range(0, len(data), 65280)) + [len(data)]:
        piece = data[at:at + 65280]
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = packer.compress(piece) + packer.flush()
        to.write(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\6\0BC\2\0" + struct.pack("<H", len(packed) + 25) + packed)
        to.write(struct.pack("<II", zlib.crc32(piece), len(piece)))
)");
  ASSERT_EQ(shell("python3 " + cluster_ / "bgzf.py" + " " + kNovel + " " + cluster_ / "novel").status, 0);
  ASSERT_EQ(shell("gzip -dc < " + cluster_ / "novel" + " | cmp - " + kNovel).status, 0);
  expect_divided(cluster_ / "novel");
}

}  // namespace
}  // namespace ontime::test
