#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/show/table.h"
#include "common/base/wording.h"
#include "lab/results/rows.h"
#include "lab/results/writing.h"
#include "lab/verbs/foresight_text.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"
#include "scheduler/core/record.h"

namespace ontime::lab {

using namespace cli;
namespace {

using Json = nlohmann::ordered_json;
using recording::Difference;
using recording::EpochReport;

constexpr std::size_t kJobsShown = 20;

std::string end_of(scheduler::JobState state) {
  std::string text = scheduler::name_of(state);
  return scheduler::is_final(state) ? text : text += " at the end of the recording";
}

std::string event_of(const Difference& difference) {
  if (!difference.event) return "the master's start";
  return scheduler::describe(*difference.event);
}

std::string actions_of(const Difference& difference) {
  std::string text = counted(difference.actions_replayed.size(), "action");
  for (const scheduler::Action& action : difference.actions_replayed) {
    text += "\n              " + scheduler::describe(action);
  }
  return text;
}

std::string text_of(const EpochReport& epoch, const Difference& difference) {
  const bool is_about_records = difference.recorded || difference.replayed;
  const auto shown = [](const std::optional<scheduler::JournalRecord>& record) {
    return record ? fixed(seconds(record->at.time_since_epoch()), 9) + " s  " + scheduler::describe(record->fact)
                  : std::string("nothing (more)");
  };
  std::string text = "DIFFERENT at step " + std::to_string(difference.step) + ", " +
                     fixed(seconds(difference.at - epoch.header.started_at), 6) + " s after the master's start\n";
  text += "  event       " + event_of(difference) + "\n";
  text +=
      "  recorded    " +
      (is_about_records ? shown(difference.recorded)
                        : counted(difference.actions_recorded, "action") + ", of which only a checksum is recorded") +
      "\n";
  text += "  replayed    " + (is_about_records ? shown(difference.replayed) : actions_of(difference)) + "\n";
  return text;
}

std::string end_of(const EpochReport& epoch) {
  if (epoch.end) return epoch.end->reason;
  return "the recording has no end: the master was killed, or still runs";
}

std::string text_of(const EpochReport& epoch) {
  const double time = seconds(epoch.last - epoch.header.started_at);
  std::string text =
      "epoch " + std::to_string(epoch.epoch) + ": " + counted(epoch.steps, "step") + " in " + fixed(time, 3) + " s";
  if (epoch.known != 0) text += " from " + counted(epoch.known, "record") + " in the journal";
  text += ", " + counted(epoch.records, "record") + ", " + counted(epoch.decisions, "decision") + ", " +
          counted(epoch.actions, "action") + "; " + end_of(epoch) + "\n";
  for (const std::string& harm : epoch.harms) text += "HARM " + printable(harm) + "\n";
  if (epoch.harms_found > epoch.harms.size())
    text += "... and " + counted(epoch.harms_found - epoch.harms.size(), "decision") + " more that do harm\n";
  return epoch.difference ? text + text_of(epoch, *epoch.difference) : text;
}

std::string text_of(JobId id, const ReplayedJob& job) {
  std::string text = to_string(id) + ": " + printable(job.application) + ", policy " + printable(job.policy) + ", " +
                     counted(job.decisions, "decision") + ", " + end_of(job.state);
  if (job.ended > job.submitted) text += " after " + fixed(seconds(job.ended - job.submitted), 3) + " s";
  return text + "\n";
}

struct Sums {
  std::uint64_t steps = 0;
  std::uint64_t records = 0;
  std::uint64_t decisions = 0;
  double time = 0;
  explicit Sums(const Replayed& replayed) {
    for (const EpochReport& epoch : replayed.epochs) {
      steps += epoch.steps;
      records += epoch.records;
      decisions += epoch.decisions;
      time += seconds(epoch.last - epoch.header.started_at);
    }
  }
};

std::string verdict(const Replayed& replayed) {
  const Sums sums(replayed);
  std::string text = replayed.is_identical
                         ? "identical: " + counted(sums.decisions, "decision") + " and all other of " +
                               counted(sums.records, "record") + ", in order and time"
                         : std::string("the replay differs from the recording");
  const double wall = std::max(replayed.wall_seconds, 1e-9);
  text += "; " + counted(sums.steps, "step") + " in " + fixed(wall, 3) + " s (" +
          fixed(static_cast<double>(sums.steps) / wall, 0) + "/s, " + fixed(sums.time / wall, 0) +
          " times as fast as it happened)\n";
  return text;
}

}  // namespace

std::string replayed_text(const Replayed& replayed, JobId only) {
  std::string text;
  for (const EpochReport& epoch : replayed.epochs) text += text_of(epoch);
  if (replayed.torn_bytes != 0) {
    text += counted(replayed.torn_bytes, "byte") +
            " at the end of a file are no whole block: cut off by a crash, "
            "or not written yet\n";
  }
  std::size_t shown = 0;
  for (const auto& [id, job] : replayed.jobs) {
    if (only.value != 0 ? id != only : job.records == 0) continue;
    if (++shown <= kJobsShown) text += text_of(id, job);
  }
  if (shown > kJobsShown) text += "... and " + std::to_string(shown - kJobsShown) + " jobs more\n";
  return text + verdict(replayed);
}

std::string replayed_json(const Replayed& replayed, JobId only) {
  Json epochs = Json::array();
  for (const EpochReport& epoch : replayed.epochs) {
    Json one = {{"epoch", epoch.epoch},
                {"cluster", epoch.header.cluster},
                {"seconds", seconds(epoch.last - epoch.header.started_at)},
                {"known", epoch.known},
                {"steps", epoch.steps},
                {"records", epoch.records},
                {"decisions", epoch.decisions},
                {"actions", epoch.actions},
                {"end", epoch.end ? Json(epoch.end->reason) : Json()},
                {"identical", !epoch.difference.has_value()},
                {"harms_found", epoch.harms_found},
                {"harms", epoch.harms}};
    if (epoch.difference) one["difference"] = text_of(epoch, *epoch.difference);
    epochs.push_back(std::move(one));
  }
  Json jobs = Json::array();
  for (const auto& [id, job] : replayed.jobs) {
    if (only.value != 0 ? id != only : job.records == 0) continue;
    jobs.push_back({{"job", to_string(id)},
                    {"application", job.application},
                    {"policy", job.policy},
                    {"state", end_of(job.state)},
                    {"seconds", job.ended > job.submitted ? Json(seconds(job.ended - job.submitted)) : Json()},
                    {"records", job.records},
                    {"decisions", job.decisions}});
  }
  const Json all = {
      {"identical", replayed.is_identical}, {"does_no_harm", replayed.does_no_harm}, {"epochs", epochs}, {"jobs", jobs},
      {"torn_bytes", replayed.torn_bytes},  {"wall_seconds", replayed.wall_seconds}};
  return json_text(all);
}

}  // namespace ontime::lab
