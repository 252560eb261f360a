// soak_campaign: mixed jobs on real processes for hours, with faults at random, while memory, descriptors and disk are
// written to a table. At the end a line is laid through each column: what is not flat fails the campaign. The master
// and the first worker live all the time; other workers are killed, and all of them stopped for a while. See
// docs/load.md.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "common/flags/flags.h"
#include "tests/load/failures.h"
#include "tests/load/measured_master.h"
#include "tests/support/process.h"

namespace ontime::load {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kWorkers = 3;
constexpr std::size_t kRunningMax = 4;
// The master remembers the latest 1000 jobs: until then its memory and its journal have to grow.
constexpr std::uint64_t kWarm = 2500;
constexpr std::size_t kSamplesMin = 10;

struct Sample {
  double minutes = 0;
  std::uint64_t jobs = 0;  // that have ended
  double master_mib = 0, master_descriptors = 0;
  double worker_mib = 0, worker_descriptors = 0;
  double journal_mib = 0, outputs = 0;
};

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

// How much the column grows from the first to the last sample, by the line of least squares.
double growth(const std::vector<Sample>& samples, double Sample::*column) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(samples.size());
  for (const Sample& sample : samples) {
    x += sample.minutes / n;
    y += sample.*column / n;
  }
  for (const Sample& sample : samples) {
    xx += (sample.minutes - x) * (sample.minutes - x);
    xy += (sample.minutes - x) * (sample.*column - y);
  }
  return xx > 0 ? xy / xx * (samples.back().minutes - samples.front().minutes) : 0;
}

class Soak {
 public:
  Soak(Options options, std::uint64_t seed) : options_(std::move(options)), master_(options_), random_(seed) {}

  bool run(Duration length, Duration every, const std::string& table) {
    fs::create_directories(options_.directory + "/out");
    master_.start();
    for (std::size_t i = 0; i < kWorkers; ++i) workers_.push_back(make_worker());
    std::ofstream file(table);
    file << "minutes,jobs,master_mib,master_descriptors,worker_mib,worker_descriptors,journal_mib,outputs\n";
    for (auto sample_at = begin_; Clock::now() < begin_ + length; std::this_thread::sleep_for(100ms)) {
      tend_jobs();
      if (below(20) == 0) do_harm();
      if (Clock::now() < sample_at) continue;
      sample_at += every;
      take_sample(file);
    }
    return judge();
  }

 private:
  struct Job {
    std::string output;
    test::Process client;  // submits it and waits for its end
  };

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::string address() const { return "127.0.0.1:" + std::to_string(master_.endpoint().port); }

  test::Process make_worker() {
    return {{std::string(ONTIME_TEST_BIN) + "/ontime-worker", "--master", address(), "--slots", "2"},
            options_.directory + "/worker-" + std::to_string(++started_)};
  }

  void tend_jobs() {
    std::erase_if(jobs_, [this](Job& job) {
      if (job.client.is_running()) return false;
      const test::Finished end = job.client.output();
      const bool is_whole =
          end.status == 0 && test::run({std::string(ONTIME_TEST_BIN) + "/ontime", "verify", job.output}).status == 0;
      if (!is_whole) failures_.add("a job ended with " + std::to_string(end.status) + ": " + end.err);
      fs::remove_all(job.output);
      ++ended_;
      return true;
    });
    if (jobs_.size() < kRunningMax) submit();
  }

  void submit() {
    const char* const applications[] = {"wordcount", "wordmean", "termvector", "sort", "exec", "exec", "exec", "exec"};
    const char* const policies[] = {"none", "shed+", "hadoop", "split-resume", "late"};
    const std::string output = options_.directory + "/out/" + std::to_string(++submitted_);
    const std::string application = applications[below(8)];
    test::Arguments arguments{std::string(ONTIME_TEST_BIN) + "/ontime",
                              "submit",
                              application,
                              ONTIME_TEST_TEXT,
                              "--output",
                              output,
                              "--splits",
                              std::to_string(1 + below(8)),
                              "--policy",
                              policies[below(5)],
                              "--max-attempts",
                              "20",
                              "--deadline",
                              "60s",
                              "--wait",
                              "--master",
                              address()};
    // Of parameters that no job had before: what is kept by parameters must not grow either.
    if (application == "exec") {
      arguments.insert(arguments.end(), {"--set", "command=wc -l # " + std::to_string(random_())});
    }
    // Two files of logs for all: they are no part of what is measured.
    jobs_.push_back(
        {output, test::Process(arguments, options_.directory + "/client-" + std::to_string(submitted_ % 8))});
  }

