#pragma once
// The worker's end of the launcher: asks it for runners and learns when they end. A launcher that dies is replaced, at
// once the first time and with a growing pause after that. Lives on the worker's one thread and
// outlives the run of its io_context.

#include <sys/types.h>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/descriptor.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/protocol/runner.pb.h"
#include "worker/agent/runners/runner_link.h"

namespace ontime::worker {

// Starting and ending the launcher process (ontime-runner --launcher). posix_spawn, never fork: the worker may be
// large.

// A running launcher: our end of the socket to it. Without a process id it is a test's.
struct StartedLauncher {
  Descriptor socket;
  pid_t pid = 0;
};

using LauncherStarter = std::function<Result<StartedLauncher>()>;

// Starts `program` in a process group of its own (so that Ctrl-C in the terminal reaches only the worker) with the
// socket as its only descriptor besides the standard ones, with further `arguments` and this environment ("NAME=VALUE";
// none: ours).
Result<StartedLauncher> start_launcher(const std::string& program, std::vector<std::string> arguments = {},
                                       std::optional<std::vector<std::string>> environment = {});

// Where the program lies: beside our own binary.
std::string launcher_path();

// Waits until it has ended, having been told so by the close of its socket; kills it after a second. Blocks, for two
// seconds at most: a process that hangs in the kernel is left behind.
void await_launcher_end(pid_t pid);
// Kills it (its runners die with it) and reaps it. Blocks, for a second at most.
void kill_launcher(pid_t pid);

class LauncherEvents {
 public:
  virtual ~LauncherEvents() = default;
  virtual void on_runner_spawned(std::uint64_t runner, pid_t pid) = 0;
  virtual void on_runner_exited(std::uint64_t runner, int wait_status) = 0;
  virtual void on_spawn_failed(std::uint64_t runner, const std::string& why) = 0;
  // All its runners are dead; those asked for and not yet spawned will never be.
  virtual void on_launcher_lost() = 0;
  // The first one or another one. What was asked for and not answered before is forgotten, sweeps too.
  virtual void on_launcher_ready() = 0;
};

class LauncherLink {
 public:
  LauncherLink(asio::any_io_executor executor, LauncherStarter starter)
      : socket_(executor), pause_(executor), starter_(std::move(starter)) {}
  ~LauncherLink() { stop(); }

  // Starts the first launcher; Failed if that cannot be done. `events` must outlive the link.
  Status start(LauncherEvents& events);

  // Never waits. The answer is on_runner_spawned or on_spawn_failed, or on_launcher_lost. `user`: runs as that user of
  // a range; 0: as the launcher was told.
  void spawn(std::uint64_t runner, RunnerEnds ends, uid_t user);

  // Never waits. The launcher makes the file and hands it to the runner, which finds out if that fails.
  void open_output(std::uint64_t runner, std::string path);

  // Never waits. Ends whatever still runs as this user of a range, before anything that is asked for later.
  void sweep(uid_t user);

  // Ends the launcher, which kills all runners, and waits until it has ended. Idempotent.
  void stop();

 private:
  static constexpr Duration kPauseMin = std::chrono::milliseconds(50);
  static constexpr Duration kPauseMax = std::chrono::seconds(1);

  struct Waiting {
    wire::ToLauncher order;
    std::optional<RunnerEnds> ends{};  // of a spawn
  };

  Status open();
  asio::awaitable<void> keep_running();
  asio::awaitable<void> receive_loop();
  asio::awaitable<void> reopen();
  bool handle(const wire::FromLauncher& message);
  void on_lost();
  void fail_waiting(const std::string& why);
  // Sends what waits, as far as the socket takes it.
  void send_waiting();
  bool send(const Waiting& waiting);  // false: the socket is full or broken

  asio::local::stream_protocol::socket socket_;
  asio::steady_timer pause_;
  LauncherStarter starter_;
  LauncherEvents* events_ = nullptr;
  std::deque<Waiting> waiting_;  // at most twice as many as Slots has runners
  bool awaits_room_ = false;
  bool stopped_ = false;
  Duration pause_time_{0};
  pid_t pid_ = 0;
};

}  // namespace ontime::worker
