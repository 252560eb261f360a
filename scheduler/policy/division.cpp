#include "scheduler/policy/division.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "scheduler/pocd/divided_pocd.h"

namespace ontime::scheduler {
namespace {

// A stretch of a hull: the next slots of a rest.
struct Stretch {
  double rate;  // gain in ln PoCD per slot
  std::size_t rest;
  std::uint32_t to;

  bool operator<(const Stretch& other) const {  // the greatest comes first in a priority queue
    return rate != other.rate ? rate < other.rate : rest > other.rest;
  }
};

// The stretch that gains most per slot from `from` on, within `slots_left` more slots.
Stretch best_stretch(std::span<const Division> ladder, std::size_t rest, std::uint32_t from, std::uint32_t slots_left) {
  Stretch best{0, rest, from};
  for (std::uint32_t to = from + 1; to < ladder.size() && to - from <= slots_left; ++to) {
    const double rate = (ladder[to].ln_pocd - ladder[from].ln_pocd) / static_cast<double>(to - from);
    if (rate > best.rate) best = {rate, rest, to};
  }
  return best;
}

}  // namespace

std::vector<Division> ladder_of(const Rest& rest, std::uint32_t slots_max) {
  std::vector<Division> ladder(slots_max + 1);
  for (Division& division : ladder) division.ln_pocd = rest.ln_before;
  if (!(rest.window > 0)) return ladder;
  const double ln_share = std::log(rest.work / rest.window);
  for (std::uint32_t pieces = 1; pieces <= std::min(rest.pieces_max, slots_max); ++pieces) {
    for (std::uint32_t copies = 1; copies <= rest.copies_max && pieces * copies <= slots_max; ++copies) {
      const double ln_pocd = pocd::ln_divided_pocd(ln_share, rest.beta, pieces, copies);
      Division& rung = ladder[pieces * copies];
      if (ln_pocd > rung.ln_pocd) rung = {pieces, copies, ln_pocd};
    }
  }
  for (std::size_t n = 1; n < ladder.size(); ++n) {
    if (ladder[n - 1].ln_pocd >= ladder[n].ln_pocd) ladder[n] = ladder[n - 1];
  }
  return ladder;
}

std::vector<Division> grant(std::span<const Rest> rests, std::uint32_t slots, const GrantRules& rules) {
  const std::uint32_t slots_max = std::min({rules.slots_max, slots, kSlotsPerGrantMax});
  std::vector<std::vector<Division>> ladders;
  std::vector<std::uint32_t> level(rests.size(), 0);
  std::priority_queue<Stretch> next;
  std::uint32_t left = slots;
  const auto offer = [&](std::size_t i) {
    const Stretch stretch = best_stretch(ladders[i], i, level[i], left);
    if (stretch.to > level[i] && stretch.rate >= rules.gain_min) next.push(stretch);
  };
  ladders.reserve(rests.size());
  for (std::size_t i = 0; i < rests.size(); ++i) {
    ladders.push_back(ladder_of(rests[i], slots_max));
    offer(i);
  }
  while (!next.empty() && left > 0) {
    const Stretch stretch = next.top();
    next.pop();
    std::uint32_t& at = level[stretch.rest];
    if (stretch.to - at <= left) {
      left -= stretch.to - at;
      at = stretch.to;
    }
    offer(stretch.rest);  // the next stretch, or a shorter one because this one did not fit
  }
  std::vector<Division> granted(rests.size());
  for (std::size_t i = 0; i < rests.size(); ++i) granted[i] = ladders[i][level[i]];
  return granted;
}

}  // namespace ontime::scheduler
