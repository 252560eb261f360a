#pragma once
// `ontime-master --check-journal`: reads a journal as a master would, and says what it holds. Changes nothing.

#include <string>

#include "common/base/result.h"

namespace ontime::master {

// Several lines. An error is one sentence that names the file or record which is damaged.
Result<std::string> check_journal(const std::string& directory);

}  // namespace ontime::master
