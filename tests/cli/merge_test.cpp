#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "cli/result/answer_output.h"
#include "tests/cli/scratch.h"
#include "tests/cli/text_output.h"
#include "tests/cli/whole_parts.h"

namespace ontime::cli {
namespace {

using testing::HasSubstr;

// The values of a key as a sorted list: unlike a sum it shows a value that is lost, doubled or mixed up.
class ListMerger final : public app::Merger {
 public:
  void merge(std::string_view key, std::span<const std::string_view> values, std::string& merged) override {
    if (values.size() < 2) throw std::logic_error("merge() is called with two values or more");
    if (key == "bad") throw std::runtime_error("this key is bad");
    std::vector<std::string> all;
    for (const auto value : values) {
      std::size_t begin = 0;
      for (auto end = value.find(','); end != std::string_view::npos; end = value.find(',', begin)) {
        all.emplace_back(value.substr(begin, end - begin));
        begin = end + 1;
      }
      all.emplace_back(value.substr(begin));
    }
    std::sort(all.begin(), all.end());
    for (const auto& item : all) merged += (&item == &all.front() ? "" : ",") + item;
  }
  void finish_all(app::Output& answer) override { answer.write("END\n"); }
};

Result<std::string> merged(const std::vector<std::string>& parts, const MergeOptions& options) {
  TextOutput answer;
  WholeParts whole;
  const auto make_merger = [] { return std::make_unique<ListMerger>(); };
  if (auto status = merge_parts(whole.of(parts), make_merger, options, answer); !status) return status.error();
  return answer.text();
}

struct Line {
  std::string key, value;
};

// What a std::map makes of the lines.
std::string reference(const std::vector<std::vector<Line>>& parts) {
  std::map<std::string, std::vector<std::string>> values;
  for (const auto& part : parts)
    for (const auto& line : part) values[line.key].push_back(line.value);
  std::string text;
  for (auto& [key, list] : values) {
    std::sort(list.begin(), list.end());
    text += key + '\t';
    for (const auto& item : list) text += (&item == &list.front() ? "" : ",") + item;
    text += '\n';
  }
  return text + "END\n";
}

std::string file_of(const Scratch& scratch, std::size_t index, const std::vector<Line>& lines) {
  std::string text;
  for (const auto& line : lines) text += line.key + '\t' + line.value + '\n';
  return scratch.file("part-" + std::to_string(index), text);
}

rc::Gen<std::vector<std::vector<Line>>> parts_of_lines() {
  const auto bytes = rc::gen::container<std::string>(rc::gen::element('a', 'b', '\x01', '\xFF', ' '));
  const auto line = rc::gen::build<Line>(rc::gen::set(&Line::key, bytes), rc::gen::set(&Line::value, bytes));
  return rc::gen::container<std::vector<std::vector<Line>>>(rc::gen::container<std::vector<Line>>(line));
}

TEST(Merge, AnyLinesInAnyMemoryGiveWhatAMapGives) {
  const Scratch scratch;
  rc::check([&] {
    const auto parts = *parts_of_lines();
    MergeOptions options;
    options.memory_bytes = *rc::gen::weightedElement<std::uint64_t>({{1, 1}, {4, 70'000}, {4, 100'000}, {1, 1u << 20}});
    options.fan_in = *rc::gen::inRange<std::size_t>(2, 5);
    options.threads = *rc::gen::inRange<std::size_t>(1, 4);
    options.temporary_directory = scratch.path();
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < parts.size(); ++i) paths.push_back(file_of(scratch, i, parts[i]));
    const auto answer = merged(paths, options);
    RC_ASSERT(answer.has_value());
    RC_ASSERT(*answer == reference(parts));
  });
}

TEST(Merge, ManyPassesOverManyRunsLoseNothing) {
  const Scratch scratch;
  std::vector<std::vector<Line>> parts(3);
  for (int i = 0; i < 600; ++i)
    parts[static_cast<std::size_t>(i) % 3].push_back({std::to_string(i % 140), std::to_string(i)});
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < parts.size(); ++i) paths.push_back(file_of(scratch, i, parts[i]));
  // Every line is a run of its own, and three runs are merged at a time.
  const auto answer = merged(paths, {.memory_bytes = 1, .fan_in = 3, .temporary_directory = scratch.path()});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(*answer, reference(parts));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 3);  // the parts only
}

TEST(Merge, LongLinesAndHotKeysAreNoTrouble) {
  const Scratch scratch;
  std::vector<std::vector<Line>> parts(2);
  for (std::size_t i = 0; i < 200; ++i)
    parts[i % 2].push_back({"hot", std::string(5000, static_cast<char>('a' + i % 26))});
  const std::vector<std::string> paths{file_of(scratch, 0, parts[0]), file_of(scratch, 1, parts[1])};
  const auto answer = merged(paths, {.memory_bytes = 200'000, .fan_in = 2, .temporary_directory = scratch.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, reference(parts));
}

TEST(Merge, ALineWithoutATabIsAKeyWithoutAValue) {
  const Scratch scratch;
  const auto answer = merged({scratch.file("part", "only\nonly\n")}, {});
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, "only\t,\nEND\n");
}

TEST(Merge, WhatTheMergerThrowsNamesTheKey) {
  const Scratch scratch;
  const auto path = scratch.file("part", "bad\t1\nbad\t2\n");
  for (const std::uint64_t memory : {std::uint64_t{1}, std::uint64_t{1} << 20}) {
    const auto answer = merged({path}, {.memory_bytes = memory, .fan_in = 2, .temporary_directory = scratch.path()});
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, testing::AllOf(HasSubstr("'bad'"), HasSubstr("this key is bad")));
  }
}

TEST(Merge, NoRoomForTemporaryFilesIsSaid) {
  const Scratch scratch;
  const auto answer = merged({scratch.file("part", "a\t1\nb\t2\n")},
                             {.memory_bytes = 1, .fan_in = 2, .temporary_directory = "/nowhere"});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("TMPDIR"));
}

TEST(Merge, WithoutAMergerPartsFollowEachOther) {
  const Scratch scratch;
  TextOutput answer;
  WholeParts whole;
  ASSERT_TRUE(concatenate_parts(whole.of({scratch.file("a", "z\n"), scratch.file("b", "a\nb")}), answer));
  EXPECT_EQ(answer.text(), "z\na\nb\n");
}

TEST(Merge, BytesThatChangedAfterTheJobAreNoticedAsTheyAreRead) {
  const Scratch scratch;
  WholeParts whole;
  const std::vector<PartFile> parts = whole.of({scratch.file("a", "a\t1\n"), scratch.file("b", "b\t2\n")});
  for (const char* changed : {"b\t3\n", "b\t2", "b\t2\nc\t3\n"}) {
    scratch.file("b", changed);
    TextOutput answer;
    const auto make_merger = [] { return std::make_unique<ListMerger>(); };
    const Status merged = merge_parts(parts, make_merger, {}, answer);
    ASSERT_FALSE(merged) << changed;
    EXPECT_THAT(merged.error().message, HasSubstr(scratch / "b"));
    EXPECT_FALSE(concatenate_parts(parts, answer)) << changed;
  }
}

}  // namespace
}  // namespace ontime::cli
