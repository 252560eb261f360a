// Jobs that sort and assign, and their answers, with the real programs: beside GNU sort on the same lines in the same
// run, in interleaved pairs; medians and ratios.
//
//   bench_sorting BIN_DIR [BYTES] [PAIRS]        of input, 256000000 unless given; 5 pairs
//
// Prints, and judges nothing: run it on a quiet machine.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "tests/benchmarks/whole_jobs.h"
#include "tests/support/process.h"

namespace ontime::test {
namespace {

class Bench {
 public:
  Bench(std::string bin, std::uint64_t bytes, int pairs)
      : ontime_(std::move(bin) + "/ontime"), bytes_(bytes), pairs_(pairs) {}

  void sort() {
    generate("text", bytes_, {});
    beside_sort("sort, lines of text", {}, "");
    generate("pairs", bytes_ / 16, {});
    beside_sort("sort, key=2 numeric=yes of pairs", {"sort", "--set", "key=2", "--set", "numeric=yes"},
                "-t \"$(printf '\\t')\" -k 2,2 -n");
    beside_sort("secondarysort of pairs", {"secondarysort", "--set", "separator="}, "-k 1,1n -k 2,2n");
  }

  void terasort() {
    generate("teragen", bytes_ / 100, {});
    alone("terasort", {"terasort"});
  }

  void assign() {
    generate("ratings", bytes_ / 700, {});
    run({"/bin/sh", "-c", "head -n 16 '" + input_ + "' > '" + input_ + ".centroids'"});
    alone("kmeans, 16 centroids", {"kmeans", "--set", "centroids=" + input_ + ".centroids"});
    alone("classification, 16 centroids", {"classification", "--set", "centroids=" + input_ + ".centroids"});
  }

 private:
  struct Times {
    double job = 0, answer = 0;  // seconds
  };

  void generate(const std::string& kind, std::uint64_t amount, const Arguments& more) {
    Arguments arguments{ontime_, "gen", kind, std::to_string(amount), "--output", input_, "--force", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    wall_of(arguments);
    run({"cat", input_});  // into the page cache
    size_ = std::filesystem::file_size(input_);
  }

  Times job(const Arguments& application) {
    Arguments arguments{ontime_, "run"};
    arguments.insert(arguments.end(), application.begin(), application.end());
    arguments.insert(arguments.end(),
                     {input_, "--output", output_, "--quiet", "--workers", "2", "--split-size", "64MiB"});
    Times times;
    times.job = wall_of(arguments);
    times.answer = wall_of({ontime_, "result", output_, "--output", answer_, "--force"});
    std::filesystem::remove_all(output_);
    return times;
  }

  void beside_sort(const std::string& title, Arguments application, const std::string& options) {
    if (application.empty()) application = {"sort"};
    std::vector<double> jobs, answers, sorts, singles, ratios, single_ratios;
    MemoryWatch memory("ontime-runner");
    for (int i = 0; i < pairs_; ++i) {
      const std::string files = "'" + input_ + "' > '" + answer_ + ".sorted'";
      sorts.push_back(wall_of({"/bin/sh", "-c", "LC_ALL=C sort " + options + " " + files}));
      const Times times = job(application);
      singles.push_back(wall_of({"/bin/sh", "-c", "LC_ALL=C sort --parallel=1 " + options + " " + files}));
      jobs.push_back(times.job);
      answers.push_back(times.answer);
      ratios.push_back((times.job + times.answer) / sorts.back());
      single_ratios.push_back((times.job + times.answer) / singles.back());
    }
    const Finished same = run({"cmp", answer_, answer_ + ".sorted"});
    std::printf(
        "%s, %.0f MB: job %.2f s and answer %.2f s, sort %.2f s, sort --parallel=1 %.2f s; ratio to sort %.2f, to one "
        "thread of it %.2f; runner's memory %.0f MiB; the same answer: %s\n",
        title.c_str(), megabytes(), median(jobs), median(answers), median(sorts), median(singles), median(ratios),
        median(single_ratios), memory.highest_mib(), same.status == 0 ? "yes" : "NO");
  }

  void alone(const std::string& title, const Arguments& application) {
    std::vector<double> jobs, answers;
    MemoryWatch memory("ontime-runner");
    for (int i = 0; i < pairs_; ++i) {
      const Times times = job(application);
      jobs.push_back(times.job);
      answers.push_back(times.answer);
    }
    std::printf("%s, %.0f MB: job %.2f s (%.0f MB/s), answer %.2f s; runner's memory %.0f MiB\n", title.c_str(),
                megabytes(), median(jobs), megabytes() / median(jobs), median(answers), memory.highest_mib());
  }

  double megabytes() const { return static_cast<double>(size_) * 1e-6; }

  const std::string ontime_;
  const std::uint64_t bytes_;
  const int pairs_;
  std::uint64_t size_ = 0;
  TemporaryDirectory directory_;
  const std::string input_ = directory_ / "input";
  const std::string output_ = directory_ / "out";
  const std::string answer_ = directory_ / "answer";
};

}  // namespace
}  // namespace ontime::test

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: bench_sorting BIN_DIR [BYTES] [PAIRS]\n");
    return 2;
  }
  const std::uint64_t bytes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 256'000'000;
  ontime::test::Bench bench(argv[1], bytes, argc > 3 ? std::atoi(argv[3]) : 5);
  bench.sort();
  bench.terasort();
  bench.assign();
  return 0;
}
