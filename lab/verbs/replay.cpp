#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/job_request.h"
#include "common/files/file_system.h"
#include "lab/foresight/recorded_job.h"
#include "lab/scenario/scenario.h"
#include "lab/verbs/command.h"
#include "lab/verbs/foresight_text.h"
#include "lab/verbs/seen_job.h"
#include "master/recording/block.h"
#include "master/recording/reader.h"
#include "master/recording/replayer.h"

namespace ontime::lab {

using namespace cli;
namespace {

namespace fact = scheduler::fact;

// Follows a replay: what it says about jobs, and the job to simulate, as it was right after its end.
class Witness {
 public:
  Witness(Replayed& replayed, const ReplayCommand& command) : replayed_(replayed), command_(command) {}

  void observe(const scheduler::JournalRecord& record) {
    if (const auto* accepted = std::get_if<fact::JobAccepted>(&record.fact)) {
      ReplayedJob& job = replayed_.jobs[accepted->job];
      job.application = accepted->spec.application;
      job.policy = accepted->spec.policy;
      job.submitted = record.at;
    } else if (const auto* ended = std::get_if<fact::JobEnded>(&record.fact)) {
      replayed_.jobs[ended->job].ended = record.at;
      replayed_.jobs[ended->job].state = ended->state;
    }
  }
  // Given again by the scheduler.
  void observe_again(const scheduler::JournalRecord& record) {
    observe(record);
    messages_.observe(record);
    const JobId job = scheduler::job_of(record.fact);
    if (job.value == 0) return;
    ++replayed_.jobs[job].records;
    replayed_.jobs[job].decisions += std::holds_alternative<fact::PolicyDecided>(record.fact) ? 1 : 0;
    if (std::holds_alternative<fact::JobAccepted>(record.fact)) begun_ = job;
    if (std::holds_alternative<fact::JobEnded>(record.fact)) ended_ = job;
  }
  // After each entry.
  void look(const recording::Replayer& replayer) {
    if (begun_ && is_wanted(*begun_)) {
      const scheduler::Cluster& cluster = replayer.scheduler()->cluster();
      const auto* profile = cluster.find_profile(*cluster.find_job(*begun_));
      profile_ = profile == nullptr ? std::nullopt : std::optional(*profile);
    }
    if (ended_ && is_wanted(*ended_)) look_closely(replayer, *ended_);
    if (!command_.report.empty()) look_for_page(replayer);
    begun_.reset();
    ended_.reset();
  }
  // After the last one: a job that has not ended is taken as it stands.
  void finish(const recording::Replayer& replayer) {
    if (seen_ || command_.policies.empty()) return;
    for (const auto& [id, job] : replayed_.jobs) {
      if (is_wanted(id) && replayer.scheduler()->cluster().find_job(id) != nullptr) look_closely(replayer, id);
    }
  }
  // After the last entry: the page about the job that was asked for, or the only one.
  Status write_page(const recording::Replayer& replayer) {
    if (command_.report.empty()) return {};
    const auto [id, at] = end_of_page_job(replayer);
    if (!page_ && replayer.scheduler()->cluster().find_job(id) != nullptr) take_page(replayer, id, at);
    if (!page_) return bad_input("the recording shows no job to write about");
    return files::write_file(command_.report, page_of(*page_));
  }
  std::optional<Result<RecordedJob>>& seen() { return seen_; }
  JobId job() const { return job_; }

 private:
  bool is_wanted(JobId job) const {
    return !command_.policies.empty() && (command_.job.value == 0 || job == command_.job);
  }

  std::pair<JobId, TimePoint> end_of_page_job(const recording::Replayer& replayer) const {
    const JobId id = command_.job.value != 0   ? command_.job
                     : !replayed_.jobs.empty() ? replayed_.jobs.begin()->first
                                               : JobId{};
    return {id, replayer.epochs().back().last};
  }
  void look_for_page(const recording::Replayer& replayer) {
    if (replayer.scheduler() == nullptr) return;
    const auto [id, now] = end_of_page_job(replayer);
    forecasts_.look(*replayer.scheduler(), id, now);
    if (ended_ == id) take_page(replayer, id, now);
  }
  void take_page(const recording::Replayer& replayer, JobId id, TimePoint now) {
    page_ = see_job(*replayer.scheduler(), id, now, messages_, forecasts_.track());
  }

  void look_closely(const recording::Replayer& replayer, JobId job) {
    const recording::EpochReport& epoch = replayer.epochs().back();
    const scheduler::Settings& settings = epoch.header.settings;
    job_ = job;
    seen_ = recorded_job(replayer.scheduler()->cluster(), job, epoch.last,
                         {epoch.header.heartbeat, settings.node_timeout, settings.cut_timeout, settings.placement},
                         {command_.alone, profile_ ? &*profile_ : nullptr});
  }

