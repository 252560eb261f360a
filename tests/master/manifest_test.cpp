#include "common/output/manifest.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

#include "tests/support/temporary_directory.h"

namespace ontime::output {
namespace {

namespace fs = std::filesystem;

Manifest example() {
  Manifest manifest;
  manifest.claim = "cluster-7";
  manifest.job = "job-7";
  manifest.application = "wordcount";
  manifest.parameters = {{"case", "fold"}, {"quote", "\"\\\n\t\x01"}};
  manifest.policy = "none";
  manifest.inputs = {{"/data/a.txt", 1000, "1700000000123456789", "plain"}, {"/data/ü.gz", 77, "-5", "gzip"}};
  manifest.tasks = {{0,
                     0,
                     {0, 1000},
                     "part-m-00000",
                     {{{0, 400}, "t00000-a0", "host:12", 0, 50, 9, 0xdeadbeef},
                      {{400, 1000}, "t00000-a1", "other:3", 50, 60, 11, 0}}},
                    {1, 1, {0, 5000}, "part-m-00001", {{{0, 5000}, "t00001-a0", "host:12", 0, 0, 0, 0}}}};
  manifest.counters = {{"words", {{"all", 20}, {"long", std::numeric_limits<std::int64_t>::max()}, {"owed", -3}}},
                       {"lines", {{"", 0}}}};
  return manifest;
}

class ManifestTest : public testing::Test {
 protected:
  void write(const std::string& text) { test::write_file(fs::path(directory_ / kManifestName), text); }
  std::string text() const { return test::read_file(fs::path(directory_ / kManifestName)); }
  Result<Manifest> read() const { return read_manifest(directory_.path()); }

  // The example with one piece of its text replaced; the error it gives.
  std::string error_with(const std::string& from, const std::string& to) {
    EXPECT_TRUE(write_manifest(directory_.path(), example()));
    std::string changed = text();
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, changed.npos) << from << " is not in\n" << changed;
    write(changed.replace(at, from.size(), to));
    const Result<Manifest> manifest = read();
    return manifest ? "" : manifest.error().message;
  }

  test::TemporaryDirectory directory_;
};

Manifest compressed_example() {
  Manifest manifest = example();
  manifest.codec = Codec::Zstd;
  for (Task& task : manifest.tasks) {
    task.part += ".jsonl.zst";
    for (Segment& segment : task.segments) segment.compressed_from = 7 * segment.length;
  }
  return manifest;
}

TEST_F(ManifestTest, KnowsBothSizesOfCompressedParts) {
  ASSERT_TRUE(write_manifest(directory_.path(), compressed_example()));
  const auto manifest = read();
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(to_text(*manifest), to_text(compressed_example()));
  EXPECT_EQ(manifest->codec, Codec::Zstd);
  EXPECT_EQ(manifest->tasks[0].part, "part-m-00000.jsonl.zst");
  EXPECT_EQ(manifest->tasks[0].segments[0].length, 50u);
  EXPECT_EQ(manifest->tasks[0].segments[0].content_length(), 350u);
  EXPECT_EQ(manifest->tasks[1].segments[0].content_length(), 0u);
}

TEST_F(ManifestTest, PiecesOfAPartEndAsItDoes) {
  EXPECT_EQ(pieces_of(compressed_example().tasks[0]),
            (std::vector<std::string>{"part-m-00000.0000.jsonl.zst", "part-m-00000.0001.jsonl.zst"}));
  EXPECT_EQ(pieces_of(compressed_example().tasks[1]), std::vector<std::string>{"part-m-00001.jsonl.zst"});
  EXPECT_EQ(pieces_of(example().tasks[0]), (std::vector<std::string>{"part-m-00000.0000", "part-m-00000.0001"}));
}

TEST_F(ManifestTest, WhatContradictsItselfAboutItsPartsIsRefused) {
  using testing::HasSubstr;
  EXPECT_THAT(error_with("\"policy\": \"none\"", "\"policy\": \"none\",\n\"compressed\": \"zstd\""),
              HasSubstr("contradict each other"));
  EXPECT_THAT(error_with("\"policy\": \"none\"", "\"policy\": \"none\",\n\"compressed\": \"lz4\""),
              HasSubstr("\"compressed\" is 'lz4', which only a newer Ontime can read"));
  EXPECT_THAT(error_with("\"length\":50", "\"length\":50,\"compressed_from\":70"), HasSubstr("contradict each other"));
}

TEST_F(ManifestTest, ATaskOfSeveralFilesNamesTheFirstAndHowMany) {
  Manifest manifest = example();
  manifest.inputs[1] = {"/data/b.txt", 77, "1", "plain"};
  manifest.tasks.pop_back();
  manifest.tasks[0].files = 2;
  ASSERT_TRUE(write_manifest(directory_.path(), manifest));
  const Result<Manifest> found = read();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->tasks[0].files, 2u);
  EXPECT_EQ(read()->tasks[0].input, 0u);
  const std::string whole = text();
  for (const char* wrong : {"0", "3", "4294967295", "-1", "\"2\""}) {
    std::string changed = whole;
    write(changed.replace(whole.find("\"files\":2") + 8, 1, wrong));
    EXPECT_FALSE(read()) << wrong;
  }
}

