// ontime-faults: runs fault schedules and stops at the first that ends badly, with the command that shows it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "common/base/units.h"
#include "common/flags/flags.h"
#include "tests/faults/cluster_run.h"
#include "tests/faults/fault_plan.h"

namespace ontime::lab::faults {
namespace {

constexpr std::uint64_t kSeedMax = std::numeric_limits<std::uint64_t>::max();

struct Options {
  SeedRange seeds;
  std::uint64_t seed = 0;  // one only
  unsigned processes = 1;
  bool trace = false;
  bool keep_going = false;
  bool minimise = false;
  std::string file;      // a schedule to run
  std::string output;    // where the schedule goes
  std::string keep_new;  // and all that reach new places
};

std::string replay_command(std::uint64_t seed, const PlanSize& size) {
  std::string command = std::string(program_invocation_short_name) + " --seed " + std::to_string(seed);
  if (size.nodes) command += " --nodes " + std::to_string(*size.nodes);
  if (size.jobs) command += " --jobs " + std::to_string(*size.jobs);
  if (size.has_store) command += " --store";
  if (size.has_shared_journal) command += " --shared-journal";
  return command + " --trace";
}

// What many schedules came to.
struct Total {
  std::uint64_t schedules = 0;
  double hours = 0;  // of virtual time
  std::uint64_t steps = 0;
  std::uint64_t masters = 0;
  std::uint64_t led = 0;
  std::uint64_t batches = 0;
  std::uint64_t jobs = 0;
  std::uint64_t succeeded = 0;
  std::uint64_t faults = 0;
  std::uint64_t broken = 0;

  void add(const FaultPlan& plan, const Verdict& verdict) {
    ++schedules;
    hours += verdict.ended / 3600;
    steps += verdict.steps;
    masters += verdict.masters;
    led += verdict.led;
    batches += verdict.batches;
    jobs += verdict.jobs;
    succeeded += verdict.succeeded;
    faults += plan.faults.size();
    broken += verdict.is_good() ? 0 : 1;
  }
};

class Campaign {
 public:
  explicit Campaign(const Options& options) : options_(options) {
    if (options.keep_new.empty()) return;
    kept_.open(options.keep_new, std::ios::app);
    share_reached();
  }

  int run() {
    run_apart(options_.seeds, options_.processes,
              [this](std::uint64_t seed, const Verdict& verdict) { return on_verdict(seed, verdict); });
    report("\n");
    return total_.broken == 0 ? 0 : 1;
  }

 private:
  bool on_verdict(std::uint64_t seed, const Verdict& verdict) {
    const FaultPlan plan = make_plan(seed, options_.seeds.size);
    total_.add(plan, verdict);
    if (verdict.newly_reached > 0 && kept_.is_open()) kept_ << to_file(plan) << std::flush;
    if (total_.schedules % 16 == 0) progress();
    if (verdict.is_good()) return true;
    std::fprintf(stderr, "\rseed %llu: %s\n  replay: %s\n", static_cast<unsigned long long>(seed),
                 verdict.broken.c_str(), replay_command(seed, options_.seeds.size).c_str());
    return options_.keep_going;
  }

  void progress() {
    const auto now = std::chrono::steady_clock::now();
    if (now < shown_ + std::chrono::seconds(1)) return;
    shown_ = now;
    report("\r");
  }

  void report(const char* end) const {
    const auto u = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_;
    std::fprintf(stderr,
                 "%llu schedules in %.0f s, %.1f h of virtual time: %llu faults, %llu lives of masters, %llu that led, "
                 "%llu steps, "
                 "%llu batches, %llu jobs "
                 "ended, %llu succeeded, %llu bad%s",
                 u(total_.schedules), took.count(), total_.hours, u(total_.faults), u(total_.masters), u(total_.led),
                 u(total_.steps), u(total_.batches), u(total_.jobs), u(total_.succeeded), u(total_.broken), end);
  }

