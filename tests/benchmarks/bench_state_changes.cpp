// What the master's state changes cost without workers and outputs: the real control loop, scheduler and journal on
// disk, synced; workers that answer every launch with its seal at once. Beside it, in the same run, what one append
// with fdatasync costs here: the limit that group commit gets around.
//
// --recorded: the same once more with a recording, as the master does it, and the ratio of the two.
//
//   bench_state_changes [TASKS] [SLOTS] [--recorded]
#include <fcntl.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "master/journal/rocksdb_journal.h"
#include "master/loop/control_loop.h"
#include "master/recording/recorder.h"
#include "scheduler/core/scheduler.h"
#include "tests/support/process.h"

namespace ontime {
namespace {

using Stopwatch = std::chrono::steady_clock;

double elapsed(Stopwatch::time_point since) { return std::chrono::duration<double>(Stopwatch::now() - since).count(); }

// Seals whatever is launched, as soon as the launch is durable.
class IdealWorkers final : public master::ActionPerformer {
 public:
  explicit IdealWorkers(asio::io_context& io) : io_(io) {}
  void drive(master::ControlLoop& loop) { loop_ = &loop; }

  void perform(const scheduler::Action& action) override {
    if (const auto* launch = std::get_if<scheduler::action::LaunchAttempt>(&action)) {
      scheduler::SealedOutput output;
      output.length = output.records = launch->range.size();
      sealed_.push_back({launch->node, launch->attempt, launch->range, launch->range.end, output, {}});
    }
    if (std::holds_alternative<scheduler::action::CommitOutput>(action)) io_.stop();
  }
  void flush() override {
    asio::post(io_, [this, sealed = std::move(sealed_)] {
      for (const auto& event : sealed) loop_->step(event);
    });
    sealed_.clear();
  }
  void observe(const scheduler::JournalRecord&) override { ++records_; }
  std::uint64_t records() const { return records_; }

 private:
  asio::io_context& io_;
  master::ControlLoop* loop_ = nullptr;
  std::vector<scheduler::event::SegmentSealed> sealed_;
  std::uint64_t records_ = 0;
};

double single_syncs_per_second(const std::string& path) {
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  const std::string record(200, 'x');
  constexpr int kSyncs = 500;
  const auto begin = Stopwatch::now();
  for (int i = 0; i < kSyncs; ++i) {
    if (::write(file, record.data(), record.size()) < 0 || ::fdatasync(file) != 0) std::perror("fdatasync");
  }
  const double seconds = elapsed(begin);
  ::close(file);
  return kSyncs / seconds;
}

// Seconds for so many tasks, and the durable records; 0: it failed.
struct Measured {
  double seconds = 0;
  double records = 0;
};

Measured run(const test::TemporaryDirectory& directory, std::uint64_t tasks, std::uint32_t slots, bool is_recorded) {
  const std::string place = directory / (is_recorded ? "recorded" : "plain");
  auto journal = journal::RocksdbJournal::open(place, {.sync = true});
  if (!journal || !(*journal)->read_all([](const scheduler::JournalRecord&) {})) return {};
  asio::io_context io(1);
  scheduler::Scheduler scheduler({.node_timeout = std::chrono::hours(1)});
  IdealWorkers workers(io);
  const auto recorder =
      is_recorded ? std::make_unique<recording::Recorder>(recording::Recorder::Options{
                        place + "/recordings", 256u << 20, [](const std::string& why) { std::puts(why.c_str()); }})
                  : nullptr;
  master::ControlLoop loop({io.get_executor(), scheduler, workers, **journal, recorder.get()},
                           master::Clock(TimePoint{}), [](const Error& error) {
                             std::fprintf(stderr, "%s\n", error.message.c_str());
                             std::exit(1);
                           });
  workers.drive(loop);
  if (recorder) recorder->begin(1, {"benchmark", loop.now(), std::chrono::milliseconds(200), {}});
  loop.start();
  loop.step(scheduler::event::NodeRegistered{"ideal", "ideal", "host", slots});
  loop.step(scheduler::event::NodeInventory{loop.cluster().node_of("ideal"), {}});
  scheduler::JobSpec spec;
  spec.inputs = {{"/input", tasks, "1", Codec::Plain}};
  spec.split_bytes = 1;
  spec.checkpoint_interval = Duration(0);
  const auto begin = Stopwatch::now();
  loop.step(scheduler::event::JobSubmitted{1, spec});
  io.run();
  return {elapsed(begin), static_cast<double>(workers.records())};
}

int report(std::uint64_t tasks, std::uint32_t slots, bool is_recorded) {
  const test::TemporaryDirectory directory;
  const auto [seconds, records] = run(directory, tasks, slots, false);
  if (records == 0) return 1;
  const double syncs = single_syncs_per_second(directory / "single");
  std::printf(
      "%llu tasks on %u slots: %.0f tasks/s, %.0f durable records/s; one append + fdatasync at a time: %.0f/s"
      " (records per such sync: %.2f)\n",
      static_cast<unsigned long long>(tasks), slots, static_cast<double>(tasks) / seconds, records / seconds, syncs,
      records / seconds / syncs);
  if (!is_recorded) return 0;
  const double recorded = run(directory, tasks, slots, true).seconds;
  std::printf("recorded: %.0f tasks/s, %.3f times the time without\n", static_cast<double>(tasks) / recorded,
              recorded / seconds);
  return 0;
}

}  // namespace
}  // namespace ontime

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool is_recorded = std::erase(arguments, "--recorded") != 0;
  const std::uint64_t tasks = arguments.empty() ? 20'000 : std::strtoull(arguments[0].c_str(), nullptr, 10);
  const auto slots =
      static_cast<std::uint32_t>(arguments.size() > 1 ? std::strtoul(arguments[1].c_str(), nullptr, 10) : 2);
  return ontime::report(tasks, slots, is_recorded);
}
