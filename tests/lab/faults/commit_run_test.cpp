#include "lab/faults/commit_run.h"

#include <gtest/gtest.h>

namespace ontime::lab::faults {
namespace {

// Two tasks: one mapped by one attempt, one by two.
class CommitRunTest : public testing::Test {
 protected:
  CommitRunTest() : directory_(store_.create_directory()) {
    write("t00000-a0", {0, 1, 2, 99});  // 99 was never sealed
    write("t00001-a0", {3, 4});
    write("t00001-a1", {5, 6});
    plan_.parts = {{"part-m-00000", 3, {{"t00000-a0", 0, 3}}, true},
                   {"part-m-00001", 3, {{"t00001-a0", 0, 2}, {"t00001-a1", 1, 1}}, false}};
  }
  void write(const std::string& name, std::vector<std::uint32_t> records) {
    const FileId file = store_.create();
    store_.file(file).records = std::move(records);
    store_.directory(directory_).attempts[name] = file;
  }
  // Takes at most so many steps.
  bool commit(int steps) {
    CommitRun run(plan_, directory_);
    for (; steps > 0 && !run.is_over(); --steps) run.step(store_);
    EXPECT_EQ(run.error(), "");
    return run.is_over();
  }
  std::vector<std::uint32_t> part(const std::string& name) {
    return store_.file(store_.directory(directory_).parts.at(name)).records;
  }

  OutputStore store_;
  std::uint32_t directory_;
  master::CommitPlan plan_;
};

TEST_F(CommitRunTest, CanBeginAgainAfterAnyOfItsSteps) {
  for (int steps = 0; steps < 5; ++steps) EXPECT_FALSE(commit(std::min(steps, 4)));
  EXPECT_TRUE(commit(10));
  EXPECT_TRUE(store_.directory(directory_).has_success);
  EXPECT_EQ(part("part-m-00000"), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(part("part-m-00001"), (std::vector<std::uint32_t>{3, 4, 6}));
  EXPECT_TRUE(commit(1));
}

TEST_F(CommitRunTest, AWriterOfARenamedFileWouldBeSeen) {
  const FileId file = store_.directory(directory_).attempts.at("t00000-a0");
  EXPECT_TRUE(commit(10));
  store_.file(file).records.push_back(7);
  EXPECT_EQ(part("part-m-00000").size(), 4u);
}

}  // namespace
}  // namespace ontime::lab::faults
