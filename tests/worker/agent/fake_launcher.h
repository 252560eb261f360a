#pragma once
// The far end of a LauncherLink in the hands of a test. It can die and be started again, as the real one.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/worker/agent/fake_runner.h"
#include "worker/agent/runners/launcher_link.h"

namespace ontime::worker::test {

class FakeLauncher {
 public:
  // To be given to LauncherLink; each start replaces the one before.
  LauncherStarter starter();
  int starts() const { return starts_; }
  void refuse_to_start(const std::string& why) { refusal_ = why; }

  // The runner that was asked for next, or none. It is not reported as spawned yet. Of other orders
  // before it, sweeps are remembered.
  std::unique_ptr<FakeRunner> next_spawn();

  uid_t user() const { return user_; }  // that the latest runner is to have
  const std::vector<uid_t>& swept() const { return swept_; }

  void reports_spawned(const FakeRunner& runner);
  void reports_spawn_failure(const FakeRunner& runner, const std::string& why);
  void reports_exit(const FakeRunner& runner, int wait_status);
  void sends_bytes(std::string_view bytes);
  void dies() { socket_.close(); }

 private:
  void send(const wire::FromLauncher& message);
  Descriptor socket_;
  int starts_ = 0;
  uid_t user_ = 0;
  std::vector<uid_t> swept_;
  std::string refusal_;
};

}  // namespace ontime::worker::test
