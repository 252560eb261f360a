#include "scheduler/math/fitted_tail.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "common/base/wording.h"
#include "scheduler/math/distributions.h"
#include "scheduler/math/numeric.h"

namespace ontime::scheduler::math {
std::vector<SurvivalStep> kaplan_meier(std::span<const double> finished, std::span<const double> running) {
  std::vector<std::pair<double, bool>> ends;  // time, still running: at the same time those that finished come first
  for (const double t : finished) ends.emplace_back(t, false);
  for (const double t : running) ends.emplace_back(t, true);
  std::sort(ends.begin(), ends.end());
  std::vector<SurvivalStep> steps;
  double survival = 1;
  auto at_risk = static_cast<double>(ends.size());
  for (const auto& [time, censored] : ends) {
    if (!censored) {
      survival *= (at_risk - 1) / at_risk;
      if (!steps.empty() && steps.back().time == time) steps.pop_back();
      steps.push_back({time, survival});
    }
    --at_risk;
  }
  return steps;
}

namespace {

constexpr std::array<double, 16> kQuantiles{0.02, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3,  0.4,
                                            0.5,  0.6,  0.65, 0.7,  0.75, 0.8,  0.85, 0.9};

// A function of a normal variable at steps of 1/kPerUnit from -kReach to kReach. Between them those below are nearly
// straight lines, and below -kReach nearly 0.
class NormalTable {
 public:
  explicit NormalTable(double (*exact)(double)) : exact_(exact) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = exact(static_cast<double>(i) / kPerUnit - kReach);
  }
  double operator()(double z) const {
    const double place = (z + kReach) * kPerUnit;
    if (place < 0) return values_.front();  // next to nothing
    if (!(place < 2 * kReach * kPerUnit)) return exact_(z);
    const auto at = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(at);
    return values_[at] + share * (values_[at + 1] - values_[at]);
  }

 private:
  static constexpr int kReach = 8;
  static constexpr int kPerUnit = 64;
  double (*const exact_)(double);
  std::array<double, 2 * kReach * kPerUnit + 2> values_{};
};

double ln_normal_survival_quickly(double z) {
  static const NormalTable table(ln_normal_survival);
  return table(z);
}

double normal_hazard_quickly(double z) {
  static const NormalTable table(normal_hazard);
  return table(z);
}

// Integral over t from `from` to `to` of a survival that is `survival` at `from` and falls as t^-slope.
double power_area(double from, double to, double survival, double slope) {
  const double ln_ratio = std::log(to / from);
  const double power = 1 - slope;
  return survival * from * (std::abs(power) < 1e-9 ? ln_ratio : std::expm1(power * ln_ratio) / power);
}

}  // namespace

std::string_view name_of(TailKind kind) {
  return name_at<TailKind::Empirical>(kind, "pareto", "lognormal", "empirical");
}

FittedTail FittedTail::pareto(double t_min, double beta) {
  FittedTail tail(TailKind::Pareto, t_min, beta);
  tail.ln_t_min_ = std::log(t_min);
  tail.median_ = t_min * std::exp2(1 / beta);
  return tail;
}

FittedTail FittedTail::lognormal(double m, double s) {
  FittedTail tail(TailKind::Lognormal, m, s);
  tail.median_ = std::exp(m);
  return tail;
}

FittedTail FittedTail::empirical(std::span<const double> finished, std::span<const double> running, double slope) {
  const std::vector<SurvivalStep> seen = kaplan_meier(finished, running);
  auto step = seen.begin();
  std::vector<Knot> knots{{std::log(*std::min_element(finished.begin(), finished.end())), 0}};
  for (const double q : kQuantiles) {
    while (step != seen.end() && 1 - step->survival < q) ++step;
    if (step == seen.end()) break;  // nobody has shown it yet
    const Knot knot{std::log(step->time), std::log1p(-q)};
    if (knot.ln_t > knots.back().ln_t)
      knots.push_back(knot);
    else if (knots.size() > 1)
      knots.back() = knot;  // many took the same time: the last of them counts
  }
  FittedTail tail(TailKind::Empirical, std::exp(knots.back().ln_t), slope);
  tail.knots_ = std::make_shared<const std::vector<Knot>>(std::move(knots));
  tail.median_ = tail.quantile(0.5);
  return tail;
}

