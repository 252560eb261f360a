#pragma once
// Small files, read and written whole.

#include <string>

#include "common/base/result.h"

namespace ontime::cli {

// BadInput if the file is empty or cannot be read.
Result<std::string> read_text_file(const std::string& path);
Status write_text_file(const std::string& path, const std::string& text);
Status make_directory(const std::string& path);

}  // namespace ontime::cli
