#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

#include "scheduler/math/numeric.h"
#include "scheduler/policies/split_resume/split_resume.h"

namespace ontime::scheduler {

// Each of s independent pieces must make it, and a piece makes it if one of c independent attempts does. An attempt has
// 1/s of the work, so its ln miss is beta (ln share - ln s), which is Shed+'s eq. 9 with a smaller remainder.
double ln_divided_pocd(double ln_share, double beta, double s, double c) {
  const double ln = ln_share - std::log(s);
  return s * math::ln_one_minus_exp(math::times(c, ln < 0 ? beta * ln : 0));
}

namespace {

// A stretch of a hull: the next slots of one remainder.
struct Stretch {
  double rate;          // gain in ln PoCD per slot
  std::uint32_t index;  // of the remainder
  std::uint32_t to;     // slots that it has then

  bool operator<(const Stretch& other) const {  // the greatest comes first in a priority queue
    return rate != other.rate ? rate < other.rate : index > other.index;
  }
};

// 1 / n, because a division for each rung is slow.
constexpr auto kInverse = [] {
  std::array<double, kSlotsPerGrantMax + 1> inverse{};
  for (std::size_t n = 1; n < inverse.size(); ++n) inverse[n] = 1 / static_cast<double>(n);
  return inverse;
}();

// The stretch that gains most per slot from `from` on, within `slots_left` more slots: an edge of the upper hull of the
// ladder. Step by step would not do, since the first piece of a hopeless rest gains nothing and the third all.
Stretch best_stretch(std::span<const Division> ladder, std::uint32_t index, std::uint32_t from,
                     std::uint32_t slots_left) {
  Stretch best{0, index, from};
  for (std::uint32_t to = from + 1; to < ladder.size() && to - from <= slots_left; ++to) {
    const double rate = (ladder[to].ln_pocd - ladder[from].ln_pocd) * kInverse[to - from];
    if (rate > best.rate) best = {rate, index, to};
  }
  return best;
}

// From this ln PoCD on the gain of each further piece is less than the one before: below it ln R = s ln(1 - q s^-beta)
// may be convex in s.
constexpr double kNearlyCertain = -0.05;

// s^-beta for s = 0, 1, ..., kept for the rests of one job, which have the same beta.
class Powers {
 public:
  const double* of(double beta) {
    if (beta == beta_) return values_.data();
    beta_ = beta;
    for (std::size_t s = 1; s < values_.size(); ++s) values_[s] = std::pow(static_cast<double>(s), -beta);
    return values_.data();
  }

 private:
  double beta_ = -1;
  std::array<double, kSlotsPerGrantMax + 1> values_{};
};

// ln s, for tails that are asked by it.
constexpr auto kLn = [] {
  std::array<double, kSlotsPerGrantMax + 1> ln{};
  // ln(s) = ln(s - 1) + 2 artanh(1 / (2 s - 1)), as std::log is not available at compile time.
  for (std::size_t s = 2; s < ln.size(); ++s) {
    const double x = 1 / (2 * static_cast<double>(s) - 1);
    double sum = 0;
    double power = x;
    for (int k = 1; k < 60; k += 2, power *= x * x) sum += power / k;
    ln[s] = ln[s - 1] + 2 * sum;
  }
  return ln;
}();

// P(one attempt at one of s pieces is late), not below 1 where even a perfect one is.
class PieceOdds {
 public:
  PieceOdds(const RemainingWork& remaining, Powers& powers) : tail_(remaining.tail), ln_time_(remaining.ln_time) {
    if (tail_ != nullptr) return;
    share_ = std::pow(remaining.work / remaining.window, remaining.beta);
    shrinks_ = powers.of(remaining.beta);
  }
  double miss(std::uint32_t pieces) const {
    if (tail_ == nullptr) return share_ * shrinks_[pieces];
    return std::exp(tail_->ln_survival_at(ln_time_ + kLn[pieces]));
  }

