#include <algorithm>
#include <cmath>

#include "common/base/units.h"
#include "common/injection/settings.h"

namespace ontime::injection {
namespace {

Result<double> parse_spread(Shape shape, std::string_view text) {
  const auto value = parse_number(text);
  if (shape == Shape::Pareto && (!value || *value < 0.1 || *value > 100)) {
    return expected("a tail index from 0.1 to 100 after pareto, not '" + std::string(text) + "'");
  }
  if (shape == Shape::Lognormal && (!value || *value < 0 || *value > 10)) {
    return expected("a standard deviation from 0 to 10 after lognormal, not '" + std::string(text) + "'");
  }
  return *value;
}

// "pareto:..." and "lognormal:...": the shape and what follows the colon.
std::optional<std::pair<Shape, std::string_view>> shape_of(std::string_view text) {
  for (const auto& [name, shape] : {std::pair<std::string_view, Shape>{"pareto:", Shape::Pareto},
                                    {"lognormal:", Shape::Lognormal},
                                    {"trace:", Shape::Trace}}) {
    if (text.starts_with(name)) return std::pair(shape, text.substr(name.size()));
  }
  return std::nullopt;
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = line.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

Error expected(std::string what) { return bad_input("expected " + std::move(what)); }

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::pair<std::string_view, std::string_view> at_last_colon(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {{}, text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Result<double> parse_share(std::string_view text) {
  const auto value = parse_number(text);
  if (!value || *value < 0 || *value > 1) return expected("a share from 0 to 1, not '" + std::string(text) + "'");
  return *value;
}

Result<double> parse_factor(std::string_view text) {
  const bool has_x = text.ends_with('x');
  const auto value = parse_number(text.substr(0, text.size() - (has_x ? 1 : 0)));
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

Result<Share> parse_share_and_factor(std::string_view text) {
  const auto [left, right] = at_last_colon(text);
  if (left.empty()) return expected("SHARE:FACTORx, such as 0.1:8x");
  auto of = parse_share(left);
  if (!of) return std::move(of).error();
  auto by = parse_factor(right);
  if (!by) return std::move(by).error();
  return Share{*of, *by};
}

Result<Distribution> parse_launch(std::string_view text) {
  const auto named = shape_of(text);
  if (named && named->first == Shape::Trace) return expected("TIME, pareto:TIME:BETA or lognormal:TIME:SIGMA");
  Distribution distribution{Shape::Constant, 0, 0, {}};
  std::string_view time = text;
  if (named) {
    distribution.shape = named->first;
    const auto [left, right] = at_last_colon(named->second);
    if (left.empty()) return expected("TIME, pareto:TIME:BETA or lognormal:TIME:SIGMA");
    auto wide = parse_spread(distribution.shape, right);
    if (!wide) return std::move(wide).error();
    distribution.spread = *wide;
    time = left;
  }
  auto scale = parse_time(time, kLaunchMax);
  if (!scale) return std::move(scale).error();
  distribution.scale = seconds(*scale);
  return distribution;
}

Result<PlaceOfTask> parse_place(std::string_view text) {  // "3@64KiB" or "3@50%"
  const std::size_t at = text.find('@');
  const auto task = parse_whole<std::uint32_t>(text.substr(0, at));
  if (at == std::string_view::npos || !task) return expected("task:INDEX@BYTES or task:INDEX@PERCENT%");
  const std::string_view where = text.substr(at + 1);
  if (where.ends_with('%')) {
    const auto percent = parse_number(where.substr(0, where.size() - 1));
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
  const auto named = shape_of(text);
  if (!named) {
    auto by = parse_factor(text);
    if (!by) return expected("FACTORx, pareto:BETA, lognormal:SIGMA or trace:FILE");
    return Distribution{Shape::Constant, *by, 0, {}};
  }
  const auto [shape, rest] = *named;
  Distribution distribution{shape, 1, 0, {}};
  if (shape == Shape::Trace) {
    auto content = traces.read(std::string(rest));
    if (!content) return std::move(content).error();
    auto factors = parse_trace(*content);
    if (!factors) return bad_input(std::string(rest) + ", " + factors.error().message);
    distribution.trace = std::move(*factors);
    return distribution;
  }
  auto wide = parse_spread(shape, rest);
  if (!wide) return std::move(wide).error();
  distribution.spread = *wide;
  return distribution;
}

Result<std::vector<double>> parse_trace(std::string_view text) {
  std::vector<double> factors;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t feed = std::min(text.find('\n'), text.size());
    const std::string_view content = trimmed(text.substr(0, feed));
    text.remove_prefix(std::min(feed + 1, text.size()));
    if (content.empty() || content.front() == '#') continue;
    const auto value = parse_number(content);
    if (!value || *value < kFactorMin || *value > kFactorMax) {
      return bad_input("line " + std::to_string(line) + ": expected a factor from 0.001 to 1000000");
    }
    if (factors.size() == kTraceMax) return bad_input("there are more than " + std::to_string(kTraceMax) + " factors");
    factors.push_back(*value);
  }
  if (factors.empty()) return bad_input("there is no factor in it");
  return factors;
}

}  // namespace ontime::injection
