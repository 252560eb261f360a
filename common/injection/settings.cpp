#include "common/injection/settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/wording.h"

namespace ontime::injection {
namespace {

Status add_accident(Accident& accident, std::string_view text) {
  constexpr std::string_view kTask = "task:";
  if (!text.starts_with(kTask)) {
    auto probability = parse_share(text);
    if (!probability)
      return expected("a probability from 0 to 1, or task:INDEX@BYTES, not '" + std::string(text) + "'");
    accident.probability = *probability;
    return {};
  }
  auto place = parse_place(text.substr(kTask.size()));
  if (!place) return std::move(place).error();
  if (accident.places.size() >= kRulesMax) return expected("at most " + std::to_string(kRulesMax) + " tasks");
  std::erase_if(accident.places, [&](const PlaceOfTask& other) { return other.task == place->task; });
  accident.places.push_back(*place);
  return {};
}

Status set_seed(Injection& injection, std::string_view text) {
  const auto seed = parse_whole<std::uint64_t>(text);
  if (!seed) return expected("a whole number from 0 on, not '" + std::string(text) + "'");
  injection.seed = *seed;
  return {};
}

Status set_pace(Injection& injection, std::string_view text) {
  auto pace = parse_time(text, kPaceMax);
  if (!pace) return std::move(pace).error();
  injection.pace = *pace;
  return {};
}

Status set_pause(Injection& injection, std::string_view text) {
  const auto [left, right] = at_last_colon(text);
  if (left.empty()) return expected("PROBABILITY:TIME, such as 0.05:10s");
  auto probability = parse_share(left);
  if (!probability) return std::move(probability).error();
  auto time = parse_time(right, kPauseMax);
  if (!time) return std::move(time).error();
  injection.pause_probability = *probability;
  injection.pause = *time;
  return {};
}

Status add_node(Injection& injection, std::string_view text) {
  const auto [name, right] = at_last_colon(text);
  if (name.empty() || name.size() > kPatternBytesMax)
    return expected("NAME:FACTORx, such as worker-3:3x or rack2-*:2x");
  auto by = parse_factor(right);
  if (!by) return std::move(by).error();
  if (injection.nodes.size() >= kRulesMax) return expected("at most " + std::to_string(kRulesMax) + " nodes");
  injection.nodes.push_back({std::string(name), *by});
  return {};
}

Status set_burners(Injection& injection, std::string_view text) {
  const auto burners = parse_whole<std::uint32_t>(text);
  if (!burners || *burners > kBurnersMax) {
    return expected("a number of threads from 0 to " + std::to_string(kBurnersMax) + ", not '" + std::string(text) +
                    "'");
  }
  injection.burners = *burners;
  return {};
}

// Puts a parsed value where it belongs.
template <class T>
Status put(Result<T> value, T& to) {
  if (!value) return std::move(value).error();
  to = std::move(*value);
  return {};
}

struct Key {
  std::string_view name;
  Status (*apply)(Injection&, std::string_view, TraceSource&);
};
constexpr std::array kKeys{
    Key{"seed", [](Injection& i, std::string_view text, TraceSource&) { return set_seed(i, text); }},
    Key{"pace", [](Injection& i, std::string_view text, TraceSource&) { return set_pace(i, text); }},
    Key{"straggler", [](Injection& i, std::string_view text,
                        TraceSource&) { return put(parse_share_and_factor(text), i.straggler); }},
    Key{"slowdown", [](Injection& i, std::string_view text,
                       TraceSource& traces) { return put(parse_slowdown(text, traces), i.slowdown); }},
    Key{"node", [](Injection& i, std::string_view text, TraceSource&) { return add_node(i, text); }},
    Key{"slow-nodes", [](Injection& i, std::string_view text,
                         TraceSource&) { return put(parse_share_and_factor(text), i.slow_nodes); }},
    Key{"launch", [](Injection& i, std::string_view text, TraceSource&) { return put(parse_launch(text), i.launch); }},
    Key{"pause", [](Injection& i, std::string_view text, TraceSource&) { return set_pause(i, text); }},
    Key{"stall", [](Injection& i, std::string_view text, TraceSource&) { return add_accident(i.stall, text); }},
    Key{"crash", [](Injection& i, std::string_view text, TraceSource&) { return add_accident(i.crash, text); }},
    Key{"burn", [](Injection& i, std::string_view text, TraceSource&) { return set_burners(i, text); }},
};

std::vector<std::string> all_keys() {
  std::vector<std::string> names;
  for (const Key& key : kKeys) names.emplace_back(key.name);
  return names;
}

}  // namespace

Status apply(Injection& injection, std::string_view key, std::string_view value, TraceSource& traces) {
  const auto found = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& known) { return known.name == key; });
  if (found == kKeys.end()) {
    return bad_input(std::string(key) + "=" + std::string(value) + ": there is no setting '" + std::string(key) +
                     "'; " + advice(key, all_keys()));
  }
  if (auto applied = found->apply(injection, value, traces); !applied) {
    return bad_input(std::string(key) + "=" + std::string(value) + ": " + applied.error().message);
  }
  return {};
}

Status apply(Injection& injection, std::string_view setting, TraceSource& traces) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos) {
    return bad_input(std::string(setting) + ": expected KEY=VALUE, such as pace=2s");
  }
  return apply(injection, setting.substr(0, equals), setting.substr(equals + 1), traces);
}

}  // namespace ontime::injection
