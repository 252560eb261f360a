#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "scheduler/math/distributions.h"
#include "scheduler/policies/chronos/chronos.h"

namespace ontime::scheduler {
namespace {

constexpr std::uint32_t kMostCopies = 50;  // beyond it the paper's utility only falls

std::string probability(double value) {
  char text[32];
  const int digits = value > 0.99 && value < 1 ? 6 : 3;
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits).ptr};
}

chronos::ChronosJob model_of(const ChronosSettings& settings, const ChronosFacts& facts, double est, double race) {
  const bool is_clone = settings.strategy == chronos::Strategy::Clone;
  chronos::ChronosJob model;
  model.tasks = facts.tasks;
  model.t_min = facts.durations.t_min * facts.split_bytes;
  model.beta = facts.durations.beta;
  model.deadline = facts.deadline - facts.durations.launch;
  if (!is_clone) model.tau_est = est + (settings.tau_est.of_t_min ? facts.durations.launch : 0);
  model.tau_kill = model.tau_est + race;
  if (model.deadline > 0) model.phi = std::min(1.0, chronos::straggler_progress(model));
  return model;
}

bool is_in_domain(const chronos::ChronosJob& model) {
  return model.t_min > 0 && model.deadline >= model.t_min && model.tau_est < model.deadline;
}

// Without speculation, as a job of clones that has none.
double pocd_without(const chronos::ChronosJob& model) {
  return chronos::chronos_pocd(chronos::Strategy::Clone, model, 0).value;
}

std::string reasoning(const ChronosSettings& settings, const ChronosFacts& facts, const ChronosChoice& choice) {
  const std::string times = ", " + duration_words(facts.durations, settings.hints, facts.split_bytes);
  if (!choice.r) return "no extra attempts: no number of them is worth its cost or makes the deadline likely" + times;
  std::string text = "r = " + std::to_string(*choice.r);
  if (settings.r) text += " (as told)";
  if (!is_in_domain(choice.model)) return text + times;
  const auto r = static_cast<double>(*choice.r);
  text += ": PoCD " + probability(pocd_without(choice.model)) + " -> " +
          probability(chronos::chronos_pocd(settings.strategy, choice.model, r).value);
  const double utility = chronos::net_utility(settings.strategy, choice.model, r, settings.price);
  return text + ", net utility " + short_number(utility) + times;
}

}  // namespace

ChronosSettings chronos_settings(chronos::Strategy strategy, Parameters& parameters) {
  ChronosSettings settings;
  settings.strategy = strategy;
  if (strategy != chronos::Strategy::Clone) {
    settings.tau_est = parameters.relative_time("tau_est", settings.tau_est);
  } else {
    settings.tau_est = {0, true};
  }
  settings.tau_kill = parameters.relative_time("tau_kill", settings.tau_kill);
  const bool comparable = settings.tau_est.of_t_min == settings.tau_kill.of_t_min;
  if (comparable && settings.tau_kill.number < settings.tau_est.number) {
    throw std::invalid_argument("--policy-set: tau_kill is before tau_est; it must be later.");
  }
  settings.r_max = parameters.count("r_max", settings.r_max, 0, kMostCopies);
  settings.r = parameters.optional_count("r", 0, kMostCopies);
  settings.price.theta = parameters.number("theta", settings.price.theta, 0, 1e9);
  settings.price.per_time = parameters.number("price", settings.price.per_time, 0, 1e9);
  settings.price.r_min = parameters.number("r_min", settings.price.r_min, 0, 0.999999);
  settings.hints = parameters.durations();
  if (strategy == chronos::Strategy::Resume) settings.handover = parameters.handover(settings.handover);
  return settings;
}

std::optional<ChronosChoice> choose_copies(const ChronosSettings& settings, const ChronosFacts& facts) {
  const double t_min = facts.durations.t_min * facts.split_bytes;
  const bool needs_t_min = !settings.r || settings.tau_est.of_t_min || settings.tau_kill.of_t_min;
  if (needs_t_min && t_min <= 0) return std::nullopt;
  ChronosChoice choice;
  choice.split_bytes = facts.split_bytes;
  choice.durations = facts.durations;
  choice.est = settings.tau_est.seconds(t_min);
  choice.race = std::max(0.0, settings.tau_kill.seconds(t_min) - choice.est);
  choice.model = model_of(settings, facts, choice.est, choice.race);
  if (settings.r) {
    choice.r = settings.r;
  } else if (is_in_domain(choice.model)) {
    choice.r = chronos::optimal_copies(settings.strategy, choice.model, settings.price, settings.r_max).r;
  }
  choice.why = reasoning(settings, facts, choice);
  return choice;
}

std::optional<std::uint32_t> chosen_attempts(const Job& job, chronos::Strategy strategy) {
  for (const auto& [at, decision] : job.decisions) {
    const bool is_choice = decision.what == DecisionNote::What::Note && decision.reason.empty();
    if (!is_choice) continue;
    if (!decision.number) return 0;
    return strategy == chronos::Strategy::Resume ? *decision.number + 1 : *decision.number;
  }
  return std::nullopt;
}

double chance_of_fresh(const math::Durations& durations, double bytes, double left, std::uint32_t copies) {
  const double t_min = durations.t_min * bytes;
  if (left <= 0 || copies == 0) return 0;
  if (t_min <= 0) return std::numeric_limits<double>::quiet_NaN();
  return math::Pareto(t_min, durations.beta).minimum_of(copies).cdf(left);
}

}  // namespace ontime::scheduler
