#pragma once
// Small files, read whole, and directories.

#include <string>

#include "common/base/result.h"

namespace ontime::cli {

// BadInput if the file is empty or cannot be read.
Result<std::string> read_text_file(const std::string& path);
Status make_directory(const std::string& path);

}  // namespace ontime::cli
