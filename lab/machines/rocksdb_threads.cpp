// RocksDB keeps its background threads in one place for the whole program. Each simulated process has to have its own,
// which end with it: this stands in for rocksdb::Env::Default(), whose threads they are.
#include <dlfcn.h>
#include <rocksdb/env.h>

#include "lab/machines/process.h"

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

}  // namespace
}  // namespace ontime::lab::machines

rocksdb::Env* rocksdb::Env::Default() {
  using Real = rocksdb::Env* (*)();
  static const auto real = reinterpret_cast<Real>(::dlsym(RTLD_NEXT, "_ZN7rocksdb3Env7DefaultEv"));
  static auto& threads = *new ontime::lab::machines::Threads(real());
  return ontime::lab::machines::World::here() != nullptr ? &threads : real();
}
