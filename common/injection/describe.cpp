#include <array>
#include <charconv>
#include <utility>

#include "common/injection/settings.h"

namespace ontime::injection {
namespace {

std::string text_of(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::string(text.data(), end) : std::string("?");
}

// Exact, in the largest unit that makes it a whole number.
std::string text_of(Duration duration) {
  for (const auto& [unit, ns] :
       {std::pair<const char*, Duration::rep>{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}}) {
    if (duration.count() % ns == 0) return std::to_string(duration.count() / ns) + unit;
  }
  return std::to_string(duration.count()) + "ns";
}

std::string factor_text(double factor) { return text_of(factor) + "x"; }
std::string text_of(const Share& share) { return text_of(share.share) + ":" + factor_text(share.factor); }

// `scale` is left out where it is always 1.
std::string text_of(const Distribution& distribution, const std::string& scale) {
  const std::string head = scale.empty() ? "" : scale + ":";
  switch (distribution.shape) {
    case Shape::Never:
      return "";
    case Shape::Constant:
      return scale.empty() ? factor_text(distribution.scale) : scale;
    case Shape::Pareto:
      return "pareto:" + head + text_of(distribution.spread);
    case Shape::Lognormal:
      return "lognormal:" + head + text_of(distribution.spread);
    case Shape::Trace:
      return "trace:(" + std::to_string(distribution.trace.size()) + " factors)";
  }
  return "";
}

std::string text_of(const PlaceOfTask& place) {
  const auto* bytes = std::get_if<std::uint64_t>(&place.where);
  return "task:" + std::to_string(place.task) + "@" +
         (bytes != nullptr ? std::to_string(*bytes) : text_of(std::get<double>(place.where) * 100) + "%");
}

void add(std::string& to, const char* key, const std::string& value) { to += std::string(" ") + key + "=" + value; }

void add(std::string& to, const char* key, const Accident& accident) {
  if (accident.probability > 0) add(to, key, text_of(accident.probability));
  for (const PlaceOfTask& place : accident.places) add(to, key, text_of(place));
}

}  // namespace

std::string describe(const Injection& injection) {
  std::string text = "seed=" + std::to_string(injection.seed);
  if (injection.pace > Duration(0)) add(text, "pace", text_of(injection.pace));
  if (injection.straggler.share > 0) add(text, "straggler", text_of(injection.straggler));
  if (injection.slowdown.shape != Shape::Never) add(text, "slowdown", text_of(injection.slowdown, ""));
  for (const NodeRule& rule : injection.nodes) add(text, "node", rule.pattern + ":" + factor_text(rule.factor));
  if (injection.slow_nodes.share > 0) add(text, "slow-nodes", text_of(injection.slow_nodes));
  if (injection.launch.shape != Shape::Never) {
    add(text, "launch", text_of(injection.launch, text_of(from_seconds(injection.launch.scale))));
  }
  if (injection.pause_probability > 0) {
    add(text, "pause", text_of(injection.pause_probability) + ":" + text_of(injection.pause));
  }
  add(text, "stall", injection.stall);
  add(text, "crash", injection.crash);
  if (injection.burners > 0) add(text, "burn", std::to_string(injection.burners));
  return text;
}

}  // namespace ontime::injection
