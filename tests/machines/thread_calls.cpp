// Threads, and what they wait for each other with. All of a simulated process run on the one real thread, so a lock is
// free unless a thread that gave way holds it.
#include <pthread.h>

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "tests/machines/calls.h"

namespace ontime::lab::machines {
namespace {

// The threads that wait for a lock or a condition, by its address. Hardly any thread waits for a lock that is released,
// and a few counters show that quickly.
class Waiting {
 public:
  WaitQueue& at(const void* what) {
    const auto [found, is_new] = queues_.try_emplace(what);
    if (is_new) ++counters_[counter_of(what)];
    return found->second;
  }
  void wake(const void* what) {
    if (counters_[counter_of(what)] == 0) return;
    const auto found = queues_.find(what);
    if (found == queues_.end()) return;
    found->second.wake_all();
    queues_.erase(found);
    --counters_[counter_of(what)];
  }

 private:
  static std::size_t counter_of(const void* what) { return reinterpret_cast<std::uintptr_t>(what) / 8 % kCounters; }

  static constexpr std::size_t kCounters = 1024;
  std::array<std::uint32_t, kCounters> counters_{};
  std::unordered_map<const void*, WaitQueue> queues_;
};

Waiting& waiting() {
  static auto& all = *new Waiting;
  return all;
}

struct Started {
  std::shared_ptr<Thread> thread;
};

template <class Lock>
int take(Thread& here, Lock* lock, int (*attempt)(Lock*)) {
  int result = 0;
  while ((result = attempt(lock)) == EBUSY) here.wait(waiting().at(lock));
  return result;
}

template <class Lock>
int release(Lock* lock, int (*really)(Lock*)) {
  const int result = really(lock);
  if (World::here() != nullptr) waiting().wake(lock);
  return result;
}

int wait_for(Thread& here, pthread_cond_t* condition, pthread_mutex_t* mutex, TimePoint until) {
  ::pthread_mutex_unlock(mutex);
  here.wait(waiting().at(condition), until);
  ::pthread_mutex_lock(mutex);
  return here.world().now() >= until ? ETIMEDOUT : 0;
}

}  // namespace
}  // namespace ontime::lab::machines

using namespace ontime;                 // NOLINT: what follows has the C library's names
using namespace ontime::lab::machines;  // NOLINT

ONTIME_SIMULATE(int, pthread_create, (to, how, body, argument), pthread_t* to, const pthread_attr_t* how,
                void* (*body)(void*), void* argument) {
  Thread& thread = here.process().start_thread([body, argument] { body(argument); });
  *to = reinterpret_cast<pthread_t>(new Started{thread.shared_from_this()});
  return 0;
}

ONTIME_SIMULATE(int, pthread_join, (thread, result), pthread_t thread, void** result) {
  const std::unique_ptr<Started> started(reinterpret_cast<Started*>(thread));
  while (!started->thread->has_ended()) here.wait(started->thread->ended());
  return 0;
}

ONTIME_SIMULATE(int, pthread_detach, (thread), pthread_t thread) {
  delete reinterpret_cast<Started*>(thread);
  return 0;
}

ONTIME_CALL(int, pthread_mutex_lock, pthread_mutex_t* mutex) {
  Thread* const here = World::here();
  return here != nullptr ? take(*here, mutex, ::pthread_mutex_trylock) : ONTIME_REAL(pthread_mutex_lock)(mutex);
}

ONTIME_CALL(int, pthread_mutex_unlock, pthread_mutex_t* mutex) {
  return release(mutex, ONTIME_REAL(pthread_mutex_unlock));
}

ONTIME_CALL(int, pthread_rwlock_rdlock, pthread_rwlock_t* lock) {
  Thread* const here = World::here();
  return here != nullptr ? take(*here, lock, ::pthread_rwlock_tryrdlock) : ONTIME_REAL(pthread_rwlock_rdlock)(lock);
}

ONTIME_CALL(int, pthread_rwlock_wrlock, pthread_rwlock_t* lock) {
  Thread* const here = World::here();
  return here != nullptr ? take(*here, lock, ::pthread_rwlock_trywrlock) : ONTIME_REAL(pthread_rwlock_wrlock)(lock);
}

ONTIME_CALL(int, pthread_rwlock_unlock, pthread_rwlock_t* lock) {
  return release(lock, ONTIME_REAL(pthread_rwlock_unlock));
}

ONTIME_SIMULATE(int, pthread_cond_wait, (condition, mutex), pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait_for(here, condition, mutex, kNever);
}

ONTIME_SIMULATE(int, pthread_cond_timedwait, (condition, mutex, until), pthread_cond_t* condition,
                pthread_mutex_t* mutex, const timespec* until) {
  const Machine& machine = here.process().machine();
  return wait_for(here, condition, mutex,
                  machine.when_steady(TimePoint(duration_of(*until) - machine.wall_clock_ahead)));
}

ONTIME_SIMULATE(int, pthread_cond_clockwait, (condition, mutex, clock, until), pthread_cond_t* condition,
                pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  const Machine& machine = here.process().machine();
  const Duration ahead = clock == CLOCK_REALTIME ? machine.wall_clock_ahead : Duration(0);
  return wait_for(here, condition, mutex, machine.when_steady(TimePoint(duration_of(*until) - ahead)));
}

ONTIME_CALL(int, pthread_cond_signal, pthread_cond_t* condition) {
  if (World::here() == nullptr) return ONTIME_REAL(pthread_cond_signal)(condition);
  waiting().wake(condition);  // who is woken for nothing looks and waits again
  return 0;
}

ONTIME_CALL(int, pthread_cond_broadcast, pthread_cond_t* condition) {
  if (World::here() == nullptr) return ONTIME_REAL(pthread_cond_broadcast)(condition);
  waiting().wake(condition);
  return 0;
}