  const Options& options_;
  Total total_;
  std::ofstream kept_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_ = began_;
};

Result<FaultPlan> plan_of(const Options& options) {
  if (options.file.empty()) return make_plan(options.seed, options.seeds.size);
  std::ostringstream text;
  text << std::ifstream(options.file).rdbuf();
  auto plan = from_file(text.str());
  if (!plan) return bad_input(options.file + ": " + plan.error().message);
  return plan;
}

int show(const Options& options) {
  const auto read = plan_of(options);
  if (!read) {
    std::fprintf(stderr, "%s\n", read.error().message.c_str());
    return 2;
  }
  FaultPlan plan = *read;
  if (options.minimise) plan = minimise(plan);
  if (!options.output.empty()) std::ofstream(options.output) << to_file(plan);
  std::printf("%s", describe(plan).c_str());
  const Trace trace = [](std::string_view line) { std::printf("%.*s\n", static_cast<int>(line.size()), line.data()); };
  const Verdict verdict = run(plan, options.trace ? trace : Trace());
  std::printf("%s\n", verdict.is_good() ? "all is well" : verdict.broken.c_str());
  return verdict.is_good() ? 0 : 1;
}

// Each schedule has a process of its own, which shall not look up the libraries' symbols again and ask the kernel for
// memory bit by bit. The C library reads both when a program starts.
void prepare_for_many_processes(char** argv) {
  if (std::getenv("LD_BIND_NOW") != nullptr) return;
  ::setenv("LD_BIND_NOW", "1", 0);
  ::setenv("GLIBC_TUNABLES",
           "glibc.malloc.top_pad=67108864:glibc.malloc.mmap_threshold=33554432:"
           "glibc.malloc.trim_threshold=2147483647:glibc.malloc.tcache_count=2000",
           0);
  ::execv("/proc/self/exe", argv);
}

}  // namespace
}  // namespace ontime::lab::faults

int main(int argc, char** argv) {
  using namespace ontime::lab::faults;
  using ontime::flags::add_whole;
  Options options;
  CLI::App app("Runs random fault schedules: the programs that ship, on simulated machines, in virtual time.");
  const auto read_seeds = [&options](const std::string& text) {
    const auto dots = std::min(text.find(".."), text.size());
    const auto from = ontime::parse_whole(text.substr(0, dots), 0, kSeedMax);
    const auto to = dots == text.size() ? from : ontime::parse_whole(text.substr(dots + 2), 0, kSeedMax);
    if (!from || !to || *from > *to)
      throw CLI::ValidationError("--seeds", "'" + text + "' is not FROM..TO, such as 1..1000");
    options.seeds.from = *from;
    options.seeds.to = *to;
  };
  app.add_option_function<std::string>("--seeds", read_seeds, "one schedule for each")
      ->type_name("FROM..TO")
      ->default_str("1..1000");
  CLI::Option* seed = add_whole(app, "--seed", options.seed, {}, "only this one: shows what goes wrong in it");
  add_whole(app, "--nodes", options.seeds.size.nodes, {1, 64}, "of each cluster; by default drawn");
  add_whole(app, "--jobs", options.seeds.size.jobs, {1, 64}, "of each schedule; likewise");
  app.add_flag("--store", options.seeds.size.has_store, "jobs of every schedule may use a store; by default of some");
  app.add_flag("--shared-journal", options.seeds.size.has_shared_journal,
               "several masters of every schedule share a journal in etcd; by default of some");
  add_whole(app, "--processes", options.processes, {1}, "that run schedules at the same time");
  CLI::Option* file = app.add_option("--file", options.file, "only the schedule in this file")
                          ->check(ontime::flags::readable_file())
                          ->excludes(seed);
  app.add_flag("--trace", options.trace, "with --seed or --file: everything that happens");
  app.add_flag("--minimise", options.minimise, "likewise: leaves out every fault and job that is not needed to fail");
  app.add_option("--output", options.output, "likewise: writes the schedule there, for --file")->type_name("FILE");
  app.add_option(
         "--keep-new", options.keep_new,
         "appends every schedule that reaches a place in the programs, or reaches it so often, that none before "
         "did; in a build with -DONTIME_COUNT_PLACES=ON")
      ->type_name("FILE")
      ->check([](const std::string&) {
        return are_places_counted() ? "" : "this build counts no places; configure one with -DONTIME_COUNT_PLACES=ON";
      });
  app.add_flag("--keep-going", options.keep_going, "go on after a schedule that ends badly");
  ontime::flags::parse_or_exit(app, argc, argv);
  set_application_directory(ONTIME_FAULT_APPLICATIONS);
  if (*seed || *file) return show(options);
  prepare_for_many_processes(argv);
  return Campaign(options).run();
}
