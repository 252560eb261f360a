#include <algorithm>
#include <array>
#include <cstdio>

#include "cli/show/job_json.h"
#include "cli/show/job_text.h"
#include "common/base/time.h"
#include "common/base/units.h"
#include "common/base/wording.h"
#include "scheduler/policies/policy.h"

namespace ontime::cli {
namespace {

std::string number(const char* format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string duration(std::int64_t ns) { return format_duration(Duration(ns)); }

std::string percent(double share) { return number(" (%.1f%%)", 100 * share); }

void add(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

std::string source_text(const std::string& source) {
  if (source == "profile") return "from the profile";
  if (source == "job") return "from this job";
  if (source == "flags") return "as given";
  return "assumed";
}

}  // namespace

std::string parameters_text(const wire::JobSummary& job) {
  std::string text;
  for (const auto& entry : job.policy_parameters()) add(text, entry.key() + "=" + entry.value());
  return text;
}

bool restarts_without_checkpoints(const wire::JobSummary& job) {
  return job.checkpoint_interval_ns() == 0 && scheduler::default_checkpoint_interval(job.policy()) == Duration(0);
}

std::string checkpoint_text(const wire::JobSummary& job) {
  if (job.checkpoint_interval_ns() > 0) return "every " + duration(job.checkpoint_interval_ns());
  if (!restarts_without_checkpoints(job)) return "off";
  return "off (" + job.policy() + " restarts from the beginning; --checkpoint 5s switches them on)";
}

std::string pocd_text(double pocd) {
  if (pocd == 0 || pocd == 1) return number("%.0f", pocd);
  if (pocd > 0.999 && pocd < 1) return "above 0.999";
  if (pocd < 0.001 && pocd > 0) return "below 0.001";
  return number("%.3f", pocd);
}

std::string expected_text(const wire::JobSummary& job) {
  if (!job.has_forecast()) return "";
  const wire::Forecast& forecast = job.forecast();
  if (forecast.standing() > 0 && !forecast.has_median_ns()) {
    return "there is no telling: " + counted(forecast.standing(), "segment stands still", "segments stand still");
  }
  if (!forecast.has_median_ns()) {
    if (forecast.unknown() == 0) return "not known yet";
    return "not known yet: nothing can be said about " + counted(forecast.unknown(), "segment");
  }
  std::string text = "done in " + duration(std::max<std::int64_t>(0, forecast.median_ns() - job.elapsed_ns())) +
                     ", at " + duration(forecast.median_ns());
  if (forecast.has_low_ns() && forecast.has_high_ns() && forecast.low_ns() < forecast.high_ns())
    text += " (between " + duration(forecast.low_ns()) + " and " + duration(forecast.high_ns()) + " with 80%)";
  return text;
}

std::string durations_text(const wire::Durations& durations) {
  if (durations.t_min_ns() == 0) return "";
  std::string text = "t_min " + duration(durations.t_min_ns()) + ", beta " + number("%.2f", durations.beta());
  if (durations.beta_error() > 0) text += number(" +- %.2f", durations.beta_error());
  text += " " + source_text(durations.source());
  if (durations.attempts() > 0) text += ", " + counted(durations.attempts(), "attempt");
  return text + "; launch " + duration(durations.launch_ns()) + " " + source_text(durations.launch_source());
}

std::string copies_text(const wire::Reply::Job& job) {
  std::string text;
  for (const auto& copies : job.copies()) add(text, std::to_string(copies.attempts()) + " for " + copies.reason());
  return text;
}

std::string bytes_text(const wire::Account& account) {
  if (account.mapped_bytes() == 0) return "";
  std::string text;
  for (const AccountPart& part : kAccountParts) {
    const std::uint64_t bytes = part.bytes == nullptr ? 0 : (account.*part.bytes)();
    const double share = static_cast<double>(bytes) / static_cast<double>(account.mapped_bytes());
    if (bytes > 0) add(text, format_size(bytes) + " " + part.name + percent(share));
  }
  return format_size(account.mapped_bytes()) + " mapped: " + text;
}

std::string machine_text(const wire::Account& account) {
  if (account.total_ns() == 0) return "";
  std::string text;
  for (const AccountPart& part : kAccountParts) {
    const std::int64_t ns = (account.*part.nanoseconds)();
    const double share = static_cast<double>(ns) / static_cast<double>(account.total_ns());
    if (ns > 0) add(text, duration(ns) + " " + part.name + percent(share));
  }
  return duration(account.total_ns()) + ": " + text;
}

std::string saved_text(const wire::Account& account) {
  if (account.saved_bytes() == 0) return "";
  return format_size(account.saved_bytes()) + " not mapped again, about " + duration(account.saved_ns()) + ", by " +
         counted(account.resumed(), "attempt") + " that resumed";
}

}  // namespace ontime::cli
