// Calls that wait for several things, and for time.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

#include <utility>

#include "tests/machines/calls.h"
#include "tests/machines/watched.h"

namespace ontime::lab::machines {
namespace {

constexpr timespec as_timespec(std::int64_t ns) { return {ns / 1'000'000'000, ns % 1'000'000'000}; }

TimePoint until_of(Thread& here, std::int64_t milliseconds) {
  return milliseconds < 0 ? kNever : here.process().machine().in(std::chrono::milliseconds(milliseconds));
}

// Poll's and epoll's bits have the same values.
int look_at(Process& process, pollfd* descriptors, nfds_t count) {
  int found = 0;
  for (nfds_t i = 0; i < count; ++i) {
    const FilePointer file = process.at(descriptors[i].fd);
    const auto wanted = static_cast<std::uint32_t>(descriptors[i].events) | POLLERR | POLLHUP;
    const auto happened = file ? file->events() & wanted : static_cast<std::uint32_t>(POLLNVAL);
    descriptors[i].revents = descriptors[i].fd < 0 ? short{0} : static_cast<short>(happened);
    if (descriptors[i].revents != 0) ++found;
  }
  return found;
}

TimePoint read_clock(Thread& here, clockid_t clock) {
  Machine& machine = here.process().machine();
  const bool is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  return is_wall ? machine.wall_time() : machine.steady_time();
}

}  // namespace
}  // namespace ontime::lab::machines

using namespace ontime;                 // NOLINT: what follows has the C library's names
using namespace ontime::lab::machines;  // NOLINT

ONTIME_SIMULATE(int, epoll_create1, (flags), int flags) {
  return here.process().add(std::make_shared<Epoll>(), (flags & EPOLL_CLOEXEC) != 0);
}

ONTIME_SIMULATE(int, epoll_ctl, (descriptor, operation, watched, event), int descriptor, int operation, int watched,
                epoll_event* event) {
  const auto epoll = file_at<Epoll>(here, descriptor);
  const FilePointer file = here.process().at(watched);
  return given(epoll && file ? epoll->control(operation, watched, file, event) : -EBADF);
}

ONTIME_SIMULATE(int, epoll_wait, (descriptor, events, count, timeout), int descriptor, epoll_event* events, int count,
                int timeout) {
  const auto epoll = file_at<Epoll>(here, descriptor);
  if (!epoll) return given(-EBADF);
  const TimePoint until = until_of(here, timeout);
  for (;;) {
    const int found = epoll->collect(events, count);
    if (found > 0 || here.world().now() >= until) return found;
    here.wait(epoll->changed, until);
  }
}

ONTIME_SIMULATE(int, poll, (descriptors, count, timeout), pollfd* descriptors, nfds_t count, int timeout) {
  const TimePoint until = until_of(here, timeout);
  for (;;) {
    const int found = look_at(here.process(), descriptors, count);
    if (found > 0 || here.world().now() >= until) return found;
    std::vector<FilePointer> files;
    std::vector<WaitQueue*> queues;
    for (nfds_t i = 0; i < count; ++i) {
      if (auto file = here.process().at(descriptors[i].fd)) {
        queues.push_back(&file->changed);
        files.push_back(std::move(file));
      }
    }
    here.wait(queues, until);
  }
}

ONTIME_SIMULATE(int, eventfd, (count, flags), unsigned count, int flags) {
  const auto file = std::make_shared<EventCounter>(count);
  file->does_not_block = (flags & EFD_NONBLOCK) != 0;
  return here.process().add(file, (flags & EFD_CLOEXEC) != 0);
}

ONTIME_SIMULATE(int, timerfd_create, (clock, flags), int clock, int flags) {
  const auto file = std::make_shared<TimerFile>(here.world());
  file->does_not_block = true;
  return here.process().add(file, (flags & TFD_CLOEXEC) != 0);
}

ONTIME_SIMULATE(int, timerfd_settime, (descriptor, flags, wanted, before), int descriptor, int flags,
                const itimerspec* wanted, itimerspec* before) {
  const auto timer = file_at<TimerFile>(here, descriptor);
  if (!timer) return given(-EBADF);
  if (before != nullptr) *before = {};
  const Duration first = duration_of(wanted->it_value);
  const bool is_absolute = (flags & TFD_TIMER_ABSTIME) != 0;
  const Machine& machine = here.process().machine();
  const TimePoint expiry = is_absolute ? machine.when_steady(TimePoint(first)) : machine.in(first);
  timer->set(first == Duration(0) ? kNever : expiry, duration_of(wanted->it_interval));
  return 0;
}

ONTIME_SIMULATE(int, signalfd, (descriptor, signals, flags), int descriptor, const sigset_t* signals, int flags) {
  const auto file = std::make_shared<SignalFile>(here.process());
  file->does_not_block = (flags & SFD_NONBLOCK) != 0;
  here.process().signal_files.push_back(file);
  return here.process().add(file, (flags & SFD_CLOEXEC) != 0);
}

// Reading a clock takes no time: what is logged must not change what happens.
ONTIME_CALL(int, clock_gettime, clockid_t clock, timespec* to) {
  Thread* const here = World::here();
  if (here == nullptr) return ONTIME_REAL(clock_gettime)(clock, to);
  *to = as_timespec(to_unix_ns(read_clock(*here, clock)));
  return 0;
}

ONTIME_CALL(int, gettimeofday, timeval* to, void* zone) {
  Thread* const here = World::here();
  if (here == nullptr) return ONTIME_REAL(gettimeofday)(to, zone);
  const auto us = to_unix_ns(here->process().machine().wall_time()) / 1000;
  *to = {us / 1'000'000, us % 1'000'000};
  return 0;
}

ONTIME_CALL(time_t, time, time_t* to) {
  Thread* const here = World::here();
  if (here == nullptr) return ONTIME_REAL(time)(to);
  const time_t now = to_unix_ns(here->process().machine().wall_time()) / 1'000'000'000;
  if (to != nullptr) *to = now;
  return now;
}

ONTIME_SIMULATE(int, nanosleep, (wanted, left), const timespec* wanted, timespec* left) {
  here.sleep_until(here.process().machine().in(from_seconds(seconds(duration_of(*wanted)) * here.process().pace)));
  return 0;
}

ONTIME_SIMULATE(int, clock_nanosleep, (clock, flags, wanted, left), clockid_t clock, int flags, const timespec* wanted,
                timespec* left) {
  const bool is_absolute = (flags & TIMER_ABSTIME) != 0;
  const Machine& machine = here.process().machine();
  here.sleep_until(is_absolute ? machine.when_steady(TimePoint(duration_of(*wanted)))
                               : machine.in(duration_of(*wanted)));
  return 0;
}

ONTIME_SIMULATE(int, usleep, (time), useconds_t time) {
  here.sleep_until(here.process().machine().in(std::chrono::microseconds(time)));
  return 0;
}

ONTIME_SIMULATE(int, sched_yield, ()) {
  here.sleep_until(here.world().now() + std::chrono::microseconds(1));
  return 0;
}
