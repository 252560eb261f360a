#include "master/journal/record_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/little_endian.h"
#include "master/journal/record_codec.h"
#include "master/journal/texts.h"

namespace ontime::journal {
namespace {

constexpr std::size_t kPieceBytes = 64u << 10;  // that a job's records grow by, but for one that is larger
constexpr std::size_t kJobBytes = 4, kTimeBytes = 8;
constexpr char kOfJob = 'j', kPut = 'p', kRemove = 'x', kSetBack = 't';

std::uint64_t bytes_of_put(std::string_view key, std::string_view value) {
  return 1 + 2 * kLengthBytes + key.size() + value.size();
}

}  // namespace

std::string encode_batch(std::span<const scheduler::JournalRecord> records) {
  std::string batch;
  for (const scheduler::JournalRecord& record : records) {
    if (const auto removed = removed_by(record.fact)) {
      batch += kRemove;
      append_text(batch, removed->first);
      append_text(batch, removed->second);
      continue;
    }
    if (const auto place = place_of(record.fact)) {
      batch += kPut;
      append_text(batch, *place);
    } else {
      batch += kOfJob;
      batch += little_endian(scheduler::job_of(record.fact).value, kJobBytes);
    }
    append_text(batch, encode_record(record));
  }
  return batch;
}

std::string encode_set_back(TimePoint latest) {
  return kSetBack + little_endian(static_cast<std::uint64_t>(to_unix_ns(latest)), kTimeBytes);
}

Result<std::size_t> RecordStore::apply(std::string_view operations) {
  TextReader reader(operations);
  std::size_t whole = 0;
  for (; !reader.is_at_end(); whole = operations.size() - reader.left()) {
    const char kind = reader.take(1)[0];
    if (kind == kOfJob) {
      const JobId job{from_little_endian<std::uint32_t>(reader.take(kJobBytes))};
      const std::string_view value = reader.take_text();
      if (!reader.is_short()) add(job, value);
    } else if (kind == kPut) {
      const std::string_view key = reader.take_text(), value = reader.take_text();
      if (!reader.is_short()) put(key, value);
    } else if (kind == kRemove) {
      const std::string_view first = reader.take_text(), second = reader.take_text();
      if (!reader.is_short()) remove(first, second);
    } else if (kind == kSetBack) {
      const auto latest = from_little_endian<std::int64_t>(reader.take(kTimeBytes));
      Status status = reader.is_short() ? Status() : set_back(from_unix_ns(latest));
      if (!status) return status.error();
    } else {
      return failed("a batch holds an operation that is not known");
    }
    if (reader.is_short()) break;
  }
  return whole;
}

void RecordStore::add(JobId job, std::string_view value) {
  JobRecords& records = jobs_[job];
  std::vector<std::string>& pieces = records.pieces;
  if (pieces.empty() || pieces.back().size() + kLengthBytes + value.size() > kPieceBytes) {
    if (!pieces.empty()) pieces.back().shrink_to_fit();
    pieces.emplace_back();
  }
  append_text(pieces.back(), value);
  const std::uint64_t bytes = 1 + kJobBytes + kLengthBytes + value.size();
  records.bytes += bytes;
  bytes_ += bytes;
}

void RecordStore::put(std::string_view key, std::string_view value) {
  const auto [place, is_new] = places_.try_emplace(std::string(key));
  if (!is_new) bytes_ -= bytes_of_put(key, place->second);
  place->second = value;
  bytes_ += bytes_of_put(key, value);
}

void RecordStore::remove(std::string_view first, std::string_view second) {
  if (const std::optional<RecordKey> key = decode_key(first)) {
    const auto job = jobs_.find(key->job);
    if (job == jobs_.end()) return;
    bytes_ -= job->second.bytes;
    jobs_.erase(job);
    return;
  }
  const auto begin = places_.lower_bound(first), end = places_.lower_bound(second);
  for (auto at = begin; at != end; ++at) bytes_ -= bytes_of_put(at->first, at->second);
  places_.erase(begin, end);
}

Status RecordStore::set_back(TimePoint latest) {
  RecordStore after;
  for (const auto& [key, value] : places_) {
    const Result<std::string> changed = set_back_to(latest, value);
    if (!changed) return changed.error();
    after.put(key, changed->empty() ? value : *changed);
  }
  for (const auto& [job, records] : jobs_) {
    for (const std::string& piece : records.pieces) {
      for (TextReader reader(piece); !reader.is_at_end();) {
        const std::string_view record = reader.take_text();
        const Result<std::string> changed = set_back_to(latest, record);
        if (!changed) return changed.error();
        after.add(job, changed->empty() ? record : *changed);
      }
    }
  }
  *this = std::move(after);
  return {};
}

Status RecordStore::read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) const {
  for (const auto& [key, value] : places_) {
    const Result<scheduler::JournalRecord> record = decode_record(value);
    if (!record) return failed("a record of the cluster: " + record.error().message);
    if (place_of(record->fact) != key) return failed("a record of the cluster lies under another one's key");
    visit(*record);
  }
  for (const auto& [job, records] : jobs_) {
    for (const std::string& piece : records.pieces) {
      for (TextReader reader(piece); !reader.is_at_end();) {
        const Result<scheduler::JournalRecord> record = decode_record(reader.take_text());
        if (!record) return failed("a record of " + to_string(job) + ": " + record.error().message);
        if (scheduler::job_of(record->fact) != job)
          return failed("a record of " + to_string(job) + " is another job's");
        visit(*record);
      }
    }
  }
  return {};
}

void RecordStore::write(const std::function<bool(std::string_view piece)>& take) const {
  std::string operation;
  for (const auto& [key, value] : places_) {
    operation = kPut;
    append_text(operation, key);
    append_text(operation, value);
    if (!take(operation)) return;
  }
  for (const auto& [job, records] : jobs_) {
    for (const std::string& piece : records.pieces) {
      for (TextReader reader(piece); !reader.is_at_end();) {
        operation = kOfJob + little_endian(job.value, kJobBytes);
        append_text(operation, reader.take_text());
        if (!take(operation)) return;
      }
    }
  }
}

}  // namespace ontime::journal