TEST_F(ManifestTest, ReadsWhatWasWritten) {
  ASSERT_TRUE(write_manifest(directory_.path(), example()));
  const Result<Manifest> manifest = read();
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->claim, "cluster-7");
  EXPECT_EQ(manifest->job, "job-7");
  EXPECT_EQ(manifest->parameters, example().parameters);
  EXPECT_EQ(manifest->counters, example().counters);
  ASSERT_EQ(manifest->inputs.size(), 2u);
  EXPECT_EQ(manifest->inputs[1].path, "/data/ü.gz");
  EXPECT_EQ(manifest->inputs[1].version, "-5");
  EXPECT_EQ(manifest->inputs[0].version, "1700000000123456789");
  ASSERT_EQ(manifest->tasks.size(), 2u);
  const Task& task = manifest->tasks[0];
  EXPECT_EQ(task.part, "part-m-00000");
  EXPECT_EQ(task.split, (ByteRange{0, 1000}));
  ASSERT_EQ(task.segments.size(), 2u);
  EXPECT_EQ(task.segments[0].crc32c, 0xdeadbeef);
  EXPECT_EQ(task.segments[1].range, (ByteRange{400, 1000}));
  EXPECT_EQ(task.segments[1].attempt, "t00000-a1");
  EXPECT_EQ(task.segments[1].node, "other:3");
  EXPECT_EQ(task.segments[1].offset, 50u);
  EXPECT_EQ(task.segments[1].length, 60u);
  EXPECT_EQ(task.segments[1].records, 11u);
}

TEST_F(ManifestTest, HasOneTaskPerLineAndLeavesNothingBeside) {
  ASSERT_TRUE(write_manifest(directory_.path(), example()));
  const std::string written = text();
  EXPECT_NE(written.find("\n{\"task\":0,"), written.npos) << written;
  EXPECT_NE(written.find("\n{\"task\":1,"), written.npos) << written;
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator()), 1);
}

TEST_F(ManifestTest, ReplacesAnOlderOne) {
  ASSERT_TRUE(write_manifest(directory_.path(), example()));
  Manifest other = example();
  other.job = "job-8";
  ASSERT_TRUE(write_manifest(directory_.path(), other));
  EXPECT_EQ(read()->job, "job-8");
}

TEST_F(ManifestTest, NamesTheDirectoryThatHasNone) {
  const Result<Manifest> manifest = read();
  ASSERT_FALSE(manifest);
  EXPECT_EQ(manifest.error().kind, ErrorKind::BadInput);
  EXPECT_NE(manifest.error().message.find(directory_.path()), std::string::npos);
}

TEST_F(ManifestTest, CannotBeWrittenWhereThereIsNoDirectory) {
  EXPECT_FALSE(write_manifest(directory_ / "missing", example()));
}

TEST_F(ManifestTest, RefusesOtherFormats) {
  EXPECT_NE(error_with("\"format\": 3", "\"format\": 4").find("only a newer Ontime can read"), std::string::npos);
  EXPECT_NE(error_with("\"format\": 3", "\"format\": 2").find("only an older Ontime can read"), std::string::npos);
}

