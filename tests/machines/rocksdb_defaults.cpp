// RocksDB keeps some of what it has in one place for the whole program: background threads, which files it has locked,
// a timer that flushes logs. Each simulated process has to have its own, which ends with it: these stand in for
// RocksDB's functions of the same names. The timer, which the journal does not need, is left out.
#include <dlfcn.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <functional>
#include <utility>

#include "tests/machines/process.h"

namespace ontime::lab::machines {
namespace {

// Each piece of background work is a thread of the process that asks for it.
class Threads final : public rocksdb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;
  const char* Name() const override { return "Threads"; }

  void Schedule(void (*function)(void*), void* argument, Priority, void*, void (*)(void*)) override {
    World::here()->process().start_thread([function, argument] { function(argument); });
  }
  int UnSchedule(void*, Priority) override { return 0; }  // all have begun
  void StartThread(void (*function)(void*), void* argument) override {
    World::here()->process().start_thread([function, argument] { function(argument); });
  }
  void WaitForJoin() override {}
  unsigned int GetThreadPoolQueueLen(Priority) const override { return 0; }
  void SetBackgroundThreads(int, Priority) override {}
  int GetBackgroundThreads(Priority) override { return 1; }
  void IncBackgroundThreadsIfNeeded(int, Priority) override {}
};

// The master's own lock beside RocksDB's keeps a second master out.
class Files final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "Files"; }

  rocksdb::IOStatus LockFile(const std::string&, const rocksdb::IOOptions&, rocksdb::FileLock** lock,
                             rocksdb::IODebugContext*) override {
    *lock = new rocksdb::FileLock;
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus UnlockFile(rocksdb::FileLock* lock, const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    delete lock;
    return rocksdb::IOStatus::OK();
  }
};

// Nobody uses RocksDB without having asked for one of its defaults before.
bool is_simulated() {
  Thread* const here = World::here();
  if (here != nullptr && !std::exchange(here->process().has_database, true)) Fiber::begin_database();
  return here != nullptr;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace
}  // namespace ontime::lab::machines

namespace rocksdb {
// PeriodicTaskScheduler::Register(PeriodicTaskType, const std::function<void()>&), of a class that is not in the
// headers.
Status register_nothing(void*, unsigned char, const std::function<void()>&) __asm__(
    "_ZN7rocksdb21PeriodicTaskScheduler8RegisterENS_16PeriodicTaskTypeERKSt8functionIFvvEE");
Status register_nothing(void*, unsigned char, const std::function<void()>&) { return Status::OK(); }
}  // namespace rocksdb

rocksdb::Env* rocksdb::Env::Default() {
  using namespace ontime::lab::machines;  // NOLINT: this function is RocksDB's
  static const auto real_one = real<rocksdb::Env* (*)()>("_ZN7rocksdb3Env7DefaultEv");
  static auto& threads = *new Threads(real_one());
  return is_simulated() ? &threads : real_one();
}

std::shared_ptr<rocksdb::FileSystem> rocksdb::FileSystem::Default() {
  using namespace ontime::lab::machines;  // NOLINT: this function is RocksDB's
  static const auto real_one = real<std::shared_ptr<rocksdb::FileSystem> (*)()>("_ZN7rocksdb10FileSystem7DefaultEv");
  static const auto& files = *new std::shared_ptr<rocksdb::FileSystem>(std::make_shared<Files>(real_one()));
  return is_simulated() ? files : real_one();
}
