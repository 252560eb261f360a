#pragma once
// One scheduler::JournalRecord as bytes:
//
//   value   := version checksum record
//   version := 1 byte, kRecordVersion
//   checksum:= 4 bytes, little endian, CRC-32C of everything behind it and of the version
//   record  := protobuf stored.Record (records.proto)
//
// What decodes is exactly what was encoded; anything else is an error, never a wrong record.

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "scheduler/core/record.h"

namespace ontime::journal {

inline constexpr std::uint8_t kRecordVersion = 1;

std::string encode_record(const scheduler::JournalRecord& record);
Result<scheduler::JournalRecord> decode_record(std::string_view bytes);

}  // namespace ontime::journal
