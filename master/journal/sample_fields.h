#pragma once
// The lists of a math::DurationSample as repeated fields of the same names, in whatever message holds them: the
// journal's and the one for clients.

#include <cmath>

#include "scheduler/math/durations.h"

namespace ontime::journal {

template <class Message>
void put_sample(const scheduler::math::DurationSample& from, Message* to) {
  using scheduler::math::Beginning;
  const auto put = [](std::span<const double> values, auto* list) { list->Add(values.begin(), values.end()); };
  put(from.finished(), to->mutable_finished());
  put(from.censored(), to->mutable_censored());
  put(from.launches(), to->mutable_launches());
  put(from.warm_launches(), to->mutable_warm_launches());
  put(from.fixed(Beginning::Cold), to->mutable_cold_fixed());
  put(from.fixed(Beginning::Warm), to->mutable_warm_fixed());
  put(from.fixed(Beginning::Next), to->mutable_next_fixed());
  put(from.fixed(Beginning::AtOnce), to->mutable_at_once_fixed());
  put(from.firsts(), to->mutable_firsts());
}

// False if a value cannot be such a time.
template <class Message>
bool read_sample(const Message& from, scheduler::math::DurationSample& to) {
  using scheduler::math::Beginning;
  bool is_good = true;
  const auto read = [&](const auto& list, bool may_be_0, const auto& add) {
    for (const double seconds : list) {
      const bool is_time = std::isfinite(seconds) && (seconds > 0 || (may_be_0 && seconds == 0));
      is_good = is_good && is_time;
      if (is_time) add(seconds);
    }
  };
  const auto fixed = [&](Beginning how) { return [&to, how](double seconds) { to.add_fixed(how, seconds); }; };
  read(from.finished(), false, [&](double seconds) { to.add_finished(seconds); });
  read(from.censored(), false, [&](double seconds) { to.add_censored(seconds); });
  read(from.launches(), false, [&](double seconds) { to.add_launch(seconds); });
  read(from.warm_launches(), true, [&](double seconds) { to.add_warm_launch(seconds); });
  read(from.cold_fixed(), true, fixed(Beginning::Cold));
  read(from.warm_fixed(), true, fixed(Beginning::Warm));
  read(from.next_fixed(), true, fixed(Beginning::Next));
  read(from.at_once_fixed(), true, fixed(Beginning::AtOnce));
  read(from.firsts(), true, [&](double seconds) { to.add_first(seconds); });
  return is_good;
}

}  // namespace ontime::journal
