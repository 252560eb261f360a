#pragma once
// PoCD of a task whose rest is divided into s pieces, each raced by c fresh attempts:
//
//   R = [1 - ((1 - phi) t_min / (s (D - tau - t_lau)))^(beta c)]^s
//
// A copy is never faster than t_min, so copies alone cannot save a task with (1 - phi) t_min >= D - tau - t_lau; a
// divided rest can be worked off in any time, given the slots. s = 1 is Shed+'s eq. 9 without the attempt that is kept.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "scheduler/math/fitted_tail.h"

namespace ontime::scheduler {

// ln R of s >= 1 pieces, not necessarily whole, each raced by c > 0 attempts, from ln((1 - phi) t_min / (D - tau - t_lau));
// good to the precision of ln_share and of ln s, so not where a piece just fits into its time. A piece's odds are clamped
// to a probability.
double ln_divided_pocd(double ln_share, double beta, double s, double c);

// How many fresh attempts the rest of each late piece gets, and how they share it: s pieces raced by c attempts each.
// The value of n slots is not concave in n (two pieces may be as late as one, three in time), so a grant looks ahead:
// it climbs each rest's upper hull. O((rests + slots) log rests).

inline constexpr std::uint32_t kSlotsPerGrantMax = 64;

// What may be handed to fresh attempts, and what it is worth. Times in seconds.
struct RemainingWork {
  double work = 0;               // what a perfect attempt takes for it: (1 - phi) t_min
  double window = 0;             // D - tau - t_lau
  double beta = 2;               // shape of the execution times, if they are Pareto
  std::uint32_t pieces_max = 1;  // more are not worth their launches
  std::uint32_t copies_max = 1;  // c is not above it
  double ln_before = 0;          // ln P(it is in time) if nothing is done
  // If execution times are not Pareto: their distribution, in seconds per byte, and ln of what an attempt at all of the
  // rest may take of them.
  const math::FittedTail* tail = nullptr;
  double ln_time = 0;

  // Not even a perfect attempt at one of the smallest pieces would be in time.
  bool is_hopeless() const { return !(work < static_cast<double>(pieces_max) * window); }
};

struct Division {
  std::uint32_t pieces = 0;  // s; 0: nothing is done
  std::uint32_t copies = 0;  // c: attempts per piece
  double ln_pocd = -std::numeric_limits<double>::infinity();

  std::uint32_t slots() const { return pieces * copies; }
};

// The best division with at most 0, 1, ..., slots_max slots; each at least as good as the one before.
// slots_max is at most kSlotsPerGrantMax.
std::vector<Division> ladder_of(const RemainingWork& remaining, std::uint32_t slots_max);

struct GrantRules {
  std::uint32_t slots_max = 10;  // per rest, at most kSlotsPerGrantMax
  double gain_min = 0;           // in ln PoCD per slot; less is not worth a slot
};

// One division per rest, in their order, with at most `slots` slots together: always the stretch of some rest's hull
// that gains most per slot; ties go to the earlier rest.
std::vector<Division> grant(std::span<const RemainingWork> remainders, std::uint32_t slots, const GrantRules& rules);

}  // namespace ontime::scheduler
