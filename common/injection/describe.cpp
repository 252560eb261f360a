#include <cmath>
#include <utility>

#include "common/base/units.h"
#include "common/injection/settings.h"

namespace ontime::injection {
namespace {

// Exact, in the largest unit that makes it a whole number.
std::string text_of(Duration duration) {
  for (const auto& [unit, ns] :
       {std::pair<const char*, Duration::rep>{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}}) {
    if (duration.count() % ns == 0) return std::to_string(duration.count() / ns) + unit;
  }
  return std::to_string(duration.count()) + "ns";
}

std::string factor_text(double factor) { return shortest(factor) + "x"; }
std::string text_of(const Share& share) { return shortest(share.share) + ":" + factor_text(share.factor); }

// `scale` is left out where it is always 1.
std::string text_of(const Distribution& distribution, const std::string& scale) {
  const std::string head = scale.empty() ? "" : scale + ":";
  switch (distribution.shape) {
    case Shape::Never:
      return "";
    case Shape::Constant:
      return scale.empty() ? factor_text(distribution.scale) : scale;
    case Shape::Pareto:
      return "pareto:" + head + shortest(distribution.spread);
    case Shape::Lognormal:
      return "lognormal:" + head + shortest(distribution.spread);
    case Shape::Trace:
      return "trace:(" + std::to_string(distribution.trace.size()) + " factors)";
  }
  return "";
}

// 0.07 * 100 is a little more than 7 in binary: the round number, if it gives the same fraction.
std::string percent_text(double fraction) {
  const double percent = std::round(fraction * 1e8) / 1e6;
  return shortest(percent / 100 == fraction ? percent : fraction * 100) + "%";
}

std::string text_of(const PlaceOfTask& place) {
  const auto* bytes = std::get_if<std::uint64_t>(&place.where);
  return "task:" + std::to_string(place.task) + "@" +
         (bytes != nullptr ? std::to_string(*bytes) : percent_text(std::get<double>(place.where)));
}

using Settings = std::vector<std::string>;

void add(Settings& to, const char* key, const std::string& value) { to.push_back(std::string(key) + "=" + value); }

void add(Settings& to, const char* key, const Accident& accident) {
  if (accident.probability > 0) add(to, key, shortest(accident.probability));
  for (const PlaceOfTask& place : accident.places) add(to, key, text_of(place));
}

}  // namespace

std::vector<std::string> settings_of(const Injection& injection) {
  Settings settings;
  add(settings, "seed", std::to_string(injection.seed));
  if (injection.pace > Duration(0)) add(settings, "pace", text_of(injection.pace));
  if (injection.straggler.share > 0) add(settings, "straggler", text_of(injection.straggler));
  if (injection.slowdown.shape != Shape::Never) add(settings, "slowdown", text_of(injection.slowdown, ""));
  for (const NodeRule& rule : injection.nodes) add(settings, "node", rule.pattern + ":" + factor_text(rule.factor));
  if (injection.slow_nodes.share > 0) add(settings, "slow-nodes", text_of(injection.slow_nodes));
  if (injection.launch.shape != Shape::Never) {
    add(settings, "launch", text_of(injection.launch, text_of(Duration(std::llround(injection.launch.scale * 1e9)))));
  }
  if (injection.pause_probability > 0) {
    add(settings, "pause", shortest(injection.pause_probability) + ":" + text_of(injection.pause));
  }
  add(settings, "stall", injection.stall);
  add(settings, "crash", injection.crash);
  if (injection.burners > 0) add(settings, "burn", std::to_string(injection.burners));
  return settings;
}

std::string describe(const Injection& injection) {
  std::string text;
  for (const std::string& setting : settings_of(injection)) text += (text.empty() ? "" : " ") + setting;
  return text;
}

}  // namespace ontime::injection
