#pragma once
// A journal that lives as long as its process: for tests, and to see what a master wrote. Stores what the codec makes
// of each record, so that whatever passes through it has passed through the codec too.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "master/journal/journal.h"
#include "master/journal/record_codec.h"

namespace ontime::journal {

class MemoryJournal : public Journal {
 public:
  explicit MemoryJournal(std::string cluster = "memory") : cluster_(std::move(cluster)) {}

  const std::string& cluster() const override { return cluster_; }
  Status append(std::span<const scheduler::JournalRecord> batch) override;
  Status set_back(TimePoint latest) override;
  Status read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) override;

  std::size_t size() const;  // records held; any thread

 private:
  const std::string cluster_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> records_;  // by key; guarded by mutex_
  std::map<JobId, std::uint64_t> next_sequence_;
};

}  // namespace ontime::journal
