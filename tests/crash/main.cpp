// crash_campaign: crashes clusters of the real programs at their kill points, one after another and at random.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "common/base/kill_point.h"
#include "common/flags/flags.h"
#include "tests/crash/cycle.h"
#include "tests/support/mini_hdfs.h"
#include "tests/support/object_store.h"
#include "tests/support/temporary_directory.h"

namespace ontime::test {
namespace {

struct Options {
  bool list = false;
  std::uint32_t each = 0;  // passings of each point
  std::string point;
  std::uint32_t passing = 1;
  std::string side = "master";
  std::uint64_t seed = 0;
  std::uint64_t from = 1;
  std::uint64_t cycles = 0;
  bool keep_going = false;
  std::uint32_t faults = 0;  // every n-th
  bool store = false;
  bool hdfs = false;

  Outputs outputs() const { return hdfs ? Outputs::InHdfs : store ? Outputs::InStore : Outputs::OnDisk; }
  std::string fault;
};

class Campaign {
 public:
  Campaign(std::string program, Outputs outputs)
      : program_(std::move(program)), outputs_(outputs), text_(make_text(directory_.path())) {
    if (outputs == Outputs::InStore) store_ = std::make_unique<ObjectStore>("outputs");
    if (outputs == Outputs::InHdfs) hdfs_ = std::make_unique<MiniHdfs>();
    const auto environment = store_ ? store_->environment() : hdfs_ ? hdfs_->environment() : Environment();
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  }
  Outputs outputs() const { return outputs_; }

  // True if the cycle ended well.
  bool run(Plan plan) {
    const std::string name = std::to_string(cycles_ + 1);
    if (store_) plan.outputs = store_->url(name);
    if (store_) plan.outputs_at = store_->path(name);
    if (store_) plan.repeat += " --store";
    if (hdfs_) {
      plan.outputs = hdfs_->url("/" + name);
      plan.outputs_at = "/" + name;
      plan.count = [this](const std::string& path) { return hdfs_->exists(path) ? hdfs_->files(path) : -1; };
      plan.repeat += " --hdfs";
    }
    const std::string place = directory_ / ("cycle-" + std::to_string(++cycles_));
    std::filesystem::create_directory(place);
    try {
      const Deaths deaths = run_cycle(place, plan, text_);
      if (plan.master && deaths.master) ++deaths_["master " + plan.master->point];
      if (plan.worker && deaths.worker) ++deaths_["worker " + plan.worker->point];
      if (plan.power && (deaths.master || deaths.worker)) ++power_cuts_;
      if (deaths.disk) ++faults_;
      last_died_ = (!plan.master || deaths.master) && (!plan.worker || deaths.worker) && (!plan.fault || deaths.disk);
      reap();
      std::filesystem::remove_all(place);
      return true;
    } catch (const CycleFailed& failed) {
      last_died_ = false;
      ++failures_;
      reap();
      const std::string kept = std::filesystem::temp_directory_path() /
                               ("ontime-crash-" + std::to_string(::getpid()) + "-" + std::to_string(cycles_));
      std::error_code ignored;
      std::filesystem::rename(place, kept, ignored);
      std::printf("FAILED: %s\n  again: %s %s\n  its files: %s\n", failed.why.c_str(), program_.c_str(),
                  plan.repeat.c_str(), kept.c_str());
      std::fflush(stdout);
      return false;
    }
  }

  // Attempts whose launcher has died are this program's children.
  static void reap() {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }

  void report() const {
    std::uint64_t total = 0;
    for (const auto& [point, count] : deaths_) total += count;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
    std::printf(
        "%llu cycles in %.0f s, %llu deaths at %zu of %zu places, %llu power cuts, %llu disk faults, %llu failed\n",
        static_cast<unsigned long long>(cycles_), seconds, static_cast<unsigned long long>(total), deaths_.size(),
        points_of(outputs_).size(), static_cast<unsigned long long>(power_cuts_),
        static_cast<unsigned long long>(faults_), static_cast<unsigned long long>(failures_));
  }
  bool last_died() const { return last_died_; }
  std::uint64_t failures() const { return failures_; }
  std::uint64_t cycles() const { return cycles_; }

