#include "lab/experiment/backend.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "cli/client/follow.h"
#include "cli/cluster/embedded_cluster.h"
#include "cli/cluster/interrupt.h"
#include "cli/commands/execute.h"
#include "cli/text_file.h"
#include "common/injection/settings.h"

namespace ontime::lab::experiment {

using namespace cli;
namespace {

using namespace std::chrono_literals;

constexpr auto kStartMost = 120s;  // for all workers to register

class Simulator final : public Backend {
 public:
  explicit Simulator(const Scenario& scenario) : scenario_(scenario) {}
  Result<Results> carry_out(const Run& run, const Baselines& baselines, const Show&) override {
    return simulate(scenario_, run, baselines, [] { return interrupts() > 0; });
  }
  std::uint32_t slots() const override { return slots_of(scenario_); }

 private:
  const Scenario& scenario_;
};

std::uint32_t live_slots(const wire::Reply::Nodes& nodes) {
  std::uint32_t slots = 0;
  for (const auto& node : nodes.nodes()) slots += node.state() == "live" ? node.slots() : 0;
  return slots;
}

// What the two kinds of real clusters share.
class RealCluster : public Backend {
 public:
  RealCluster(const ExperimentCommand& command, const Scenario& scenario, std::string work)
      : command_(command),
        scenario_(scenario),
        work_(std::move(work)),
        inputs_(work_ + "/input"),
        answers_(work_ + "/answer", command.application_directories) {}
  ~RealCluster() override {
    std::error_code ignored;
    std::filesystem::remove_all(work_, ignored);
  }

 protected:
  Status prepare(const Run& run) {
    std::error_code ignored;
    std::filesystem::remove_all(work_ + "/output", ignored);
    return inputs_.prepare(scenario_, run.jobs);
  }
  // On the cluster that `client` reaches. `stop` is called before the answers are looked at.
  Result<Results> carry_out_on(
      MasterClient& client, const Run& run, const Baselines& baselines, const Show& show, std::function<Status()> watch,
      const std::function<void()>& stop = [] {}) {
    ClusterRun work({scenario_, run, baselines, inputs_, work_ + "/output", show, std::move(watch)}, client);
    auto results = work.carry_out();
    stop();
    for (std::size_t i = 0; results && i < run.jobs.size(); ++i) {
      const std::string output = work.output_of(i);
      if (output.empty()) continue;
      const JobGroup& group = scenario_.jobs[run.jobs[i].group];
      if (auto good = answers_.check(output, group, inputs_.of(group, run.jobs[i].tasks)); !good) {
        return failed("job " + std::to_string(i + 1) + " of " + ResultDirectory::name_of(run) +
                      " has a wrong answer: " + good.error().message);
      }
    }
    std::error_code ignored;
    if (results) std::filesystem::remove_all(work_ + "/output", ignored);
    return results;
  }

  const ExperimentCommand& command_;
  const Scenario& scenario_;

 private:
  const std::string work_;
  Inputs inputs_;
  Answers answers_;
};

// A cluster of its own for each run, so that policies do not learn from each other.
class LocalCluster final : public RealCluster {
 public:
  LocalCluster(const ExperimentCommand& command, const Scenario& scenario, const ResultDirectory& directory,
               std::string work)
      : RealCluster(command, scenario, std::move(work)), injection_file_(directory.path() + "/injection.yaml") {}
  Result<Results> carry_out(const Run& run, const Baselines& baselines, const Show& show) override;
  std::uint32_t slots() const override { return slots_of(scenario_); }

 private:
  ClusterOptions options_of(const Run& run) const;
  Status wait_for_workers(MasterClient& client) const;

