// An attempt on small files that share a task: to the mapper each is a segment of its own, to the master all of them
// are one input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/injection/wire.h"
#include "tests/worker/runner/timed_run.h"

namespace ontime::worker {
namespace {

using namespace std::chrono_literals;
using namespace test;
using testing::ElementsAre;

class GroupRun : public testing::Test {
 protected:
  std::vector<InputFile> inputs(const std::vector<std::string>& contents) {
    std::vector<InputFile> files;
    for (const std::string& content : contents) {
      const std::string path = directory_.file("f" + std::to_string(files.size()));
      write_file(path, content);
      files.push_back(describe(path));
    }
    return files;
  }
  // With a mapper that writes down what is called.
  std::unique_ptr<TimedRun> make(const std::vector<InputFile>& files, std::uint64_t begin = 0, RecordRule rule = {}) {
    auto run = std::make_unique<TimedRun>(directory_, make_group_run(files, "", begin), rule);
    TimedRun& made = *run;
    made.mapper.on_begin = [&](std::uint64_t offset) {
      log_.push_back(std::filesystem::path(made.context().input_path()).filename().string() + "@" +
                     std::to_string(offset));
    };
    made.mapper.on_flush = [&](app::Output& out) {
      log_.push_back("flush");
      out.write("|");
    };
    return run;
  }
  static std::vector<ByteRange> sealed(const std::vector<wire::FromRunner>& said) {
    std::vector<ByteRange> ranges;
    for (const auto& message : said) {
      if (message.has_sealed()) ranges.push_back({message.sealed().range().begin(), message.sealed().range().end()});
    }
    return ranges;
  }

  const TemporaryDirectory directory_;
  std::vector<std::string> log_;
};

TEST_F(GroupRun, TheMapperSeesEachFileAsASegmentOfItsOwn) {
  const auto run = make(inputs({"one\ntwo", "three\n", "four\nfive"}), 500);
  ASSERT_TRUE(run->run());
  EXPECT_THAT(log_, ElementsAre("f0@0", "flush", "f1@0", "flush", "f2@0", "flush"));
  EXPECT_EQ(run->output(), "one\ntwo|three\n|four\nfive|");
  EXPECT_THAT(run->mapper.batches, testing::Contains(ByteRange{0, 6}));  // offsets in the file
  const auto said = run->said();
  ASSERT_EQ(said.size(), 2u);
  EXPECT_TRUE(said[0].has_started());
  EXPECT_THAT(sealed(said), ElementsAre(ByteRange{500, 522}));
  EXPECT_EQ(said[1].sealed().input_end(), 522u);
  EXPECT_EQ(said[1].sealed().output().records(), 5u);
  EXPECT_EQ(run->block->offset.load(), 522u);
}

TEST_F(GroupRun, AnAttemptOnAPartReadsTheFilesThatItIsGiven) {
  auto run = make(inputs({"one\ntwo\n", "three\nfour\n"}), 100);
  run->order().mutable_launch()->mutable_range()->set_begin(103);  // in front of the end of a line
  run->order().mutable_launch()->mutable_range()->set_end(115);
  ASSERT_TRUE(run->run());
  EXPECT_THAT(log_, ElementsAre("f0@3", "flush", "f1@0", "flush"));
  EXPECT_EQ(run->output(), "two\n|three\nfour\n|");
  EXPECT_THAT(sealed(run->said()), ElementsAre(ByteRange{103, 115}));
}

TEST_F(GroupRun, ARangeOutsideOfItsFilesIsRefused) {
  for (const auto& [begin, end] : {std::pair{99u, 108u}, {100u, 109u}}) {
    const auto run = make(inputs({"one\n", "two\n"}), 100);
    run->order().mutable_launch()->mutable_range()->set_begin(begin);
    run->order().mutable_launch()->mutable_range()->set_end(end);
    const auto status = run->run();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().failure, wire::INPUT_CHANGED);
  }
}

// Cut while any batch is mapped, anywhere: in this file, in one that is not open yet, between two.
TEST_F(GroupRun, ACutAnywhereGivesTheSameRecordsOnce) {
  const std::vector<InputFile> files = inputs({"a\nbb\n", "ccc\nd", "\n\neee\n", "f"});
  const std::string whole = "a\nbb\nccc\nd\n\neee\nf";
  const std::uint64_t end = whole.size();
  for (std::size_t batch = 0; batch < 4; ++batch) {
    for (std::uint64_t at = 1; at <= end; ++at) {
      for (const bool release : {false, true}) {
        const auto run = make(files);
        run->mapper.on_flush = nullptr;
        run->mapper.on_map = [&](const app::Batch&) {
          if (run->mapper.batches.size() == batch + 1) run->block.cut(at, release);
        };
        ASSERT_TRUE(run->run());
        std::string output = run->output();
        const auto said = run->said();
        std::vector<ByteRange> ranges = sealed(said);
        if (ranges.back().end < end) {
          ASSERT_TRUE(release);
          const auto rest = make(files);
          rest->mapper.on_flush = nullptr;
          rest->order().mutable_launch()->mutable_range()->set_begin(ranges.back().end);
          ASSERT_TRUE(rest->run());
          output += rest->output();
          ranges.push_back(sealed(rest->said()).front());
        }
        ASSERT_EQ(output, whole) << batch << ": cut at " << at;
        ASSERT_EQ(ranges.back().end, end);
        ASSERT_LE(ranges.size(), 2u);
        ASSERT_EQ(ranges.front().end, ranges.size() == 2 ? ranges.back().begin : end);
      }
    }
  }
}

TEST_F(GroupRun, AStandbyBeginsInAnyFile) {
  const std::vector<InputFile> files = inputs({"a\nbb", "ccc\nd", "eee\n"});
  const std::string whole = "a\nbbccc\ndeee\n";
  for (std::uint64_t begin = 1; begin < whole.size(); ++begin) {
    const auto front = make(files);
    front->mapper.on_flush = nullptr;
    front->order().mutable_launch()->mutable_range()->set_end(begin);
    ASSERT_TRUE(front->run());
    const auto back = make(files);
    back->mapper.on_flush = nullptr;
    back->order().mutable_launch()->set_standby(true);
    back->begin(begin, whole.size());
    ASSERT_TRUE(back->run());
    EXPECT_EQ(front->output() + back->output(), whole) << begin;
  }
}

TEST_F(GroupRun, AChangedFileIsNamedThoughItWasLeftBefore) {
  const std::vector<InputFile> files = inputs({"one\n", "two\n", "three\n"});
  for (const std::size_t changed : {0u, 1u, 2u}) {
    for (const InputFile& file : files) write_file(file.path, std::string(file.size, 'x'));
    std::vector<InputFile> fresh;
    for (const InputFile& file : files) fresh.push_back(describe(file.path));
    const auto run = make(fresh);
    run->mapper.on_map = [&](const app::Batch&) {
      const std::string& path = fresh[changed].path;
      if (run->context().input_path() == path)
        std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + 1h);
    };
    const auto status = run->run();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().failure, wire::INPUT_CHANGED);
    EXPECT_THAT(status.error().message, testing::HasSubstr(fresh[changed].path));
    EXPECT_THAT(sealed(run->said()), ElementsAre());
  }
}