 private:
  const std::string program_;
  const Outputs outputs_;
  std::unique_ptr<ObjectStore> store_;
  std::unique_ptr<MiniHdfs> hdfs_;
  const TemporaryDirectory directory_;
  const Text text_;
  const std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::map<std::string, std::uint64_t> deaths_;
  std::uint64_t cycles_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t power_cuts_ = 0;
  std::uint64_t faults_ = 0;
  bool last_died_ = false;
};

void list_points() {
  for (const KillPointDescription& point : kKillPoints) {
    std::printf("%-32s %-9s %s\n", std::string(point.name).c_str(), std::string(point.program).c_str(),
                std::string(point.what).c_str());
  }
}

constexpr int kSkipped = 77;  // as tests/crash/CMakeLists.txt says

// A first passing that nobody reaches means that the list promises what is not there. Where it takes an attempt that
// dies behind a seal, chance has a say.
constexpr int kTries = 5;

bool run_each(Campaign& campaign, const Options& options) {
  bool all_reached = true;
  for (std::uint32_t passing = 1; passing <= options.each; ++passing) {
    for (const auto& [point, side] : points_of(campaign.outputs())) {
      if (options.outputs() != Outputs::OnDisk && !point.starts_with("store-") && !point.starts_with("hdfs-")) continue;
      for (int i = 0; i < (passing > 1 ? 1 : kTries); ++i) {
        if (!campaign.run(plan_for(point, passing, side)) && !options.keep_going) return false;
        if (campaign.last_died()) break;
      }
      if (passing > 1 || campaign.last_died()) continue;
      std::printf("NOT REACHED: %s in a %s\n", point.c_str(), side == Side::Master ? "master" : "worker");
      all_reached = false;
    }
  }
  return all_reached;
}

// Each operation of each side until nobody gets that far.
bool run_faults(Campaign& campaign, const Options& options) {
  for (const Side side : {Side::Master, Side::Worker}) {
    for (const char* const op : {"create", "write", "sync", "rename"}) {
      if (side == Side::Worker && std::string_view(op) == "rename") continue;  // it renames nothing
      for (const char* const error : {"enospc", "eio"}) {
        for (std::uint32_t passing = 1;; passing += options.faults) {
          if (!campaign.run(plan_for(Fault{op, error, passing}, side)) && !options.keep_going) return false;
          if (!campaign.last_died()) break;
        }
      }
    }
  }
  return true;
}

bool run_all(Campaign& campaign, const Options& options) {
  if (!options.point.empty()) {
    return campaign.run(
        plan_for(options.point, options.passing, options.side == "master" ? Side::Master : Side::Worker));
  }
  if (!options.fault.empty()) {
    const std::size_t colon = options.fault.find(':');
    return campaign.run(
        plan_for(Fault{options.fault.substr(0, colon), options.fault.substr(colon + 1), options.passing},
                 options.side == "master" ? Side::Master : Side::Worker));
  }
  if (options.seed != 0) return campaign.run(random_plan(options.seed, campaign.outputs()));
  bool good = run_each(campaign, options);
  if (options.faults != 0 && (good || options.keep_going)) good = run_faults(campaign, options) && good;
  for (std::uint64_t i = 0; i < options.cycles && (good || options.keep_going); ++i) {
    good = campaign.run(random_plan(options.from + i, campaign.outputs())) && good;
    if ((i + 1) % 100 == 0) {
      campaign.report();
      std::fflush(stdout);
    }
  }
  return good;
}

int main_of(int argc, char** argv) {
  Options options;
  CLI::App app("Crashes clusters of the real programs at their kill points and looks whether anything is lost.");
  app.add_flag("--list", options.list, "List the kill points");
  app.add_option("--each", options.each, "Die at the first N passings of every point");
  app.add_option("--cycles", options.cycles, "So many random cycles");
  app.add_option("--from", options.from, "Seed of the first of them")->capture_default_str();
  app.add_option("--seed", options.seed, "Only this random cycle");
  app.add_option("--point", options.point, "Only this point");
  app.add_option("--passing", options.passing, "Its passing")->capture_default_str();
  app.add_option("--in", options.side, "Who passes it")->check(flags::one_of({"master", "worker"}));
  app.add_option("--faults", options.faults, "Let every N-th operation on the disk fail, one in each cycle");
  app.add_option("--fault", options.fault, "Only this fault, such as write:enospc, at --passing");
  app.add_flag("--store", options.store, "Outputs go to a store that speaks S3; --each is about its points");
  app.add_flag("--hdfs", options.hdfs, "Outputs go to HDFS; --each is about its points and those of stores");
  app.add_flag("--keep-going", options.keep_going, "Go on after a failure");
  flags::parse_or_exit(app, argc, argv);
  if (options.list) return list_points(), 0;
  if (options.store && !ObjectStore::is_there()) {
    std::printf("SKIPPED: there is no versitygw (scripts/install-dependencies --tests)\n");
    return kSkipped;
  }
  if (options.hdfs && !MiniHdfs::is_there()) {
    std::printf("SKIPPED: there is no HDFS (scripts/install-dependencies --tests)\n");
    return kSkipped;
  }
  Campaign campaign(argv[0], options.outputs());
  const bool good = run_all(campaign, options);
  campaign.report();
  return good && campaign.failures() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ontime::test

int main(int argc, char** argv) { return ontime::test::main_of(argc, argv); }