  const std::string injection_file_;
};

ClusterOptions LocalCluster::options_of(const Run& run) const {
  ClusterOptions options;
  for (const auto& group : scenario_.nodes) options.groups.push_back({group.name, group.count, group.slots});
  options.node_timeout = from_seconds(scenario_.node_timeout);
  options.heartbeat = from_seconds(scenario_.heartbeat);
  options.log_level = "error";
  options.application_directories = command_.application_directories;
  if (!scenario_.injection_text.empty()) options.injection.file = injection_file_;
  options.injection.seed = run.seed;
  return options;
}

Status LocalCluster::wait_for_workers(MasterClient& client) const {
  const auto give_up_at = std::chrono::steady_clock::now() + kStartMost;
  for (;;) {
    const auto nodes = client.list_nodes();
    if (!nodes && nodes.error().kind != ErrorKind::Unavailable) return nodes.error();
    const std::uint32_t there = nodes ? live_slots(*nodes) : 0;
    if (there >= slots()) return {};
    if (std::chrono::steady_clock::now() > give_up_at) {
      return failed("only " + std::to_string(there) + " of " + std::to_string(slots()) +
                    " slots have registered within two minutes");
    }
    std::this_thread::sleep_for(50ms);
  }
}

Result<Results> LocalCluster::carry_out(const Run& run, const Baselines& baselines, const Show& show) {
  if (auto ready = prepare(run); !ready) return ready.error();
  auto cluster = EmbeddedCluster::start(options_of(run));
  if (!cluster) return cluster.error();
  MasterClient::Options options;
  options.masters = (*cluster)->master();
  options.token = (*cluster)->token();
  options.patience = 30s;
  const auto watch = [&] {
    auto status = check_interrupts();
    return status ? (*cluster)->tend() : status;
  };
  options.watch = watch;
  MasterClient client(std::move(options));
  if (auto ready = wait_for_workers(client); !ready) return ready.error();
  return carry_out_on(client, run, baselines, show, watch, [&] { (*cluster)->stop(); });
}

// A cluster that is there. Nobody's but the experiment's jobs should run on it.
class ExistingCluster final : public RealCluster {
 public:
  ExistingCluster(const ExperimentCommand& command, const Scenario& scenario, std::string work,
                  MasterClient::Options options)
      : RealCluster(command, scenario, std::move(work)), client_(std::move(options)) {}
  Status look();
  Result<Results> carry_out(const Run& run, const Baselines& baselines, const Show& show) override;
  std::uint32_t slots() const override { return slots_; }
  std::string remark() const override { return remark_; }

 private:
  MasterClient client_;
  std::uint32_t slots_ = 0;
  std::string remark_;
};

Status ExistingCluster::look() {
  const auto nodes = client_.list_nodes();
  if (!nodes) return nodes.error();
  slots_ = live_slots(*nodes);
  if (slots_ == 0) return bad_input("the cluster at " + command_.on + " has no worker");
  auto wanted = *scenario_.injection;
  wanted.seed = scenario_.seed;
  const std::string text = injection::describe(wanted);
  const bool wants_any = !scenario_.injection_text.empty();
  if (wants_any && nodes->injection() != text) {
    return bad_input("the scenario wants '" + text + "' to be injected, but the master at " + command_.on +
                     " injects " + (nodes->injection().empty() ? "nothing" : "'" + nodes->injection() + "'") +
                     "; start it with --seed " + std::to_string(scenario_.seed) + " --injection FILE, where FILE is " +
                     "injection.yaml of the result directory");
  }
  if (slots_ != slots_of(scenario_)) {
    remark_ = "the cluster has " + std::to_string(slots_) + " slots, the scenario " +
              std::to_string(slots_of(scenario_)) + ": jobs arrive as planned for the latter";
  }
  return {};
}

Result<Results> ExistingCluster::carry_out(const Run& run, const Baselines& baselines, const Show& show) {
  if (auto ready = prepare(run); !ready) return ready.error();
  return carry_out_on(client_, run, baselines, show, [] { return check_interrupts(); });
}

}  // namespace

Result<std::unique_ptr<Backend>> make_backend(const ExperimentCommand& command, const Scenario& scenario,
                                              const ResultDirectory& directory) {
  if (command.on == "sim") return std::unique_ptr<Backend>(new Simulator(scenario));
  if (auto written = directory.write("injection.yaml", scenario.injection_text); !written) return written.error();
  std::string work = directory.work();
  if (!command.work.empty()) {
    work =
        std::filesystem::absolute(command.work).lexically_normal().string() + "/experiment-" + std::to_string(getpid());
  }
  if (auto made = make_directory(work); !made) return made.error();
  if (command.on == "local") return std::unique_ptr<Backend>(new LocalCluster(command, scenario, directory, work));
  MasterOptions master = command.master;
  master.address = command.on;
  auto options = client_options(master);
  if (!options) return options.error();
  options->patience = 30s;
  options->watch = [] { return check_interrupts(); };
  auto cluster = std::make_unique<ExistingCluster>(command, scenario, work, std::move(*options));
  if (auto good = cluster->look(); !good) return good.error();
  return std::unique_ptr<Backend>(std::move(cluster));
}

}  // namespace ontime::lab::experiment
