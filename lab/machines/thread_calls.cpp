// Threads, and what they wait for each other with. All of a simulated process run on the one real thread, so a lock is
// free unless a thread that gave way holds it.
#include <pthread.h>

#include <map>
#include <memory>
#include <utility>

#include "lab/machines/calls.h"

namespace ontime::lab::machines {
namespace {

// Who waits for a lock or a condition, by its address.
WaitQueue& waiting_for(const void* what) {
  static auto& queues = *new std::map<const void*, WaitQueue>;
  return queues[what];
}

struct Started {
  std::shared_ptr<Thread> thread;
};

Duration as_duration(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

int start_thread(Thread& here, pthread_t* to, void* (*body)(void*), void* argument) {
  Thread& thread = here.process().start_thread([body, argument] { body(argument); });
  *to = reinterpret_cast<pthread_t>(new Started{thread.shared_from_this()});
  return 0;
}

template <class Try>
int take(Thread& here, const void* what, Try&& attempt) {
  int result = 0;
  while ((result = attempt()) == EBUSY) here.wait(waiting_for(what));
  return result;
}

int wait_for(Thread& here, pthread_cond_t* condition, pthread_mutex_t* mutex, TimePoint until) {
  ::pthread_mutex_unlock(mutex);
  here.wait(waiting_for(condition), until);
  ::pthread_mutex_lock(mutex);
  return here.world().now() >= until ? ETIMEDOUT : 0;
}

}  // namespace
}  // namespace ontime::lab::machines

using namespace ontime;                 // NOLINT: what follows has the C library's names
using namespace ontime::lab::machines;  // NOLINT

ONTIME_CALL(int, pthread_create, pthread_t* to, const pthread_attr_t* how, void* (*body)(void*), void* argument) {
  Thread* const here = caller();
  return here != nullptr ? start_thread(*here, to, body, argument)
                         : ONTIME_REAL(pthread_create)(to, how, body, argument);
}

ONTIME_CALL(int, pthread_join, pthread_t thread, void** result) {
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(pthread_join)(thread, result);
  const std::unique_ptr<Started> started(reinterpret_cast<Started*>(thread));
  while (!started->thread->has_ended()) here->wait(started->thread->ended());
  return 0;
}

ONTIME_CALL(int, pthread_detach, pthread_t thread) {
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(pthread_detach)(thread);
  delete reinterpret_cast<Started*>(thread);
  return 0;
}

ONTIME_CALL(int, pthread_mutex_lock, pthread_mutex_t* mutex) {
  static const auto real_one = ONTIME_REAL(pthread_mutex_lock);
  Thread* const here = World::here();
  if (here == nullptr) return real_one(mutex);
  return take(*here, mutex, [mutex] { return ::pthread_mutex_trylock(mutex); });
}

ONTIME_CALL(int, pthread_mutex_unlock, pthread_mutex_t* mutex) {
  static const auto real_one = ONTIME_REAL(pthread_mutex_unlock);
  const int result = real_one(mutex);
  if (World::here() != nullptr) waiting_for(mutex).wake_all();
  return result;
}

ONTIME_CALL(int, pthread_rwlock_rdlock, pthread_rwlock_t* lock) {
  Thread* const here = World::here();
  if (here == nullptr) return ONTIME_REAL(pthread_rwlock_rdlock)(lock);
  return take(*here, lock, [lock] { return ::pthread_rwlock_tryrdlock(lock); });
}

ONTIME_CALL(int, pthread_rwlock_wrlock, pthread_rwlock_t* lock) {
  Thread* const here = World::here();
  if (here == nullptr) return ONTIME_REAL(pthread_rwlock_wrlock)(lock);
  return take(*here, lock, [lock] { return ::pthread_rwlock_trywrlock(lock); });
}

ONTIME_CALL(int, pthread_rwlock_unlock, pthread_rwlock_t* lock) {
  const int result = ONTIME_REAL(pthread_rwlock_unlock)(lock);
  if (World::here() != nullptr) waiting_for(lock).wake_all();
  return result;
}

ONTIME_CALL(int, pthread_cond_wait, pthread_cond_t* condition, pthread_mutex_t* mutex) {
  Thread* const here = caller();
  return here != nullptr ? wait_for(*here, condition, mutex, kNever) : ONTIME_REAL(pthread_cond_wait)(condition, mutex);
}

ONTIME_CALL(int, pthread_cond_timedwait, pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(pthread_cond_timedwait)(condition, mutex, until);
  const Duration ahead = here->process().machine().wall_clock_ahead;
  return wait_for(*here, condition, mutex, TimePoint(as_duration(*until) - ahead));
}

ONTIME_CALL(int, pthread_cond_clockwait, pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
            const timespec* until) {
  Thread* const here = caller();
  if (here == nullptr) return ONTIME_REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
  const Duration ahead = clock == CLOCK_REALTIME ? here->process().machine().wall_clock_ahead : Duration(0);
  return wait_for(*here, condition, mutex, TimePoint(as_duration(*until) - ahead));
}

ONTIME_CALL(int, pthread_cond_signal, pthread_cond_t* condition) {
  if (World::here() == nullptr) return ONTIME_REAL(pthread_cond_signal)(condition);
  waiting_for(condition).wake_all();  // who is woken for nothing looks and waits again
  return 0;
}

ONTIME_CALL(int, pthread_cond_broadcast, pthread_cond_t* condition) {
  if (World::here() == nullptr) return ONTIME_REAL(pthread_cond_broadcast)(condition);
  waiting_for(condition).wake_all();
  return 0;
}
