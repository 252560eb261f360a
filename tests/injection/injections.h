#pragma once
// Random injections, each within its ranges; and traces from memory.

#include <rapidcheck.h>

#include <map>
#include <string>

#include "common/injection/settings.h"

namespace ontime::injection::test {

// Trace files that exist only here.
class Traces final : public TraceSource {
 public:
  std::map<std::string, std::string> files;
  Result<std::string> read(const std::string& name) override {
    const auto found = files.find(name);
    if (found == files.end()) return bad_input("the file '" + name + "' cannot be read");
    return found->second;
  }
};

// A number with few digits, so that a text of it is exact.
inline rc::Gen<double> decimal(int low, int high, double unit) {
  return rc::gen::map(rc::gen::inRange(low, high + 1), [unit](int n) { return n * unit; });
}
inline rc::Gen<Duration> time_up_to(Duration most) {
  return rc::gen::map(rc::gen::inRange<std::int64_t>(1, most.count()), [](std::int64_t ns) { return Duration(ns); });
}
inline Share any_share() { return {*decimal(1, 100, 0.01), *decimal(1, 5000, 0.125)}; }

// Without traces, whose text does not tell their factors.
inline std::optional<Distribution> any_distribution(double scale) {
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return std::nullopt;
    case 1:
      return Distribution::constant(scale);
    case 2:
      return Distribution::pareto(scale, *decimal(1, 500, 0.125));
    case 3:
      return Distribution::uniform(scale, scale + *decimal(0, 50, 0.125));
    default:
      return Distribution::lognormal(scale, *decimal(0, 50, 0.125));
  }
}

inline Accident any_accident() {
  Accident accident;
  accident.probability = *decimal(0, 100, 0.01);
  for (std::uint32_t task = 0; task < 20; ++task) {
    if (*rc::gen::inRange(0, 8) == 0)
      accident.places.push_back({task, *rc::gen::arbitrary<std::uint32_t>()});
    else if (*rc::gen::inRange(0, 8) == 0)
      accident.places.push_back({task, *decimal(0, 63, 1.0 / 64)});
  }
  return accident;
}

inline Injection any_injection() {
  Injection injection;
  injection.seed = *rc::gen::arbitrary<std::uint64_t>();
  if (*rc::gen::arbitrary<bool>()) injection.pace = *time_up_to(kPaceMax);
  if (*rc::gen::arbitrary<bool>()) injection.straggler = any_share();
  injection.slowdown = any_distribution(1);
  if (*rc::gen::arbitrary<bool>()) injection.nodes.push_back({"host-1:4711", 2.5});
  if (*rc::gen::arbitrary<bool>()) injection.nodes.push_back({"rack-*", 0.5});
  if (*rc::gen::arbitrary<bool>()) injection.slow_nodes = any_share();
  injection.launch = any_distribution(*decimal(1, 100, 0.25));
  injection.start = any_distribution(*decimal(1, 100, 0.25));
  injection.start_of = static_cast<StartOf>(*rc::gen::inRange(0, 3));
  injection.reads_ahead = *rc::gen::element<std::uint64_t>(0, 1, 8192, kAllAhead);
  if (*rc::gen::arbitrary<bool>()) {
    injection.pause_probability = *decimal(1, 100, 0.01);
    injection.pause = *time_up_to(kPauseMax);
  }
  injection.stall = any_accident();
  injection.crash = any_accident();
  injection.burners = *rc::gen::inRange(0u, kBurnersMax + 1);
  return injection;
}

}  // namespace ontime::injection::test
