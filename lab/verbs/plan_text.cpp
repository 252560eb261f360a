#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/show/table.h"
#include "common/base/units.h"
#include "common/base/wording.h"
#include "lab/results/rows.h"
#include "lab/results/writing.h"
#include "lab/verbs/command.h"
#include "lab/verbs/foresight_text.h"
#include "scheduler/policies/parameters.h"

namespace ontime::lab {

using namespace cli;
namespace {

using Json = nlohmann::ordered_json;

constexpr double kSecondsPerHour = 3600;

// Three digits that mean something.
std::string amount(double value) { return value < 100 ? number(value, 3) : fixed(value, 0); }

std::string time_of(const Prospect& prospect, double seconds) {
  return std::isfinite(seconds) ? amount(seconds) : "over " + amount(prospect.followed);
}

// Machine time, or its cost.
std::string sum_of(const Prospect& prospect, double value) {
  if (!std::isfinite(value)) return "no end";
  return (prospect.unfinished > 0 ? "over " : "") + amount(value);
}

double cost_of(const Planned& planned, const Prospect& prospect) {
  return prospect.machine_time.value / kSecondsPerHour * planned.price;
}

std::string slots_of(const PlanAnswer& answer) {
  if (!answer.has_searched) return "not sought";
  return answer.slots ? std::to_string(*answer.slots) : "none does";
}

std::string deadline_of(const PlanAnswer& answer) {
  if (!answer.has_searched && !answer.is_exact) return "not sought";
  return answer.deadline ? amount(*answer.deadline) + " s" : "none found";
}

std::string basis_of(const Planned& planned) {
  const PlanQuestion& question = planned.question;
  std::string text = "durations: " + planned.source + ": " + scheduler::tail_words(question.tail, 1);
  const bool is_pareto = question.tail.kind() == scheduler::math::TailKind::Pareto;
  if (is_pareto && planned.beta_error > 0) text += " +- " + fixed(planned.beta_error, 2);
  text += " for a whole split";
  if (planned.samples > 0) text += ", from " + counted(planned.samples, "attempt");
  return text + "; launch " + amount(question.launch.mean()) + " s\n";
}

std::string method_of(const Planned& planned) {
  std::uint32_t runs = 0;
  std::uint32_t search = 0;
  for (const PlannedRow& row : planned.rows) {
    runs = std::max(runs, row.answer.prospect.runs);
    if (row.answer.has_searched) search = std::max(search, row.answer.search_runs);
  }
  return "How this was found: each attempt takes the launch time and then, for a whole split, a time drawn as above,\n"
         "independently of all others. 'formula' is the probability that the slowest task is done in time, with at "
         "least\n"
         "as many slots as tasks and no copies. 'N runs' are simulations of the cluster with the policy itself\n"
         "(docs/research/simulator.md); PoCD is the share of them that was in time, with its 95 % interval.\n" +
         (search > 0
              ? "The deadline and the slots for the target are found by trying, each value on " +
                    counted(search, "run") + ". The policy\nknows the deadline that is tried and adapts to it.\n"
              : std::string("The deadline and the slots for the target were not sought, as that would take long; "
                            "--runs N seeks them.\n")) +
         "Machine time is the sum over all attempts, launches included. 'over': runs\n"
         "were given up, between the deadline, or what the job takes with usual attempts, and three times that.\n";
}

}  // namespace

std::string planned_text(const Planned& planned, bool explain) {
  const PlanQuestion& question = planned.question;
  const std::uint32_t tasks = tasks_of(question);
  std::string text = printable(planned.application) + ": " + format_size(planned.input_bytes) + ", " +
                     counted(tasks, "task") + ", " + counted(question.slots, "slot") + ", deadline " +
                     amount(question.job.deadline.seconds) + " s\n" + basis_of(planned);
  const std::string target = " for " + number(question.target);
  Grid grid{{"policy", "PoCD", "95 %", "done after s", "10 % to 90 %", "machine s"}};
  if (planned.price > 0) grid.titles.emplace_back("cost");
  grid.titles.insert(grid.titles.end(), {"deadline" + target, "slots" + target, "by"});
  for (const auto& [policy, answer] : planned.rows) {
    const Prospect& p = answer.prospect;
    Cells& row = grid.lines.emplace_back(
        Cells{printable(policy), fixed(p.pocd.value, 4),
              answer.is_exact ? "" : fixed(p.pocd.low, 3) + " to " + fixed(p.pocd.high, 3), time_of(p, p.median),
              time_of(p, p.low) + " to " + time_of(p, p.high), sum_of(p, p.machine_time.value)});
    if (planned.price > 0) row.push_back(sum_of(p, cost_of(planned, p)));
    row.insert(row.end(),
               {deadline_of(answer), slots_of(answer), answer.is_exact ? "formula" : counted(p.runs, "run")});
  }
  text += terminal_text(grid);
  return explain ? text + method_of(planned) : text;
}

std::string planned_json(const Planned& planned) {
  const PlanQuestion& question = planned.question;
  const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json policies = Json::array();
  for (const auto& [policy, answer] : planned.rows) {
    const Prospect& p = answer.prospect;
    Json row = {{"policy", policy},
                {"method", answer.is_exact ? "formula" : "simulation"},
                {"runs", p.runs},
                {"search_runs", answer.has_searched ? answer.search_runs : 0},
                {"pocd", p.pocd.value},
                {"pocd_low", p.pocd.low},
                {"pocd_high", p.pocd.high},
                {"median_seconds", finite(p.median)},
                {"low_seconds", finite(p.low)},
                {"high_seconds", finite(p.high)},
                {"unfinished_runs", p.unfinished},
                {"machine_seconds", finite(p.machine_time.value)},
                {"attempts", p.attempts},
                {"target_deadline_seconds", answer.deadline ? Json(*answer.deadline) : Json()},
                {"target_slots", answer.slots ? Json(*answer.slots) : Json()}};
    if (planned.price > 0) row["cost"] = finite(cost_of(planned, p));
    policies.push_back(std::move(row));
  }
  const Json all = {{"application", planned.application},
                    {"input_bytes", planned.input_bytes},
                    {"tasks", tasks_of(question)},
                    {"slots", question.slots},
                    {"deadline_seconds", question.job.deadline.seconds},
                    {"target_pocd", question.target},
                    {"durations",
                     {{"source", planned.source},
                      {"tail", tail_json(question.tail)},
                      {"beta_error", planned.beta_error},
                      {"attempts", planned.samples},
                      {"launch_seconds", question.launch.mean()}}},
                    {"policies", policies},
                    {"wall_seconds", planned.wall_seconds}};
  return json_text(all);
}

}  // namespace ontime::lab
