#pragma once
// The real ontime-runner as a launcher, driven as a worker drives it.

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "tests/worker/runner/fake_worker.h"

namespace ontime::worker::test {

class LauncherProcess {
 public:
  LauncherProcess();
  ~LauncherProcess() { finish(); }
  LauncherProcess(const LauncherProcess&) = delete;
  LauncherProcess& operator=(const LauncherProcess&) = delete;

  pid_t pid() const { return pid_; }
  void spawn(std::uint64_t runner, int socket, int block, int stderr_pipe);
  // Sends bytes that may be no frame, with nothing attached.
  void send_raw(std::string_view bytes);
  wire::FromLauncher next();  // fails the test at the end of the stream
  // Closes the socket, or kills the process first, and returns its wait status.
  int finish();
  int kill(int signal);

 private:
  pid_t pid_ = 0;
  Descriptor socket_;
  MessageReader<wire::FromLauncher> reader_;
};

// One runner and all the worker keeps of it.
class RunnerProcess {
 public:
  RunnerProcess(LauncherProcess& launcher, std::uint64_t number, const wire::ToRunner& setup);

  pid_t pid() const { return pid_; }
  void send(const wire::ToRunner& order) { send_message(sockets_.ours.get(), order); }
  std::vector<wire::FromRunner> read_attempt() { return test::read_attempt(reader_); }
  // All it and its children wrote to standard output and error, once every one of them is gone.
  std::string text();
  std::string line();  // the next line of that
  SharedBlock& block() { return block_; }
  void close() { sockets_.ours.close(); }

 private:
  SocketPair sockets_;
  SharedBlock block_;
  Descriptor stderr_;
  MessageReader<wire::FromRunner> reader_;
  pid_t pid_ = 0;
};

}  // namespace ontime::worker::test
