#include "common/injection/wire.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ontime::injection {
namespace {

constexpr double kWholeMax = 1e18;

wire::Injection::Share message_of(const Share& share) {
  wire::Injection::Share message;
  message.set_share(share.share);
  message.set_factor(share.factor);
  return message;
}

wire::Injection::Distribution message_of(const Distribution& distribution) {
  wire::Injection::Distribution message;
  message.set_shape(static_cast<wire::Injection::Shape>(distribution.shape));
  message.set_scale(distribution.scale);
  message.set_spread(distribution.spread);
  message.mutable_trace()->Assign(distribution.trace.begin(), distribution.trace.end());
  return message;
}

wire::Injection::Accident message_of(const Accident& accident) {
  wire::Injection::Accident message;
  message.set_probability(accident.probability);
  for (const PlaceOfTask& place : accident.places) {
    wire::Injection::Place& to = *message.add_places();
    to.set_task(place.task);
    if (const auto* byte = std::get_if<std::uint64_t>(&place.where)) {
      to.set_byte(*byte);
    } else {
      to.set_fraction(std::get<double>(place.where));
    }
  }
  return message;
}

Share value_of(const wire::Injection::Share& message, bool is_there) {
  return is_there ? Share{message.share(), message.factor()} : Share{};
}

Distribution value_of(const wire::Injection::Distribution& message, bool is_there) {
  if (!is_there) return {};
  return {static_cast<Shape>(message.shape()),
          message.scale(),
          message.spread(),
          {message.trace().begin(), message.trace().end()}};
}

Accident value_of(const wire::Injection::Accident& message) {
  Accident accident{message.probability(), {}};
  for (const auto& place : message.places()) {
    accident.places.push_back(
        {place.task(), place.has_fraction() ? PlaceInSplit(place.fraction()) : PlaceInSplit(place.byte())});
  }
  return accident;
}

// Of a length of time that came from outside.
Duration length_of(std::int64_t ns, Duration most) { return std::clamp(Duration(ns), Duration(0), most); }

}  // namespace

wire::Injection to_wire(const Injection& injection) {
  wire::Injection message;
  message.set_seed(injection.seed);
  message.set_pace_ns(injection.pace.count());
  *message.mutable_straggler() = message_of(injection.straggler);
  *message.mutable_slowdown() = message_of(injection.slowdown);
  for (const NodeRule& rule : injection.nodes) {
    wire::Injection::NodeRule& to = *message.add_nodes();
    to.set_pattern(rule.pattern);
    to.set_factor(rule.factor);
  }
  *message.mutable_slow_nodes() = message_of(injection.slow_nodes);
  *message.mutable_launch() = message_of(injection.launch);
  message.set_pause_probability(injection.pause_probability);
  message.set_pause_ns(injection.pause.count());
  *message.mutable_stall() = message_of(injection.stall);
  *message.mutable_crash() = message_of(injection.crash);
  message.set_burners(injection.burners);
  return message;
}

Result<Injection> from_wire(const wire::Injection& message) {
  Injection injection;
  injection.seed = message.seed();
  injection.pace = Duration(message.pace_ns());
  injection.straggler = value_of(message.straggler(), message.has_straggler());
  injection.slowdown = value_of(message.slowdown(), message.has_slowdown());
  for (const auto& rule : message.nodes()) injection.nodes.push_back({rule.pattern(), rule.factor()});
  injection.slow_nodes = value_of(message.slow_nodes(), message.has_slow_nodes());
  injection.launch = value_of(message.launch(), message.has_launch());
  injection.pause_probability = message.pause_probability();
  injection.pause = Duration(message.pause_ns());
  injection.stall = value_of(message.stall());
  injection.crash = value_of(message.crash());
  injection.burners = message.burners();
  if (auto checked = check(injection); !checked) return std::move(checked).error();
  return injection;
}

wire::Disturbance to_wire(const Disturbance& disturbance) {
  wire::Disturbance message;
  message.set_launch_ns(disturbance.launch.count());
  message.set_bytes_per_second(disturbance.bytes_per_second);
  message.set_slowdown(disturbance.slowdown);
  message.set_pause_ns(disturbance.pause.count());
  message.set_pause_fraction(disturbance.pause_fraction);
  if (disturbance.stall_at) message.set_stall_at(*disturbance.stall_at);
  if (disturbance.crash_at) message.set_crash_at(*disturbance.crash_at);
  return message;
}

Disturbance from_wire(const wire::Disturbance& message) {
  Disturbance disturbance;
  disturbance.launch = length_of(message.launch_ns(), kLaunchMax);
  const double rate = message.bytes_per_second();
  disturbance.bytes_per_second = rate > 0 && rate < kWholeMax ? rate : 0;
  disturbance.slowdown = message.slowdown() >= kFactorMin && message.slowdown() <= kFactorMax ? message.slowdown() : 1;
  disturbance.pause = length_of(message.pause_ns(), kPauseMax);
  const double fraction = message.pause_fraction();
  disturbance.pause_fraction = fraction >= 0 && fraction < 1 ? fraction : 0;
  if (message.has_stall_at()) disturbance.stall_at = message.stall_at();
  if (message.has_crash_at()) disturbance.crash_at = message.crash_at();
  return disturbance;
}

}  // namespace ontime::injection
