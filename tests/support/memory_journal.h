#pragma once
// A journal that lives as long as its process. Stores what the codec makes
// of each record, so that whatever passes through it has passed through the codec too.

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
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

inline Status MemoryJournal::append(std::span<const scheduler::JournalRecord> batch) {
  const std::lock_guard lock(mutex_);
  for (const scheduler::JournalRecord& record : batch) {
    const JobId job = scheduler::job_of(record.fact);
    if (const auto removed = removed_by(record.fact)) {
      records_.erase(records_.lower_bound(removed->first), records_.lower_bound(removed->second));
      next_sequence_.erase(job);
    } else if (const auto place = place_of(record.fact)) {
      records_[*place] = encode_record(record);
    } else {
      records_[encode_key({job, next_sequence_[job]++})] = encode_record(record);
    }
  }
  return {};
}

inline Status MemoryJournal::set_back(TimePoint latest) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, value] : records_) {
    const Result<std::string> changed = set_back_to(latest, value);
    if (!changed) return changed.error();
    if (!changed->empty()) value = *changed;
  }
  return {};
}

inline Status MemoryJournal::read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, value] : records_) {
    Result<scheduler::JournalRecord> record = decode_record(value);
    if (!record) return record.error();
    visit(*record);
  }
  return {};
}

inline std::size_t MemoryJournal::size() const {
  const std::lock_guard lock(mutex_);
  return records_.size();
}

}  // namespace ontime::journal
