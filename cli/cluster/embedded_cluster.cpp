#include "cli/cluster/embedded_cluster.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "common/base/machine.h"
#include "common/base/wording.h"
#include "common/injection/injection.h"
#include "common/injection/settings.h"
#include "common/net/token.h"

namespace ontime::cli {
namespace {

std::string in_ns(Duration duration) { return std::to_string(duration.count()) + "ns"; }

// A log file that is to be kept must be there for all children, wherever they stand.
std::string absolute(const std::string& path) {
  std::error_code error;
  const auto found = std::filesystem::absolute(path, error);
  return error ? path : found.string();
}

// The flags as they were given.
std::vector<std::string> injection_arguments(const injection::Flags& flags) {
  std::vector<std::string> arguments;
  for (const auto& setting : flags.settings) arguments.insert(arguments.end(), {"--inject", setting});
  if (!flags.file.empty()) arguments.insert(arguments.end(), {"--injection", flags.file});
  if (flags.seed) arguments.insert(arguments.end(), {"--seed", std::to_string(*flags.seed)});
  return arguments;
}

struct Worker {
  std::string name;
  std::uint32_t slots = 1;
};
std::vector<Worker> workers_of(const ClusterOptions& options) {
  auto groups = options.groups;
  if (groups.empty()) groups.push_back({.count = options.workers, .slots = options.slots});
  std::vector<Worker> workers;
  for (const WorkerGroup& group : groups)
    for (std::uint32_t i = 1; i <= group.count; ++i)
      workers.push_back({group.name + "-" + std::to_string(i), group.slots});
  return workers;
}

}  // namespace

std::vector<std::string> doubts_about(const ClusterOptions& options, std::uint32_t tasks, std::uint32_t cores) {
  constexpr std::uint64_t kSlotsOfCoreMost = 4;
  std::vector<std::string> doubts;
  const auto injection = injection::load(options.injection);
  if (!injection) return doubts;
  const std::vector<Worker> workers = workers_of(options);
  if (!*injection) {
    std::uint64_t slots = 0;
    for (const Worker& worker : workers) slots += worker.slots;
    if (slots > kSlotsOfCoreMost * cores)
      doubts.push_back("note: " + counted(slots, "slot") + " for " + counted(tasks, "task") + " share " +
                       counted(cores, "core") + "; without --workers and --slots there is one for each core");
    return doubts;
  }
  for (const injection::NodeRule& rule : (*injection)->nodes) {
    const auto is_named = [&](const Worker& worker) { return injection::matches(rule.pattern, worker.name); };
    if (std::ranges::none_of(workers, is_named))
      doubts.push_back("note: nothing is injected by node=" + rule.pattern + ": no worker is called so, only " +
                       workers.front().name + (workers.size() > 1 ? " to " + workers.back().name : ""));
  }
  return doubts;
}

EmbeddedCluster::EmbeddedCluster(std::unique_ptr<files::TemporaryDirectory> directory, ClusterOptions options)
    : directory_(std::move(directory)), options_(std::move(options)), token_(net::make_token()) {}

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::start(const ClusterOptions& options) {
  // The master would refuse it too, but later and less directly.
  if (auto injection = injection::load(options.injection); !injection) return std::move(injection).error();
  if (Status enough = allow_open_files(); !enough) return enough.error();
  auto directory = files::TemporaryDirectory::make();
  if (!directory) return directory.error();
  std::unique_ptr<EmbeddedCluster> cluster(new EmbeddedCluster(std::move(*directory), options));
  if (auto status = cluster->listen(); !status) return status.error();
  if (auto status = cluster->start_master(); !status) return status.error();
  Duration later{};
  for (const Worker& worker : workers_of(options)) {
    if (auto status = cluster->start_worker(worker.name, worker.slots, later); !status) return status.error();
    later = options.others_wait;
  }
  return cluster;
}

Status EmbeddedCluster::listen() {
  listener_ = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!listener_ || bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), SOMAXCONN) != 0 ||
      getsockname(listener_.get(), generic, &size) != 0)
    return failed(std::string("cannot listen on 127.0.0.1: ") + std::strerror(errno));
  // Binding succeeds without a route to it, too. Nothing is sent.
  const Descriptor probe(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (probe && connect(probe.get(), generic, size) != 0)
    return failed(std::string("cannot reach 127.0.0.1: ") + std::strerror(errno) +
                  "; bring the loopback interface up, for instance with 'ip link set lo up'");
  endpoint_ = {.host = "127.0.0.1", .port = ntohs(address.sin_port)};
  return {};
}

ChildProgram EmbeddedCluster::program(const std::string& file, const std::string& name, const std::string& path) const {
  ChildProgram child;
  child.name = name;
  child.path = path;
  child.arguments = {"--die-with-parent", std::to_string(getpid()), "--log-level", options_.log_level};
  child.environment = {"ONTIME_TOKEN=" + token_, "ONTIME_TLS_DIR="};  // a token of its own, and no TLS
  child.log_path = directory_->path() + "/" + file + ".log";
  if (options_.is_local_only) child.arguments.emplace_back("--local-only");
  if (!options_.log_file.empty())
    child.arguments.insert(child.arguments.end(), {"--log-file", absolute(options_.log_file)});
  return child;
}

Status EmbeddedCluster::start_master() {
  const auto path = sibling_program("ontime-master");
  if (!path) return path.error();
  auto master = program("master", "master", *path);
  master.inherited_descriptor = listener_.get();
  const std::vector<std::string> more{"--listen-fd",     std::to_string(kInheritedDescriptor),
                                      "--journal",       journal(),
                                      "--journal-sync",  "off",
                                      "--history-limit", "0",  // nobody comes after it
                                      "--node-timeout",  in_ns(options_.node_timeout),
                                      "--heartbeat",     in_ns(options_.heartbeat),
                                      "--job-order",     "policy"};  // what experiments compare
  if (!options_.access_points.empty())
    master.arguments.insert(master.arguments.end(), {"--access-points", absolute(options_.access_points)});
  if (!options_.record) master.arguments.insert(master.arguments.end(), {"--recording-limit", "0"});
  master.arguments.insert(master.arguments.end(), more.begin(), more.end());
  const std::vector<std::string> disturbing = injection_arguments(options_.injection);
  master.arguments.insert(master.arguments.end(), disturbing.begin(), disturbing.end());
  return supervisor_.start_child(std::move(master));
}

Status EmbeddedCluster::start_worker(const std::string& name, std::uint32_t slots, Duration later) {
  const auto path = sibling_program("ontime-worker");
  if (!path) return path.error();
  auto worker = program(name, name, *path);
  const std::vector<std::string> more{"--master", net::to_string(endpoint_), "--slots", std::to_string(slots), "--name",
                                      name,       "--attempt-env",           "*",       "--drain-timeout",     "0s"};
  worker.arguments.insert(worker.arguments.end(), more.begin(), more.end());
  if (options_.attempt_memory > 0)
    worker.arguments.insert(worker.arguments.end(), {"--attempt-memory", std::to_string(options_.attempt_memory)});
  for (const auto& directory : options_.application_directories)
    worker.arguments.insert(worker.arguments.end(), {"--app-dir", absolute(directory)});
  return supervisor_.start_child(std::move(worker), later);
}

}  // namespace ontime::cli
