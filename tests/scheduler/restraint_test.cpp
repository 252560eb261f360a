// What a job's policy may spend, and what becomes of its promises.
#include "scheduler/core/restraint.h"

#include <gtest/gtest.h>

namespace ontime::scheduler {
namespace {

Speculate given_tail(std::uint64_t segment) {
  Speculate decision;
  decision.task = {{1}, 0};
  decision.segment = segment;
  decision.work = GivenTail{{{segment + 50, 1}}, Handover::Predicted};
  return decision;
}

Speculate whole(std::uint64_t segment) {
  Speculate decision = given_tail(segment);
  decision.work = WholeSegment{1};
  return decision;
}

Worth worth(double without, double with, double price) { return {without, with, price, true, true}; }

TEST(Restraint, WhatIsNotWorthItIsRefused) {
  const Restraint restraint;
  EXPECT_EQ(restraint.refusal(whole(0), {10, 9, 0, false, true}, 100), Reason::NotWorthIt);
  EXPECT_FALSE(restraint.refusal(whole(0), worth(10, 5, 1), 100));
}

TEST(Restraint, ABudgetOfTheJobsOwnWorkBoundsWhatPromisesCost) {
  Restraint restraint;
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(restraint.refusal(whole(0), worth(100, 50, 10), 100)) << i;
    restraint.promise(whole(0), worth(100, 50, 10), {0, 100});
  }
  EXPECT_EQ(restraint.refusal(whole(0), worth(100, 50, 10), 100), Reason::BudgetSpent);
  EXPECT_FALSE(restraint.refusal(whole(0), worth(100, 50, -3), 100)) << "what spares machine time costs nothing";
  EXPECT_FALSE(restraint.refusal(whole(0), worth(100, 50, 10), 0)) << "nothing is known of the job's work";
}

TEST(Restraint, WhatPromisesNothingOfItsOwnCostsTheSameBudget) {
  Restraint restraint;
  const Worth end = worth(100, 50, 60);
  EXPECT_FALSE(restraint.refusal(end, 100));
  restraint.spend(end);
  EXPECT_EQ(restraint.refusal(end, 100), Reason::BudgetSpent);
  EXPECT_EQ(restraint.refusal(whole(0), worth(100, 50, 50), 100), Reason::BudgetSpent);
  EXPECT_FALSE(restraint.refusal(whole(0), worth(100, 50, 40), 100));
  EXPECT_EQ(restraint.refusal({10, 9, 0, false, true}, 100), Reason::NotWorthIt);
}

TEST(Restraint, AJobWhosePromisesDoNotComeIsDividedNoMore) {
  Restraint restraint;
  Ledger ledger({0, 300});
  for (const std::uint64_t at : {100, 200}) ASSERT_TRUE(ledger.cut(at - 100, at));
  for (const std::uint64_t begin : {0, 100, 200})
    restraint.promise(given_tail(begin), worth(20, 10, 1), {begin, begin + 100});
  const auto seal = [&](std::uint64_t begin, double now) {
    EXPECT_TRUE(ledger.seal({begin, begin + 100}, begin + 100, 0, {}));
    return restraint.on_sealed(0, {begin, begin + 100}, ledger, now);
  };
  EXPECT_FALSE(seal(0, 19));
  EXPECT_FALSE(seal(100, 19));
  EXPECT_TRUE(seal(200, 19)) << "3 s came of 30";
  EXPECT_EQ(restraint.refusal(given_tail(0), worth(20, 10, 1), 100), Reason::NothingGained);
  EXPECT_FALSE(restraint.refusal(whole(0), worth(20, 10, 1), 100)) << "a race loses nothing";
  EXPECT_FALSE(restraint.on_sealed(0, {200, 300}, ledger, 20)) << "said once";
}

TEST(Restraint, PromisesThatComeAreTrustedOn) {
  Restraint restraint;
  Ledger ledger({0, 100});
  for (int i = 0; i < 5; ++i) restraint.promise(given_tail(0), worth(20, 10, 1), {0, 100});
  EXPECT_TRUE(ledger.seal({0, 100}, 100, 0, {}));
  EXPECT_FALSE(restraint.on_sealed(0, {0, 100}, ledger, 12));
  EXPECT_FALSE(restraint.refusal(given_tail(0), worth(20, 10, 1), 100));
}

TEST(Restraint, ARaceIsNoHarm) {
  Restraint restraint;
  Ledger ledger({0, 100});
  for (int i = 0; i < 5; ++i) restraint.promise(whole(0), worth(20, 10, 1), {0, 100});
  EXPECT_TRUE(ledger.seal({0, 100}, 100, 0, {}));
  EXPECT_FALSE(restraint.on_sealed(0, {0, 100}, ledger, 30)) << "it would have taken as long without";
  EXPECT_FALSE(restraint.slower_by(30));
}

TEST(Restraint, WhatDoesNotBindIsNotRegretted) {
  Restraint restraint;
  Ledger ledger({0, 100});
  for (int i = 0; i < 5; ++i) restraint.promise(given_tail(0), {20, 10, 1, true, false}, {0, 100});
  EXPECT_TRUE(ledger.seal({0, 100}, 100, 0, {}));
  EXPECT_FALSE(restraint.on_sealed(0, {0, 100}, ledger, 30));
  EXPECT_TRUE(restraint.slower_by(30)) << "but told at the end";
}

TEST(Restraint, SaysWhenDoingNothingWouldHaveBeenFaster) {
  Restraint restraint;
  Ledger ledger({0, 200});
  ASSERT_TRUE(ledger.cut(0, 100));
  restraint.promise(given_tail(0), worth(20, 10, 1), {0, 100});
  EXPECT_TRUE(ledger.seal({100, 200}, 200, 0, {}));
  restraint.on_sealed(0, {100, 200}, ledger, 5);
  EXPECT_TRUE(ledger.seal({0, 100}, 100, 0, {}));
  restraint.on_sealed(0, {0, 100}, ledger, 30);
  ASSERT_TRUE(restraint.slower_by(30));
  EXPECT_DOUBLE_EQ(*restraint.slower_by(30), 10);
}

TEST(Restraint, SaysNothingOfHarmWhereOthersWereLast) {
  Restraint restraint;
  Ledger ledger({0, 200});
  ASSERT_TRUE(ledger.cut(0, 100));
  restraint.promise(given_tail(0), worth(20, 10, 1), {0, 100});
  EXPECT_TRUE(ledger.seal({0, 100}, 100, 0, {}));
  restraint.on_sealed(0, {0, 100}, ledger, 30);
  EXPECT_TRUE(ledger.seal({100, 200}, 200, 0, {}));
  restraint.on_sealed(0, {100, 200}, ledger, 31);
  EXPECT_FALSE(restraint.slower_by(31));
}

}  // namespace
}  // namespace ontime::scheduler
