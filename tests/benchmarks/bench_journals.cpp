// What a durable batch costs in RocksDB and in etcd with one and with three members, all on this machine and its one
// disk: batches in turn, so that all meet the same load. Then how long another master takes until it has read all, from
// the kill -9 of a leader whose journal holds so many tasks.
//
//   bench_journals [BATCHES] [TASKS]

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/base/program_path.h"
#include "master/journal/etcd_journal.h"
#include "master/journal/rocksdb_journal.h"
#include "tests/benchmarks/good.h"
#include "tests/support/etcd_cluster.h"
#include "tests/support/process.h"
#include "tests/support/temporary_directory.h"

namespace ontime {
namespace {

using benchmarks::good;
using journal::EtcdJournal;
using scheduler::JournalRecord;
using SteadyClock = std::chrono::steady_clock;
namespace fact = scheduler::fact;

double elapsed(SteadyClock::time_point since) { return seconds(SteadyClock::now() - since); }

// A launch and a seal for each task.
std::vector<JournalRecord> batch_of(std::uint32_t first, std::uint32_t tasks) {
  std::vector<JournalRecord> batch;
  for (std::uint32_t task = first; task < first + tasks; ++task) {
    const AttemptId attempt{{JobId{1}, task}, 0};
    batch.push_back({from_unix_ns(1), fact::AttemptLaunched{attempt, NodeId{1}, {0, 1 << 20}, false}});
    fact::SegmentSealed sealed;
    sealed.attempt = attempt;
    sealed.range = {0, 1 << 20};
    sealed.input_end = 1 << 20;
    sealed.output = {0, 1000, 1000, 1, 0};
    batch.push_back({from_unix_ns(2), sealed});
  }
  return batch;
}

std::unique_ptr<EtcdJournal> lead(const std::string& address) {
  auto journal = good(EtcdJournal::open(good(journal::parse_etcd_address(address)), {}));
  good(journal->lead([](const std::string&) {}));
  return journal;
}

struct Measured {
  const char* name;
  journal::Journal* journal;
  std::vector<double> times{};
};

void compare(std::uint32_t batches, std::uint32_t tasks) {
  const test::TemporaryDirectory directory;
  test::EtcdCluster one(1), three(3);
  const auto on_disk = good(journal::RocksdbJournal::open(directory / "journal", {.sync = true}));
  const auto on_one = lead(one.address()), on_three = lead(three.address());
  std::vector<Measured> all{
      {"RocksDB", on_disk.get()}, {"etcd, 1 member", on_one.get()}, {"etcd, 3 members", on_three.get()}};
  for (Measured& measured : all) good(measured.journal->read_all([](const JournalRecord&) {}));
  for (std::uint32_t i = 0; i < batches; ++i) {
    const std::vector<JournalRecord> batch = batch_of(i * tasks, tasks);
    for (Measured& measured : all) {
      const auto begun = SteadyClock::now();
      good(measured.journal->append(batch));
      measured.times.push_back(elapsed(begun));
    }
  }
  for (Measured& measured : all) {
    auto& times = measured.times;
    double sum = 0;
    for (const double time : times) sum += time;
    std::sort(times.begin(), times.end());
    const double median = 1e3 * times[times.size() / 2], p99 = 1e3 * times[times.size() * 99 / 100];
    std::printf("%-16s %4u tasks a batch: %7.0f batches/s, median %6.2f ms, p99 %6.2f ms\n", measured.name, tasks,
                batches / sum, median, p99);
  }
}

int lead_to_be_killed(const std::string& address, std::uint32_t tasks) {
  const auto journal = lead(address);
  constexpr std::uint32_t kBatch = 500;
  for (std::uint32_t task = 0; task < tasks; task += kBatch) good(journal->append(batch_of(task, kBatch)));
  std::printf("ready\n");
  std::fflush(stdout);
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void take_over(std::uint32_t tasks) {
  test::EtcdCluster etcd(3);
  const test::TemporaryDirectory directory;
  test::Process leader({program_path(), "--lead", etcd.address(), std::to_string(tasks)}, directory / "leader");
  if (!test::eventually([&] { return !leader.output().out.empty(); })) std::exit(1);
  const auto next = good(EtcdJournal::open(good(journal::parse_etcd_address(etcd.address())), {}));
  std::atomic<bool> follows{false};
  SteadyClock::time_point killed;
  std::uint64_t records = 0;
  const auto begun = SteadyClock::now();
  double followed = 0, led = 0;
  std::thread following([&] {
    good(next->lead([&](const std::string&) {
      if (!follows) followed = elapsed(begun);
      follows = true;
    }));
    led = elapsed(killed);
    good(next->read_all([&](const JournalRecord&) { ++records; }));
  });
  test::eventually([&] { return follows.load(); });
  killed = SteadyClock::now();
  leader.kill();
  following.join();
  std::printf(
      "take-over with %u tasks, %llu records: follows after %.2f s; leads %.2f s and has read all %.2f s after the "
      "kill\n",
      tasks, static_cast<unsigned long long>(records), followed, led, elapsed(killed));
}

}  // namespace
}  // namespace ontime

int main(int count, char** arguments) {
  using namespace ontime;
  if (count == 4 && std::string(arguments[1]) == "--lead")
    return lead_to_be_killed(arguments[2], static_cast<std::uint32_t>(std::atoi(arguments[3])));
  if (!test::EtcdCluster::is_there()) {
    std::fprintf(stderr, "%s\n", test::kNoEtcd);
    return 0;
  }
  const auto batches = static_cast<std::uint32_t>(count > 1 ? std::atoi(arguments[1]) : 2000);
  for (const std::uint32_t tasks : {1u, 100u}) compare(batches, tasks);
  take_over(static_cast<std::uint32_t>(count > 2 ? std::atoi(arguments[2]) : 100'000));
}
