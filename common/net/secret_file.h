#pragma once
// Files with keys and tokens.

#include <string>

#include "common/base/result.h"

namespace ontime::net {

// BadInput if everybody on this machine may read the file, which the sentence calls `what`: "key", "token file". A file
// that is missing passes.
Status check_secret(const std::string& path, const char* what);

}  // namespace ontime::net