TEST_F(ManifestTest, RefusesWhatTheOutputWasNotMadeFrom) {
  const std::string why = "are not those that the output was made from";
  EXPECT_NE(error_with("wordcount", "wordmean").find(why), std::string::npos);
  EXPECT_NE(error_with("\"case\":\"fold\"", "\"case\":\"keep\"").find(why), std::string::npos);
  EXPECT_NE(error_with("/data/a.txt", "/data/b.txt").find(why), std::string::npos);
}

TEST_F(ManifestTest, TellsWhoseItIsFromItsFirstBytes) {
  ASSERT_TRUE(write_manifest(directory_.path(), example()));
  const int held = ::open(directory_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  EXPECT_TRUE(is_manifest_of(held, "cluster-7"));
  EXPECT_FALSE(is_manifest_of(held, "cluster-71"));
  EXPECT_FALSE(is_manifest_of(held, "cluster-"));
  fs::rename(directory_ / kManifestName, directory_ / "moved");
  EXPECT_FALSE(is_manifest_of(held, "cluster-7"));
  fs::create_symlink("moved", directory_ / kManifestName);
  EXPECT_FALSE(is_manifest_of(held, "cluster-7"));
  ::close(held);
}

TEST_F(ManifestTest, SaysWhatIsWrongAndWhere) {
  EXPECT_NE(error_with("\"crc32c\":3735928559", "\"crc32c\":4294967296").find("at task 0: \"crc32c\" is out of range"),
            std::string::npos);
  EXPECT_NE(error_with("\"task\":1", "\"task\":3").find("at task 1: \"task\" is not its place"), std::string::npos);
  EXPECT_NE(error_with("\"split\":[0,1000]", "\"split\":[2000,1000]").find("\"split\" ends before"), std::string::npos);
  EXPECT_NE(error_with("part-m-00001", "../../etc/passwd").find("\"part\" is not a plain file name"),
            std::string::npos);
  EXPECT_NE(error_with("\"input\":1", "\"input\":2").find("reads an input that is not listed"), std::string::npos);
  EXPECT_NE(error_with("\"length\":60", "\"length\":-1").find("\"length\" is not a whole number"), std::string::npos);
  EXPECT_NE(error_with("\"length\":60", "\"length\":18446744073709551615").find("out of range"), std::string::npos);
  EXPECT_NE(error_with("\"length\":60", "\"length\":4611686018427387904").find("lengths of all segments together"),
            std::string::npos);
  EXPECT_NE(error_with("\"records\":11", "\"records\":\"11\"").find("not a whole number"), std::string::npos);
  EXPECT_NE(error_with("\"policy\"", "\"police\"").find("\"policy\" is missing"), std::string::npos);
}

TEST_F(ManifestTest, RefusesWhatIsNotAManifest) {
  for (const char* bytes : {"", "{", "[]", "null", "{}", "\xff\xfe", "{\"format\":1}", "[[[[[[[[",
                            "{\"format\":1,\"inputs\":[1],\"tasks\":[]}", "{\"format\":1,\"tasks\":{}}"}) {
    write(bytes);
    EXPECT_FALSE(read()) << bytes;
  }
  write(std::string(1 << 20, '['));
  EXPECT_FALSE(read());
}

TEST_F(ManifestTest, RefusesEveryCutOfOne) {
  ASSERT_TRUE(write_manifest(directory_.path(), example()));
  const std::string whole = text();
  const std::size_t end = whole.find_last_of('}');
  for (std::size_t length = 0; length <= end; ++length) {
    write(whole.substr(0, length));
    EXPECT_FALSE(read()) << length;
  }
}

RC_GTEST_PROP(ManifestProperty, SurvivesAnyChangedBytes, ()) {
  const test::TemporaryDirectory directory;
  RC_ASSERT(write_manifest(directory.path(), example()).has_value());
  std::string bytes = test::read_file(directory / kManifestName);
  for (int left = *rc::gen::inRange(1, 6); left > 0; --left) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  }
  test::write_file(directory / kManifestName, bytes);
  const Result<Manifest> manifest = read_manifest(directory.path());
  if (!manifest) RC_ASSERT(!manifest.error().message.empty());
}

}  // namespace
}  // namespace ontime::output
