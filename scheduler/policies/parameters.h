#pragma once
// A policy's parameters as people give them (`--policy-set theta=5s`): checked, with defaults, each asked for by name.
// Everything that is wrong throws std::invalid_argument with one sentence.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "scheduler/core/job_spec.h"
#include "scheduler/math/durations.h"
#include "scheduler/policies/decision.h"
#include "scheduler/policies/policy.h"

namespace ontime::scheduler {

// A time in seconds ("40s"), or a multiple of the shortest execution time t_min ("0.3x").
struct RelativeTime {
  double number = 0;
  bool of_t_min = false;
  double seconds(double t_min) const { return of_t_min ? number * t_min : number; }
};

// What any policy takes: "yes" has its decisions carried out whatever they are worth (core/worth.h).
inline constexpr std::string_view kAsWritten = "as_written";
// And: "no" has no record mapped by two attempts at a time, as what it does is not to be done twice.
inline constexpr std::string_view kRace = "race";

class Parameters {
 public:
  Parameters(std::string_view policy, const StringMap& given) : policy_(policy), given_(given) {}

  double number(std::string_view name, double otherwise, double least, double greatest);
  std::optional<double> optional_number(std::string_view name, double least, double greatest);
  std::uint32_t count(std::string_view name, std::uint32_t otherwise, std::uint32_t least, std::uint32_t greatest);
  std::optional<std::uint32_t> optional_count(std::string_view name, std::uint32_t least, std::uint32_t greatest);
  // In seconds; written as a duration ("1.5s", "200ms").
  double duration(std::string_view name, double otherwise);
  // A duration from one look to the next: 10 ms at least, or the master would do nothing else.
  double period(std::string_view name, double otherwise);
  std::optional<double> optional_duration(std::string_view name);
  RelativeTime relative_time(std::string_view name, RelativeTime otherwise);
  bool flag(std::string_view name, bool otherwise);  // yes, no, on, off, true, false, 1, 0
  // One of `choices`.
  std::string choice(std::string_view name, std::string_view otherwise,
                     std::initializer_list<std::string_view> choices);

  // What several policies have in common.
  math::DurationHints durations();                // t_min, t_min_of, beta, t_avg, fit
  math::TailRule tail(math::TailRule otherwise);  // tail: pareto, auto, lognormal, empirical
  JobOrder order();                               // order: fifo (default), deadline, workload
  Handover handover(Handover otherwise);          // handover

  // What is given and nobody has asked for, but for what any policy takes: for a policy that checks them itself.
  StringMap rest();

  // As people wrote them; for a policy that hands some on.
  const StringMap& given() const { return given_; }

  // To be called last: refuses what was given and not asked for.
  void finish() const;
  // What was asked for so far.
  const std::set<std::string, std::less<>>& known() const { return known_; }

 private:
  const std::string* find(std::string_view name);
  [[noreturn]] void refuse(std::string_view name, const std::string& value, const std::string& what) const;

  std::string policy_;
  const StringMap& given_;
  std::set<std::string, std::less<>> known_;
};

// What execution times a policy went by, for people: "t_min 1.9 s and beta 1.8 from the profile (214 attempts, beta +-
// 0.12)".

// split_bytes: of a whole split, which t_min is for.
std::string duration_words(const math::Durations& durations, const math::DurationHints& hints, double split_bytes);

// Without where it comes from: "lognormal times, median 12.3 s, sigma 0.41". For so many of the units that it speaks
// of.
std::string tail_words(const math::FittedTail& tail, double units);

// Three significant digits: "0.000123", "1.9", "2e+06".
std::string short_number(double value);

}  // namespace ontime::scheduler
