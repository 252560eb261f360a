#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "cli/result/answer_output.h"
#include "tests/cli/scratch.h"
#include "tests/cli/text_output.h"
#include "tests/cli/whole_parts.h"

namespace ontime::cli {
namespace {

using testing::HasSubstr;

// By bytes. The rank is the first byte, so that most comparisons go on behind it.
class ByteOrder final : public app::Order {
 public:
  explicit ByteOrder(app::RecordBytes record_bytes = 0) : record_bytes_(record_bytes) {}
  app::RecordBytes record_bytes() const override { return record_bytes_; }
  std::uint64_t rank(std::string_view record) const override {
    if (record == "bad") throw std::runtime_error("this record is bad");
    return record.empty() ? 0 : static_cast<unsigned char>(record.front());
  }
  bool is_before(std::string_view a, std::string_view b) const override { return a < b; }
  void finish_all(app::Output& answer) override { answer.write("END"); }

 private:
  app::RecordBytes record_bytes_;
};

Result<std::string> sorted(const std::vector<std::string>& parts, ByteOrder order, const MergeOptions& options,
                           std::size_t runs_at_once) {
  TextOutput answer;
  WholeParts whole;
  if (auto status = sort_parts(whole.of(parts), order, options, answer, runs_at_once); !status) return status.error();
  return answer.text();
}

using Part = std::vector<std::string>;

rc::Gen<std::vector<Part>> any_parts(std::size_t record_bytes) {
  const auto byte = rc::gen::element('a', 'b', '\0', '\xFF', '\t');
  const auto record =
      record_bytes > 0 ? rc::gen::container<std::string>(record_bytes, byte) : rc::gen::container<std::string>(byte);
  return rc::gen::scale(0.12, rc::gen::container<std::vector<Part>>(rc::gen::container<Part>(record)));
}

TEST(SortedAnswer, CompressedPartsAreSortedAsPlainOnes) {
  const Scratch scratch;
  WholeParts whole;
  std::vector<PartFile> parts;
  std::string expected;
  for (const std::string name : {"a", "b", "c"}) {  // each segment has several runs, and the last line no end
    const Compression compression{name == "b" ? Codec::Gzip : Codec::Zstd, 1};
    parts.push_back(
        whole.compressed(scratch / name, {"p" + name + "\nr" + name + "\nq" + name + "\n", "a" + name}, compression));
  }
  for (const std::string first : {"a", "p", "q", "r"}) expected += first + "a\n" + first + "b\n" + first + "c\n";
  for (const std::size_t runs_at_once : {2, 100}) {
    TextOutput answer;
    ByteOrder order;
    const Status status =
        sort_parts(parts, order, {.threads = 2, .temporary_directory = scratch.path()}, answer, runs_at_once);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_EQ(answer.text(), expected + "END");
  }
}

// In a process of its own, which may never have more again.
TEST(SortedAnswer, MoreRunsThanFilesThatMayBeOpenAreMergedFewerAtATime) {
  const Scratch scratch;
  std::vector<std::string> paths;
  for (char first = 'Z'; first >= 'A'; --first) {
    for (char second = 'f'; second >= 'a'; --second)
      paths.push_back(scratch.file("part-" + std::to_string(paths.size()), std::string{first, second, '\n'}));
  }
  const auto sort_with_few = [&] {
    const rlimit few{64, 64};
    ::setrlimit(RLIMIT_NOFILE, &few);
    MergeOptions options;
    options.temporary_directory = scratch.path();
    const auto answer = sorted(paths, ByteOrder(0), options, runs_at_once());
    std::fputs(answer ? answer->substr(0, 9).c_str() : answer.error().message.c_str(), stderr);
    std::exit(answer ? 0 : 1);
  };
  EXPECT_EXIT(sort_with_few(), testing::ExitedWithCode(0), "Aa\nAb\nAc\n");
}

TEST(SortedAnswer, AnyRecordsInAnyMemoryComeOutSorted) {
  const Scratch scratch;
  EXPECT_TRUE(rc::check([&] {
    const auto record_bytes = *rc::gen::element<app::RecordBytes>(0u, 3u);
    auto parts = *any_parts(record_bytes);
    std::vector<std::string> paths, all;
    for (Part& part : parts) {
      if (*rc::gen::arbitrary<bool>()) std::sort(part.begin(), part.end());
      std::string text;
      for (const auto& record : part) text += record + (record_bytes > 0 ? "" : "\n");
      paths.push_back(scratch.file("part-" + std::to_string(paths.size()), text));
      all.insert(all.end(), part.begin(), part.end());
    }
    std::sort(all.begin(), all.end());
    std::string expected;
    for (const auto& record : all) expected += record + (record_bytes > 0 ? "" : "\n");
    const auto answer =
        sorted(paths, ByteOrder(record_bytes),
               {.memory_bytes = *rc::gen::element<std::uint64_t>(1, 1u << 20), .temporary_directory = scratch.path()},
               *rc::gen::inRange<std::size_t>(2, 6));
    RC_ASSERT(answer.has_value());
    RC_ASSERT(*answer == expected + "END");
  }));
}

TEST(SortedAnswer, LongRecordsAndManyPassesLoseNothing) {
  const Scratch scratch;
  std::vector<std::string> all;
  std::string text;
  for (int i = 0; i < 200; ++i) {
    all.push_back(std::string(static_cast<std::size_t>(i * 7919 % 60'000), static_cast<char>('a' + i * 31 % 26)));
    text += all.back() + "\n";
  }
  std::sort(all.begin(), all.end());
  std::string expected;
  for (const auto& line : all) expected += line + "\n";
  const auto answer =
      sorted({scratch.file("part", text)}, ByteOrder(), {.memory_bytes = 1, .temporary_directory = scratch.path()}, 3);
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(*answer == expected + "END");
}

TEST(SortedAnswer, SaysWhichPartFileHoldsNoWholeRecords) {
  const Scratch scratch;
  const auto answer = sorted({scratch.file("odd", "abcd")}, ByteOrder(3), {}, 2);
  ASSERT_FALSE(answer.has_value());
  EXPECT_THAT(answer.error().message, HasSubstr("odd"));
  EXPECT_THAT(answer.error().message, HasSubstr("middle of a record"));
}

// Another order of the bytes, once the last record has been looked at for the first time.
class ChangingOrder final : public app::Order {
 public:
  explicit ChangingOrder(const Scratch& scratch) : scratch_(scratch) {}
  std::uint64_t rank(std::string_view record) const override {
    if (record == "z") scratch_.file("part", "a\nc\nz\n");
    return static_cast<unsigned char>(record.front());
  }
  bool is_before(std::string_view a, std::string_view b) const override { return a < b; }

 private:
  const Scratch& scratch_;
};

TEST(SortedAnswer, WhatHasChangedSinceItWasCheckedIsNoAnswer) {
  const Scratch scratch;
  const std::string part = scratch.file("part", "a\nb\nz\n");
  ChangingOrder order(scratch);
  TextOutput answer;
  WholeParts whole;
  const Status status = sort_parts(whole.of(std::vector<std::string>{part}), order, {}, answer);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("has changed"));
}

TEST(SortedAnswer, SaysWhatTheApplicationThrows) {
  const Scratch scratch;
  const auto answer = sorted({scratch.file("part", "a\nbad\n")}, ByteOrder(), {}, 2);
  ASSERT_FALSE(answer.has_value());
  EXPECT_THAT(answer.error().message, HasSubstr("this record is bad"));
  EXPECT_FALSE(sorted({scratch / "missing"}, ByteOrder(), {}, 2).has_value());
  WholeParts whole;
  const std::vector<PartFile> parts = {whole.of(scratch.file("part", "a\nb\n"))};
  scratch.file("part", "a\nc\n");
  TextOutput ignored;
  ByteOrder order;
  const Status changed = sort_parts(parts, order, {}, ignored, 2);
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().message, HasSubstr("changed after the job"));
}

}  // namespace
}  // namespace ontime::cli
