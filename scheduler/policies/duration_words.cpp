#include "scheduler/policies/duration_words.h"

#include <charconv>

namespace ontime::scheduler {
namespace {

std::string source_words(math::DurationSource source) {
  switch (source) {
    case math::DurationSource::Profile:
      return "from the profile";
    case math::DurationSource::Job:
      return "from the job's own attempts";
    case math::DurationSource::Flags:
      return "from flags";
    case math::DurationSource::Assumed:
      break;
  }
  return "assumed";
}

}  // namespace

std::string short_number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 3).ptr};
}

std::string tail_words(const math::FittedTail& tail, double units) {
  const std::string words = std::string(name_of(tail.kind())) + " times, ";
  if (tail.kind() == math::TailKind::Pareto) {
    return words + "t_min " + short_number(tail.first() * units) + " s, beta " + short_number(tail.second());
  }
  const std::string median = words + "median " + short_number(tail.median() * units) + " s";
  if (tail.kind() == math::TailKind::Lognormal) return median + ", sigma " + short_number(tail.second());
  return median + ", nine in ten below " + short_number(tail.first() * units) + " s";
}

std::string duration_words(const math::Durations& durations, const math::DurationHints& hints, double split_bytes) {
  if (durations.t_min <= 0) return "t_min not known";
  if (durations.tail) {
    const std::string words = tail_words(*durations.tail, split_bytes) + ", " + source_words(durations.source);
    return durations.samples > 0 ? words + " (" + std::to_string(durations.samples) + " attempts)" : words;
  }
  const std::string t_min = "t_min " + short_number(durations.t_min * split_bytes) + " s";
  const std::string beta = "beta " + short_number(durations.beta);
  const std::string source = source_words(durations.source);
  if (durations.beta_error > 0) {
    return t_min + " and " + beta + " " + source + " (" + std::to_string(durations.samples) + " attempts, beta +- " +
           short_number(durations.beta_error) + ")";
  }
  const bool is_fitted = !hints.beta && durations.beta != math::kAssumedBeta;
  return t_min + " " + source + " and " + beta + " " + (hints.beta ? "from flags" : is_fitted ? source : "assumed");
}

}  // namespace ontime::scheduler
