// An output has what lies below it for itself: nobody gets one inside or above of another.
#include "tests/machines/output_contract.h"

namespace ontime::lab::machines::test {
namespace {

class NestedOutputs : public OutputContract {};

TEST_P(NestedOutputs, BeginInsideOfNone) {
  ASSERT_TRUE(claim());
  map();
  const Files before = files();
  const std::vector<std::string> inside{"/part-m-00002", "/deep/sub", "/_attempts/ours-1/t00001-a2"};
  for (const std::string& below : inside) {
    const Status refused = claim(kTheirs, below);
    ASSERT_FALSE(refused) << below;
    EXPECT_EQ(refused.error().kind, ErrorKind::BadInput);
    EXPECT_THAT(refused.error().message, HasSubstr("lies in '" + scene_->name + "', which is the output of a job"));
    EXPECT_EQ(files(), before) << below;
  }
  ASSERT_TRUE(publish());
  for (const std::string& below : inside) EXPECT_FALSE(claim(kTheirs, below)) << "of what is finished: " << below;
  expect_published();
}

TEST_P(NestedOutputs, BeginAboveOfNone) {
  ASSERT_TRUE(claim(kTheirs, "/deep/sub"));
  const Files before = files();
  const Status refused = claim();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("is not empty"));
  EXPECT_EQ(files(), before);
}

TEST_P(NestedOutputs, AreNeverTwoWhereBothAreWantedAtOnce) {
  int inner = 0, outer = 0;
  for (std::uint64_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
    begin(seed);
    bool is_outer = false, is_inner = false;
    scene_->run_both([&] { is_outer = output(kOurs)->claim().status.has_value(); },
                     [&] { is_inner = Output::at(scene_->name + "/deep/sub", kTheirs)->claim().status.has_value(); });
    EXPECT_FALSE(is_outer && is_inner) << seed;
    outer += is_outer ? 1 : 0;
    inner += is_inner ? 1 : 0;
    if (!is_outer) continue;
    map();
    ASSERT_TRUE(publish()) << seed;
    expect_published();
  }
  EXPECT_GT(outer + inner, 0);
}

// By a hand, or by a program that does not ask.
TEST_P(NestedOutputs, AreNotRemovedWithTheOneThatTheyLieIn) {
  ASSERT_TRUE(claim());
  map();
  scene_->put("_attempts/ours-1/theirs/_SUCCESS", "a result");
  scene_->put("_attempts/ours-1/theirs/part-m-00000", "with its part");
  scene_->put("part-m-00000.d/part-m-00000", "and another");
  ASSERT_TRUE(discard());
  std::multiset<std::string> left;
  for (const auto& [name, bytes] : files()) left.insert(bytes);
  EXPECT_EQ(left, (std::multiset<std::string>{"a result", "with its part", "and another"}));
}

INSTANTIATE_TEST_SUITE_P(Places, NestedOutputs, testing::Values("directory", "s3", "webhdfs"),
                         [](const auto& place) { return std::string(place.param); });

}  // namespace
}  // namespace ontime::lab::machines::test
