#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/experiment/summary.h"
#include "lab/results/writing.h"

namespace ontime::lab::experiment {
namespace {

using Json = nlohmann::ordered_json;
using lab::Estimate;

std::string text(double value) { return std::isfinite(value) ? lab::number(value) : ""; }

std::string copies_text(const PolicySummary& summary) {
  std::string all;
  for (const auto& [reason, count] : summary.copies) {
    all += (all.empty() ? "" : " ") + reason + "=" + std::to_string(count);
  }
  return all;
}

Json json_of(const PolicySummary& s) {
  Json json = {{"policy", s.policy}};
  if (!s.group.empty()) json["group"] = s.group;
  json.update({{"repetitions", s.repetitions},
               {"jobs", s.jobs},
               {"met", s.met},
               {"unfinished", s.unfinished},
               {"pocd", s.pocd.value},
               {"pocd_low", s.pocd.low},
               {"pocd_high", s.pocd.high},
               {"time_mean_s", s.time.value},
               {"time_low_s", s.time.low},
               {"time_high_s", s.time.high},
               {"time_p50_s", s.p50},
               {"time_p90_s", s.p90},
               {"time_p99_s", s.p99},
               {"machine_mean_s", s.machine.value},
               {"machine_low_s", s.machine.low},
               {"machine_high_s", s.machine.high},
               {"utilisation", s.utilisation},
               {"attempts_per_task", s.attempts},
               {"duplicated_share", s.duplicated},
               {"resumed_share", s.resumed},
               {"copies", Json::object()}});
  for (const auto& [reason, count] : s.copies) json["copies"][reason] = count;
  return json;
}

}  // namespace

std::string summary_csv(const std::vector<PolicySummary>& all) {
  std::string lines =
      "policy,group,repetitions,jobs,met,unfinished,pocd,pocd_low,pocd_high,time_mean_s,time_low_s,time_high_s,"
      "time_p50_s,time_p90_s,time_p99_s,machine_mean_s,machine_low_s,machine_high_s,utilisation,attempts_per_task,"
      "duplicated_share,resumed_share,copies_by_reason\n";
  for (const PolicySummary& s : all) {
    lines += csv_field(s.policy) + "," + csv_field(s.group) + "," + std::to_string(s.repetitions) + "," +
             std::to_string(s.jobs) + "," + std::to_string(s.met) + "," + std::to_string(s.unfinished);
    for (const double value :
         {s.pocd.value, s.pocd.low, s.pocd.high, s.time.value, s.time.low, s.time.high, s.p50, s.p90, s.p99,
          s.machine.value, s.machine.low, s.machine.high, s.utilisation, s.attempts, s.duplicated, s.resumed}) {
      lines += "," + text(value);
    }
    lines += "," + csv_field(copies_text(s)) + "\n";
  }
  return lines;
}

std::string summary_json(const std::vector<PolicySummary>& all) {
  Json list = Json::array();
  for (const PolicySummary& summary : all) list.push_back(json_of(summary));
  return Json{{"policies", list}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string utilisation_csv(const Results& results, std::uint32_t slots) {
  std::string lines = "policy,repetition,at_s,busy_slots,slots\n";
  std::vector<std::pair<std::string, std::uint32_t>> runs;
  for (const JobRow& row : results.jobs) {
    const std::pair run{row.policy, row.repetition};
    if (runs.empty() || runs.back() != run) runs.push_back(run);
  }
  for (const auto& [policy, repetition] : runs) {
    std::vector<JobRow> jobs;
    std::vector<AttemptRow> attempts;
    for (const JobRow& row : results.jobs) {
      if (row.policy == policy && row.repetition == repetition) jobs.push_back(row);
    }
    for (const AttemptRow& row : results.attempts) {
      if (row.policy == policy && row.repetition == repetition) attempts.push_back(row);
    }
    const Span span = span_of(jobs);
    for (const UsePoint& point : use_over_time(attempts, span.begin, span.end)) {
      lines += csv_field(policy) + "," + std::to_string(repetition) + "," + text(point.at) + "," + text(point.busy) +
               "," + std::to_string(slots) + "\n";
    }
  }
  return lines;
}

}  // namespace ontime::lab::experiment
