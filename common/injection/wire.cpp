#include "common/injection/wire.h"

#include <algorithm>
#include <utility>

#include "common/base/units.h"
#include "common/injection/settings.h"

namespace ontime::injection {
namespace {

constexpr double kWholeMax = 1e18;

// That the injection came with: there is one at most, whatever it is called.
class TraceOfMessage final : public TraceSource {
 public:
  explicit TraceOfMessage(const wire::Injection& message) : message_(message) {}
  Result<std::string> read(const std::string& /*name*/) override { return message_.trace(); }

 private:
  const wire::Injection& message_;
};

// Bounds a length of time that came from outside.
Duration length_of(std::int64_t ns, Duration most) { return std::clamp(Duration(ns), Duration(0), most); }

}  // namespace

wire::Injection to_wire(const Injection& injection) {
  wire::Injection message;
  for (std::string& setting : settings_of(injection)) message.add_settings(std::move(setting));
  const std::vector<double>* trace = injection.slowdown ? injection.slowdown->values() : nullptr;
  for (std::size_t i = 0; trace != nullptr && i < trace->size(); ++i) {
    *message.mutable_trace() += shortest((*trace)[i]) + "\n";
  }
  return message;
}

Result<Injection> from_wire(const wire::Injection& message) {
  Injection injection;
  TraceOfMessage trace(message);
  for (const std::string& setting : message.settings()) {
    if (Status applied = apply(injection, setting, trace); !applied) return std::move(applied).error();
  }
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
  message.set_start_ns(disturbance.start.count());
  message.set_start_of(static_cast<std::uint32_t>(disturbance.start_of));
  message.set_reads_ahead(disturbance.reads_ahead);
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
  disturbance.start = length_of(message.start_ns(), kLaunchMax);
  if (message.start_of() < kStartsOf.size()) disturbance.start_of = static_cast<StartOf>(message.start_of());
  disturbance.reads_ahead = message.reads_ahead();
  return disturbance;
}

}  // namespace ontime::injection
