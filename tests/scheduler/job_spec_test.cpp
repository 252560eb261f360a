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
  const auto splits = make_splits(spec_of({{"/a", 25, 0, Codec::Plain}}, 10));
  EXPECT_EQ(splits, (std::vector<Split>{{0, {0, 10}}, {0, {10, 20}}, {0, {20, 25}}}));
}

TEST(Splits, CompressedFileIsOneWithAnUnknownEnd) {
  const auto splits = make_splits(spec_of({{"/a.gz", 1000, 0, Codec::Gzip}, {"/b.zst", 7, 0, Codec::Zstd}}, 10));
  EXPECT_EQ(splits, (std::vector<Split>{{0, {0, kUnknownEnd}}, {1, {0, kUnknownEnd}}}));
}

TEST(Splits, WantedNumberIsReachedForOneFile) {
  for (const std::uint32_t wanted : {1u, 2u, 7u, 64u}) {
    const std::vector<InputFile> inputs{{"/a", 6'400'000, 0, Codec::Plain}};
    EXPECT_EQ(count_splits(spec_of(inputs, split_bytes_for(inputs, wanted))), wanted);
  }
}

TEST(Splits, MoreSplitsThanBytesGivesOnePerByte) {
  const std::vector<InputFile> inputs{{"/a", 3, 0, Codec::Plain}};
  EXPECT_EQ(split_bytes_for(inputs, 100), 1u);
}

RC_GTEST_PROP(SplitsProperty, TileEveryPlainFile, ()) {
  const auto sizes = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 5000));
  std::vector<InputFile> inputs;
  for (const std::uint64_t size : sizes) inputs.push_back({"/x", size, 0, Codec::Plain});
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
