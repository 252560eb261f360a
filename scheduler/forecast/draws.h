#pragma once
// The draws of a forecast's scenarios: luck that is not random, and quantiles to turn it into times.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "common/base/random.h"

namespace ontime::scheduler {

// Numbers that stand for luck without being random: the same question always has the same answer. What is drawn for one
// thing falls into each of as many equal parts of (0, 1) exactly once, in an order of its own (stratified sampling), so
// that a hundred scenarios tell what thousands of independent draws would.
class Luck {
 public:
  // scenarios: a power of two, at least 2.
  explicit Luck(std::uint32_t scenarios)
      : scenarios_(scenarios), shift_((std::bit_width(scenarios) + 1) / 2), mask_(scenarios - 1) {}

  std::uint32_t scenarios() const { return scenarios_; }

  // Strictly between 0 and 1. `who`: any name of what is drawn for.
  double draw(std::uint64_t who, std::uint32_t scenario) const {
    const std::uint64_t name = mixed(who + kGoldenGamma);
    const auto first = static_cast<std::uint32_t>(name) | 1;
    const auto second = static_cast<std::uint32_t>(name >> 32);
    std::uint32_t part = (scenario * first + second) & mask_;
    part ^= part >> shift_;
    part = (part * (second | 1)) & mask_;
    part ^= part >> shift_;
    const std::uint64_t within = mixed(name + scenario + kGoldenGamma);
    return (part + (static_cast<double>(within >> 12) + 0.5) * 0x1p-52) / scenarios_;
  }

 private:
  std::uint32_t scenarios_;
  int shift_;
  std::uint32_t mask_;
};

// What is drawn for one thing: a name of its own for each, so that one more draw does not change the others.
enum Salt : std::uint64_t { kTailSalt = 1, kLaunchSalt = 3, kSlotSalt, kMostSalt, kOthersSalt, kRescueSalt = 64 };
inline std::uint64_t salted(std::uint64_t name, std::uint64_t salt) { return name * kGoldenGamma + salt; }

// The greatest of so many draws: P(all of n are below x) = P(one is)^n, so its quantile q is one draw's at q^(1/n).
inline double greatest(double quantile, double count) { return count > 1 ? std::pow(quantile, 1 / count) : quantile; }

// Quantiles of a distribution, looked up instead of computed: a forecast asks for a hundred thousand of them.
class Quantiles {
 public:
  // exact(q) for 0 < q < 1, rising. It is asked again where a straight line between neighbours would not do: far out.
  explicit Quantiles(std::function<double(double)> exact) : exact_(std::move(exact)) {
    at_.reserve(kCells + 1);
    for (std::size_t i = 0; i <= kCells; ++i) {
      const double root = static_cast<double>(i) / kPerUnit;
      at_.push_back(exact_at(root));
    }
  }

  // The quantile at which P(greater) is e^-hazard, hazard > 0.
  double at_hazard(double hazard) const {
    const double root = std::sqrt(hazard);  // both ends are stretched by it
    const double place = root * kPerUnit;
    const auto cell = static_cast<std::size_t>(place);
    if (cell < kEdge || cell >= kCells) return exact_at(root);
    const double share = place - static_cast<double>(cell);
    return at_[cell] + share * (at_[cell + 1] - at_[cell]);
  }
  double operator()(double q) const { return at_hazard(-std::log1p(-q)); }

 private:
  static constexpr double kPerUnit = 256;
  static constexpr std::size_t kCells = 1024;
  static constexpr std::size_t kEdge = 16;
  static constexpr double kOutermost = 1e-12;

  double exact_at(double root) const {
    return exact_(std::clamp(-std::expm1(-root * root), kOutermost, 1 - kOutermost));
  }

  std::function<double(double)> exact_;
  std::vector<double> at_;
};

}  // namespace ontime::scheduler
