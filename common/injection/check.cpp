#include <algorithm>

#include "common/injection/injection.h"

namespace ontime::injection {
namespace {

// False for what is not a number, too.
bool is_within(double value, double low, double high) { return value >= low && value <= high; }
bool is_within(Duration value, Duration most) { return value >= Duration(0) && value <= most; }
bool is_factor(double value) { return is_within(value, kFactorMin, kFactorMax); }

bool is_good(const Share& share) { return is_within(share.share, 0, 1) && is_factor(share.factor); }

bool is_good(const Distribution& distribution, double scale_max) {
  const bool has_scale = is_within(distribution.scale, 0, scale_max);
  switch (distribution.shape) {
    case Shape::Never:
      return true;
    case Shape::Constant:
      return has_scale;
    case Shape::Pareto:
      return has_scale && is_within(distribution.spread, 0.1, 100);
    case Shape::Lognormal:
      return has_scale && is_within(distribution.spread, 0, 10);
    case Shape::Trace:
      return !distribution.trace.empty() && distribution.trace.size() <= kTraceMax &&
             std::all_of(distribution.trace.begin(), distribution.trace.end(), is_factor);
  }
  return false;
}

bool is_good(const Accident& accident) {
  return is_within(accident.probability, 0, 1) && accident.places.size() <= kRulesMax &&
         std::all_of(accident.places.begin(), accident.places.end(), [](const PlaceOfTask& place) {
           const auto* fraction = std::get_if<double>(&place.where);
           return fraction == nullptr || (*fraction >= 0 && *fraction < 1);
         });
}

bool is_good(const NodeRule& rule) { return rule.pattern.size() <= kPatternBytesMax && is_factor(rule.factor); }

Status refuse(const char* what) { return bad_input(std::string("the injection's ") + what + " is out of range"); }

}  // namespace

Status check(const Injection& injection) {
  if (!is_within(injection.pace, kPaceMax)) return refuse("pace");
  if (!is_good(injection.straggler)) return refuse("straggler");
  if (!is_good(injection.slowdown, kFactorMax)) return refuse("slowdown");
  const bool nodes_are_good =
      injection.nodes.size() <= kRulesMax &&
      std::all_of(injection.nodes.begin(), injection.nodes.end(), [](const NodeRule& rule) { return is_good(rule); });
  if (!nodes_are_good) return refuse("node");
  if (!is_good(injection.slow_nodes)) return refuse("slow-nodes");
  if (!is_good(injection.launch, seconds(kLaunchMax))) return refuse("launch");
  if (!is_within(injection.pause_probability, 0, 1) || !is_within(injection.pause, kPauseMax)) return refuse("pause");
  if (!is_good(injection.stall)) return refuse("stall");
  if (!is_good(injection.crash)) return refuse("crash");
  if (injection.burners > kBurnersMax) return refuse("burn");
  return {};
}

}  // namespace ontime::injection
