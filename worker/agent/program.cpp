#include "worker/agent/program.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <thread>

#include "common/base/descriptor.h"
#include "common/base/machine.h"
#include "common/base/machine_use.h"
#include "common/base/wording.h"
#include "common/flags/everything_written.h"
#include "common/log/log.h"
#include "common/net/token.h"
#include "common/store/access.h"
#include "worker/agent/ending_notice.h"
#include "worker/agent/main_loop.h"
#include "worker/agent/options.h"

namespace ontime::worker {
namespace {

constexpr std::uint64_t kDescriptorsBeside = 256;
constexpr std::uint64_t kDescriptorsOfSlot = 8;

int complain(const Error& error) {
  std::fputs(complaint("ontime-worker", error.message).c_str(), stderr);
  return error.kind == ErrorKind::BadInput ? 2 : 1;
}

MasterLink::Options link_options(const Options& options) {
  MasterLink::Options link;
  link.masters = options.masters;
  link.token = options.token;
  link.tls = options.tls;
  link.name = options.name;
  link.host = options.host;
  link.incarnation = net::make_token();
  link.slots = options.slots;
  link.connect_timeout = options.connect_timeout;
  link.machine_use = [meter = MachineMeter(machine_share())]() mutable { return meter.look(); };
  if (options.parent == 0) link.warning = options.warning;
  return link;
}

Slots::Options slots_options(const Options& options) {
  Slots::Options slots;
  slots.slots = options.slots;
  slots.application_directories = options.application_directories;
  slots.node_name = options.name;
  slots.input_roots = options.input_roots;
  slots.output_roots = options.output_roots;
  slots.limits = options.confinement.limits;
  if (options.confinement.run_as) slots.user = options.confinement.run_as->user;
  slots.users = options.users;
  slots.has_only_own_apps = options.has_only_own_apps;
  return slots;
}

// A store that cannot be reached, or a name server that does not answer, would hold up the end.
void end_at_the_latest(int status) {
  static constexpr auto kEndMax = std::chrono::seconds(2);
  std::thread([status] {
    std::this_thread::sleep_for(kEndMax);
    spdlog::warn("threads_left_behind message=\"they wait for a store, or remove what jobs have left\"");
    spdlog::default_logger()->flush();
    std::_Exit(status);
  }).detach();
}

// The composition root. Gives the exit status.
int run(const Options& options) {
  if (!options.is_local_only) {
    if (Status status = store::load_network(); !status) return complain(status.error());
  }
  if (Status enough = allow_open_files(); !enough) return complain(enough.error());
  store::prepare_process();
  asio::io_context io(1);
  const auto executor = io.get_executor();
  // Before any other process is started: from then on there is something to clean up.
  asio::signal_set signals(io, SIGTERM, SIGINT);
  AttemptOutputs outputs(executor, options.output_roots);
  Confinement confinement = options.confinement;
  if (!confinement.output_roots.empty()) {
    auto scratch = outputs.scratch();
    if (!scratch) return complain(scratch.error());
    confinement.output_roots.push_back(std::move(*scratch));
  }
  // A runner takes two, and as many may be kept as work. Not all that may be had: runners inherit the limit, and
  // programs that look at each descriptor there might be would look at a million.
  raise_descriptor_limit(kDescriptorsBeside + kDescriptorsOfSlot * std::uint64_t{options.slots});
  std::function<void()> watch;
  MainLoop loop;
  loop.slots = slots_options(options);
  loop.master = link_options(options);
  loop.drain_timeout = options.drain_timeout;
  if (options.time_limit) loop.end = std::chrono::steady_clock::now() + *options.time_limit;
  loop.lead = options.time_limit_lead;
  loop.start_launcher = [&options, &confinement] {
    std::vector<std::string> arguments = to_arguments(confinement);
    if (!options.is_local_only) arguments.insert(arguments.begin(), "--load-network");
    return start_launcher(launcher_path(), std::move(arguments),
                          environment_of_attempts(environ, options.attempt_environment));
  };
  loop.watch_signals = [&](std::function<void(int)> on_told_to_end) {
    watch = [&watch, &signals, on_told_to_end = std::move(on_told_to_end)] {
      signals.async_wait([&](const asio::error_code& error, int signal) {
        if (error) return;
        on_told_to_end(signal);
        watch();
      });
    };
    watch();
  };
  std::optional<EndingNotice> notice;
  if (!options.ending_notice.empty()) {
    loop.watch_notice = [&](std::function<void()> on_notice) {
      notice.emplace(options.ending_notice,
                     [executor, on_notice = std::move(on_notice)] { asio::post(executor, on_notice); });
    };
  }
  loop.on_end = [](const Status& end) { end_at_the_latest(end ? 0 : 1); };
  const Status end = run(io, outputs, std::move(loop));
  if (!end) complain(end.error());
  return end ? 0 : 1;
}

int complain_of_parent(pid_t parent) {
  return complain(failed("--die-with-parent: process " + std::to_string(parent) +
                         " did not start this one, or has ended; name the process that starts it"));
}

}  // namespace

int main_of(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // what reads the log may end before the worker
  const auto parsed = parse_options(argc, argv);
  if (const int* status = std::get_if<int>(&parsed)) return flags::with_everything_written("ontime-worker", *status);
  const auto& options = std::get<Options>(parsed);
  if (options.parent != 0 && !die_with_parent(options.parent)) return complain_of_parent(options.parent);
  if (auto ready = log::set_up(options.log); !ready) return complain(ready.error());
  return run(options);
}

}  // namespace ontime::worker
