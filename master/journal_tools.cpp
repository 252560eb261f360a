#include "master/journal_tools.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "common/files/file_system.h"
#include "common/files/temporary_directory.h"
#include "master/base/clock.h"
#include "master/journal/rocksdb_journal.h"
#include "scheduler/core/scheduler.h"

namespace ontime::master {

namespace {

std::string jobs_by_state(const scheduler::Cluster& cluster) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [id, job] : cluster.jobs()) ++counts[name_of(job.state)];
  std::string text;
  for (const auto& [state, count] : counts) {
    text += (text.empty() ? ": " : ", ") + std::to_string(count) + " " + state;
  }
  return text;
}

}  // namespace

Result<std::string> check_journal(const std::string& directory) {
  const auto journal = journal::RocksdbJournal::open_to_read(directory);
  if (!journal) return journal.error();
  scheduler::Scheduler scheduler{scheduler::Settings{}};
  std::uint64_t records = 0;
  std::uint64_t profiles = 0;
  const Status read = (*journal)->read_all([&](const scheduler::JournalRecord& record) {
    scheduler.replay(record);
    ++records;
    if (std::holds_alternative<scheduler::fact::ProfileUpdated>(record.fact)) ++profiles;
  });
  if (!read) return read.error();
  const scheduler::Cluster& cluster = scheduler.cluster();
  std::string text = "The journal in '" + directory + "' is whole.\n";
  text += "cluster   " + (*journal)->cluster() + "\n";
  text += "masters   " + std::to_string(cluster.epoch()) + " so far\n";
  text += "jobs      " + std::to_string(cluster.jobs().size()) + jobs_by_state(cluster) + "\n";
  text += "profiles  " + std::to_string(profiles) + "\n";
  text += "records   " + std::to_string(records) + "\n";
  return text;
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBatch = 10'000;  // records
constexpr const char* kWhy = "it had not ended when this backup was made";

// Appends in batches; remembers the first error.
class Writer {
 public:
  explicit Writer(journal::Journal& journal) : journal_(journal) {}
  void add(scheduler::JournalRecord record) {
    batch_.push_back(std::move(record));
    if (batch_.size() >= kBatch) write();
  }
  Status finish() {
    write();
    return status_;
  }

 private:
  void write() {
    if (status_ && !batch_.empty()) status_ = journal_.append(batch_);
    batch_.clear();
  }

  journal::Journal& journal_;
  std::vector<scheduler::JournalRecord> batch_;
  Status status_;
};

// What a master would write down that finds these jobs and ends them.
std::size_t end_unfinished_jobs(scheduler::Scheduler& scheduler, TimePoint now, Writer& writer) {
  const auto add_all = [&](scheduler::Step step) {
    for (scheduler::JournalRecord& record : step.records) writer.add(std::move(record));
  };
  add_all(scheduler.start(now));
  std::vector<JobId> unfinished;
  for (const auto& [id, job] : scheduler.cluster().jobs()) {
    if (!is_final(job.state)) unfinished.push_back(id);
  }
  for (const JobId id : unfinished) {
    const bool commits = scheduler.cluster().find_job(id)->state == scheduler::JobState::Committing;
    if (commits) {
      add_all(scheduler.step(scheduler::event::CommitFinished{id, kWhy}, now));
    } else {
      add_all(scheduler.step(scheduler::event::JobKillRequested{id, kWhy}, now));
    }
  }
  return unfinished.size();
}

Result<std::string> copy_all(journal::Journal& from, journal::Journal& to, const std::string& copy) {
  if (Status status = to.read_all([](const scheduler::JournalRecord&) {}); !status) return status.error();  // it is new
  scheduler::Scheduler scheduler{scheduler::Settings{}};
  Writer writer(to);
  TimePoint last{};
  const Status read = from.read_all([&](const scheduler::JournalRecord& record) {
    last = std::max(last, record.at);
    scheduler.replay(record);
    writer.add(record);
  });
  if (!read) return read.error();
  const std::size_t ended = end_unfinished_jobs(scheduler, Clock(last).now(), writer);
  if (Status status = writer.finish(); !status) return status.error();
  std::string text = "'" + copy + "' holds " + std::to_string(scheduler.cluster().jobs().size()) + " jobs";
  if (ended > 0) text += ", " + std::to_string(ended) + " of which had not ended and are killed in it";
  return text + ".\n";
}

}  // namespace

Result<std::string> backup_journal(const std::string& directory, const std::string& copy) {
  std::error_code error;
  if (fs::exists(copy, error)) return bad_input("'" + copy + "' exists already; name a new directory for the backup.");
  auto from = journal::RocksdbJournal::open_to_read(directory);
  if (!from) return from.error();
  const std::string unfinished = copy + ".unfinished";
  files::remove_all(unfinished);
  auto to = journal::RocksdbJournal::open(unfinished, {});
  if (!to) return to.error();
  Result<std::string> text = copy_all(**from, **to, copy);
  to->reset();
  const int problem = text ? files::rename(unfinished, copy) : 0;
  if (problem != 0) text = files::system_error("name the backup", copy, problem);
  if (!text) files::remove_all(unfinished);
  return text;
}

}  // namespace ontime::master
