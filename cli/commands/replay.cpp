#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/execute.h"
#include "cli/show/replay_text.h"
#include "master/recording/epoch_files.h"
#include "master/recording/parity.h"
#include "master/recording/reader.h"

namespace ontime::cli {
namespace {

namespace fact = scheduler::record;

// What the recordings say about jobs, from the records that the scheduler gave again.
class Witness {
 public:
  explicit Witness(std::map<JobId, ReplayedJob>& jobs) : jobs_(jobs) {}

  void observe(const scheduler::Record& record) {
    if (const auto* accepted = std::get_if<fact::JobAccepted>(&record.fact)) {
      ReplayedJob& job = jobs_[accepted->job];
      job.application = accepted->spec.application;
      job.policy = accepted->spec.policy;
      job.submitted = record.at;
    } else if (const auto* ended = std::get_if<fact::JobEnded>(&record.fact)) {
      jobs_[ended->job].ended = record.at;
      jobs_[ended->job].state = ended->state;
    }
  }
  void observe_again(const scheduler::Record& record) {
    observe(record);
    const JobId job = scheduler::job_of(record.fact);
    if (job.value == 0) return;
    ++jobs_[job].records;
    jobs_[job].decisions += std::holds_alternative<fact::PolicyDecided>(record.fact) ? 1 : 0;
  }

 private:
  std::map<JobId, ReplayedJob>& jobs_;
};

Result<Replayed> replay(const std::vector<std::string>& files) {
  Replayed replayed;
  Witness witness(replayed.jobs);
  recording::Parity parity([&](const scheduler::Record& record) { witness.observe_again(record); });
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& file : files) {
    auto reader = recording::Reader::open(file);
    if (!reader) return reader.error();
    while (true) {
      auto entry = reader->next();
      if (!entry) return entry.error();
      if (!*entry) break;
      if (const auto* known = std::get_if<scheduler::Record>(&**entry)) witness.observe(*known);
      if (auto status = parity.feed(**entry); !status) return failed(file + ": " + status.error().message);
    }
    replayed.torn_bytes += reader->torn_bytes();
  }
  if (parity.epochs().empty()) return failed("the recording is empty: a master writes it once a second");
  replayed.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  replayed.epochs = parity.epochs();
  replayed.is_identical = parity.is_identical();
  return replayed;
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
  const auto files = recordings_of(command.journal, command.recording);
  if (!files) return files.error();
  const auto replayed = replay(*files);
  if (!replayed) return replayed.error();
  if (command.job.value != 0 && !replayed->jobs.contains(command.job)) {
    return bad_input("the recording knows no " + to_string(command.job));
  }
  const std::string text = command.json ? replayed_json(*replayed, command.job) : replayed_text(*replayed, command.job);
  std::fputs(text.c_str(), stdout);
  return replayed->is_identical ? ExitCode::Done : ExitCode::Failed;
}

}  // namespace ontime::cli
