#pragma once
// The two kinds of records that a large journal nearly consists of, launches and seals, read without protobuf, which
// would take most of a master's start.

#include <string_view>

#include "scheduler/core/record.h"

namespace ontime::journal {

// True: the message (records.proto) is one of them, and `to` what protobuf would read. False: it is left to protobuf,
// as is whatever is unusual or wrong about one; `to` may be anything then.
bool read_frequent(std::string_view message, scheduler::JournalRecord& to);

}  // namespace ontime::journal
