#pragma once
// What the program says to the shell. docs and --help promise these numbers.

#include "common/base/result.h"

namespace ontime::cli {

enum class ExitCode : int {
  Done = 0,
  Failed = 1,         // the job or the operation failed
  BadUsage = 2,       // what was asked for cannot be right; asking again is no use
  Late = 3,           // the job succeeded after its deadline
  Interrupted = 130,  // Ctrl-C, as shells number it
};

inline ExitCode exit_code_of(const Error& error) {
  return error.kind == ErrorKind::BadInput ? ExitCode::BadUsage : ExitCode::Failed;
}

}  // namespace ontime::cli
