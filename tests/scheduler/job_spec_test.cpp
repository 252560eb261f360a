#include "scheduler/core/job_spec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>


namespace ontime::scheduler {
namespace {

JobSpec spec_of(std::vector<InputFile> inputs, std::uint64_t split_bytes) {
  JobSpec spec;
  spec.inputs = std::move(inputs);
  spec.split_bytes = split_bytes;
  return spec;
}

TEST(Splits, LastOneOfAFileIsShorter) {
  const auto splits = make_splits(spec_of({{"/a", 25, "0", Codec::Plain}}, 10));
  EXPECT_EQ(splits, (std::vector<Split>{{0, {0, 10}}, {0, {10, 20}}, {0, {20, 25}}}));
}

TEST(Splits, ASmallTailJoinsTheSplitBeforeIt) {
  const auto splits = make_splits(spec_of({{"/a", 2099, "0", Codec::Plain}, {"/b", 2100, "0", Codec::Plain}}, 1000));
  EXPECT_EQ(splits, (std::vector<Split>{
                        {0, {0, 1000}}, {0, {1000, 2099}}, {1, {0, 1000}}, {1, {1000, 2000}}, {1, {2000, 2100}}}));
  const auto whole = make_splits(spec_of({{"/small", 7, "0", Codec::Plain}}, 1000));
  EXPECT_EQ(whole, (std::vector<Split>{{0, {0, 7}}}));
}

// The sizes of examples/text.
TEST(Splits, WantedNumberIsNotExceededUnlessThereAreMoreFiles) {
  std::vector<InputFile> inputs;
  for (const std::uint64_t size : {433411u, 466854u, 684768u, 1997513u, 1387424u, 1019475u})
    inputs.push_back({"/x", size, "0", Codec::Plain});
  const auto splits_for = [&](std::uint32_t wanted) {
    return count_splits(spec_of(inputs, split_bytes_for(inputs, wanted, false)));
  };
  EXPECT_EQ(splits_for(3), 6u);
  EXPECT_EQ(splits_for(6), 6u);
  EXPECT_EQ(splits_for(10), 10u);
  EXPECT_EQ(splits_for(24), 24u);
  EXPECT_EQ(splits_for(9), 8u);  // a smaller size would give ten
  inputs.push_back({"/x.gz", 1000, "0", Codec::Gzip});
  EXPECT_EQ(splits_for(11), 11u);
}

TEST(Splits, CompressedFileIsOneWithAnUnknownEnd) {
  const auto splits = make_splits(spec_of({{"/a.gz", 1000, "0", Codec::Gzip}, {"/b.zst", 7, "0", Codec::Zstd}}, 10));
  EXPECT_EQ(splits, (std::vector<Split>{{0, {0, kUnknownEnd}}, {1, {0, kUnknownEnd}}}));
}

TEST(Splits, CompressedFileOfKnownLengthIsDividedIfReadingCanBeginInside) {
  InputFile file{"/a.xz", 1000, "0", Codec::Xz, 100u << 20};
  const std::uint64_t split = 50u << 20;
  EXPECT_EQ(make_splits(spec_of({file}, split)), (std::vector<Split>{{0, {0, 100u << 20}}}));
  file.points = {{10u << 20, 100}};
  EXPECT_EQ(make_splits(spec_of({file}, split)).size(), 2u);
  file = {"/small.xz", 1000, "0", Codec::Xz, 5000};
  EXPECT_EQ(make_splits(spec_of({file}, 1000)).size(), 5u);
}

TEST(Splits, WantedNumberIsReachedForOneFile) {
  for (const std::uint32_t wanted : {1u, 2u, 7u, 64u}) {
    const std::vector<InputFile> inputs{{"/a", 6'400'000, "0", Codec::Plain}};
    EXPECT_EQ(count_splits(spec_of(inputs, split_bytes_for(inputs, wanted, false))), wanted);
  }
}

TEST(Splits, MoreSplitsThanBytesGivesOnePerByte) {
  const std::vector<InputFile> inputs{{"/a", 3, "0", Codec::Plain}};
  EXPECT_EQ(split_bytes_for(inputs, 100, false), 1u);
}

RC_GTEST_PROP(SplitsProperty, TileEveryPlainFile, ()) {
  const auto sizes = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 5000));
  std::vector<InputFile> inputs;
  for (const std::uint64_t size : sizes) inputs.push_back({"/x", size, "0", Codec::Plain});
  const JobSpec spec = spec_of(inputs, *rc::gen::inRange<std::uint64_t>(1, 3000));
  const std::vector<Split> splits = make_splits(spec);
  RC_ASSERT(splits.size() == count_splits(spec));
  std::vector<std::uint64_t> covered(inputs.size(), 0);
  for (const Split& split : splits) {
    RC_ASSERT(split.range.begin == covered[split.file]);
    RC_ASSERT(split.range.end > split.range.begin);
    covered[split.file] = split.range.end;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) RC_ASSERT(covered[i] == inputs[i].size);
}

}  // namespace
}  // namespace ontime::scheduler
