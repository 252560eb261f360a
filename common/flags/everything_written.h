#pragma once
#include <string>

namespace ontime::flags {

// What a main function ends with: the code, or 1 with a sentence if not all of stdout could be written. An answer that
// goes to a full disk must not pass for a whole one. If nobody reads a pipe any more, nothing is amiss.
int with_everything_written(const std::string& program, int exit_code);

}  // namespace ontime::flags
