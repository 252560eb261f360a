// What a restart costs without workers: a journal with one job of so many tasks, all but 4,000 of them sealed, on 1,000
// nodes. How long it takes to open and read it, to read and replay it, as the next master does with its recording, and
// to start the scheduler. In turns; medians.
//
//   bench_restart [TASKS] [ROUNDS] [DIRECTORY] [RECORDS]
//
// RECORDS: of a batch of the journal. What its writing took is said too, if it was not in DIRECTORY already.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "master/journal/rocksdb_journal.h"
#include "master/recording/recorder.h"
#include "scheduler/core/scheduler.h"
#include "tests/benchmarks/good.h"
#include "tests/benchmarks/stopwatch.h"
#include "tests/support/temporary_directory.h"

namespace ontime {
namespace {

using benchmarks::good;
using benchmarks::Stopwatch;
using scheduler::JournalRecord;
namespace fact = scheduler::fact;

constexpr std::uint32_t kNodes = 1000, kLive = 4000;
constexpr std::uint64_t kSplit = 1024;

std::unique_ptr<journal::RocksdbJournal> open(const std::string& directory) {
  return good(journal::RocksdbJournal::open(directory, {.sync = false}));
}

std::vector<JournalRecord> beginning(std::uint32_t tasks) {
  std::vector<JournalRecord> batch{{from_unix_ns(1), fact::MasterStarted{1}}};
  for (std::uint32_t node = 1; node <= kNodes; ++node) {
    const std::string name = "node-" + std::to_string(node);
    batch.push_back({from_unix_ns(1), fact::NodeAdded{NodeId{node}, name, name, "host", kLive / kNodes}});
  }
  scheduler::JobSpec spec;
  spec.application = "wordcount";
  spec.inputs = {{"/input", tasks * kSplit, "1", Codec::Plain}};
  spec.split_bytes = kSplit;
  batch.push_back({from_unix_ns(1), fact::JobAccepted{JobId{1}, spec}});
  return batch;
}

JournalRecord launch_of(std::uint32_t task, std::int64_t at) {
  const ByteRange split{task * kSplit, (task + 1) * kSplit};
  return {from_unix_ns(at), fact::AttemptLaunched{{{JobId{1}, task}, 0}, NodeId{1 + task % kNodes}, split, false}};
}

JournalRecord seal_of(std::uint32_t task, std::int64_t at) {
  fact::SegmentSealed sealed;
  sealed.attempt = {{JobId{1}, task}, 0};
  sealed.range = {task * kSplit, (task + 1) * kSplit};
  sealed.input_end = sealed.range.end;
  sealed.output = {0, 1000, 100, task, 0};
  sealed.usual_gap = sealed.usual_seal = sealed.usual_launch = Duration(1'000'000);
  sealed.times = {Duration(30'000'000), Duration(10'000'000), Duration(20'000'000), kSplit, 2};
  return {from_unix_ns(at), sealed};
}

void print(const char* what, double seconds, double of_processors) {
  std::printf("%-16s %6.3f s, %6.3f s of processors\n", what, seconds, of_processors);
}

void make_journal(const std::string& directory, std::uint32_t tasks, std::size_t records) {
  const Stopwatch watch;
  const auto journal = open(directory);
  good(journal->read_all([](const JournalRecord&) {}));
  good(journal->append(beginning(tasks)));
  std::vector<JournalRecord> batch;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    batch.push_back(launch_of(task, 1'000'000 * std::int64_t{task}));
    if (task >= kLive) batch.push_back(seal_of(task - kLive, 1'000'000 * std::int64_t{task}));
    if (batch.size() < records) continue;
    good(journal->append(batch));
    batch.clear();
  }
  good(journal->append(batch));
  print("write", watch.wall(), watch.cpu());
}

struct Part {
  const char* name;
  std::vector<double> times{}, processor_times{};
};

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const std::string& directory, std::vector<Part>& parts) {
  Stopwatch watch;
  auto lap = [&, part = parts.begin()]() mutable {
    part->times.push_back(watch.wall());
    (part++)->processor_times.push_back(watch.cpu());
    watch = {};
  };
  const auto journal = open(directory);
  lap();
  good(journal->read_all([](const JournalRecord&) {}));
  lap();
  auto scheduler = std::make_unique<scheduler::Scheduler>(scheduler::Settings{});
  good(journal->read_all([&](const JournalRecord& record) { scheduler->replay(record); }));
  lap();
  recording::Recorder recorder({"", 256u << 20, [](const std::string&) {}});
  good(journal->read_with_messages(
      [&](const JournalRecord& record, std::string_view message) { recorder.add_known(record, message); }));
  lap();
  const scheduler::Step step = scheduler->start(from_unix_ns(std::int64_t{1} << 50));
  lap();
  if (step.records.empty()) std::exit(1);
}

int report(std::uint32_t tasks, int rounds, std::string directory, std::size_t records) {
  const test::TemporaryDirectory temporary;
  if (directory.empty()) directory = temporary / "journal";
  if (!std::filesystem::exists(directory + "/CURRENT")) make_journal(directory, tasks, records);
  std::vector<Part> parts{{"open"}, {"read"}, {"read and replay"}, {"read and record"}, {"start"}};
  for (int round = 0; round < rounds; ++round) measure(directory, parts);
  for (Part& part : parts) print(part.name, median(part.times), median(part.processor_times));
  return 0;
}

}  // namespace
}  // namespace ontime

int main(int count, char** arguments) {
  const auto number = [&](int at, int otherwise) { return count > at ? std::atoi(arguments[at]) : otherwise; };
  return ontime::report(static_cast<std::uint32_t>(number(1, 1'000'000)), number(2, 3), count > 3 ? arguments[3] : "",
                        static_cast<std::size_t>(number(4, 500)));
}
