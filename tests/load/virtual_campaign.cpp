// What no one can try by hand, on simulated machines and in virtual time: a thousand workers and one large job; a week
// of small jobs with workers that die. Says what it took of the real processor and of memory.
//   virtual_campaign [--workers 1000] [--tasks 20000]      one job
//   virtual_campaign --days 7 [--workers 5]                a job a minute
#include <malloc.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "cli/client/master_client.h"
#include "common/flags/flags.h"
#include "tests/machines/disk.h"
#include "tests/machines/programs.h"

namespace ontime::lab::machines {
namespace {

struct Options {
  std::uint32_t workers = 1000;
  std::uint32_t tasks = 20'000;
  std::uint32_t days = 0;
};

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds_of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

// What each simulated process has allocated and not given back, by its number: one that was killed gives nothing back,
// so that the memory of all together says nothing.
constexpr std::size_t kProcesses = 1u << 20;
std::array<std::int64_t, kProcesses> allocated;

// The owner stands behind what is allocated, where malloc_usable_size() finds it, which RocksDB asks as well.
char* owner_of(void* at) { return static_cast<char*>(at) + ::malloc_usable_size(at) - sizeof(std::uint32_t); }

double mib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

void sleep_for(Duration time) {
  Thread& here = *World::here();
  here.sleep_until(here.world().now() + time);
}

class Campaign {
 public:
  explicit Campaign(const Options& options)
      : options_(options), cluster_(1, from_unix_ns(1'790'000'000'000'000'000)), home_(cluster_.add_machine("home")) {
    cluster_.real_paths = {ONTIME_FAULT_APPLICATIONS};
    master_ = start_master(cluster_, home_, {}).id();
    for (std::uint32_t i = 0; i < options.workers; ++i) start_worker(i);
  }

  void run_one_job() {
    put_input(options_.tasks);
    run([this] {
      const double before = processor_seconds();
      const TimePoint began = cluster_.world.now();
      const JobId job = submit("/shared/out/0");
      await(job);
      const double took = seconds(cluster_.world.now() - began);
      std::sort(answers_.begin(), answers_.end());
      std::printf(
          "%u tasks on %u workers: %.1f s of virtual time, %.1f s of one processor for all of them; %zu questions "
          "answered, 99 %% within %.1f ms\n",
          options_.tasks, options_.workers, took, processor_seconds() - before, answers_.size(),
          answers_[answers_.size() * 99 / 100] * 1e3);
    });
  }

  void run_days() {
    put_input(kTasksOfMinute);
    run([this] {
      for (std::uint32_t day = 0; day < options_.days; ++day) {
        const double before = processor_seconds();
        for (std::uint32_t minute = 0; minute < 24 * 60; ++minute) {
          await(submit("/shared/out/" + std::to_string(day) + "-" + std::to_string(minute)));
          if (minute % 60 == 30) kill_a_worker();
          sleep_for(std::chrono::minutes(1));
        }
        std::printf("day %u: %u jobs, %.1f s of one processor; the master holds %.1f MiB\n", day + 1, jobs_,
                    processor_seconds() - before, mib(allocated[static_cast<std::size_t>(master_)]));
        std::fflush(stdout);
      }
    });
  }

 private:
  static constexpr std::uint32_t kTasksOfMinute = 10;
  static constexpr std::uint32_t kLinesOfTask = 5;
  static constexpr std::uint32_t kLineBytes = 20;

  void start_worker(std::uint32_t index) {
    WorkerProgram program;
    program.masters = master_at(home_.address());
    program.name = "w" + std::to_string(index);
    program.slots = 2;
    program.application_directories = {ONTIME_FAULT_APPLICATIONS};
    Machine& machine = index < workers_.size() ? *workers_[index].first : cluster_.add_machine(program.name);
    const pid_t id = machines::start_worker(cluster_, machine, program).id();
    if (index < workers_.size()) {
      workers_[index].second = id;
    } else {
      workers_.emplace_back(&machine, id);
    }
  }

  void kill_a_worker() {
    const auto index = static_cast<std::uint32_t>(cluster_.world.random().below(workers_.size()));
    cluster_.send_signal(workers_[index].second, 9);
    start_worker(index);
  }

