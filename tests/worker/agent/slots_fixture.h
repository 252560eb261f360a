#pragma once
// A Slots with a fake launcher and fake runners, all on the test's thread. Verbs for orders; `settle` lets everything
// that has arrived be handled.

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/injection/injection.h"
#include "tests/worker/agent/fake_launcher.h"
#include "tests/worker/agent/fake_runner.h"
#include "worker/agent/attempts/slots.h"

namespace ontime::worker::test {

class SlotsWorld {
 public:
  // `users`: each job has one of these. `answer_time`: after so long the worker answers a cut for its runner; a runner
  // of these tests has all the time there is, unless they say otherwise.
  explicit SlotsWorld(
      std::uint32_t slots = 2, std::optional<UserRange> users = {}, Duration answer_time = std::chrono::hours(1),
      JobFiles::Hook before_file_work = [] {});

  static AttemptId attempt(std::uint32_t task, std::uint32_t job = 1) { return {{JobId{job}, task}, 0}; }

  Status set_up(std::uint32_t job = 1, const std::string& application = "wordcount");
  Status launch(AttemptId id, std::uint64_t begin = 0, std::uint64_t end = 1000, bool standby = false);
  Status begin(AttemptId id, std::uint64_t begin, std::uint64_t end);
  Status cut(AttemptId id, std::uint64_t at, bool release = false);
  Status kill(AttemptId id);
  Status forget(std::uint32_t job);
  void begin_session(const std::vector<AttemptId>& fenced);
  // A session of a master that injects.
  Status begin_injected_session(const injection::Injection& injection);

  void settle();
  // Goes on until `is_so`, or fails the test when that takes far too long.
  void settle_until(const std::function<bool()>& is_so);
  // The same for what no event tells of.
  void poll_until(const std::function<bool()>& is_so);

  // Launches in a new runner that is spawned, has read its setup and its run, and has started.
  std::unique_ptr<FakeRunner> launch_and_start(AttemptId id);
  // The same with a standby, which has not said anything yet.
  std::unique_ptr<FakeRunner> launch_standby(AttemptId id, std::uint64_t begin = 0, std::uint64_t end = 1000);
  // The one that was spawned for the last launch, spawned and with its run.
  std::unique_ptr<FakeRunner> next_runner();
  // Finishes what it runs with one seal.
  void finish(FakeRunner& runner);
  // The process ends.
  void end(FakeRunner& runner, int wait_status);

  // Reports that were not looked at yet.
  std::vector<wire::Report> new_reports();
  // The only new report, an Ended.
  wire::Ended only_end();
  std::vector<wire::AttemptProgress> progress();

  asio::io_context io{1};
  FakeLauncher launcher;
  ReportLog reports;
  LauncherLink link;
  AttemptOutputs outputs{io.get_executor()};
  Slots slots;
};

}  // namespace ontime::worker::test
