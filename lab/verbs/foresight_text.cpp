#include "lab/verbs/foresight_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/show/table.h"
#include "common/base/wording.h"
#include "lab/results/rows.h"
#include "lab/results/writing.h"
#include "lab/verbs/command.h"
#include "scheduler/policies/parameters.h"

namespace ontime::lab {

using namespace cli;
namespace {

using Json = nlohmann::ordered_json;

std::string seconds_text(double value) { return std::isfinite(value) ? fixed(value, 3) : "never"; }

bool has_deadline(const Foreseen& foreseen) { return foreseen.recorded.scenario.jobs.front().deadline.seconds > 0; }

void add_line(Grid& grid, const std::string& name, const Prospect& prospect) {
  grid.lines.push_back({printable(name), fixed(prospect.pocd.value, 3),
                        fixed(prospect.pocd.low, 3) + " to " + fixed(prospect.pocd.high, 3),
                        seconds_text(prospect.median),
                        seconds_text(prospect.low) + " to " + seconds_text(prospect.high),
                        fixed(prospect.machine_time.value, 2), fixed(prospect.attempts, 1)});
}

std::string truth_of(const Foreseen& foreseen) {
  if (!foreseen.recorded.has_ended) return "still ran";
  if (!has_deadline(foreseen)) return foreseen.recorded.met ? "succeeded" : "did not succeed";
  return foreseen.recorded.met ? "in time" : "missed";
}

std::string basis_of(const RecordedJob& recorded) {
  const Scenario& scenario = recorded.scenario;
  std::string text = "first attempts: the recorded durations of " + std::to_string(recorded.durations_recorded) +
                     " of " + counted(recorded.tasks, "task") + "; all other attempts draw from " +
                     scheduler::tail_words(recorded.drawn->tail, 1) + " for a whole split (" +
                     counted(recorded.drawn->durations.samples, "attempt") + ")\n";
  text += "cluster: " + counted(scenario.nodes.size(), "node") + ", " + counted(slots_of(scenario), "slot");
  if (recorded.other_jobs > 0) text += "; beside " + counted(recorded.other_jobs, "other job");
  return text + "\n";
}

Json json_of(const Prospect& prospect) {
  return {{"runs", prospect.runs},
          {"pocd", prospect.pocd.value},
          {"pocd_low", prospect.pocd.low},
          {"pocd_high", prospect.pocd.high},
          {"mean_seconds", prospect.mean},
          {"median_seconds", prospect.median},
          {"low_seconds", prospect.low},
          {"high_seconds", prospect.high},
          {"machine_seconds", prospect.machine_time.value},
          {"machine_seconds_margin", prospect.machine_time.margin()},
          {"attempts", prospect.attempts}};
}

}  // namespace

std::string foreseen_text(const Foreseen& foreseen) {
  const JobGroup& job = foreseen.recorded.scenario.jobs.front();
  std::string text = to_string(foreseen.job) + ": " + printable(foreseen.application) + ", " +
                     counted(foreseen.recorded.tasks, "task");
  if (has_deadline(foreseen)) text += ", deadline " + fixed(job.deadline.seconds, 3) + " s";
  text += ", ran with policy " + printable(foreseen.policy) + "\n" + basis_of(foreseen.recorded);
  if (!foreseen.is_identical) {
    text +=
        "the replay differs from the recording (see 'ontime replay' without --policy): this rests on what came "
        "before\n";
  }
  Grid grid{{"policy", has_deadline(foreseen) ? "PoCD" : "succeeds", "95 %", "done after s", "10 % to 90 %",
             "machine s", "attempts"}};
  grid.lines.push_back({"as it was", truth_of(foreseen), "", fixed(foreseen.recorded.flow_time, 3), "",
                        fixed(foreseen.recorded.machine_time, 2), std::to_string(foreseen.recorded.attempts)});
  add_line(grid, foreseen.policy + " again", foreseen.again);
  for (const ForeseenRow& row : foreseen.rows) add_line(grid, row.policy, row.prospect);
  text += terminal_text(grid);
  return text + counted(foreseen.again.runs, "run") + " each, " + fixed(foreseen.wall_seconds, 2) + " s\n";
}

std::string foreseen_json(const Foreseen& foreseen) {
  const RecordedJob& recorded = foreseen.recorded;
  const Json truth = {{"policy", foreseen.policy},
                      {"ended", recorded.has_ended},
                      {"met", recorded.met},
                      {"seconds", recorded.flow_time},
                      {"machine_seconds", recorded.machine_time},
                      {"attempts", recorded.attempts},
                      {"copies", recorded.copies}};
  Json policies = Json::array();
  for (const ForeseenRow& row : foreseen.rows) {
    Json one = {{"policy", row.policy}};
    one.update(json_of(row.prospect));
    policies.push_back(std::move(one));
  }
  const Json all = {{"job", to_string(foreseen.job)},
                    {"application", foreseen.application},
                    {"tasks", recorded.tasks},
                    {"deadline_seconds", recorded.scenario.jobs.front().deadline.seconds},
                    {"slots", slots_of(recorded.scenario)},
                    {"other_jobs", recorded.other_jobs},
                    {"durations_recorded", recorded.durations_recorded},
                    {"tail", tail_json(recorded.drawn->tail)},
                    {"replay_identical", foreseen.is_identical},
                    {"recorded", truth},
                    {"again", json_of(foreseen.again)},
                    {"policies", policies}};
  return json_text(all);
}

nlohmann::ordered_json tail_json(const scheduler::math::FittedTail& tail) {
  nlohmann::ordered_json json = {{"kind", name_of(tail.kind())}, {"median_seconds", tail.median()}};
  switch (tail.kind()) {
    case scheduler::math::TailKind::Pareto:
      json["t_min_seconds"] = tail.first();
      json["beta"] = tail.second();
      break;
    case scheduler::math::TailKind::Lognormal:
      json["sigma"] = tail.second();
      break;
    case scheduler::math::TailKind::Empirical:
      json["ninth_decile_seconds"] = tail.first();
      json["slope"] = tail.second();
  }
  return json;
}

}  // namespace ontime::lab
