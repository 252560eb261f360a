#include <algorithm>
#include <cstdint>
#include <map>
#include <variant>

#include "master/journal/rocksdb_journal.h"
#include "master/journal_tools.h"
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

}  // namespace ontime::master
