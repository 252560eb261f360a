// What every output promises, whatever it lies in: one job has it, nothing of it is seen before all of it, and each
// step may be repeated wherever its process died.
#include "tests/machines/output_contract.h"

namespace ontime::lab::machines::test {
namespace {

TEST_P(OutputContract, BelongsToOneJobUntilThatGivesItBack) {
  ASSERT_TRUE(claim());
  const Status refused = claim(kTheirs);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(refused.error().message, HasSubstr("is being used by another job"));
  EXPECT_EQ(idle_claim_, kOurs);
  map();
  ASSERT_FALSE(claim(kTheirs));
  EXPECT_EQ(idle_claim_, "") << "it is not idle";
  ASSERT_TRUE(discard());
  EXPECT_TRUE(claim(kTheirs));
}

TEST_P(OutputContract, GoesToOneOfTwoJobsThatWantItAtOnce) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    begin(seed);
    Status ours, theirs;
    scene_->run_both([&] { ours = output(kOurs)->claim().status; }, [&] { theirs = output(kTheirs)->claim().status; });
    EXPECT_NE(ours.has_value(), theirs.has_value()) << seed;
    const Status& refused = ours ? theirs : ours;
    EXPECT_THAT(refused ? "" : refused.error().message, HasSubstr("is being used by another job")) << seed;
  }
}

TEST_P(OutputContract, IsRefusedWhereSomethingIsAndOutsideOfTheRoots) {
  ASSERT_TRUE(claim());
  map();
  ASSERT_TRUE(publish());
  const Status refused = claim(kTheirs);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(refused.error().message, HasSubstr("is not empty"));
  Status outside;
  const auto roots = files::Roots::of_resolved({"/elsewhere", "s3://lab/elsewhere", "webhdfs://elsewhere/"});
  scene_->run([&] { outside = Output::at(scene_->name, kTheirs, roots)->claim().status; });
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().kind, ErrorKind::BadInput);
  EXPECT_THAT(outside.error().message, HasSubstr("lies outside of the directories that this cluster writes to"));
  expect_published();
}

TEST_P(OutputContract, ShowsNothingBeforeItIsPublished) {
  ASSERT_TRUE(claim());
  map();
  for (const auto& [name, bytes] : files()) EXPECT_TRUE(name.starts_with("_attempts/") || name == "_claim") << name;
  ASSERT_TRUE(publish());
  expect_published();
  ASSERT_TRUE(publish()) << "again";
  ASSERT_TRUE(discard()) << "which leaves what is published";
  expect_published();
}

TEST_P(OutputContract, IsPublishedByItsOwnJobOnly) {
  ASSERT_TRUE(claim());
  map();
  const Files before = files();
  const Status refused = publish(kTheirs);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("is not this job's any more"));
  ASSERT_TRUE(discard(kTheirs));
  EXPECT_EQ(files(), before);
  ASSERT_TRUE(discard());
  EXPECT_FALSE(publish());
  EXPECT_EQ(files(), Files());
}

TEST_P(OutputContract, IsTheSameWhereverItsPublishingDied) {
  repeat_after_each_death(
      [this] {
        ASSERT_TRUE(claim());
        map();
      },
      [this] { EXPECT_TRUE(output()->publish(plan(), always).status); }, [this] { expect_published(); });
}

// An earlier try has put a piece of the part in its place, and its task, mapped again, has another number of pieces.
TEST_P(OutputContract, NamesTheTasksWhoseBytesAreLostAndIsPublishedOnceTheyAreMappedAgain) {
  ASSERT_TRUE(claim());
  map();
  const bool is_directory = std::string(GetParam()) == "directory";
  scene_->put(is_directory ? "part-m-00001" : "part-m-00001.0000", "left ");
  scene_->take_away(std::string("_attempts/ours-1/t00001-a1") + (is_directory ? "" : ".0"));
  scene_->run([&] {
    const master::PublishOutcome outcome = output()->publish(plan(), always);
    ASSERT_FALSE(outcome.status);
    EXPECT_THAT(outcome.status.error().message, HasSubstr("_attempts/ours-1/t00001-a1"));
    EXPECT_EQ(outcome.lost, std::vector<std::uint32_t>{1});
  });
  EXPECT_FALSE(files().contains(output::kSuccessName));
  scene_->run([&] {
    Attempt again(scene_->name, attempt(1, 2));
    again.seal("left right ");
    CommitPlan from_it;
    from_it.manifest = plan().manifest;
    from_it.manifest.tasks.clear();
    add_part(from_it, {{"t00000-a0", 0, 4}, {"t00000-a0", 4, 4}}).may_rename = true;
    add_part(from_it, {{"t00001-a2", 0, 11}}).may_rename = true;
    add_part(from_it, {});
    const Status published = output()->publish(from_it, always).status;
    ASSERT_TRUE(published) << published.error().message;
  });
  expect_published();
}

TEST_P(OutputContract, LeavesNothingWhereverItsDiscardingDied) {
  repeat_after_each_death(
      [this] {
        ASSERT_TRUE(claim());
        map();
        int steps = 0;
        scene_->run([&] { EXPECT_FALSE(output()->publish(plan(), [&] { return ++steps < 3; }).status); });
      },
      [this] { EXPECT_TRUE(output()->discard(kTasks)); },
      [this] {
        EXPECT_EQ(files(), Files());
        EXPECT_TRUE(claim(kTheirs));
      });
}

TEST_P(OutputContract, NeverHoldsWhatAFencedAttemptWritesLater) {
  ASSERT_TRUE(claim());
  map();
  scene_->run([&] {
    Attempt fenced(scene_->name, attempt(1, 2));
    fenced.seal("right ");
    CommitPlan from_it = plan();
    from_it.parts[1].extents[1].file = "t00001-a2";
    ASSERT_TRUE(output()->publish(from_it, always).status);
    fenced.seal("LATE ", false);
  });
  scene_->settle();
  expect_published();
}

// A DataNode goes on with a file whose writer was killed, perhaps after the job has ended.
class OutputInHdfs : public OutputContract {};
TEST_P(OutputInHdfs, StaysRemovedWhereAWriteComesLate) {
  ASSERT_TRUE(claim());
  map();
  ASSERT_TRUE(discard());
  ASSERT_TRUE(claim(kTheirs));
  scene_->run([&] {
    const auto store = store::open(*store::parse_name(scene_->name));
    EXPECT_FALSE(store->write("out/_attempts/ours-1/t00000-a0.8", http::content_of("LATE ")));
  });
  for (const auto& [name, bytes] : files()) EXPECT_EQ(name, "_claim");
}

// Its client asks again meanwhile, and the store says that another creation of it is under way.
class OutputInS3 : public OutputContract {};
TEST_P(OutputInS3, IsClaimedAndPublishedByAStoreThatIsSlowWithAnAnswer) {
  scene_->delay_creation("_claim", std::chrono::seconds(8));
  const Status claimed = claim();
  ASSERT_TRUE(claimed) << claimed.error().message;
  map();
  scene_->delay_creation("_SUCCESS", std::chrono::seconds(8));
  const Status published = publish();
  ASSERT_TRUE(published) << published.error().message;
  expect_published();
}

INSTANTIATE_TEST_SUITE_P(Places, OutputInS3, testing::Values("s3"));
INSTANTIATE_TEST_SUITE_P(Places, OutputInHdfs, testing::Values("webhdfs"));
INSTANTIATE_TEST_SUITE_P(Places, OutputContract, testing::Values("directory", "s3", "webhdfs"),
                         [](const auto& place) { return std::string(place.param); });

}  // namespace
}  // namespace ontime::lab::machines::test