FittedTail FittedTail::scaled(double factor) const {
  if (kind_ == TailKind::Pareto) return pareto(a_ * factor, b_);
  if (kind_ == TailKind::Lognormal) return lognormal(a_ + std::log(factor), b_);
  FittedTail tail(kind_, a_ * factor, b_);
  std::vector<Knot> knots(*knots_);
  for (Knot& knot : knots) knot.ln_t += std::log(factor);
  tail.knots_ = std::make_shared<const std::vector<Knot>>(std::move(knots));
  tail.median_ = median_ * factor;
  return tail;
}

std::span<const FittedTail::Knot> FittedTail::knots() const {
  return knots_ ? std::span<const Knot>(*knots_) : std::span<const Knot>{};
}

double FittedTail::slope_from(std::size_t knot) const {
  if (knot + 1 == knots_->size()) return b_;
  const Knot& from = (*knots_)[knot];
  const Knot& to = (*knots_)[knot + 1];
  return (from.ln_survival - to.ln_survival) / (to.ln_t - from.ln_t);
}

double FittedTail::ln_survival(double t) const { return t > 0 ? ln_survival_at(std::log(t)) : 0; }

double FittedTail::ln_survival_at(double ln_t) const {
  if (kind_ == TailKind::Pareto) return ln_t <= ln_t_min_ ? 0 : -times(b_, ln_t - ln_t_min_);
  if (kind_ == TailKind::Lognormal) return ln_normal_survival_quickly((ln_t - a_) / b_);
  const auto after = std::upper_bound(knots_->begin(), knots_->end(), ln_t,
                                      [](double at, const Knot& knot) { return at < knot.ln_t; });
  if (after == knots_->begin()) return 0;
  const Knot& from = *std::prev(after);
  return from.ln_survival - slope_from(static_cast<std::size_t>(after - knots_->begin()) - 1) * (ln_t - from.ln_t);
}

double FittedTail::quantile(double q) const {
  if (kind_ == TailKind::Pareto) return Pareto(a_, b_).quantile(q);
  if (kind_ == TailKind::Lognormal) return Lognormal(a_, b_).quantile(q);
  const double ln_survival = std::log1p(-q);
  std::size_t at = 0;
  while (at + 1 < knots_->size() && (*knots_)[at + 1].ln_survival >= ln_survival) ++at;
  const Knot& from = (*knots_)[at];
  return std::exp(from.ln_t + (from.ln_survival - ln_survival) / slope_from(at));
}

double FittedTail::mean() const {
  if (kind_ == TailKind::Pareto) return Pareto(a_, b_).mean();
  if (kind_ == TailKind::Lognormal) return Lognormal(a_, b_).mean();
  if (b_ <= 1) return kInfinity;
  return mean_capped(a_) + std::exp(knots_->back().ln_survival) * a_ / (b_ - 1);
}

double FittedTail::mean_capped(double x) const {
  if (kind_ == TailKind::Pareto) return Pareto(a_, b_).mean_capped(x);
  if (kind_ == TailKind::Lognormal) return Lognormal(a_, b_).mean_capped(x);
  const double first = std::exp(knots_->front().ln_t);
  if (x <= first) return x;
  double area = first;
  for (std::size_t at = 0; at < knots_->size(); ++at) {
    const double from = std::exp((*knots_)[at].ln_t);
    if (from >= x) break;
    const bool is_last = at + 1 == knots_->size();
    const double to = is_last ? x : std::min(x, std::exp((*knots_)[at + 1].ln_t));
    area += power_area(from, to, std::exp((*knots_)[at].ln_survival), slope_from(at));
  }
  return area;
}

