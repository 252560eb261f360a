#include "master/journal/database_files.h"

#include <rocksdb/file_system.h>

namespace ontime::journal {

std::shared_ptr<rocksdb::FileSystem> database_files() { return rocksdb::FileSystem::Default(); }

}  // namespace ontime::journal
