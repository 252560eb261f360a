#pragma once
// What can go wrong with an attempt's input and output. The kind decides what becomes of the job, the message is one
// sentence for people that names the file.

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "common/base/result.h"

namespace ontime::worker {

enum class FaultKind {
  Input,         // could not be read; another node may be luckier
  Vanished,      // the input is not there any more
  Unreadable,    // this node may not read the input
  InputChanged,  // is not the file that was submitted
  BadRecord,     // above the limit, in a broken compressed stream, or not what its format or the application asks for
  Output,        // could not be written
  Away,          // its store did not answer for as long as attempts wait for one
  Node,          // this machine's own state; not the attempt's doing
};

struct Fault {
  FaultKind kind = FaultKind::Input;
  std::string message;
};

template <class T>
using Outcome = Result<T, Fault>;

// "cannot read /data/x: Input/output error", from errno.
inline Fault system_fault(FaultKind kind, const std::string& what) {
  return {kind, what + ": " + std::strerror(errno)};
}

// `problem` goes on after "the record at byte 17 of /data/x".
inline Fault bad_record(const std::string& path, std::uint64_t offset, const std::string& problem) {
  return {FaultKind::BadRecord, "the record at byte " + std::to_string(offset) + " of " + path + problem};
}

}  // namespace ontime::worker
