#include "common/injection/settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "common/base/units.h"
#include "common/base/wording.h"

namespace ontime::injection {
namespace {

Error expected(std::string what) { return bad_input("expected " + std::move(what)); }

std::optional<double> finite_in(std::string_view text) {
  const auto value = number_in<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// What stands before and behind the last colon; before it is nothing when there is none.
std::pair<std::string_view, std::string_view> at_last_colon(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {{}, text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

// The values of settings. Errors say what was expected; the caller puts the setting before it.

Result<double> parse_share(std::string_view text) {
  const auto value = finite_in(text);
  if (!value || *value < 0 || *value > 1) return expected("a share from 0 to 1, not '" + std::string(text) + "'");
  return *value;
}

Result<double> parse_factor(std::string_view text) {
  const bool has_x = text.ends_with('x');
  const auto value = finite_in(text.substr(0, text.size() - (has_x ? 1 : 0)));
  if (!has_x || !value || *value < kFactorMin || *value > kFactorMax) {
    return expected("a factor from 0.001x to 1000000x, such as 8x, not '" + std::string(text) + "'");
  }
  return *value;
}

Result<Duration> parse_time(std::string_view text, Duration most) {
  const auto value = parse_duration(text);
  if (!value) return value.error();
  if (*value < Duration(0) || *value > most) {
    return expected("a time of at most " +
                    std::to_string(std::chrono::duration_cast<std::chrono::hours>(most).count()) + "h, not '" +
                    std::string(text) + "'");
  }
  return *value;
}

Result<std::uint64_t> parse_seed(std::string_view text) {
  const auto seed = number_in<std::uint64_t>(text);
  if (!seed) return expected("a whole number from 0 on, not '" + std::string(text) + "'");
  return *seed;
}

Result<std::uint32_t> parse_burners(std::string_view text) {
  const auto burners = number_in<std::uint32_t>(text);
  if (burners && *burners <= kBurnersMax) return *burners;
  return expected("a number of threads from 0 to " + std::to_string(kBurnersMax) + ", not '" + std::string(text) + "'");
}

Result<Share> parse_share_and_factor(std::string_view text) {
  const auto [left, right] = at_last_colon(text);
  if (left.empty()) return expected("SHARE:FACTORx, such as 0.1:8x");
  auto of = parse_share(left);
  if (!of) return std::move(of).error();
  auto by = parse_factor(right);
  if (!by) return std::move(by).error();
  return Share{*of, *by};
}

Error also_how(Error error, const char* forms) {
  error.message += std::string("; write ") + forms;
  return error;
}

Result<Distribution> parse_times(std::string_view text) {
  auto times = parse_distribution(text, kTimes);
  if (times) return times;
  return also_how(std::move(times).error(),
                  "TIME, pareto:TIME:BETA, lognormal:TIME:SIGMA, uniform:TIME:TIME or exponential:TIME:TIME");
}

Result<StartOf> parse_start_of(std::string_view text) {
  for (const auto& [name, of] : kStartsOf) {
    if (text == name) return of;
  }
  return expected("segment, attempt or process, not '" + std::string(text) + "'");
}

Result<std::uint64_t> parse_ahead(std::string_view text) {
  if (text == "all") return kAllAhead;
  auto bytes = parse_size(text);
  return bytes ? std::move(bytes) : expected("a size such as 64KiB, or all, not '" + std::string(text) + "'");
}

Result<PlaceOfTask> parse_place(std::string_view text) {  // "3@64KiB" or "3@50%"
  const std::size_t at = text.find('@');
  const auto task = number_in<std::uint32_t>(text.substr(0, at));
  if (at == std::string_view::npos || !task) return expected("task:INDEX@BYTES or task:INDEX@PERCENT%");
  const std::string_view where = text.substr(at + 1);
  if (where.ends_with('%')) {
    const auto percent = finite_in(where.substr(0, where.size() - 1));
    if (!percent || *percent < 0 || *percent >= 100) {
      return expected("a percentage from 0% to below 100%, not '" + std::string(where) + "'");
    }
    return PlaceOfTask{*task, *percent / 100};
  }
  const auto bytes = parse_size(where);
  if (!bytes) return bytes.error();
  return PlaceOfTask{*task, *bytes};
}

Result<Distribution> parse_slowdown(std::string_view text, TraceSource& traces) {
  constexpr std::string_view kTrace = "trace:";
  if (text.starts_with(kTrace)) {
    const std::string name(text.substr(kTrace.size()));
    auto content = traces.read(name);
    if (!content) return std::move(content).error();
    auto factors = parse_trace(*content);
    if (!factors) return bad_input(name + ", " + factors.error().message);
    return Distribution::listed(std::move(*factors));
  }
  auto slowdown = parse_distribution(text, kFactors);
  if (slowdown) return slowdown;
  return also_how(std::move(slowdown).error(),
                  "FACTORx, pareto:BETA, lognormal:SIGMA, uniform:FACTORx:FACTORx, exponential:FACTORx:FACTORx or "
                  "trace:FILE");
}

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

// Puts a parsed value where it belongs.
template <class T, class To>
Status put(Result<T> value, To& to) {
  if (!value) return std::move(value).error();
  to = std::move(*value);
  return {};
}

struct Key {
  std::string_view name;
  Status (*apply)(Injection&, std::string_view, TraceSource&);
};
constexpr std::array kKeys{
    Key{"seed", [](Injection& i, std::string_view text, TraceSource&) { return put(parse_seed(text), i.seed); }},
    Key{"pace",
        [](Injection& i, std::string_view text, TraceSource&) { return put(parse_time(text, kPaceMax), i.pace); }},
    Key{"straggler", [](Injection& i, std::string_view text,
                        TraceSource&) { return put(parse_share_and_factor(text), i.straggler); }},
    Key{"slowdown", [](Injection& i, std::string_view text,
                       TraceSource& traces) { return put(parse_slowdown(text, traces), i.slowdown); }},
    Key{"node", [](Injection& i, std::string_view text, TraceSource&) { return add_node(i, text); }},
    Key{"slow-nodes", [](Injection& i, std::string_view text,
                         TraceSource&) { return put(parse_share_and_factor(text), i.slow_nodes); }},
    Key{"launch", [](Injection& i, std::string_view text, TraceSource&) { return put(parse_times(text), i.launch); }},
    Key{"start", [](Injection& i, std::string_view text, TraceSource&) { return put(parse_times(text), i.start); }},
    Key{"start-of",
        [](Injection& i, std::string_view text, TraceSource&) { return put(parse_start_of(text), i.start_of); }},
    Key{"reads-ahead",
        [](Injection& i, std::string_view text, TraceSource&) { return put(parse_ahead(text), i.reads_ahead); }},
    Key{"pause", [](Injection& i, std::string_view text, TraceSource&) { return set_pause(i, text); }},
    Key{"stall", [](Injection& i, std::string_view text, TraceSource&) { return add_accident(i.stall, text); }},
    Key{"crash", [](Injection& i, std::string_view text, TraceSource&) { return add_accident(i.crash, text); }},
    Key{"burn", [](Injection& i, std::string_view text, TraceSource&) { return put(parse_burners(text), i.burners); }},
};

}  // namespace

const ValueForm kFactors{parse_factor, [](double factor) { return shortest(factor) + "x"; }, 1.0};
const ValueForm kTimes{[](std::string_view text) -> Result<double> {
                         const auto time = parse_time(text, kLaunchMax);
                         return time ? Result<double>(seconds(*time)) : time.error();
                       },
                       [](double time) { return exact_text(Duration(std::llround(time * 1e9))); }};

std::string exact_text(Duration duration) {
  for (const auto& [unit, ns] :
       {std::pair<const char*, Duration::rep>{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}}) {
    if (duration.count() % ns == 0) return std::to_string(duration.count() / ns) + unit;
  }
  return std::to_string(duration.count()) + "ns";
}

Result<std::vector<double>> parse_trace(std::string_view text) {
  std::vector<double> factors;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t feed = std::min(text.find('\n'), text.size());
    const std::string_view content = trimmed(text.substr(0, feed));
    text.remove_prefix(std::min(feed + 1, text.size()));
    if (content.empty() || content.front() == '#') continue;
    const auto value = finite_in(content);
    if (!value || *value < kFactorMin || *value > kFactorMax) {
      return bad_input("line " + std::to_string(line) + ": expected a factor from 0.001 to 1000000");
    }
    if (factors.size() == kTraceMax) return bad_input("there are more than " + std::to_string(kTraceMax) + " factors");
    factors.push_back(*value);
  }
  if (factors.empty()) return bad_input("there is no factor in it");
  return factors;
}

Status apply(Injection& injection, std::string_view key, std::string_view value, TraceSource& traces) {
  const auto found = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& known) { return known.name == key; });
  if (found == kKeys.end()) {
    return bad_input(std::string(key) + "=" + std::string(value) + ": there is no setting '" + std::string(key) +
                     "'; " + advice(key, names_of(kKeys)));
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
