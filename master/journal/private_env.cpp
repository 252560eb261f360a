#include <fcntl.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/files/file_system.h"
#include "master/journal/database_files.h"

namespace ontime::journal {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

// Makes an empty file, which RocksDB then finds. A failure is left to RocksDB, which meets and names it.
void make_first(const std::string& path) { files::open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600); }

class UnsyncedFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus RangeSync(std::uint64_t, std::uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }
};

class UnsyncedDirectory : public rocksdb::FSDirectoryWrapper {
 public:
  using FSDirectoryWrapper::FSDirectoryWrapper;
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus FsyncWithDirOptions(const IOOptions&, IODebugContext*, const rocksdb::DirFsyncOptions&) override {
    return IOStatus::OK();
  }
};

class PrivateFiles : public rocksdb::FileSystemWrapper {
 public:
  explicit PrivateFiles(bool sync) : FileSystemWrapper(database_files()), sync_(sync) {}
  const char* Name() const override { return "PrivateFiles"; }

  // What RocksDB writes: logs, tables, manifests, and what it renames to CURRENT, IDENTITY and OPTIONS.
  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* context) override {
    make_first(path);
    IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, context);
    if (!sync_ && status.ok()) *file = std::make_unique<UnsyncedFile>(std::move(*file));
    return status;
  }

  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* context) override {
    IOStatus status = FileSystemWrapper::NewDirectory(path, options, directory, context);
    if (!sync_ && status.ok()) *directory = std::make_unique<UnsyncedDirectory>(std::move(*directory));
    return status;
  }

  IOStatus LockFile(const std::string& path, const IOOptions& options, rocksdb::FileLock** lock,
                    IODebugContext* context) override {
    make_first(path);
    return FileSystemWrapper::LockFile(path, options, lock, context);
  }

 private:
  const bool sync_;
};

}  // namespace

std::unique_ptr<rocksdb::Env> make_private_env(bool sync) {
  return rocksdb::NewCompositeEnv(std::make_shared<PrivateFiles>(sync));
}

}  // namespace ontime::journal
