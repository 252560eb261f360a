#include "scheduler/policy/duration_words.h"

#include <charconv>

namespace ontime::scheduler {
namespace {

std::string source_words(estimate::DurationSource source) {
  switch (source) {
    case estimate::DurationSource::Profile:
      return "from the profile";
    case estimate::DurationSource::Job:
      return "from the job's own attempts";
    case estimate::DurationSource::Flags:
      return "from flags";
    case estimate::DurationSource::Assumed:
      break;
  }
  return "assumed";
}

}  // namespace

std::string short_number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 3).ptr};
}

namespace {

// "lognormal times, median 12.3 s, sigma 0.41, from the profile (57 attempts)"
std::string tail_words(const estimate::Durations& durations, double split_bytes) {
  const pocd::FittedTail& tail = *durations.tail;
  std::string words(name_of(tail.kind()));
  if (tail.kind() == pocd::TailKind::Pareto) {
    words += " times, t_min " + short_number(tail.first() * split_bytes) + " s, beta " + short_number(tail.second());
  } else {
    words += " times, median " + short_number(tail.median() * split_bytes) + " s";
    const bool is_lognormal = tail.kind() == pocd::TailKind::Lognormal;
    words += is_lognormal ? ", sigma " + short_number(tail.second())
                          : ", nine in ten below " + short_number(tail.first() * split_bytes) + " s";
  }
  words += ", " + source_words(durations.source);
  return durations.samples > 0 ? words + " (" + std::to_string(durations.samples) + " attempts)" : words;
}

}  // namespace

std::string duration_words(const estimate::Durations& durations, const estimate::DurationHints& hints,
                           double split_bytes) {
  if (durations.t_min <= 0) return "t_min not known";
  if (durations.tail) return tail_words(durations, split_bytes);
  const std::string t_min = "t_min " + short_number(durations.t_min * split_bytes) + " s";
  const std::string beta = "beta " + short_number(durations.beta);
  const std::string source = source_words(durations.source);
  if (durations.beta_error > 0) {
    return t_min + " and " + beta + " " + source + " (" + std::to_string(durations.samples) + " attempts, beta +- " +
           short_number(durations.beta_error) + ")";
  }
  const bool is_fitted = !hints.beta && durations.beta != estimate::kAssumedBeta;
  return t_min + " " + source + " and " + beta + " " + (hints.beta ? "from flags" : is_fitted ? source : "assumed");
}

}  // namespace ontime::scheduler
