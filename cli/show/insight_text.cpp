#include "cli/show/insight_text.h"

#include <array>
#include <cstdio>

#include "cli/show/table.h"
#include "common/base/time.h"
#include "common/base/units.h"
#include "scheduler/policies/policy.h"

namespace ontime::cli {
namespace {

std::string number(const char* format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string duration(std::int64_t ns) { return format_duration(Duration(ns)); }

std::string percent(double part, double whole) { return whole > 0 ? number(" (%.1f%%)", 100 * part / whole) : ""; }

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
    return "there is no telling: " + std::to_string(forecast.standing()) +
           (forecast.standing() == 1 ? " segment stands still" : " segments stand still");
  }
  if (!forecast.has_median_ns()) {
    if (forecast.unknown() == 0) return "not known yet";
    return "not known yet: nothing can be said about " + std::to_string(forecast.unknown()) +
           (forecast.unknown() == 1 ? " segment" : " segments");
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
  if (durations.attempts() > 0)
    text += ", " + std::to_string(durations.attempts()) + (durations.attempts() == 1 ? " attempt" : " attempts");
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
  const auto part = [&](const char* name, std::uint64_t bytes) {
    if (bytes > 0)
      add(text, format_size(bytes) + " " + name +
                    percent(static_cast<double>(bytes), static_cast<double>(account.mapped_bytes())));
  };
  part("useful", account.useful_bytes());
  part("duplicated", account.duplicated_bytes());
  part("dropped", account.dropped_bytes());
  part("not sealed yet", account.open_bytes());
  return format_size(account.mapped_bytes()) + " mapped: " + text;
}

std::string machine_text(const wire::Account& account) {
  if (account.total_ns() == 0) return "";
  std::string text;
  const auto part = [&](const char* name, std::int64_t ns) {
    if (ns > 0)
      add(text, duration(ns) + " " + name + percent(static_cast<double>(ns), static_cast<double>(account.total_ns())));
  };
  part("useful", account.useful_ns());
  part("duplicated", account.duplicated_ns());
  part("dropped", account.dropped_ns());
  part("not sealed yet", account.open_ns());
  part("launching", account.launch_ns());
  part("standing by", account.standby_ns());
  return duration(account.total_ns()) + ": " + text;
}

std::string saved_text(const wire::Account& account) {
  if (account.saved_bytes() == 0) return "";
  return format_size(account.saved_bytes()) + " not mapped again, about " + duration(account.saved_ns()) + ", by " +
         std::to_string(account.resumed()) + (account.resumed() == 1 ? " attempt" : " attempts") + " that resumed";
}

std::string accounts_table(const wire::Reply::Jobs& jobs) {
  Table table({{"POLICY"},
               {"JOBS", Align::Right},
               {"MAPPED", Align::Right},
               {"USEFUL", Align::Right},
               {"DUPLICATED", Align::Right},
               {"DROPPED", Align::Right},
               {"MACHINE", Align::Right},
               {"USEFUL", Align::Right},
               {"LAUNCH", Align::Right},
               {"SAVED", Align::Right}});
  for (const auto& policy : jobs.accounts()) {
    const wire::Account& account = policy.account();
    table.add_row({policy.policy(), std::to_string(policy.jobs()), format_size(account.mapped_bytes()),
                   format_size(account.useful_bytes()), format_size(account.duplicated_bytes()),
                   format_size(account.dropped_bytes()), duration(account.total_ns()), duration(account.useful_ns()),
                   duration(account.launch_ns()), duration(account.saved_ns())});
  }
  return table.empty() ? "no jobs\n" : table.to_string();
}

}  // namespace ontime::cli
