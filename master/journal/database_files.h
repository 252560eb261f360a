#pragma once
// What RocksDB reads and writes files with.

#include <memory>

namespace rocksdb {
class Env;
class FileSystem;
}

namespace ontime::journal {

// Its own. Alone in database_files.cpp, for the same reason as the functions of common/files/disk.h.
std::shared_ptr<rocksdb::FileSystem> database_files();

// An environment with these, but for the mode of the files it makes: 0600 from their first moment. RocksDB makes them
// with mode 0644 and has no option for it; they are nobody else's to read, as the directory is. Without `sync` nothing
// is written through to the disk, which RocksDB would otherwise do with some files whatever its options say.
std::unique_ptr<rocksdb::Env> make_private_env(bool sync);

}  // namespace ontime::journal
