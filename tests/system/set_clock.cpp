// Preloaded: the wall clock is as many seconds ahead as the file $ONTIME_TEST_CLOCK says at that moment, none if it
// says nothing. Waiting until an instant of that clock takes as long as if the machine's clock had been set.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace {

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

long seconds_ahead() {
  static const char* const path = std::getenv("ONTIME_TEST_CLOCK");
  const int before = errno;
  char text[32] = {};
  const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  const bool is_read = file >= 0 && read(file, text, sizeof text - 1) > 0;
  if (file >= 0) close(file);
  errno = before;
  return is_read ? std::strtol(text, nullptr, 10) : 0;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int clock_gettime(clockid_t clock, timespec* into) noexcept {
  static const auto there = real<int(clockid_t, timespec*)>("clock_gettime");
  const int failed = there(clock, into);
  if (failed == 0 && clock == CLOCK_REALTIME) into->tv_sec += seconds_ahead();
  return failed;
}

[[gnu::visibility("default")]] time_t time(time_t* into) noexcept {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}

[[gnu::visibility("default")]] int gettimeofday(timeval* into, void*) noexcept {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  *into = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

[[gnu::visibility("default")]] int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                                          const timespec* until) {
  static const auto there = real<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>("pthread_cond_timedwait");
  timespec shifted = *until;
  shifted.tv_sec -= seconds_ahead();
  return there(condition, mutex, &shifted);
}

}  // extern "C"
