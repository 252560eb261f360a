#include "cli/show/lateness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

std::string spelled(std::int64_t ns) { return format_duration(Duration(ns)); }

std::int64_t left_ns(const wire::JobSummary& job) { return job.settings().deadline() - job.elapsed_ns(); }

}  // namespace

Lateness lateness_of(const wire::JobSummary& job) {
  if (job.settings().deadline() == 0) return Lateness::NoDeadline;
  if (protocol::has_ended(job)) return missed_its_deadline(job) ? Lateness::Late : Lateness::Met;
  if (left_ns(job) < 0) return Lateness::Late;
  return job.forecast().has_pocd() && job.forecast().pocd() < kPocdAtRisk ? Lateness::AtRisk : Lateness::InTime;
}

const char* name_of(Lateness lateness) {
  return name_at<Lateness::Late>(lateness, "none", "met", "in time", "at risk", "late");
}

bool is_late(const wire::JobSummary& job) {
  const Lateness lateness = lateness_of(job);
  return lateness == Lateness::AtRisk || lateness == Lateness::Late;
}

Colour colour_of(Lateness lateness) {
  if (lateness == Lateness::Late) return Colour::Red;
  return lateness == Lateness::AtRisk ? Colour::Yellow : Colour::None;
}

bool missed_its_deadline(const wire::JobSummary& job) {
  const wire::JobSettings& settings = job.settings();
  return settings.deadline() > 0 && (job.state() != wire::SUCCEEDED || job.elapsed_ns() > settings.deadline());
}

std::string lateness_text(const wire::JobSummary& job) {
  const std::int64_t left = left_ns(job);
  const std::string likely = job.forecast().has_pocd() ? ", PoCD " + pocd_text(job.forecast().pocd()) : "";
  switch (lateness_of(job)) {
    case Lateness::NoDeadline:
      return "";
    case Lateness::Met:
      return "met " + spelled(left) + " early";
    case Lateness::Late:
      return left < 0 ? "LATE " + spelled(-left) : "LATE, no result";
    case Lateness::InTime:
    case Lateness::AtRisk:
      return "left " + spelled(left) + likely;
  }
  return "";
}

std::string deadline_text(const wire::JobSummary& job) {
  if (job.settings().deadline() == 0) return "";
  const auto left = left_ns(job);
  const auto whole = spelled(job.settings().deadline());
  if (!protocol::has_ended(job)) return whole + (left >= 0 ? ", " + spelled(left) + " left" : ", already missed");
  if (left < 0) return whole + ", missed by " + spelled(-left);
  if (missed_its_deadline(job))
    return whole + ", missed: the job " + (job.state() == wire::FAILED ? "failed" : "was killed");
  return whole + ", met with " + spelled(left) + " to spare";
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
  std::string text = "done in " + spelled(std::max<std::int64_t>(0, forecast.median_ns() - job.elapsed_ns())) +
                     ", at " + spelled(forecast.median_ns());
  if (const auto end = expected_end_unix_ns(job)) text += ", " + local_time(*end);
  if (forecast.has_low_ns() && forecast.has_high_ns() && forecast.low_ns() < forecast.high_ns())
    text += " (between " + spelled(forecast.low_ns()) + " and " + spelled(forecast.high_ns()) + " with 80%)";
  return text;
}

std::string pocd_text(double pocd) {
  if (pocd == 0 || pocd == 1) return fmt::format("{:.0f}", pocd);
  if (pocd > 0.999 && pocd < 1) return "above 0.999";
  if (pocd < 0.001 && pocd > 0) return "below 0.001";
  return fmt::format("{:.3f}", pocd);
}

std::optional<std::int64_t> due_unix_ns(const wire::JobSummary& job) {
  if (job.settings().deadline() == 0 || job.submitted_unix_ns() == 0) return {};
  return job.submitted_unix_ns() + job.settings().deadline();
}

std::optional<std::int64_t> expected_end_unix_ns(const wire::JobSummary& job) {
  if (!job.forecast().has_median_ns() || job.submitted_unix_ns() == 0 || protocol::has_ended(job)) return {};
  return job.submitted_unix_ns() + std::max(job.forecast().median_ns(), job.elapsed_ns());
}

std::string late_hint(const wire::Reply::Job& job, std::uint32_t slots) {
  const wire::JobSummary& summary = job.summary();
  if (summary.state() != wire::SUCCEEDED || !missed_its_deadline(summary)) return "";
  const double deadline = seconds(Duration(summary.settings().deadline()));
  const double needed = seconds(Duration(job.account().useful_ns()));
  const auto least = static_cast<std::uint64_t>(std::ceil(needed / deadline));
  if (slots > 0 && least > slots) {
    return std::string("more slots") + (least > summary.tasks() ? " and smaller splits" : "") +
           ": the work alone took " + spelled(job.account().useful_ns()) +
           " of machine time, so no policy is done in " + spelled(summary.settings().deadline()) + " with fewer than " +
           counted(least, "slot") + ", and there were " + std::to_string(slots);
  }
  const std::string& policy = summary.settings().policy();
  if (policy == "auto" || !summary.policy_harm().empty()) return "";
  return "perhaps another policy: of a run with --record FILE, 'ontime replay --recording FILE --policy auto' predicts "
         "it under auto";
}

}  // namespace ontime::cli
