#include "master/journal/entries.h"

#include "master/journal/record_codec.h"
#include "master/journal/texts.h"

namespace ontime::journal {
namespace {

// False: it was no later than that.
Result<bool> set_back(TimePoint latest, std::string_view value, std::string& to) {
  Result<scheduler::JournalRecord> record = decode_record(value);
  if (!record) return record.error();
  const bool is_later = record->at > latest;
  if (is_later) record->at = latest;
  to = is_later ? encode_record(*record) : std::string(value);
  return is_later;
}

}  // namespace

void EntryMaker::add(const scheduler::JournalRecord& record) {
  const JobId job = scheduler::job_of(record.fact);
  if (const auto removed = removed_by(record.fact)) {
    static_cast<void>(writes_.DeleteRange(removed->first, removed->second));
    open_.erase(job);
    next_sequence_.erase(job);
    return;
  }
  const std::string value = encode_record(record);
  if (const auto place = place_of(record.fact)) {
    static_cast<void>(writes_.Put(*place, value));
    return;
  }
  Entry& entry = open_[job];
  if (!entry.texts.empty() && entry.texts.size() + kLengthBytes + value.size() > kEntryBytesMost) {
    put(job, entry);
    entry.texts.clear();
  }
  std::uint64_t& sequence = next_sequence_[job];
  if (entry.texts.empty()) entry.first = sequence;
  append_text(entry.texts, value);
  ++sequence;
}

void EntryMaker::finish() {
  for (const auto& [job, entry] : open_) put(job, entry);
}

void EntryMaker::put(JobId job, const Entry& entry) {
  static_cast<void>(writes_.Put(encode_key({job, entry.first}), entry.texts));
}

Result<std::string> set_back_to(TimePoint latest, std::string_view key, std::string_view value) {
  std::string changed;
  if (!decode_key(key)) {
    const Result<bool> is_later = set_back(latest, value, changed);
    if (!is_later) return is_later.error();
    return *is_later ? changed : std::string();
  }
  bool is_any_later = false;
  for (TextReader texts(value); !texts.is_at_end();) {
    std::string text;
    const Result<bool> is_later = set_back(latest, texts.take_text(), text);
    if (!is_later) return is_later.error();
    is_any_later = is_any_later || *is_later;
    append_text(changed, text);
  }
  return is_any_later ? changed : std::string();
}

}  // namespace ontime::journal
