#include <spdlog/spdlog.h>

#include <cstdio>
#include <cstdlib>

#include "cli/client/master_client.h"
#include "lab/machines/disk.h"
#include "lab/machines/network.h"
#include "lab/machines/programs.h"

using namespace ontime;
using namespace ontime::lab::machines;

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  spdlog::set_level(argc > 3 ? spdlog::level::debug : spdlog::level::warn);
  const std::string apps = argv[2];
  Cluster cluster(seed, from_unix_ns(1'790'000'000'000'000'000));
  cluster.real_paths = {apps};
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "the quick brown fox " + std::to_string(i) + "\n";
  cluster.shared->put("/in/a.txt", text);
  auto& machine = cluster.add_machine("m0");
  start_master(cluster, machine, {});
  for (int i = 1; i <= 3; ++i) {
    auto& node = cluster.add_machine("n" + std::to_string(i));
    start_worker(cluster, node, {machine.address(), "n" + std::to_string(i), 2, {apps}});
  }
  auto& desk = cluster.add_machine("desk");
  bool is_done = false;
  cluster.start(desk, "client", [&] {
    cli::MasterClient client({.endpoint = {"10.0.0.1", kMasterPort}, .token = "", .tls = nullptr, .watch = {}});
    wire::JobSpec spec;
    spec.set_application("wordcount");
    spec.add_inputs("/shared/in/a.txt");
    spec.set_output("/shared/out");
    spec.set_splits(6);
    spec.set_attempts_max(4);
    for (;;) {
      const auto submitted = client.submit(spec);
      if (submitted) {
        const JobId job{submitted->job()};
        for (;;) {
          const auto view = client.describe(job, {}, std::chrono::seconds(10));
          if (!view) { std::printf("describe: %s\n", view.error().message.c_str()); continue; }
          std::printf("%.6f job %u state %d done %u\n", seconds(cluster.world.now().time_since_epoch()) - 1.79e9,
                      job.value, static_cast<int>(view->summary().state()), view->summary().tasks_done());
          if (view->summary().ended_unix_ns() != 0) break;
        }
        break;
      }
      std::printf("submit: %s\n", submitted.error().message.c_str());
      timespec pause{1, 0};
      nanosleep(&pause, nullptr);
    }
    is_done = true;
    return 0;
  });
  while (!is_done && cluster.world.step()) {
  }
  std::printf("%.6f steps %llu\n", seconds(cluster.world.now().time_since_epoch()) - 1.79e9,
              static_cast<unsigned long long>(cluster.world.steps()));
  const auto out = cluster.shared->find("/out");
  if (out) for (const auto& [name, inode] : out->entries) std::printf("%s %zu\n", name.c_str(), inode->bytes.size());
  std::fflush(nullptr);
  std::quick_exit(0);
}