TEST_F(GroupRun, WhatWasTakenCountsFromTheFilesBegin) {
  const auto run = make(inputs({"one\n", "two\n"}), 100);
  std::vector<std::uint64_t> positions;
  run->mapper.on_map = [&](const app::Batch&) {
    run->context().set_taken(1);
    positions.push_back(run->block->offset.load());
  };
  ASSERT_TRUE(run->run());
  EXPECT_THAT(positions, ElementsAre(101, 105));
  EXPECT_EQ(run->block->offset.load(), 108u);
}

TEST_F(GroupRun, APaceCountsTheFilesTogether) {
  const auto run = make(inputs({std::string(500, '\n'), std::string(300, '\n'), std::string(200, '\n')}));
  injection::Disturbance disturbance;
  disturbance.bytes_per_second = 100;
  *run->order().mutable_disturbance() = injection::to_wire(disturbance);
  ASSERT_TRUE(run->run());
  EXPECT_NEAR(seconds(run->clock.elapsed()), 10, 1e-6);
}

TEST_F(GroupRun, FixedRecordsBeginAnewInEachFile) {
  const auto run = make(inputs({"aaaaabbbbb", "ccccc"}), 3, {std::make_shared<app::FixedRecords>(5)});
  ASSERT_TRUE(run->run());
  EXPECT_EQ(run->output(), "aaaaabbbbb|ccccc|");
  EXPECT_EQ(run->said().back().sealed().output().records(), 3u);
}

// Blocks are of one byte at first, so some hold nothing else.
TEST_F(GroupRun, WhatBelongsToNoRecordIsPassedOver) {
  const auto array = make(inputs({"  [  1,\n2]", "[]", "\n[3]"}), 0, {*records::make_format("json:array")});
  ASSERT_TRUE(array->run());
  EXPECT_EQ(array->output(), "1,\n2]|3]|");
  const auto elements = make(inputs({"<as> junk <a>1</a>xyz<a/></as>"}), 0, {*records::make_format("xml:a")});
  ASSERT_TRUE(elements->run());
  EXPECT_EQ(elements->output(), "<a>1</a><a/>|");
}

// Each address is asked for when its file is opened: it would expire.
TEST_F(GroupRun, FilesOfAStoreAreAskedForOneByOne) {
  std::vector<InputFile> files = inputs({"one\n"});
  files.push_back({"s3://bucket/key", 4, "\"e\""});
  const auto run = make(files);
  run->refuse_address("no keys");
  const auto status = run->run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().failure, wire::LAUNCH);
  EXPECT_EQ(status.error().message, "no keys");
  const auto said = run->said();
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[1].address_wanted().part(), 1u);
}

}  // namespace
}  // namespace ontime::worker
