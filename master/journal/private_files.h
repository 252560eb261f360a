#pragma once
// RocksDB makes files of mode 0644 and has no option for it; here they are nobody else's to read, as the journal's
// directory is.

#include <memory>
#include <string>

#include "common/base/result.h"

namespace rocksdb {
class Env;
}

namespace ontime::journal {

// The default environment, but for the mode of the files it makes: 0600 from their first moment.
std::unique_ptr<rocksdb::Env> make_private_env();

// For files that are there already, say from an older version or a copy. Failed, with a sentence that names the file,
// if one cannot be changed.
Status make_files_private(const std::string& directory);

}  // namespace ontime::journal