  Replayed& replayed_;
  const ReplayCommand& command_;
  std::optional<JobId> begun_;
  std::optional<JobId> ended_;
  std::optional<scheduler::math::DurationSample> profile_;  // when the job was submitted
  std::optional<Result<RecordedJob>> seen_;
  JobId job_;
  master::AttemptMessages messages_;
  ForecastWatch forecasts_;
  std::optional<SeenJob> page_;  // as it was right after its end
};

Status replay(const std::vector<std::string>& files, const ReplayCommand& command, Witness& witness,
              Replayed& replayed) {
  recording::Replayer replayer([&](const scheduler::JournalRecord& record) { witness.observe_again(record); },
                               {.spares_as_written = !command.strict});
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& file : files) {
    auto reader = recording::Reader::open(file);
    if (!reader) return reader.error();
    while (true) {
      auto entry = reader->next();
      if (!entry) return entry.error();
      if (!*entry) break;
      if (const auto* known = std::get_if<scheduler::JournalRecord>(&**entry)) witness.observe(*known);
      if (auto status = replayer.feed(**entry); !status) return failed(file + ": " + status.error().message);
      witness.look(replayer);
    }
    replayed.torn_bytes += reader->torn_bytes();
  }
  if (replayer.epochs().empty()) return failed("the recording is empty: a master writes it once a second");
  witness.finish(replayer);
  if (Status written = witness.write_page(replayer); !written) return written;
  replayed.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  replayed.epochs = replayer.epochs();
  replayed.is_identical = replayer.is_identical();
  replayed.does_no_harm = replayer.does_no_harm();
  return {};
}

// The first job under that policy; the others as they were. A checkpoint interval that suits the policy, unless it is
// the recorded one.
Result<ForeseenRow> foresee(const Scenario& recorded, const std::string& text, const ReplayCommand& command) {
  Scenario scenario = recorded;
  const auto choice = read_policy_flag(text);
  if (!choice) return choice.error();
  JobGroup& job = scenario.jobs.front();
  if (job.handling.policy != choice->name) job.handling.checkpoint_interval.reset();
  job.handling.policy = choice->name;
  job.handling.policy_parameters = choice->parameters;
  if (Status good = check(scenario); !good) return good.error();
  return ForeseenRow{text, foresee(scenario, Runs::exactly(command.runs), command.seed)};
}

Result<ExitCode> foresee_all(const ReplayCommand& command, const Replayed& replayed, Witness& witness) {
  if (!witness.seen()) return bad_input("the recording shows no job to try other policies on");
  if (!*witness.seen()) return witness.seen()->error();
  Foreseen foreseen;
  foreseen.job = witness.job();
  foreseen.recorded = std::move(**witness.seen());
  foreseen.is_identical = replayed.is_identical;
  const JobGroup& job = foreseen.recorded.scenario.jobs.front();
  foreseen.application = replayed.jobs.at(foreseen.job).application;
  foreseen.policy = job.handling.policy;
  const auto begin = std::chrono::steady_clock::now();
  foreseen.again = foresee(foreseen.recorded.scenario, Runs::exactly(command.runs), command.seed);
  for (const std::string& policy : command.policies) {
    auto row = foresee(foreseen.recorded.scenario, policy, command);
    if (!row) return row.error();
    foreseen.rows.push_back(std::move(*row));
  }
  foreseen.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::fputs((command.json ? foreseen_json(foreseen) : foreseen_text(foreseen)).c_str(), stdout);
  return ExitCode::Done;
}

std::size_t jobs_replayed(const Replayed& replayed) {
  std::size_t jobs = 0;
  for (const auto& [id, job] : replayed.jobs) jobs += job.records > 0 ? 1 : 0;
  return jobs;
}

}  // namespace

Result<std::vector<std::string>> recordings_of(const std::string& journal, const std::string& recording) {
  if (!recording.empty()) return std::vector<std::string>{recording};
  std::vector<std::string> files;
  for (const auto& file : recording::list_epochs(recording::recordings_of(journal))) files.push_back(file.path);
  if (!files.empty()) return files;
  return bad_input("there is no recording in the journal directory '" + journal +
                   "'; name a master's with --journal, or a file that 'ontime run --record FILE' has written with "
                   "--recording");
}

Result<ExitCode> execute(const ReplayCommand& command) {
  if (Status is_new = check_is_new("--report", command.report); !is_new) return is_new.error();
  const auto files = recordings_of(command.journal, command.recording);
  if (!files) return files.error();
  Replayed replayed;
  Witness witness(replayed, command);
  if (Status status = replay(*files, command, witness, replayed); !status) return status.error();
  if (command.job.value != 0 && !replayed.jobs.contains(command.job)) {
    return bad_input("the recording knows no " + to_string(command.job));
  }
  if (!command.report.empty() && command.job.value == 0 && jobs_replayed(replayed) > 1)
    return bad_input("the recording has several jobs; say which one: ontime replay JOB --report FILE");
  if (!command.policies.empty()) {
    if (command.job.value == 0 && jobs_replayed(replayed) > 1) {
      return bad_input("the recording has several jobs; say which one: ontime replay JOB --policy ...");
    }
    return foresee_all(command, replayed, witness);
  }
  const std::string text = command.json ? replayed_json(replayed, command.job) : replayed_text(replayed, command.job);
  std::fputs(text.c_str(), stdout);
  return replayed.is_identical && replayed.does_no_harm ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace ontime::lab
