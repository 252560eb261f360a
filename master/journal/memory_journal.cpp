#include "master/journal/memory_journal.h"

#include <iterator>
#include <limits>
#include <variant>

#include "master/journal/record_codec.h"

namespace ontime::journal {

Status MemoryJournal::append(std::span<const scheduler::Record> batch) {
  const std::lock_guard lock(mutex_);
  for (const scheduler::Record& record : batch) {
    if (const auto* profile = std::get_if<scheduler::record::ProfileUpdated>(&record.fact)) {
      profiles_[profile->key] = encode_record(record);
      continue;
    }
    const JobId job = scheduler::job_of(record.fact);
    const auto behind = records_.upper_bound({job, std::numeric_limits<std::uint64_t>::max()});
    if (std::holds_alternative<scheduler::record::JobForgotten>(record.fact)) {
      records_.erase(records_.lower_bound({job, 0}), behind);
      continue;
    }
    const bool first = behind == records_.begin() || std::prev(behind)->first.job != job;
    const std::uint64_t sequence = first ? 0 : std::prev(behind)->first.sequence + 1;
    records_.emplace_hint(behind, RecordKey{job, sequence}, encode_record(record));
  }
  return {};
}

Status MemoryJournal::read_all(const std::function<void(const scheduler::Record&)>& visit) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, value] : profiles_) {
    Result<scheduler::Record> record = decode_record(value);
    if (!record) return record.error();
    visit(*record);
  }
  for (const auto& [key, value] : records_) {
    Result<scheduler::Record> record = decode_record(value);
    if (!record) return record.error();
    visit(*record);
  }
  return {};
}

std::size_t MemoryJournal::size() const {
  const std::lock_guard lock(mutex_);
  return records_.size();
}

}  // namespace ontime::journal
