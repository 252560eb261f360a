#include "scheduler/math/durations.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/base/median.h"
#include "common/base/wording.h"

namespace ontime::scheduler::math {
namespace {

std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void keep_latest(std::vector<double>& values, std::span<const double> newer, std::size_t kept = DurationSample::kKept) {
  values.insert(values.end(), newer.begin(), newer.end());
  if (values.size() > kept) values.erase(values.begin(), values.end() - static_cast<std::ptrdiff_t>(kept));
}

// The median of `values`, of which `gone` was one when it was `before`, and `come` is one since: the same, or the next.
double moved_median(std::span<const double> values, double before, double gone, double come) {
  if (gone == come || std::max(gone, come) < before || std::min(gone, come) > before) return before;
  std::size_t less = 0, equal = 0;
  double below = -kInfinity, above = kInfinity;
  for (const double value : values) {
    less += value < before ? 1 : 0;
    equal += value == before ? 1 : 0;
    if (value < before) below = std::max(below, value);
    if (value > before) above = std::min(above, value);
  }
  const std::size_t middle = values.size() / 2;
  if (middle < less) return below;
  return middle < less + equal ? before : above;
}

// As keep_latest() of one value; keeps the median, if it is known, where one value goes for it.
void keep_latest(std::vector<double>& values, double newest, std::size_t kept, std::optional<double>& median) {
  const double gone = values.empty() ? newest : values.front();
  const bool moves = median && values.size() == kept;
  keep_latest(values, {&newest, 1}, kept);
  median = moves ? std::optional(moved_median(values, *median, gone, newest)) : std::nullopt;
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

// ln of how many times as long as the profile says attempts of this job take: other bytes, another machine. The profile
// keeps its shape. 0 while that may be chance; drawn towards 0 as ln levels of jobs of one application differ by
// kLevelSpread.
double ln_level(std::span<const double> profile, std::span<const double> finished, std::span<const double> running) {
  constexpr double kLevelSpread = 1;
  constexpr double kErrorsSure = 3;
  constexpr double kLevelLeast = 0.4;
  constexpr std::size_t kOwnLeast = 3;
  const std::size_t own = finished.size() + running.size();
  if (own < kOwnLeast || profile.size() < 2) return 0;
  const auto n = static_cast<double>(profile.size());
  double mean = 0;
  for (const double duration : profile) mean += std::log(duration) / n;
  double variance = 0;
  for (const double duration : profile) variance += std::pow(std::log(duration) - mean, 2) / (n - 1);
  double level = 0;
  const auto count = static_cast<double>(own);
  for (const std::span<const double> seen : {finished, running}) {
    for (const double duration : seen) level += (std::log(duration) - mean) / count;
  }
  const double error = std::sqrt(variance / count);
  if (std::abs(level) < std::max(kLevelLeast, kErrorsSure * error)) return 0;
  return level * kLevelSpread * kLevelSpread / (kLevelSpread * kLevelSpread + error * error);
}

// REQUIRES: the rest of `to` is chosen.
void choose_tail_of(const DurationSample* profile, const DurationSample& job, std::span<const double> running,
                    const DurationHints& hints, Durations& to) {
  if (hints.tail == TailRule::Pareto || to.t_min <= 0) return;
  if (to.source == DurationSource::Profile) {
    to.tail = profile->tail(hints.tail);
  } else if (to.source == DurationSource::Flags) {
    to.tail = math::FittedTail::pareto(to.t_min, to.beta);
    return;
  } else if (running.empty()) {
    to.tail = job.tail(hints.tail);
  } else {
    std::vector<double> known(job.finished().begin(), job.finished().end());
    known.insert(known.end(), running.begin(), running.end());
    to.tail = choose_tail(known, job.censored(), hints.tail);
    to.samples = known.size();
  }
  if (to.tail) to.t_min = to.tail->quantile(kLeastShare);
}

void choose_t_min_and_beta(const DurationSample* profile, const DurationSample& job, std::span<const double> running,
                           const DurationHints& hints, double split_bytes, Durations& to) {
  const auto allowed = [&](DurationSource source) { return !hints.only || *hints.only == source; };
  if (allowed(DurationSource::Profile) && profile != nullptr && take_fit(*profile, DurationSource::Profile, to)) return;
  if (allowed(DurationSource::Job) && take_fit(job, DurationSource::Job, to)) return;
  if (allowed(DurationSource::Flags) && take_flags(hints, split_bytes, to)) return;
  if (allowed(DurationSource::Job) && take_fastest(job, running, to)) return;
  if (take_flags(hints, split_bytes, to)) return;
  take_fastest(job, running, to);
  to.source = DurationSource::Assumed;
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
  std::optional<double> median = usual_finished_;
  keep_latest(finished_, seconds_per_byte, kKept, median);
  forget_fits();
  usual_finished_ = median;
}

void DurationSample::add_censored(double seconds_per_byte) {
  keep_latest(censored_, {&seconds_per_byte, 1});
  forget_fits();
}

void DurationSample::forget_fits() {
  fitted_ = false;
  tail_rule_.reset();
  usual_finished_.reset();
}

void DurationSample::add_launch(double seconds) {
  keep_latest(launches_, {&seconds, 1});
  mean_launch_.reset();
}

void DurationSample::add_warm_launch(double seconds) {
  keep_latest(warm_launches_, {&seconds, 1});
  mean_warm_launch_.reset();
}

void DurationSample::add_fixed(Beginning how, double seconds) {
  const auto place = static_cast<std::size_t>(how);
  keep_latest(fixed_[place], seconds, kFixedKept, usual_fixed_[place]);  // each checkpoint adds one
}

void DurationSample::add_first(double seconds) {
  keep_latest(firsts_, {&seconds, 1}, kFixedKept);
  usual_first_.reset();
  slow_first_.reset();
}

void DurationSample::add(const DurationSample& newer) {
  for (std::size_t how = 0; how < kBeginnings; ++how) keep_latest(fixed_[how], newer.fixed_[how], kFixedKept);
  keep_latest(firsts_, newer.firsts_, kFixedKept);
  usual_fixed_ = {};
  usual_first_.reset();
  slow_first_.reset();
  keep_latest(finished_, newer.finished_);
  keep_latest(censored_, newer.censored_);
  keep_latest(launches_, newer.launches_);
  keep_latest(warm_launches_, newer.warm_launches_);
  mean_launch_.reset();
  mean_warm_launch_.reset();
  forget_fits();
}

void DurationSample::follow(const DurationSample& later) {
  if (const double level = std::exp(ln_level(finished_, later.finished_, {})); level != 1) {
    for (std::vector<double>* durations : {&finished_, &censored_}) {
      for (double& duration : *durations) duration *= level;
    }
  }
  add(later);
}

const std::optional<math::ParetoFit>& DurationSample::fit() const {
  if (!fitted_) {
    fit_ = math::fit_pareto(finished_, censored_);
    fitted_ = true;
  }
  return fit_;
}

const std::optional<math::FittedTail>& DurationSample::tail(TailRule rule) const {
  if (tail_rule_ != rule) {
    tail_ = choose_tail(finished_, censored_, rule);
    tail_rule_ = rule;
  }
  return tail_;
}

std::optional<double> DurationSample::mean_launch() const {
  if (!mean_launch_) mean_launch_ = mean_of(launches_);
  return mean_launch_;
}

std::optional<double> DurationSample::mean_warm_launch() const {
  if (!mean_warm_launch_) mean_warm_launch_ = mean_of(warm_launches_);
  return mean_warm_launch_;
}

double DurationSample::usual_finished() const {
  if (!usual_finished_) usual_finished_ = median_of(finished_);
  return *usual_finished_;
}

std::optional<double> DurationSample::usual_fixed(Beginning how) const {
  for (const Beginning like : {how, Beginning::Cold, Beginning::Next, Beginning::Warm, Beginning::AtOnce}) {
    const std::vector<double>& seen = fixed_[static_cast<std::size_t>(like)];
    if (seen.empty()) continue;
    std::optional<double>& usual = usual_fixed_[static_cast<std::size_t>(like)];
    if (!usual) usual = median_of(seen);
    return usual;
  }
  return std::nullopt;
}

std::size_t DurationSample::fixed_seen() const {
  std::size_t seen = 0;
  for (const std::vector<double>& of_kind : fixed_) seen += of_kind.size();
  return seen;
}

bool DurationSample::takes_at_once() const {
  const std::size_t at_once = fixed(Beginning::AtOnce).size();
  return at_once > fixed(Beginning::Cold).size() + fixed(Beginning::Warm).size() + fixed(Beginning::Next).size();
}

std::optional<double> DurationSample::usual_first() const {
  if (!usual_first_ && !firsts_.empty()) usual_first_ = median_of(firsts_);
  return usual_first_;
}

std::optional<double> DurationSample::slow_first() const {
  constexpr double kMargin = 1.5;
  if (firsts_.empty()) return std::nullopt;
  if (firsts_.size() < kEnoughSamples) return kMargin * *std::max_element(firsts_.begin(), firsts_.end());
  if (slow_first_) return slow_first_;
  const double median = *usual_first();
  double variance = 0;
  for (const double first : firsts_) {
    if (first > 0 && median > 0) variance += std::pow(std::log(first / median), 2);
  }
  const double spread = std::sqrt(variance / static_cast<double>(firsts_.size()));
  slow_first_ = median * std::max(kMargin, std::exp(spread));
  return slow_first_;
}

std::string_view name_of(DurationSource source) {
  return name_at<DurationSource::Assumed>(source, "profile", "job", "flags", "assumed");
}

double Durations::ln_survival(double seconds_per_byte) const {
  if (tail) return tail->ln_survival(seconds_per_byte);
  return math::Pareto(t_min, beta).ln_survival(seconds_per_byte);
}

double Durations::median() const { return tail ? tail->median() : t_min * std::exp2(1 / beta); }

double mean_of_least(std::span<const double> values, std::uint32_t draws) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto share_from = [&](std::size_t index) {  // P(all draws are among those)
    double share = 1;
    for (std::uint32_t draw = 0; draw < draws; ++draw)
      share *= static_cast<double>(sorted.size() - index) / static_cast<double>(sorted.size());
    return share;
  };
  double mean = 0;
  for (std::size_t index = 0; index < sorted.size(); ++index)
    mean += sorted[index] * (share_from(index) - share_from(index + 1));
  return mean;
}

Durations choose_durations(const DurationSample* profile, const DurationSample& job, std::span<const double> running,
                           const DurationHints& hints, double split_bytes) {
  Durations chosen;
  chosen.beta = hints.beta.value_or(kAssumedBeta);
  choose_launch(profile, job, hints, chosen);
  choose_t_min_and_beta(profile, job, running, hints, split_bytes, chosen);
  choose_tail_of(profile, job, running, hints, chosen);
  if (chosen.source == DurationSource::Profile) {
    const double level = std::exp(ln_level(profile->finished(), job.finished(), running));
    chosen.t_min *= level;
    if (chosen.tail && level != 1) chosen.tail = chosen.tail->scaled(level);
  }
  return chosen;
}

}  // namespace ontime::scheduler::math
