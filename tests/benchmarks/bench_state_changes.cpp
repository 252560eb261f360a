// What the master's state changes cost without workers and outputs: the real control loop, scheduler and journal on
// disk, synced; workers that answer every launch with its seal at once. Beside it, in the same run, what one append
// with fdatasync costs here: the limit that group commit gets around.
//
//   bench_state_changes [TASKS] [SLOTS]
#include <fcntl.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "master/control_loop.h"
#include "master/journal/rocksdb_journal.h"
#include "scheduler/scheduler.h"
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
  void observe(const scheduler::Record&) override { ++records_; }
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

int run(std::uint64_t tasks, std::uint32_t slots) {
  const test::TemporaryDirectory directory;
  auto journal = journal::RocksdbJournal::open(directory / "journal", {.sync = true});
  if (!journal || !(*journal)->read_all([](const scheduler::Record&) {})) return 1;
  asio::io_context io(1);
  scheduler::Scheduler scheduler({.node_timeout = std::chrono::hours(1)});
  IdealWorkers workers(io);
  master::ControlLoop loop({io.get_executor(), scheduler, workers, **journal}, master::Clock(TimePoint{}),
                           [](const Error& error) {
                             std::fprintf(stderr, "%s\n", error.message.c_str());
                             std::exit(1);
                           });
  workers.drive(loop);
  loop.start();
  loop.step(scheduler::event::NodeRegistered{"ideal", "ideal", "host", slots});
  loop.step(scheduler::event::NodeInventory{loop.cluster().node_of("ideal"), {}});
  scheduler::JobSpec spec;
  spec.inputs = {{"/input", tasks, 1, scheduler::Codec::Plain}};
  spec.split_bytes = 1;
  spec.checkpoint_interval = Duration(0);
  const auto begin = Stopwatch::now();
  loop.step(scheduler::event::JobSubmitted{1, spec});
  io.run();
  const double seconds = elapsed(begin);
  const double syncs = single_syncs_per_second(directory / "single");
  std::printf(
      "%llu tasks on %u slots: %.0f tasks/s, %.0f durable records/s; one append + fdatasync at a time: %.0f/s"
      " (records per such sync: %.2f)\n",
      static_cast<unsigned long long>(tasks), slots, static_cast<double>(tasks) / seconds,
      static_cast<double>(workers.records()) / seconds, syncs,
      static_cast<double>(workers.records()) / seconds / syncs);
  return 0;
}

}  // namespace
}  // namespace ontime

int main(int argc, char** argv) {
  const std::uint64_t tasks = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000;
  const auto slots = static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 2);
  return ontime::run(tasks, slots);
}