namespace {

using math::FittedTail;

constexpr double kUsualShape = 2;
constexpr double kSpreadMin = 0.02;  // of ln T: equal durations need not stay equal
constexpr double kUnfit = 1.63;      // Kolmogorov and Smirnov, at 1 %: distance times the root of n
constexpr std::size_t kCensoredMost = 64;

// A fitted distribution before and after shrinkage, and ln of the likelihood of what was seen.
struct Candidate {
  FittedTail plain;
  FittedTail shrunk;
  double ln_likelihood;
};

double count_of(std::span<const double> values) { return static_cast<double>(values.size()); }

// Censored times say little each: many are represented by as many as are looked at, evenly spread over the sorted ones.
struct Censored {
  std::vector<double> ln_times;
  double weight = 1;  // so many attempts each
};

Censored thin(std::span<const double> censored) {
  Censored thinned{{censored.begin(), censored.end()}, 1};
  std::vector<double>& times = thinned.ln_times;
  if (times.size() > kCensoredMost) {
    std::sort(times.begin(), times.end());
    for (std::size_t i = 0; i < kCensoredMost; ++i) times[i] = times[(2 * i + 1) * times.size() / (2 * kCensoredMost)];
    times.resize(kCensoredMost);
    thinned.weight = count_of(censored) / kCensoredMost;
  }
  for (double& time : times) time = std::log(time);
  return thinned;
}

struct Normal {
  double m;
  double s;
};

Normal moments(std::span<const double> ln_times) {
  double sum = 0;
  for (const double x : ln_times) sum += x;
  const double m = sum / count_of(ln_times);
  double squares = 0;
  for (const double x : ln_times) squares += (x - m) * (x - m);
  return {m, std::max(kSpreadMin, std::sqrt(squares / count_of(ln_times)))};
}

// Expectation maximisation: what a censored attempt may be expected to take counts as what it took. It settles quickly
// unless most are censored; a few rounds are near enough for odds.
Normal fit_censored(std::span<const double> ln_times, const Censored& censored) {
  const Normal known = moments(ln_times);
  if (censored.ln_times.empty()) return known;
  constexpr int kRounds = 30;
  const double n = count_of(ln_times);
  const double all = n + censored.weight * count_of(censored.ln_times);
  Normal fit = known;
  for (int round = 0; round < kRounds; ++round) {
    double first = 0;  // of x - known.m
    double second = n * known.s * known.s;
    for (const double c : censored.ln_times) {
      const double push = fit.s * normal_hazard_quickly((c - fit.m) / fit.s);
      const double mean = fit.m + push - known.m;
      const double square = fit.s * fit.s + push * (c - fit.m) - push * push;  // variance beyond c
      first += censored.weight * mean;
      second += censored.weight * (std::max(0.0, square) + mean * mean);
    }
    const Normal next{known.m + first / all,
                      std::max(kSpreadMin, std::sqrt(std::max(0.0, second / all - first * first / all / all)))};
    const double change = std::abs(next.m - fit.m) + std::abs(next.s - fit.s);
    fit = next;
    if (change < 1e-3 * fit.s) break;
  }
  return fit;
}

Candidate lognormal_candidate(std::span<const double> ln_times, const Censored& censored, double prior) {
  const Normal fit = fit_censored(ln_times, censored);
  const double n = count_of(ln_times);
  double ln = 0;
  for (const double x : ln_times) {
    const double z = (x - fit.m) / fit.s;
    ln -= 0.5 * z * z + x;
  }
  ln -= n * (std::log(fit.s) + 0.5 * std::log(2 * std::numbers::pi));
  for (const double c : censored.ln_times) {
    ln += censored.weight * ln_normal_survival_quickly((c - fit.m) / fit.s);
  }
  const double variance = (n * fit.s * fit.s + prior * kUsualSpread * kUsualSpread) / (n + prior) * (1 + 1 / n);
  return {FittedTail::lognormal(fit.m, fit.s), FittedTail::lognormal(fit.m, std::sqrt(variance)), ln};
}

// Sums of logarithms instead of math::fit_pareto, as they are at hand.
Candidate pareto_candidate(std::span<const double> ln_times, const Censored& censored, double prior) {
  const double n = count_of(ln_times);
  const double ln_min = *std::min_element(ln_times.begin(), ln_times.end());
  double excess = 0;
  double sum = 0;
  for (const double x : ln_times) {
    excess += x - ln_min;
    sum += x;
  }
  for (const double c : censored.ln_times) excess += censored.weight * std::max(0.0, c - ln_min);
  const double scale = std::max(kSpreadMin, excess / n);  // 1 / beta
  const double ln = -n * std::log(scale) - excess / scale - sum;
  // The smallest of n is a maximum-likelihood estimate that uses up one observation.
  const double unbiased = n > 1 ? scale * n / (n - 1) : scale;
  const double shrunk = (n * unbiased + prior / kUsualShape) / (n + prior);
  return {FittedTail::pareto(std::exp(ln_min), 1 / scale),
          FittedTail::pareto(std::exp(ln_min - shrunk / n), 1 / shrunk), ln};
}

// Kolmogorov and Smirnov's distance between what was seen and the tail.
double distance(std::vector<double> ln_times, const FittedTail& tail) {
  std::sort(ln_times.begin(), ln_times.end());
  const double n = count_of(ln_times);
  double greatest = 0;
  for (std::size_t i = 0; i < ln_times.size(); ++i) {
    const double below = -std::expm1(tail.ln_survival_at(ln_times[i]));
    const double from = static_cast<double>(i) / n;
    greatest = std::max({greatest, std::abs(below - from), std::abs(below - from - 1 / n)});
  }
  return greatest;
}

// How it falls beyond the 0.9 quantile (Hill), drawn towards the usual shape.
double slope_of_tail(std::vector<double> ln_times, double prior) {
  const auto from = ln_times.begin() + static_cast<std::ptrdiff_t>(ln_times.size() * 9 / 10);
  std::nth_element(ln_times.begin(), from, ln_times.end());
  double excess = 0;
  for (auto x = from; x != ln_times.end(); ++x) excess += *x - *from;
  const double n = static_cast<double>(ln_times.end() - from) - 1;
  return (n + prior) / (std::max(0.0, excess) + prior / kUsualShape);
}

}  // namespace

