#pragma once
// Simulated machines and the processes on them. A process has threads, descriptors and children; its memory is the real
// process's. What ends it is as with the kernel: its descriptors are closed and its parent learns of it; nothing else
// is run.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/machines/open_file.h"
#include "tests/machines/world.h"

namespace ontime::lab::machines {

class Cluster;
class Disk;
class Machine;
class Network;

// Change takes room, Remove does not.
enum class DiskWork : std::uint8_t { Look, Change, Remove, Sync };

struct Slot {
  Held file;
  bool closes_on_exec = false;
};

class Process {
 public:
  using Main = std::function<int()>;  // the exit status

  Process(Machine& machine, pid_t id, pid_t parent, std::string name);
  ~Process();

  // A thread of it; the first is its main thread, with whose end it ends.
  Thread& start_thread(std::function<void()> body);
  void start(Main main);

  // End the process as exit() and a signal do. They do not return to a thread of this process.
  void exit(int status) { end((status & 0xff) << 8); }
  void kill(int signal);
  // SIGSTOP and SIGCONT.
  void stop();
  void go_on();
  bool is_stopped() const { return is_stopped_; }
  bool is_over() const { return is_over_; }
  void on_thread_ended(Thread& thread);

  // Descriptors.
  int add(FilePointer file, bool closes_on_exec, int from = 3);
  FilePointer at(int descriptor) const;  // null: not open
  Slot* slot(int descriptor);
  int close(int descriptor);
  std::map<int, Slot>& slots() { return slots_; }

  World& world() const;
  Machine& machine() { return machine_; }
  pid_t id() const { return id_; }
  const std::string& name() const { return name_; }

  pid_t parent;
  pid_t group;
  bool dies_with_parent = false;
  bool has_database = false;            // RocksDB's functions are called there
  bool is_limited = true;               // may have no more threads and descriptors than Cluster allows
  double pace = 1;                      // its sleeps take so many times as long: a runner on a slow machine
  std::vector<FilePointer> mapped;      // memory that it shares with others
  std::map<pid_t, int> ended_children;  // and how, until waited for
  WaitQueue children_changed;
  std::vector<std::weak_ptr<OpenFile>> signal_files;  // told when a child ends
  std::uint32_t pending_children = 0;                 // SIGCHLD is one signal, however many have ended
  bool is_told_to_end = false;                        // SIGTERM
  std::map<std::uint64_t, std::shared_ptr<Thread>>& threads() { return threads_; }

 private:
  friend class Cluster;
  void end(int wait_status);

  Machine& machine_;
  const pid_t id_;
  const std::string name_;
  std::map<int, Slot> slots_;
  std::map<std::uint64_t, std::shared_ptr<Thread>> threads_;
  std::uint64_t main_thread_ = 0;
  std::uint64_t last_thread_ = 0;
  bool is_stopped_ = false;
  bool is_over_ = false;
};

// The way from a machine to a disk: can be full, fail, and hang. Then calls wait until it answers again.
struct Mount {
  bool is_full = false;
  bool has_some_room = false;  // the first write to a disk that has become full is a short one
  bool fails = false;     // EIO
  bool hangs = false;     // set by hang()
  WaitQueue answers;      // woken when it hangs no more
  Duration slower_by{0};  // calls that reach the disk take up to so much longer

  void fill(bool begins) { is_full = has_some_room = begins; }
  void hang(bool begins) {
    hangs = begins;
    if (!begins) answers.wake_all();
  }
};

// A computer: an address, a disk, a clock. Its processes die with its power.
class Machine {
 public:
  Machine(Cluster& cluster, std::string name, std::uint32_t address);
  ~Machine();

  // What its processes read off its clocks.
  TimePoint wall_time() const { return steady_time() + wall_clock_ahead; }
  TimePoint steady_time() const;
  // True times: when its clocks will have counted `by_its_clocks` from now on; when its steady clock shows `shown`.
  TimePoint in(Duration by_its_clocks) const;
  TimePoint when_steady(TimePoint shown) const { return in(shown - steady_time()); }
  // Seconds that its clocks count in each true one, from now on.
  void set_clock_rate(double rate);

  Cluster& cluster() { return cluster_; }
  World& world() const;
  const std::string& name() const { return name_; }
  std::uint32_t address() const { return address_; }  // IPv4

  Duration wall_clock_ahead{0};
  std::unique_ptr<Disk> disk;
  Mount local;   // of `disk`
  Mount shared;  // of the cluster's
  bool has_applications = true;
  bool can_fork = true;

 private:
  Cluster& cluster_;
  const std::string name_;
  const std::uint32_t address_;
  double clock_rate_ = 1;
  TimePoint rate_since_{};  // true time, and what the steady clock showed then
  TimePoint steady_then_{};
};

// All machines, what connects them and what they share.
class Cluster {
 public:
  Cluster(std::uint64_t seed, TimePoint begin);
  ~Cluster();

  World world;
  std::unique_ptr<Network> network;
  std::unique_ptr<Disk> shared;  // mounted as kSharedMount everywhere
  // Told of whatever a process is about to do to a disk.
  std::function<void(Process&, const Disk&, DiskWork)> on_disk_work;
  // More than this of a process is a leak.
  std::size_t descriptors_max = 1u << 20;
  std::size_t threads_max = 1u << 10;
  // A process found its own state broken, was ended by abort(), or has too much of something.
  std::string broken;
  std::vector<std::string> real_paths{};  // below them lie files of the real machine, to be read only
  static constexpr std::string_view kSharedMount = "/shared";

  Machine& add_machine(std::string name);
  std::vector<std::unique_ptr<Machine>>& machines() { return machines_; }

  // A process that begins to run `main`; its descriptors are `slots`.
  Process& start(Machine& machine, std::string name, Process::Main main, pid_t parent = 0,
                 std::map<int, Slot> slots = {});
  Process* process(pid_t id);
  std::map<pid_t, std::unique_ptr<Process>>& processes() { return processes_; }
  std::uint64_t processes_ended() const { return processes_ended_; }
  // The power of a machine fails: its processes are gone, and what was not synced to its disk may be. Then it is back.
  void cut_power(Machine& machine);
  void restore_power(Machine& machine);
  void send_signal(pid_t id, int signal);  // as kill(2), groups too

 private:
  friend class Process;
  void on_ended(Process& process, int wait_status);
  void bury();

  std::vector<std::unique_ptr<Machine>> machines_;
  std::map<pid_t, std::unique_ptr<Process>> processes_;
  pid_t last_id_ = 100;
  std::uint64_t processes_ended_ = 0;
};

// For set_check_handler(): a simulated process whose invariant is broken ends, and Cluster::broken says so.
void end_at_broken_check(const char* sentence);

}  // namespace ontime::lab::machines
