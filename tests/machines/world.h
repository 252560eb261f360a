#pragma once
// Virtual time and the threads that live in it. Nothing here happens on its own: step() lets one thread run until it
// waits, or moves the clock to the next thing that is due. Which of several threads that could run goes first is drawn
// from the seed, as a kernel's choice is nobody's.

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "common/base/random.h"
#include "common/base/time.h"

namespace ontime::lab::machines {

class Process;
class Thread;
class World;

constexpr TimePoint kNever = TimePoint::max();

// What a thread of a simulated process runs on: a stack of its own on the one real thread. It runs until it gives way,
// so what runs when is decided by what resumes it, and the same decisions give the same run.
//
// Thread-local variables of the program and of the libraries that hold state in them (Asio's record of what runs on a
// thread, exceptions being handled) are exchanged whenever another fiber is entered; those of RocksDB (its caches)
// among the fibers of processes that have a database.
class Fiber {
 public:
  // `body` must not throw.
  explicit Fiber(std::function<void()> body);
  // Its stack is given back as it is: nothing on it is destroyed, as when a process is killed.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs it until it gives way or ends. REQUIRES: called from no fiber; it has not ended.
  void resume(bool has_database);
  // Called from within a fiber whose process has just come to have a database.
  static void begin_database();
  // Called from within a fiber: back to who resumed it.
  static void give_way();

  bool has_ended() const { return has_ended_; }

 private:
  std::function<void()> body_;
  std::byte* stack_ = nullptr;
  std::vector<std::byte> locals_;  // the thread-local variables while it does not run; empty before it first does
  std::vector<std::byte> database_locals_;
  boost::context::fiber own_;
  boost::context::fiber resumer_;
  bool has_ended_ = false;
};

// Threads that wait for something to change. A woken thread checks whether it has what it waited for.
class WaitQueue {
 public:
  WaitQueue() = default;
  WaitQueue(const WaitQueue&) = delete;
  ~WaitQueue() { wake_all(); }
  void wake_all();

 private:
  friend class Thread;
  std::vector<Thread*> waiting_;
};

class Thread : public std::enable_shared_from_this<Thread> {
 public:
  Thread(World& world, Process& process, std::uint64_t number, std::function<void()> body);
  ~Thread();

  // The running thread gives way until one of the queues is woken or `until` has come. It may also return for no
  // reason.
  void wait(std::span<WaitQueue* const> queues, TimePoint until = kNever);
  void wait(WaitQueue& queue, TimePoint until = kNever);
  void sleep_until(TimePoint until);

  void wake();    // idempotent
  void go_on();   // its process is not stopped any more
  void cancel();  // its process has ended: it never runs again
  Process& process() { return process_; }
  World& world() { return world_; }
  std::uint64_t number() const { return number_; }
  bool has_ended() const { return is_cancelled_ || fiber_.has_ended(); }
  WaitQueue& ended() { return ended_; }

 private:
  friend class World;
  friend class WaitQueue;
  void leave_queues();

  World& world_;
  Process& process_;
  const std::uint64_t number_;
  Fiber fiber_;
  WaitQueue ended_;
  std::vector<WaitQueue*> queues_;  // that it waits in
  bool is_ready_ = false;           // could run, if its process may
  bool is_queued_ = false;          // in the world's list
  bool is_cancelled_ = false;
  std::uint64_t waits_ = 0;  // so far: tells a time-out whether it is still meant
};

class World {
 public:
  World(std::uint64_t seed, TimePoint begin) : random_(seed), now_(begin) {}
  ~World();

  TimePoint now() const { return now_; }
  // What a thread does takes time too: a call of the system moves the clock by this.
  void spend(Duration time) { now_ += time; }
  Random& random() { return random_; }
  double uniform() { return random_.uniform(); }

  // In order of time, and of being put in.
  void at(TimePoint when, std::function<void()> what);
  void after(Duration delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }

  // One thread runs until it waits, or what is due next happens. False if there is neither.
  bool step();

  // The thread that runs; null outside of all.
  static Thread* here();
  // As long as one lives, here() is null: what the world does for a thread takes no memory of that thread's process.
  class Aside {
   public:
    Aside();
    ~Aside();
    Aside(const Aside&) = delete;

   private:
    Thread* const thread_;
  };
  std::uint64_t steps() const { return steps_; }

 private:
  friend class Thread;
  friend class Process;
  struct Upcoming {
    TimePoint at;
    std::uint64_t sequence;
    std::uint32_t what;  // in whats_: what is moved about in the queue stays small
    bool operator<(const Upcoming& other) const { return at != other.at ? at > other.at : sequence > other.sequence; }
  };
  void make_ready(Thread& thread);

  Random random_;
  TimePoint now_;
  std::priority_queue<Upcoming> upcoming_;
  std::vector<std::function<void()>> whats_;
  std::vector<std::uint32_t> free_whats_;
  std::uint64_t sequence_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<std::shared_ptr<Thread>> ready_;
};

}  // namespace ontime::lab::machines