  // One of: a worker is killed, stands still and goes on, loses an attempt; the master stands still.
  void do_harm() {
    test::Process& worker = workers_[below(kWorkers)];
    switch (below(4)) {
      case 0:
        if (&worker == &workers_.front()) break;
        worker.kill();
        worker = make_worker();
        break;
      case 1:
        stop_for_a_while([&worker](int number) { worker.signal(number); });
        break;
      case 2:
        if (const auto runners = test::descendants(worker.pid(), "ontime-runner"); runners.size() > 1) {
          ::kill(runners[below(runners.size())], SIGKILL);
        }
        break;
      default:
        stop_for_a_while([this](int number) { master_.signal(number); });
    }
    ++harm_;
  }

  template <class Signal>
  void stop_for_a_while(Signal signal) {
    signal(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(below(1500)));
    signal(SIGCONT);
  }

  void take_sample(std::ofstream& file) {
    const Usage master = master_.usage();
    const Usage worker = usage_of(workers_.front().pid());
    const auto outputs = std::distance(fs::directory_iterator(options_.directory + "/out"), fs::directory_iterator());
    const Sample sample{std::chrono::duration<double, std::ratio<60>>(Clock::now() - begin_).count(),
                        ended_,
                        mib(master.resident_bytes),
                        static_cast<double>(master.descriptors),
                        mib(worker.resident_bytes),
                        static_cast<double>(worker.descriptors),
                        mib(master_.journal_bytes()),
                        static_cast<double>(outputs)};
    samples_.push_back(sample);
    char line[200];
    std::snprintf(line, sizeof line, "%.2f,%llu,%.1f,%.0f,%.1f,%.0f,%.2f,%.0f", sample.minutes,
                  static_cast<unsigned long long>(sample.jobs), sample.master_mib, sample.master_descriptors,
                  sample.worker_mib, sample.worker_descriptors, sample.journal_mib, sample.outputs);
    file << line << std::endl;
    std::printf("   %s; %llu faults\n", line, static_cast<unsigned long long>(harm_));
    std::fflush(stdout);
  }

  void look_at(const char* name, double Sample::*column, double allowed) {
    const double grown = growth(samples_, column);
    const bool is_flat = grown <= allowed;
    std::printf("   %-20s %+.2f (allowed %.2f)%s\n", name, grown, allowed, is_flat ? "" : "  NOT FLAT");
    if (!is_flat) failures_.add(std::string(name) + " grows");
  }

  bool judge() {
    std::erase_if(samples_, [](const Sample& sample) { return sample.jobs < kWarm; });
    if (samples_.size() < kSamplesMin) {
      std::printf("too short to say what grows: it takes %zu samples after %llu jobs\n", kSamplesMin,
                  static_cast<unsigned long long>(kWarm));
    } else {
      std::printf("growth over the last %.0f minutes:\n", samples_.back().minutes - samples_.front().minutes);
      look_at("master_mib", &Sample::master_mib, 4 + samples_.front().master_mib / 10);
      look_at("master_descriptors", &Sample::master_descriptors, 4);
      look_at("worker_mib", &Sample::worker_mib, 2 + samples_.front().worker_mib / 10);
      look_at("worker_descriptors", &Sample::worker_descriptors, 8);
      look_at("journal_mib", &Sample::journal_mib, 8 + samples_.front().journal_mib / 10);
      look_at("outputs", &Sample::outputs, 4);
    }
    std::printf("%llu jobs ended, %llu faults, %zu wrong\n", static_cast<unsigned long long>(ended_),
                static_cast<unsigned long long>(harm_), failures_.count());
    return failures_.count() == 0;
  }

  const Options options_;
  Failures failures_;
  MeasuredMaster master_;
  std::vector<test::Process> workers_;
  std::vector<Job> jobs_;
  std::mt19937_64 random_;
  std::vector<Sample> samples_;
  const Clock::time_point begin_ = Clock::now();
  std::uint64_t submitted_ = 0, ended_ = 0, harm_ = 0;
  int started_ = 0;
};

int main_of(int argc, char** argv) {
  Options options;
  Duration length = std::chrono::hours(2), every = std::chrono::minutes(1);
  std::string table = "soak.csv";
  std::uint64_t seed = 1;
  CLI::App app("Runs jobs with faults at random for hours. Exit code 1: a job failed, or something grows.");
  flags::add_duration(app, "--length", length, "How long");
  flags::add_duration(app, "--every", every, "Between two samples", std::chrono::seconds(1));
  app.add_option("--table", table, "CSV file of the samples")->capture_default_str();
  app.add_option("--seed", seed, "Of jobs and faults")->capture_default_str();
  flags::parse_or_exit(app, argc, argv);
  const test::TemporaryDirectory temporary;
  options.directory = temporary.path();
  return exit_code([&] { return Soak(options, seed).run(length, every, table); });
}

}  // namespace
}  // namespace ontime::load

int main(int argc, char** argv) { return ontime::load::main_of(argc, argv); }
