#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/core/job_spec.h"

namespace ontime::scheduler {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

InputFile plain(std::string path, std::uint64_t size) { return {std::move(path), size, "v", Codec::Plain}; }

std::vector<InputFile> files_of(std::size_t count, std::uint64_t size) {
  std::vector<InputFile> files;
  for (std::size_t i = 0; i < count; ++i) files.push_back(plain("/f" + std::to_string(i), size));
  return files;
}

JobSpec divided(std::vector<InputFile> files, const InputDivision& division) {
  JobSpec spec;
  divide_input(spec, std::move(files), division);
  return spec;
}

std::uint64_t tasks(std::vector<InputFile> files, const InputDivision& division = {}) {
  return count_splits(divided(std::move(files), division));
}

TEST(InputGroups, SmallFilesShareATaskAndSomeHundredTasksAreLeft) {
  EXPECT_EQ(tasks(files_of(10'000, 1024)), 157u);  // 64 files each
  EXPECT_EQ(tasks(files_of(1000, 1024)), 100u);
  EXPECT_EQ(tasks(files_of(100'000, 100'000)), 1000u);
}

TEST(InputGroups, FewFilesRemainTasksOfTheirOwn) {
  EXPECT_EQ(tasks(files_of(4, 3 * kMiB / 2)), 4u);
  EXPECT_EQ(tasks(files_of(10, 100)), 10u);
  EXPECT_EQ(tasks(files_of(100, 100)), 100u);
  EXPECT_EQ(tasks(files_of(1, 1)), 1u);
}

TEST(InputGroups, ASplitSizeFillsGroups) {
  EXPECT_EQ(tasks(files_of(10, 100), {.split_bytes = 1000}), 1u);
  EXPECT_EQ(tasks(files_of(10, 100), {.split_bytes = 999}), 2u);
  EXPECT_EQ(tasks(files_of(10, 100), {.split_bytes = 100}), 10u);
  EXPECT_EQ(tasks(files_of(10, 100), {.split_bytes = 50}), 20u);
}

// The sizes of examples/text.
TEST(InputGroups, ANumberOfSplitsIsNotExceeded) {
  std::vector<InputFile> files;
  for (const std::uint64_t size : {433411u, 466854u, 684768u, 1997513u, 1387424u, 1019475u})
    files.push_back(plain("/x", size));
  for (const std::uint32_t count : {1u, 2u, 3u, 6u, 7u, 9u, 10u, 24u}) {
    EXPECT_EQ(tasks(files, {.splits = count}), count);
  }
  EXPECT_EQ(tasks(files, {.splits = 8}), 7u);  // nine before short rests join the split before
  files.insert(files.begin() + 2, {"/x.gz", 1000, "0", Codec::Gzip});
  EXPECT_EQ(tasks(files, {.splits = 1}), 2u);  // as few as there can be
}

TEST(InputGroups, EachFileCanHaveATaskOfItsOwn) {
  EXPECT_EQ(tasks(files_of(1000, 100), {.groups = false}), 1000u);
  EXPECT_EQ(tasks(files_of(1000, 100), {.split_bytes = 1000, .groups = false}), 1000u);
  EXPECT_EQ(tasks(files_of(1000, 100), {.splits = 3, .groups = false}), 1000u);
}

TEST(InputGroups, AGroupHasItsFilesInOrder) {
  const JobSpec spec = divided({plain("/a", 3), plain("/b", 4), plain("/c", 9), plain("/d", 1)}, {.split_bytes = 8});
  ASSERT_EQ(spec.inputs.size(), 3u);
  EXPECT_EQ(spec.inputs[0].path, "/a");
  EXPECT_EQ(spec.inputs[0].size, 7u);
  EXPECT_EQ(spec.inputs[0].parts, (std::vector<InputPart>{{"/a", 3, "v"}, {"/b", 4, "v"}}));
  EXPECT_EQ(spec.inputs[1], plain("/c", 9));
  EXPECT_EQ(spec.inputs[2], plain("/d", 1));
  EXPECT_EQ(count_files(spec), 4u);
  EXPECT_EQ(make_splits(spec), (std::vector<Split>{{0, {0, 7}}, {1, {0, 8}}, {1, {8, 9}}, {2, {0, 1}}}));
}

TEST(InputGroups, SmallCompressedFilesShareTasksToo) {
  for (const Codec codec : {Codec::Gzip, Codec::Zstd, Codec::Stream}) {
    InputFile other{"/b", 1, "v", codec};
    const JobSpec spec = divided({plain("/a", 1), other, plain("/c", 1)}, {.split_bytes = 100});
    ASSERT_EQ(spec.inputs.size(), 1u);
    EXPECT_EQ(spec.inputs[0].codec, Codec::Stream);
    EXPECT_EQ(spec.inputs[0].parts, (std::vector<InputPart>{{"/a", 1, "v"}, {"/b", 1, "v", codec}, {"/c", 1, "v"}}));
    EXPECT_EQ(make_splits(spec), (std::vector<Split>{{0, {0, kUnknownEnd}}}));
  }
  std::vector<InputFile> files(1500, {"/x.gz", 9000, "v", Codec::Gzip});
  EXPECT_EQ(tasks(files), 215u);                              // 7 files each
  EXPECT_EQ(tasks(files, {.split_bytes = 128 * kMiB}), 13u);  // no more than a megabyte of them
}

// Reading may begin inside only where it is known what lies there.
TEST(InputGroups, ACompressedFileOfSomeSizeStaysAlone) {
  const InputFile large{"/b", kMiB, "v", Codec::Gzip};
  EXPECT_EQ(tasks({plain("/a", 1), large, plain("/c", 1)}, {.split_bytes = 128 * kMiB}), 3u);
  InputFile packed{"/b", 1000, "v", Codec::Gzip, 128 * kMiB};
  packed.points.push_back({64 * kMiB, 500});
  const JobSpec spec = divided({plain("/a", 1), packed, plain("/c", 1)}, {.split_bytes = 64 * kMiB});
  ASSERT_EQ(spec.inputs.size(), 3u);
  EXPECT_EQ(spec.inputs[1], packed);
}

TEST(InputGroups, AGroupFitsAMessage) {
  EXPECT_EQ(tasks(files_of(3 * kGroupFilesMax + 1, 1), {.split_bytes = kMiB}), 4u);
  const std::string long_path(kGroupTextMax / 10, 'x');
  std::vector<InputFile> files;
  for (int i = 0; i < 18; ++i) files.push_back(plain(long_path, 1));
  EXPECT_EQ(tasks(files, {.split_bytes = kMiB}), 2u);
}

std::vector<InputFile> any_files() {
  const auto sizes = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(1, 300));
  std::vector<InputFile> files;
  for (const std::uint64_t size : sizes) {
    files.push_back(plain("/" + std::to_string(files.size()), size));
    if (*rc::gen::inRange(0, 10) == 0) files.back().codec = Codec::Gzip;
  }
  return files;
}

InputDivision any_division() {
  const int kind = *rc::gen::inRange(0, 3);
  return {.split_bytes = kind == 1 ? *rc::gen::inRange<std::uint64_t>(1, 1000) : 0,
          .splits = kind == 2 ? *rc::gen::inRange<std::uint32_t>(1, 50) : 0};
}

RC_GTEST_PROP(InputGroupsProperty, EveryFileIsThereOnceInOrderAndAGroupIsOneSplit, ()) {
  const std::vector<InputFile> files = any_files();
  const JobSpec spec = divided(files, any_division());
  std::vector<InputFile> found;
  for (const InputFile& input : spec.inputs) {
    RC_ASSERT(input.parts.size() != 1);
    RC_ASSERT(input.parts.empty() || input.size <= spec.split_bytes);
    std::uint64_t bytes = 0;
    for (const InputPart& part : input.parts) {
      found.push_back({part.path, part.size, part.version, part.codec});
      bytes += part.size;
    }
    if (input.parts.empty()) found.push_back(input);
    RC_ASSERT(input.parts.empty() || bytes == input.size);
  }
  RC_ASSERT(found == files);
  for (const Split& split : make_splits(spec)) {
    const InputFile& input = spec.inputs[split.file];
    const std::uint64_t end = input.codec == Codec::Plain ? input.size : kUnknownEnd;
    RC_ASSERT(input.parts.empty() || split.range == (ByteRange{0, end}));
  }
}

RC_GTEST_PROP(InputGroupsProperty, ByDefaultNoGroupIsMoreThanAHundredthOfTheInput, ()) {
  const JobSpec spec = divided(any_files(), {});
  std::uint64_t total = 0;
  for (const InputFile& input : spec.inputs) total += input.size;
  for (const InputFile& input : spec.inputs) RC_ASSERT(input.parts.empty() || input.size <= total / 100);
}

RC_GTEST_PROP(InputGroupsProperty, TheNumberOfSplitsIsExceededOnlyWhereItMustBe, ()) {
  const std::vector<InputFile> files = any_files();
  RC_PRE(!files.empty());
  const auto count = *rc::gen::inRange<std::uint32_t>(1, 50);
  const std::uint64_t size = split_bytes_for(files, count, true);
  const std::uint64_t found = tasks(files, {.split_bytes = size});
  const std::uint64_t least = tasks(files, {.split_bytes = 1u << 30});
  RC_ASSERT(found <= std::max<std::uint64_t>(count, least));
}

}  // namespace
}  // namespace ontime::scheduler
