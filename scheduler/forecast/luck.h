#pragma once
// Numbers that stand for luck without being random: the same question has the same answer, always. What is drawn for
// one thing in the scenarios of a forecast falls into each of as many equal parts of (0, 1) exactly once, in an order
// of its own, so that a hundred scenarios tell what thousands of independent draws would.

#include <bit>
#include <cstdint>

namespace ontime::scheduler {

class Luck {
 public:
  // scenarios: a power of two, at least 2.
  explicit Luck(std::uint32_t scenarios)
      : scenarios_(scenarios), shift_((std::bit_width(scenarios) + 1) / 2), mask_(scenarios - 1) {}

  std::uint32_t scenarios() const { return scenarios_; }

  // Strictly between 0 and 1. `who`: any name of what is drawn for.
  double draw(std::uint64_t who, std::uint32_t scenario) const {
    const std::uint64_t name = mixed(who);
    const auto first = static_cast<std::uint32_t>(name) | 1;
    const auto second = static_cast<std::uint32_t>(name >> 32);
    std::uint32_t part = (scenario * first + second) & mask_;
    part ^= part >> shift_;
    part = (part * (second | 1)) & mask_;
    part ^= part >> shift_;
    const std::uint64_t within = mixed(name + scenario);
    return (part + (static_cast<double>(within >> 12) + 0.5) * 0x1p-52) / scenarios_;
  }

 private:
  static std::uint64_t mixed(std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  std::uint32_t scenarios_;
  int shift_;
  std::uint32_t mask_;
};

}  // namespace ontime::scheduler