 private:
  const math::FittedTail* tail_;
  double ln_time_;
  double share_ = 0;
  const double* shrinks_ = nullptr;
};

// The ladder's rungs behind those that are there already. ln R = s ln(1 - (share^beta s^-beta)^c), as
// ln_divided_pocd has it, but without a logarithm and a power for each rung. Ends where another piece gains less
// than gain_min: from kNearlyCertain on gains only shrink.
void append_ladder(const RemainingWork& remaining, std::uint32_t slots_max, double gain_min, Powers& powers,
                   std::vector<Division>& to) {
  const std::size_t foot = to.size();
  to.resize(foot + slots_max + 1, {0, 0, remaining.ln_before});
  if (!(remaining.window > 0)) return;
  Division* const ladder = &to[foot];
  const PieceOdds odds(remaining, powers);
  for (std::uint32_t pieces = 1; pieces <= std::min(remaining.pieces_max, slots_max); ++pieces) {
    const double miss = odds.miss(pieces);
    if (!(miss < 1)) continue;  // even a perfect attempt would be late
    double ln_pocd = pieces * std::log1p(-miss);
    const bool is_enough =
        pieces > 1 && ladder[pieces - 1].ln_pocd > kNearlyCertain && ln_pocd - ladder[pieces - 1].ln_pocd < gain_min;
    if (is_enough && remaining.copies_max == 1) break;
    double all_miss = miss;
    for (std::uint32_t copies = 1;;) {
      Division& rung = ladder[pieces * copies];
      if (ln_pocd > rung.ln_pocd) rung = {pieces, copies, ln_pocd};
      if (++copies > remaining.copies_max || pieces * copies > slots_max) break;
      all_miss *= miss;
      ln_pocd = pieces * std::log1p(-all_miss);
    }
  }
  // More slots are never worse: what a division cannot use is left free. This makes the ladder monotone, as the hull
  // needs it, where n slots have no division of their own (a prime number of slots and few copies).
  for (std::uint32_t n = 1; n <= slots_max; ++n) {
    if (ladder[n - 1].ln_pocd >= ladder[n].ln_pocd) ladder[n] = ladder[n - 1];
  }
}

}  // namespace

std::vector<Division> ladder_of(const RemainingWork& remaining, std::uint32_t slots_max) {
  std::vector<Division> ladder;
  Powers powers;
  append_ladder(remaining, std::min(slots_max, kSlotsPerGrantMax), 0, powers, ladder);
  return ladder;
}

// A greedy climb over the hulls: always the stretch that gains most per slot. For concave ladders that is optimal, and
// the hull is the least concave ladder above each one; only the last stretch, which may not fit, can be worse than the
// best choice.
std::vector<Division> grant(std::span<const RemainingWork> remainders, std::uint32_t slots, const GrantRules& rules) {
  std::vector<Division> ladders;     // one behind the other
  std::vector<std::size_t> feet{0};  // where each begins, and where the last one ends
  Powers powers;
  std::vector<std::uint32_t> level(remainders.size(), 0);
  std::uint32_t left = slots;
  // A stretch that gains less than the least is no stretch: its slots are left to others.
  const auto stretch_of = [&](std::uint32_t i) {
    const Stretch stretch = best_stretch({&ladders[feet[i]], feet[i + 1] - feet[i]}, i, level[i], left);
    return stretch.rate >= rules.gain_min + remainders[i].gain_min ? stretch : Stretch{0, i, level[i]};
  };
  std::vector<Stretch> stretches;
  stretches.reserve(remainders.size());
  feet.reserve(remainders.size() + 1);
  ladders.reserve(remainders.size() * (rules.slots_max + 1));
  for (std::uint32_t i = 0; i < remainders.size(); ++i) {
    const std::uint32_t wanted = std::max(rules.slots_max, remainders[i].pieces_max);
    append_ladder(remainders[i], std::min({wanted, slots, kSlotsPerGrantMax}), rules.gain_min, powers, ladders);
    feet.push_back(ladders.size());
    if (const Stretch stretch = stretch_of(i); stretch.to > 0) stretches.push_back(stretch);
  }
  std::priority_queue<Stretch, std::vector<Stretch>, std::less<>> next(std::less<>(), std::move(stretches));
  while (!next.empty() && left > 0) {
    const Stretch stretch = next.top();
    next.pop();
    std::uint32_t& at = level[stretch.index];
    // `left` may have shrunk since the stretch was found. Then a shorter one of the same remainder may still fit.
    if (stretch.to - at <= left) {
      left -= stretch.to - at;
      at = stretch.to;
    }
    // The next stretch, or a shorter one because this one did not fit.
    if (const Stretch more = stretch_of(stretch.index); more.to > at) next.push(more);
  }
  std::vector<Division> granted(remainders.size());
  for (std::size_t i = 0; i < remainders.size(); ++i) granted[i] = ladders[feet[i] + level[i]];
  return granted;
}

}  // namespace ontime::scheduler
