#pragma once
// Random numbers that are the same on every machine, and the arithmetic for it. Each thing that is drawn has a stream
// of its own, named by what it is for and by whom: the first attempt of a task takes as long under one policy as under
// another, whatever else they do, so that policies are compared on the same luck.

#include <array>
#include <cstdint>

namespace ontime::lab {

// Functions that give the same bits on every machine, which those of the C library need not: they are made of
// additions, multiplications, divisions and square roots only, all of which IEEE 754 rounds in one way. Accurate to
// about 1e-15 (normal_score: 1e-9), relatively.
double natural_log(double x);      // x > 0, normal
double exponential(double x);      // 0 below -700, infinite above 709
double power(double x, double y);  // x > 0

// P(Z > z) of the standard normal distribution.
double normal_survival(double z);
// The z with P(Z > z) = s, 0 < s < 1.
double normal_score(double s);

// Never renumber: seeds of reported runs depend on it.
enum class Purpose : std::uint64_t {
  Arrivals = 1,
  JobSize = 2,
  NodeSlowness = 3,
  NodeScore = 4,
  Launch = 5,
  Duration = 6,
  Heartbeat = 7,
  Crash = 8,
  Outage = 9,
  JobScale = 10,
  Skew = 11,
  NetworkDelay = 12,
  PacketLoss = 13,
  Sync = 14,
  Commit = 15,
  Choice = 16,
  SplitLength = 17,
  History = 18,
  Faults = 10,  // of fault schedules, which have no JobScale
  Store = 16,   // of fault schedules too
  Test = 100,
};

// xoshiro256++, seeded through splitmix64.
class Random {
 public:
  Random(std::uint64_t seed, Purpose purpose, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0);

  std::uint64_t next();
  double uniform();                          // strictly between 0 and 1
  std::uint64_t below(std::uint64_t bound);  // 0 to bound - 1; bound > 0

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace ontime::lab
