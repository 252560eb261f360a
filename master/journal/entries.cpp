#include "master/journal/entries.h"

#include "master/journal/record_codec.h"
#include "master/journal/texts.h"

namespace ontime::journal {

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

Result<std::string> entry_set_back_to(TimePoint latest, std::string_view key, std::string_view value) {
  if (!decode_key(key)) return set_back_to(latest, value);
  std::string all;
  bool is_any_later = false;
  for (TextReader texts(value); !texts.is_at_end();) {
    const std::string_view record = texts.take_text();
    const Result<std::string> changed = set_back_to(latest, record);
    if (!changed) return changed.error();
    is_any_later = is_any_later || !changed->empty();
    append_text(all, changed->empty() ? record : *changed);
  }
  return is_any_later ? all : std::string();
}

}  // namespace ontime::journal
