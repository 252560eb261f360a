#include "master/journal/private_files.h"

#include <fcntl.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace ontime::journal {
namespace {

constexpr mode_t kMode = 0600;

// Makes an empty file, which RocksDB then finds. A failure is left to RocksDB, which meets and names it.
void make_first(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode);
  if (file >= 0) ::close(file);
}

class PrivateFiles : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "PrivateFiles"; }

  // What RocksDB writes: logs, tables, manifests, and what it renames to CURRENT, IDENTITY and OPTIONS.
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override {
    make_first(path);
    return FileSystemWrapper::NewWritableFile(path, options, file, context);
  }

  rocksdb::IOStatus LockFile(const std::string& path, const rocksdb::IOOptions& options, rocksdb::FileLock** lock,
                             rocksdb::IODebugContext* context) override {
    make_first(path);
    return FileSystemWrapper::LockFile(path, options, lock, context);
  }
};

}  // namespace

std::unique_ptr<rocksdb::Env> make_private_env() {
  return rocksdb::NewCompositeEnv(std::make_shared<PrivateFiles>(rocksdb::FileSystem::Default()));
}

Status make_files_private(const std::string& directory) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    if (!entry.is_regular_file(ignored) || entry.is_symlink(ignored)) continue;
    if (::chmod(entry.path().c_str(), kMode) != 0 && errno != ENOENT) {
      return failed("Cannot keep others out of the journal's file '" + entry.path().string() +
                    "': " + std::strerror(errno) + ".");
    }
  }
  return {};
}

}  // namespace ontime::journal
