// Whole jobs with the real programs against yardsticks of the same run, in interleaved pairs; medians and ratios.
//
//   bench_jobs BIN_DIR YARDSTICK_DIR TEXT        TEXT: from generate_text, several hundred megabytes
//
// Prints, and judges nothing: run it on a quiet machine.
#include <sys/resource.h>

#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/benchmarks/whole_jobs.h"
#include "tests/load/roofline.h"
#include "tests/support/process.h"

namespace ontime::test {
namespace {

// Of all processes that have ended below us.
double cpu_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

class Bench {
 public:
  Bench(std::string bin, std::string yardsticks, std::string text)
      : bin_(std::move(bin)), yardsticks_(std::move(yardsticks)), text_(std::move(text)) {}

  void wordcount(int pairs) {
    std::vector<double> jobs, limits, ratios;
    run({"cat", text_});  // into the page cache
    MemoryWatch memory("ontime-runner");
    for (int i = 0; i < pairs; ++i) {
      limits.push_back(wall_of({yardsticks_ + "/yardstick_wordcount", text_, "2"}));
      jobs.push_back(job({"run", "wordcount", text_, "--workers", "2", "--split-size", "64MiB"}));
      ratios.push_back((jobs.back() - 0.1) / limits.back());
    }
    std::printf(
        "wordcount, 2 workers: job %.3f s, two-thread yardstick %.3f s, (job - 100 ms) / yardstick %.2f (aim <= 1.5);"
        " runner's memory %.1f MiB (aim <= 64)\n",
        median(jobs), median(limits), median(ratios), memory.highest_mib());
  }

  void small_file(int runs) {
    const std::string small = directory_ / "small";
    run({"/bin/sh", "-c", "head -c 1000000 '" + text_ + "' > " + small});
    std::vector<double> walls, bare;
    for (int i = 0; i < runs; ++i) {
      walls.push_back(job({"run", "wordcount", small}));
      bare.push_back(wall_of({bin_ + "/ontime-master", "--version"}));
    }
    std::printf(
        "wordcount of 1 MB, start to exit: %.1f ms (aim <= 20); starting and ending ontime-master alone: %.1f ms\n",
        1e3 * median(walls), 1e3 * median(bare));
  }

  void many_tasks(int runs) {
    const std::string lines = directory_ / "lines";
    std::string content;
    for (int i = 0; i < 5000; ++i) content += "one two three four\n";
    write_file(lines, content);
    std::vector<double> rates, cpu;
    for (int i = 0; i < runs; ++i) {
      const double before = cpu_of_children();
      const double wall = job({"run", "wordcount", lines, "--workers", "2", "--split-size", "19"});
      rates.push_back(5000 / wall);
      cpu.push_back((cpu_of_children() - before) / 5000);
    }
    const unsigned cores = std::thread::hardware_concurrency();
    std::printf(
        "5,000 trivial tasks on 2 slots, outputs durable: %.0f tasks/s (aim >= 5,000); CPU a task, start and commit "
        "too: %.0f us, so %u cores would make %.0f; the disk alone makes %.0f syncs/s of 200 B\n",
        median(rates), 1e6 * median(cpu), cores, cores / median(cpu), load::syncs_per_second(directory_.path(), 200));
  }

 private:
  // Outputs stay until the end: ext4 takes up to four times as long to create files while it remembers thousands that
  // were deleted within the last half minute.
  double job(Arguments arguments) {
    arguments.insert(arguments.begin(), bin_ + "/ontime");
    arguments.insert(arguments.end(), {"--output", directory_ / ("out" + std::to_string(jobs_++)), "--quiet"});
    return wall_of(arguments);
  }

  const std::string bin_;
  const std::string yardsticks_;
  const std::string text_;
  int jobs_ = 0;
  TemporaryDirectory directory_;
};

}  // namespace
}  // namespace ontime::test

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: bench_jobs BIN_DIR YARDSTICK_DIR TEXT\n");
    return 2;
  }
  ontime::test::Bench bench(argv[1], argv[2], argv[3]);
  bench.small_file(11);
  bench.many_tasks(5);
  bench.wordcount(7);
  return 0;
}
