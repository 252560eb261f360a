#include <cmath>
#include <utility>

#include "common/base/units.h"
#include "common/injection/settings.h"

namespace ontime::injection {
namespace {

std::string text_of(const Share& share) { return shortest(share.share) + ":" + kFactors.write(share.factor); }

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
  if (injection.pace > Duration(0)) add(settings, "pace", exact_text(injection.pace));
  if (injection.straggler.share > 0) add(settings, "straggler", text_of(injection.straggler));
  if (injection.slowdown) {
    const std::vector<double>* trace = injection.slowdown->values();
    add(settings, "slowdown",
        trace == nullptr ? text_of(*injection.slowdown, kFactors)
                         : "trace:(" + std::to_string(trace->size()) + " factors)");
  }
  for (const NodeRule& rule : injection.nodes) add(settings, "node", rule.pattern + ":" + kFactors.write(rule.factor));
  if (injection.slow_nodes.share > 0) add(settings, "slow-nodes", text_of(injection.slow_nodes));
  if (injection.launch) add(settings, "launch", text_of(*injection.launch, kTimes));
  if (injection.start) add(settings, "start", text_of(*injection.start, kTimes));
  for (const auto& [name, of] : kStartsOf) {
    if (of == injection.start_of && of != StartOf::Segment) add(settings, "start-of", std::string(name));
  }
  if (injection.reads_ahead > 0) {
    const bool is_all = injection.reads_ahead == kAllAhead;
    add(settings, "reads-ahead", is_all ? "all" : std::to_string(injection.reads_ahead));
  }
  if (injection.pause_probability > 0) {
    add(settings, "pause", shortest(injection.pause_probability) + ":" + exact_text(injection.pause));
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
