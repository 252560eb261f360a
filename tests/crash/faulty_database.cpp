// What RocksDB writes with, on a disk with faults: journal::database_files().
#include <fcntl.h>
#include <rocksdb/file_system.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "common/base/descriptor.h"
#include "master/journal/database_files.h"
#include "tests/crash/disk_faults.h"

namespace ontime::test::disk {
namespace {

using Context = rocksdb::IODebugContext;
using Options = rocksdb::IOOptions;
using rocksdb::IOStatus;

// As RocksDB words what the system tells it.
IOStatus broken(const std::string& path) {
  if (errno != ENOSPC) return IOStatus::IOError("planted by a test", path);
  IOStatus full = IOStatus::NoSpace("planted by a test", path);
  full.SetRetryable(true);
  return full;
}

template <class Operation>
IOStatus guarded(const char* op, const std::string& path, Operation&& operation) {
  return fails(op, path) ? broken(path) : operation();
}

// `sync`, and what it makes last is kept.
template <class Operation>
IOStatus synced(const std::string& path, Operation&& sync) {
  IOStatus status = guarded("sync", path, sync);
  const Descriptor file(status.ok() ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1);
  if (file) keep(file.get());
  return status;
}

class File final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  File(std::unique_ptr<rocksdb::FSWritableFile> file, std::string path)
      : FSWritableFileOwnerWrapper(std::move(file)), path_(std::move(path)) {}

  IOStatus Append(const rocksdb::Slice& data, const Options& options, Context* context) override {
    return guarded("write", path_, [&] { return target()->Append(data, options, context); });
  }
  IOStatus Append(const rocksdb::Slice& data, const Options& options, const rocksdb::DataVerificationInfo& checksum,
                  Context* context) override {
    return guarded("write", path_, [&] { return target()->Append(data, options, checksum, context); });
  }
  IOStatus PositionedAppend(const rocksdb::Slice& data, std::uint64_t offset, const Options& options,
                            Context* context) override {
    return guarded("write", path_, [&] { return target()->PositionedAppend(data, offset, options, context); });
  }
  IOStatus PositionedAppend(const rocksdb::Slice& data, std::uint64_t offset, const Options& options,
                            const rocksdb::DataVerificationInfo& checksum, Context* context) override {
    return guarded("write", path_,
                   [&] { return target()->PositionedAppend(data, offset, options, checksum, context); });
  }
  IOStatus Sync(const Options& options, Context* context) override {
    return synced(path_, [&] { return target()->Sync(options, context); });
  }
  IOStatus Fsync(const Options& options, Context* context) override {
    return synced(path_, [&] { return target()->Fsync(options, context); });
  }

 private:
  const std::string path_;
};

class Directory final : public rocksdb::FSDirectoryWrapper {
 public:
  Directory(std::unique_ptr<rocksdb::FSDirectory> directory, std::string path)
      : FSDirectoryWrapper(std::move(directory)), path_(std::move(path)) {}

  IOStatus Fsync(const Options& options, Context* context) override {
    return synced(path_, [&] { return FSDirectoryWrapper::Fsync(options, context); });
  }
  IOStatus FsyncWithDirOptions(const Options& options, Context* context,
                               const rocksdb::DirFsyncOptions& more) override {
    return synced(path_, [&] { return FSDirectoryWrapper::FsyncWithDirOptions(options, context, more); });
  }

 private:
  const std::string path_;
};

class Files final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "Files"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, Context* context) override {
    return wrapped(file, path, [&] { return target()->NewWritableFile(path, options, file, context); });
  }
  IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file, Context* context) override {
    return wrapped(file, path, [&] { return target()->ReopenWritableFile(path, options, file, context); });
  }
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old, const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSWritableFile>* file, Context* context) override {
    return wrapped(file, path, [&] { return target()->ReuseWritableFile(path, old, options, file, context); });
  }
  IOStatus NewDirectory(const std::string& path, const Options& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, Context* context) override {
    IOStatus status = target()->NewDirectory(path, options, directory, context);
    if (status.ok()) *directory = std::make_unique<Directory>(std::move(*directory), path);
    return status;
  }
  IOStatus CreateDir(const std::string& path, const Options& options, Context* context) override {
    return guarded("create", path, [&] { return target()->CreateDir(path, options, context); });
  }
  IOStatus CreateDirIfMissing(const std::string& path, const Options& options, Context* context) override {
    return guarded("create", path, [&] { return target()->CreateDirIfMissing(path, options, context); });
  }
  IOStatus LockFile(const std::string& path, const Options& options, rocksdb::FileLock** lock,
                    Context* context) override {
    return guarded("create", path, [&] { return target()->LockFile(path, options, lock, context); });
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const Options& options,
                      Context* context) override {
    return guarded("rename", to, [&] { return target()->RenameFile(from, to, options, context); });
  }

 private:
  template <class Open>
  IOStatus wrapped(std::unique_ptr<rocksdb::FSWritableFile>* file, const std::string& path, Open&& open) {
    IOStatus status = guarded("create", path, open);
    if (status.ok()) *file = std::make_unique<File>(std::move(*file), path);
    return status;
  }
};

}  // namespace
}  // namespace ontime::test::disk

std::shared_ptr<rocksdb::FileSystem> ontime::journal::database_files() {
  return std::make_shared<test::disk::Files>(rocksdb::FileSystem::Default());
}
