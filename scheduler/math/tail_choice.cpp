#include "scheduler/math/tail_choice.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "scheduler/math/lognormal.h"
#include "scheduler/math/numeric.h"
#include "scheduler/math/pareto.h"

namespace ontime::scheduler::math {
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
  std::vector<double> times;
  double weight = 1;  // so many attempts each
};

Censored thin(std::span<const double> censored) {
  Censored thinned{{censored.begin(), censored.end()}, 1};
  if (censored.size() <= kCensoredMost) return thinned;
  std::sort(thinned.times.begin(), thinned.times.end());
  std::vector<double> kept;
  for (std::size_t i = 0; i < kCensoredMost; ++i) {
    kept.push_back(thinned.times[(2 * i + 1) * censored.size() / (2 * kCensoredMost)]);
  }
  return {std::move(kept), count_of(censored) / kCensoredMost};
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
  if (censored.times.empty()) return known;
  constexpr int kRounds = 30;
  const double n = count_of(ln_times);
  const double all = n + censored.weight * count_of(censored.times);
  Normal fit = known;
  for (int round = 0; round < kRounds; ++round) {
    double first = 0;  // of x - known.m
    double second = n * known.s * known.s;
    for (const double time : censored.times) {
      const double c = std::log(time);
      const double push = fit.s * math::normal_hazard((c - fit.m) / fit.s);
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
  for (const double c : censored.times) {
    ln += censored.weight * math::ln_normal_survival((std::log(c) - fit.m) / fit.s);
  }
  const double variance =
      (n * fit.s * fit.s + prior * kUsualSpread * kUsualSpread) / (n + prior) * (1 + 1 / n);
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
  for (const double c : censored.times) excess += censored.weight * std::max(0.0, std::log(c) - ln_min);
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
  switch (rule) {
    case TailRule::Pareto:
      return "pareto";
    case TailRule::Auto:
      return "auto";
    case TailRule::Lognormal:
      return "lognormal";
    case TailRule::Empirical:
      break;
  }
  return "empirical";
}

std::optional<TailRule> tail_rule(std::string_view name) {
  for (const TailRule rule : {TailRule::Pareto, TailRule::Auto, TailRule::Lognormal, TailRule::Empirical}) {
    if (name == name_of(rule)) return rule;
  }
  return std::nullopt;
}

std::optional<FittedTail> choose_tail(std::span<const double> finished, std::span<const double> censored,
                                      TailRule rule) {
  return choose_tail(finished, censored, rule, kPriorWeight);
}

std::optional<FittedTail> choose_tail(std::span<const double> finished, std::span<const double> censored,
                                      TailRule rule, double prior_weight) {
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