  void put_input(std::uint32_t tasks) {
    std::string text;
    for (std::uint64_t line = 0; line < std::uint64_t{tasks} * kLinesOfTask; ++line) {
      std::string one = std::to_string(line);
      one.resize(kLineBytes - 1, '.');
      text += one + "\n";
    }
    cluster_.shared->put("/in.txt", std::move(text));
    cluster_.shared->put("/out/", "");
  }

  void run(const std::function<void()>& body) {
    bool is_done = false;
    cluster_.start(cluster_.add_machine("desk"), "client", [&] {
      cli::MasterClient::Options options;
      options.masters = net::Endpoint{dotted(home_.address()), kMasterPort};
      client_ = std::make_unique<cli::MasterClient>(std::move(options));
      sleep_for(std::chrono::seconds(10));
      body();
      is_done = true;
      return 0;
    });
    while (!is_done && cluster_.world.step()) {
    }
  }

  JobId submit(const std::string& output) {
    wire::JobSpec spec;
    spec.set_application("copy");
    spec.add_inputs("/shared/in.txt");
    spec.set_output(output);
    spec.set_split_bytes(kLinesOfTask * kLineBytes);
    spec.mutable_settings()->set_attempts_max(4);
    spec.mutable_settings()->set_record_bytes_max(1u << 20);
    wire::Entry* const pause = spec.add_parameters();
    pause->set_key("pause_us");
    pause->set_value("20000");
    ++jobs_;
    const auto submitted = client_->submit(spec);
    if (!submitted) std::printf("not submitted: %s\n", submitted.error().message.c_str());
    return submitted ? JobId{submitted->job()} : JobId{};
  }

  void await(JobId job) {
    for (;;) {
      sleep_for(std::chrono::milliseconds(200));
      const TimePoint asked = cluster_.world.now();
      const auto seen = client_->describe(job, {});
      answers_.push_back(seconds(cluster_.world.now() - asked));
      if (seen && seen->summary().ended_unix_ns() == 0) continue;
      if (!seen || seen->summary().state() != wire::SUCCEEDED) std::printf("job %u did not succeed\n", job.value);
      return;
    }
  }

  const Options options_;
  Cluster cluster_;
  Machine& home_;
  pid_t master_ = 0;
  std::vector<std::pair<Machine*, pid_t>> workers_;
  std::unique_ptr<cli::MasterClient> client_;
  std::vector<double> answers_;  // seconds
  std::uint32_t jobs_ = 0;
};

int main(int argc, char** argv) {
  CLI::App app("What ships, on a thousand simulated machines or for a simulated week");
  Options options;
  CLI::Option* const workers = flags::add_whole(app, "--workers", options.workers, {1, 2000}, "with two slots each");
  flags::add_whole(app, "--tasks", options.tasks, {1}, "of the one job");
  flags::add_whole(app, "--days", options.days, {0, 31}, "a job a minute instead, and a worker killed each hour");
  flags::parse_or_exit(app, argc, argv);
  if (options.days > 0 && workers->empty()) options.workers = 5;
  spdlog::set_level(spdlog::level::off);  // a log would be written by a thread of its own, and there is to be one only
  auto& campaign = *new Campaign(options);  // never taken apart, see tests/faults/cluster_run.cpp
  options.days > 0 ? campaign.run_days() : campaign.run_one_job();
  std::fflush(nullptr);
  ::_exit(0);
}

}  // namespace
}  // namespace ontime::lab::machines

void* operator new(std::size_t size) {
  using namespace ontime::lab::machines;  // NOLINT: it replaces the library's
  void* const at = std::malloc(size + sizeof(std::uint32_t));
  if (at == nullptr) std::abort();
  Thread* const here = World::here();
  const std::uint32_t owner = here != nullptr ? static_cast<std::uint32_t>(here->process().id()) % kProcesses : 0;
  std::memcpy(owner_of(at), &owner, sizeof owner);
  allocated[owner] += static_cast<std::int64_t>(::malloc_usable_size(at));
  return at;
}

void operator delete(void* at) noexcept {
  using namespace ontime::lab::machines;  // NOLINT: it replaces the library's
  if (at == nullptr) return;
  std::uint32_t owner;
  std::memcpy(&owner, owner_of(at), sizeof owner);
  allocated[owner] -= static_cast<std::int64_t>(::malloc_usable_size(at));
  std::free(at);
}

void operator delete(void* at, std::size_t) noexcept { ::operator delete(at); }

int main(int argc, char** argv) { return ontime::lab::machines::main(argc, argv); }
