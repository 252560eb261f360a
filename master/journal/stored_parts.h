#pragma once
// What records have in common as protobuf messages, with the events of a recording (master/recording): ids, ranges,
// job specs, counters. Only codecs include this.

#include <cstdint>

#include "common/base/result.h"
#include "master/journal/records.pb.h"
#include "scheduler/core/record.h"

namespace ontime::journal {

void put(const ByteRange& from, stored::Range* to);
void put(const AttemptId& from, stored::Attempt* to);
void put(const scheduler::StringMap& from, google::protobuf::RepeatedPtrField<stored::Entry>* to);
void put(const scheduler::JobSpec& from, stored::JobSpec* to);
void put(const scheduler::SealedOutput& from, stored::SealedOutput* to);
void put(const scheduler::Counters& from, google::protobuf::RepeatedPtrField<stored::Counter>* to);
void put(const scheduler::JournalRecord& from, stored::Record* to);

Result<scheduler::JournalRecord> read_record(const stored::Record& message);

// Reads parts; the first thing that cannot be right is kept, and makes the whole an error.
class PartReader {
 public:
  const char* wrong() const { return wrong_; }

  void require(bool holds, const char* otherwise) {
    if (!holds && wrong_ == nullptr) wrong_ = otherwise;
  }
  JobId job(std::uint32_t value);  // not 0
  AttemptId read(const stored::Attempt& from);
  ByteRange read(const stored::Range& from);
  scheduler::StringMap read(const google::protobuf::RepeatedPtrField<stored::Entry>& from);
  scheduler::JobSpec read(const stored::JobSpec& from);
  scheduler::SealedOutput read(const stored::SealedOutput& from);
  scheduler::Counters read(const google::protobuf::RepeatedPtrField<stored::Counter>& from);

  // `last` is the greatest enumerator.
  template <class Enum>
  Enum enumerator(std::uint32_t value, Enum last, const char* otherwise) {
    const bool known = value <= static_cast<std::uint32_t>(last);
    require(known, otherwise);
    return known ? static_cast<Enum>(value) : Enum{};
  }

 private:
  const char* wrong_ = nullptr;
};

}  // namespace ontime::journal
