// The choice of (s, c) and the joint grant.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {
namespace {

TEST(Division, AParetoTailGivesWhatItsFormulaGives) {
  const RemainingWork formula{30, 20, 1.5, 10, 2, -20};
  RemainingWork asked = formula;
  const math::FittedTail tail = math::FittedTail::pareto(30, 1.5);  // seconds per byte, of one byte
  asked.tail = &tail;
  asked.ln_time = std::log(20);
  const auto expected = ladder_of(formula, 10);
  const auto ladder = ladder_of(asked, 10);
  for (std::size_t slots = 0; slots < ladder.size(); ++slots) {
    EXPECT_EQ(ladder[slots].pieces, expected[slots].pieces) << slots;
    EXPECT_EQ(ladder[slots].copies, expected[slots].copies) << slots;
    EXPECT_NEAR(ladder[slots].ln_pocd, expected[slots].ln_pocd, 1e-9) << slots;
  }
}

TEST(Division, ALognormalRestIsDividedUntilItIsLikelyInTime) {
  const math::FittedTail tail = math::FittedTail::lognormal(std::log(40), 0.4);
  RemainingWork rest{20, 20, 2, 10, 1, -20};
  rest.tail = &tail;
  rest.ln_time = std::log(20);
  const auto ladder = ladder_of(rest, 10);
  EXPECT_LT(std::exp(ladder[1].ln_pocd), 0.1);
  EXPECT_GT(std::exp(ladder[10].ln_pocd), 0.99);
  for (std::size_t slots = 1; slots < ladder.size(); ++slots)
    EXPECT_GE(ladder[slots].ln_pocd, ladder[slots - 1].ln_pocd);
}

GrantRules rules(std::uint32_t max) { return {max, 0}; }

double total(const std::vector<Division>& divisions) {
  double sum = 0;
  for (const Division& division : divisions) sum += division.ln_pocd;
  return sum;
}

std::uint32_t slots(const std::vector<Division>& divisions) {
  std::uint32_t sum = 0;
  for (const Division& division : divisions) sum += division.slots();
  return sum;
}

// The best sum for at most `left` slots, by trying everything.
double best_sum(std::span<const std::vector<Division>> ladders, std::uint32_t left) {
  if (ladders.empty()) return 0;
  double best = -INFINITY;
  for (std::uint32_t n = 0; n < ladders[0].size() && n <= left; ++n) {
    best = std::max(best, ladders[0][n].ln_pocd + best_sum(ladders.subspan(1), left - n));
  }
  return best;
}

TEST(Division, IsTheBestOfAllWaysToUseTheSlots) {
  const RemainingWork rest{100, 40, 1.5, 10, 10, -20};
  const std::vector<Division> ladder = ladder_of(rest, 12);
  for (std::uint32_t n = 1; n <= 12; ++n) {
    double best = rest.ln_before;
    for (std::uint32_t s = 1; s <= std::min(n, 10u); ++s) {
      for (std::uint32_t c = 1; s * c <= n; ++c) {
        best = std::max(best, ln_divided_pocd(std::log(2.5), 1.5, s, c));
      }
    }
    EXPECT_NEAR(ladder[n].ln_pocd, best, 1e-12 * std::abs(best)) << n;
    EXPECT_LE(ladder[n].slots(), n);
  }
}

TEST(Division, CopiesAreNoUseWhereEvenAPerfectAttemptIsLate) {
  const std::vector<Division> ladder = ladder_of({100, 40, 1.5, 10, 10, -20}, 10);
  EXPECT_EQ(ladder[2].slots(), 0u);  // two pieces would be late as well
  EXPECT_EQ(ladder[3].pieces, 3u);
}

TEST(Division, LooksBeyondSlotsThatAreNoUseByThemselves) {
  const RemainingWork late{100, 30, 1.5, 10, 10, -20};  // needs four pieces
  EXPECT_GE(grant(std::vector<RemainingWork>{late}, 10, rules(10))[0].pieces, 4u);
  EXPECT_EQ(grant(std::vector<RemainingWork>{late}, 3, rules(10))[0].slots(), 0u);
}

TEST(Division, PiecesThatDoNotPayForTheirLaunchAreNotMade) {
  for (const Division& division : ladder_of({100, 40, 1.5, 4, 10, -20}, 10)) EXPECT_LE(division.pieces, 4u);
}

TEST(Division, GainsThatAreNotWorthASlotAreLeft) {
  const std::vector<RemainingWork> easy{{10, 100, 2, 10, 10, -20}};
  EXPECT_EQ(grant(easy, 10, {10, 0.1})[0].slots(), 1u);
  EXPECT_GT(grant(easy, 10, {10, 0})[0].slots(), 1u);
}

TEST(Division, ARestThatNeedsMoreSlotsThanOthersMayGetThem) {
  const std::vector<RemainingWork> rests{{100, 30, 1.5, 10, 1, -20}, {100, 3, 1.5, 60, 1, -120}};
  const std::vector<Division> divisions = grant(rests, 100, rules(10));
  EXPECT_LE(divisions[0].slots(), 10u);
  EXPECT_GT(divisions[1].slots(), 33u);
  EXPECT_EQ(grant(rests, 20, rules(10))[1].slots(), 0u);
}

TEST(Division, AHopelessRestGetsNothing) {
  const std::vector<RemainingWork> rests{
      {100, 5, 1.5, 10, 10, -20}, {100, 80, 1.5, 10, 10, -20}, {100, -1, 1.5, 10, 10, -20}};
  const std::vector<Division> divisions = grant(rests, 20, rules(10));
  EXPECT_TRUE(rests[0].is_hopeless() && rests[2].is_hopeless());
  EXPECT_EQ(divisions[0].slots(), 0u);
  EXPECT_EQ(divisions[2].slots(), 0u);
  EXPECT_GE(divisions[1].slots(), 9u);
}

rc::Gen<RemainingWork> any_rest() {
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange(1, 400), rc::gen::inRange(-5, 100), rc::gen::inRange(50, 300),
                                     rc::gen::inRange(1u, 9u), rc::gen::inRange(0, 200), rc::gen::inRange(1u, 9u)),
                      [](const auto& t) {
                        return RemainingWork{std::get<0>(t) * 1.0, std::get<1>(t) * 1.0, std::get<2>(t) / 100.0,
                                             std::get<3>(t),       std::get<5>(t),       -std::get<4>(t) / 10.0};
                      });
}

RC_GTEST_PROP(Division, AGrantStaysWithinItsSlotsAndNearTheBest, ()) {
  const auto rests = *rc::gen::container<std::vector<RemainingWork>>(*rc::gen::inRange(0, 4), any_rest());
  const auto budget = *rc::gen::inRange(0u, 13u);
  const std::vector<Division> divisions = grant(rests, budget, rules(8));
  RC_ASSERT(slots(divisions) <= budget);
  std::vector<std::vector<Division>> ladders;
  double hull_gap = 0;  // the greatest value of a stretch that may not have fitted
  for (const RemainingWork& rest : rests) {
    ladders.push_back(ladder_of(rest, 8));
    hull_gap = std::max(hull_gap, ladders.back().back().ln_pocd - rest.ln_before);
  }
  RC_ASSERT(total(divisions) >= best_sum(ladders, budget) - hull_gap - 1e-9);
  RC_ASSERT(total(divisions) <= best_sum(ladders, budget) + 1e-9);
}

}  // namespace
}  // namespace ontime::scheduler
