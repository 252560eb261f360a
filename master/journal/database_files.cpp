#include <rocksdb/file_system.h>

#include "master/journal/directory.h"

namespace ontime::journal {

std::shared_ptr<rocksdb::FileSystem> database_files() { return rocksdb::FileSystem::Default(); }

}  // namespace ontime::journal
