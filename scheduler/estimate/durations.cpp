#include "scheduler/estimate/durations.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ontime::scheduler::estimate {
namespace {

void keep_latest(std::vector<double>& values, std::span<const double> newer) {
  values.insert(values.end(), newer.begin(), newer.end());
  if (values.size() > DurationSample::kKept) {
    values.erase(values.begin(), values.end() - static_cast<std::ptrdiff_t>(DurationSample::kKept));
  }
}

// All durations equal give an infinite beta, which no formula profits from.
constexpr double kBetaMax = 100;

bool take_fit(const DurationSample& sample, DurationSource source, Durations& to) {
  if (sample.finished().size() < kEnoughSamples || !sample.fit()) return false;
  to.t_min = sample.fit()->distribution.t_min();
  to.beta = std::min(sample.fit()->distribution.beta(), kBetaMax);
  to.beta_error = std::isfinite(sample.fit()->beta_error) ? sample.fit()->beta_error : 0;
  to.samples = sample.finished().size();
  to.source = source;
  return true;
}

// The fastest attempt seen stands for t_min.
bool take_fastest(const DurationSample& sample, std::span<const double> running, Durations& to) {
  double fastest = 0;
  for (const std::span<const double> seen : {sample.finished(), running}) {
    for (const double duration : seen) fastest = fastest > 0 ? std::min(fastest, duration) : duration;
  }
  if (fastest <= 0) return false;
  to.t_min = fastest;
  to.samples = sample.finished().size() + running.size();
  to.source = DurationSource::Job;
  return true;
}

bool take_flags(const DurationHints& hints, double split_bytes, Durations& to) {
  if (!hints.t_min) return false;
  to.t_min = *hints.t_min / hints.t_min_of.value_or(split_bytes);
  to.source = DurationSource::Flags;
  return true;
}

void choose_launch(const DurationSample* profile, const DurationSample& job, const DurationHints& hints,
                   Durations& to) {
  to.launch = kAssumedLaunch;
  if (hints.launch) {
    to.launch = *hints.launch;
    to.launch_source = DurationSource::Flags;
  } else if (const auto own = job.mean_launch()) {
    to.launch = *own;
    to.launch_source = DurationSource::Job;
  } else if (const auto earlier = profile != nullptr ? profile->mean_launch() : std::nullopt) {
    to.launch = *earlier;
    to.launch_source = DurationSource::Profile;
  }
}

}  // namespace

void DurationSample::add_finished(double seconds_per_byte) {
  keep_latest(finished_, {&seconds_per_byte, 1});
  fitted_ = false;
}

void DurationSample::add_censored(double seconds_per_byte) {
  keep_latest(censored_, {&seconds_per_byte, 1});
  fitted_ = false;
}

void DurationSample::add_launch(double seconds) { keep_latest(launches_, {&seconds, 1}); }

void DurationSample::add(const DurationSample& newer) {
  keep_latest(finished_, newer.finished_);
  keep_latest(censored_, newer.censored_);
  keep_latest(launches_, newer.launches_);
  fitted_ = false;
}

const std::optional<pocd::ParetoFit>& DurationSample::fit() const {
  if (!fitted_) {
    fit_ = pocd::fit_pareto(finished_, censored_);
    fitted_ = true;
  }
  return fit_;
}

std::optional<double> DurationSample::mean_launch() const {
  if (launches_.empty()) return std::nullopt;
  return std::accumulate(launches_.begin(), launches_.end(), 0.0) / static_cast<double>(launches_.size());
}

std::string_view name_of(DurationSource source) {
  switch (source) {
    case DurationSource::Profile:
      return "profile";
    case DurationSource::Job:
      return "job";
    case DurationSource::Flags:
      return "flags";
    case DurationSource::Assumed:
      break;
  }
  return "assumed";
}

Durations choose_durations(const DurationSample* profile, const DurationSample& job, std::span<const double> running,
                           const DurationHints& hints, double split_bytes) {
  Durations chosen;
  chosen.beta = hints.beta.value_or(kAssumedBeta);
  choose_launch(profile, job, hints, chosen);
  const auto allowed = [&](DurationSource source) { return !hints.only || *hints.only == source; };
  if (allowed(DurationSource::Profile) && profile != nullptr && take_fit(*profile, DurationSource::Profile, chosen)) {
    return chosen;
  }
  if (allowed(DurationSource::Job) && take_fit(job, DurationSource::Job, chosen)) return chosen;
  if (allowed(DurationSource::Flags) && take_flags(hints, split_bytes, chosen)) return chosen;
  if (allowed(DurationSource::Job) && take_fastest(job, running, chosen)) return chosen;
  if (take_flags(hints, split_bytes, chosen)) return chosen;
  take_fastest(job, running, chosen);
  chosen.source = DurationSource::Assumed;
  return chosen;
}

}  // namespace ontime::scheduler::estimate
