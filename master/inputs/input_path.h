#pragma once
// The path that an argument names. Touches no file.

#include <string>

#include "common/base/result.h"

namespace ontime::master {

// An absolute path: of a file:// URL, or the argument as it is. BadInput for what is none, for other addresses, and for
// names that mean another file to each process that opens them.
Result<std::string> path_of(const std::string& argument);

}  // namespace ontime::master