std::string_view name_of(TailRule rule) {
  return name_at<TailRule::Empirical>(rule, "pareto", "auto", "lognormal", "empirical");
}

std::optional<TailRule> tail_rule(std::string_view name) {
  for (const TailRule rule : {TailRule::Pareto, TailRule::Auto, TailRule::Lognormal, TailRule::Empirical}) {
    if (name == name_of(rule)) return rule;
  }
  return std::nullopt;
}

std::optional<FittedTail> choose_tail(std::span<const double> finished, std::span<const double> censored, TailRule rule,
                                      double prior_weight) {
  std::vector<double> ln_times;
  ln_times.reserve(finished.size());
  for (const double time : finished) {
    if (time > 0 && std::isfinite(time)) ln_times.push_back(std::log(time));
  }
  if (ln_times.empty()) return std::nullopt;
  const bool many = ln_times.size() >= kEnoughForEmpirical && ln_times.size() == finished.size();
  if (rule == TailRule::Empirical && many) {
    return FittedTail::empirical(finished, censored, slope_of_tail(ln_times, prior_weight));
  }
  const Censored thinned = thin(censored);
  const Candidate lognormal = lognormal_candidate(ln_times, thinned, prior_weight);
  if (rule == TailRule::Lognormal || rule == TailRule::Empirical) return lognormal.shrunk;
  const Candidate pareto = pareto_candidate(ln_times, thinned, prior_weight);
  const bool is_pareto = rule == TailRule::Pareto || pareto.ln_likelihood > lognormal.ln_likelihood + kParetoHandicap;
  const Candidate& best = is_pareto ? pareto : lognormal;
  if (rule == TailRule::Auto && many && censored.size() * 10 <= finished.size() &&
      distance(ln_times, best.plain) * std::sqrt(count_of(ln_times)) > kUnfit) {
    return FittedTail::empirical(finished, censored, slope_of_tail(ln_times, prior_weight));
  }
  return best.shrunk;
}

}  // namespace ontime::scheduler::math
