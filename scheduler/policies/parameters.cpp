#include "scheduler/policies/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "common/base/units.h"
#include "common/base/wording.h"

namespace ontime::scheduler {

const std::string* Parameters::find(std::string_view name) {
  known_.emplace(name);
  const auto found = given_.find(name);
  return found == given_.end() ? nullptr : &found->second;
}

void Parameters::refuse(std::string_view name, const std::string& value, const std::string& what) const {
  throw std::invalid_argument("--policy-set " + std::string(name) + "=" + value + ": policy " + policy_ + " wants " +
                              what);
}

std::optional<double> Parameters::optional_number(std::string_view name, double least, double greatest) {
  const std::string* text = find(name);
  if (text == nullptr) return std::nullopt;
  const Result<double> value = parse_number(*text, least, greatest);
  if (!value) refuse(name, *text, "a number from " + shortest(least) + " to " + shortest(greatest));
  return *value;
}

double Parameters::number(std::string_view name, double otherwise, double least, double greatest) {
  return optional_number(name, least, greatest).value_or(otherwise);
}

std::optional<std::uint32_t> Parameters::optional_count(std::string_view name, std::uint32_t least,
                                                        std::uint32_t greatest) {
  const std::string* text = find(name);
  if (text == nullptr) return std::nullopt;
  const auto value = number_in<std::uint32_t>(*text);
  if (!value || *value < least || *value > greatest) {
    refuse(name, *text, "a whole number from " + std::to_string(least) + " to " + std::to_string(greatest));
  }
  return value;
}

std::uint32_t Parameters::count(std::string_view name, std::uint32_t otherwise, std::uint32_t least,
                                std::uint32_t greatest) {
  return optional_count(name, least, greatest).value_or(otherwise);
}

std::optional<double> Parameters::optional_duration(std::string_view name) {
  const std::string* text = find(name);
  if (text == nullptr) return std::nullopt;
  const Result<Duration> value = parse_duration(*text);
  if (!value || *value < Duration::zero()) refuse(name, *text, "a duration such as 1.5s or 200ms");
  return seconds(*value);
}

double Parameters::duration(std::string_view name, double otherwise) {
  return optional_duration(name).value_or(otherwise);
}

double Parameters::period(std::string_view name, double otherwise) {
  constexpr double kPeriodMin = 0.01;
  return std::max(kPeriodMin, duration(name, otherwise));
}

RelativeTime Parameters::relative_time(std::string_view name, RelativeTime otherwise) {
  const std::string* text = find(name);
  if (text == nullptr) return otherwise;
  if (text->ends_with('x')) {
    constexpr double kNoBound = std::numeric_limits<double>::infinity();
    const auto multiple = parse_number(std::string_view(*text).substr(0, text->size() - 1), 0, kNoBound);
    if (multiple) return {*multiple, true};
  } else if (const Result<Duration> value = parse_duration(*text); value && *value >= Duration::zero()) {
    return {seconds(*value), false};
  }
  refuse(name, *text, "a duration such as 1.5s, or a multiple of t_min such as 0.3x");
}

bool Parameters::flag(std::string_view name, bool otherwise) {
  const std::string* text = find(name);
  if (text == nullptr) return otherwise;
  for (const std::string_view yes : {"yes", "on", "true", "1"}) {
    if (*text == yes) return true;
  }
  for (const std::string_view no : {"no", "off", "false", "0"}) {
    if (*text == no) return false;
  }
  refuse(name, *text, "yes or no");
}

std::string Parameters::choice(std::string_view name, std::string_view otherwise,
                               std::initializer_list<std::string_view> choices) {
  const std::string* text = find(name);
  if (text == nullptr) return std::string(otherwise);
  if (std::find(choices.begin(), choices.end(), *text) != choices.end()) return *text;
  refuse(name, *text, "one of: " + listed({choices.begin(), choices.end()}));
}

math::DurationHints Parameters::durations() {
  math::DurationHints hints;
  hints.t_min = optional_duration("t_min");
  if (hints.t_min && *hints.t_min <= 0) refuse("t_min", *find("t_min"), "a duration above 0");
  if (const std::string* text = find("t_min_of")) {
    const Result<std::uint64_t> bytes = parse_size(*text);
    if (!bytes || *bytes == 0) refuse("t_min_of", *text, "a size such as 128MiB");
    hints.t_min_of = static_cast<double>(*bytes);
  }
  hints.beta = optional_number("beta", 0.01, 100);
  hints.launch = optional_duration("t_avg");
  const std::string fit = choice("fit", "auto", {"auto", "profile", "job", "flags"});
  for (const auto source : {math::DurationSource::Profile, math::DurationSource::Job, math::DurationSource::Flags}) {
    if (fit == name_of(source)) hints.only = source;
  }
  return hints;
}

JobOrder Parameters::order() {
  const std::string order = choice("order", "fifo", {"fifo", "deadline", "workload"});
  return order == "workload"   ? JobOrder::ShortestRemaining
         : order == "deadline" ? JobOrder::EarliestDeadline
                               : JobOrder::Fifo;
}

math::TailRule Parameters::tail(math::TailRule otherwise) {
  const std::string name = choice("tail", math::name_of(otherwise), {"auto", "pareto", "lognormal", "empirical"});
  return math::tail_rule(name).value_or(otherwise);
}

Handover Parameters::handover(Handover otherwise) {
  const std::string rule =
      choice("handover", otherwise == Handover::Ready ? "ready" : "predicted", {"predicted", "ready"});
  return rule == "ready" ? Handover::Ready : Handover::Predicted;
}

StringMap Parameters::rest() {
  StringMap rest;
  for (const auto& [name, value] : given_) {
    if (name != kAsWritten && name != kRace && known_.insert(name).second) rest.emplace(name, value);
  }
  return rest;
}

void Parameters::finish() const {
  for (const auto& [name, value] : given_) {
    if (known_.contains(name)) continue;
    throw std::invalid_argument("policy " + policy_ + " has no parameter '" + name + "'; " +
                                (known_.empty() ? "it takes none" : advice(name, {known_.begin(), known_.end()})));
  }
}

namespace {

std::string source_words(math::DurationSource source) {
  return name_at<math::DurationSource::Assumed>(source, "from the profile", "from the job's own attempts", "from flags",
                                                "assumed");
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
