#include "tests/machines/programs.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <array>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <csignal>
#include <utility>

#include "common/files/file_system.h"
#include "common/log/fields.h"
#include "common/net/coroutine.h"
#include "common/net/sockets.h"
#include "common/net/token.h"
#include "master/journal/rocksdb_journal.h"
#include "master/master.h"
#include "master/recording/block.h"
#include "master/recording/recorder.h"
#include "master/succession.h"
#include "tests/machines/network.h"
#include "worker/agent/main_loop.h"
#include "worker/runner/launcher.h"

namespace ontime::lab::machines {
namespace {

int complain(const Error& error) {
  spdlog::error("program_ended message={}", log::Quoted{error.message});
  return 1;
}

// The journal, once this master has it.
Result<std::unique_ptr<journal::Journal>> own_journal(const MasterProgram& program) {
  auto opened = journal::RocksdbJournal::open(program.journal, {program.settings.journal_sync});
  if (!opened) return opened.error();
  return std::unique_ptr<journal::Journal>(std::move(*opened));
}

// The same, once this master leads.
Result<std::unique_ptr<journal::Journal>> shared_journal(const MasterProgram& program, asio::io_context& io,
                                                         asio::ip::tcp::acceptor& socket, std::uint32_t address) {
  if (const int problem = files::make_directories(program.journal); problem != 0)
    return files::system_error("make the directory", program.journal, problem);
  journal::EtcdSettings settings;
  settings.lease = program.lease;
  settings.name = net::to_string(master_at(address));
  settings.log_bytes_min = program.snapshot_bytes;
  auto opened = journal::EtcdJournal::open(journal::parse_etcd_address(program.etcd).value(), std::move(settings));
  if (!opened) return opened.error();
  (*opened)->on_lost([](const std::string& why) { std::_Exit(complain(failed(why))); });
  net::HostIdentity identity;
  identity.cluster = (*opened)->cluster();
  identity.follows = std::string();
  const Result<bool> leads = master::wait_to_lead(io, **opened, socket, nullptr, identity);
  if (!leads) return leads.error();
  return std::unique_ptr<journal::Journal>(std::move(*opened));
}

int run_master(const MasterProgram& program, std::uint32_t address) {
  asio::io_context io(1);
  const bool is_shared = !program.etcd.empty();
  Result<std::unique_ptr<journal::Journal>> opened = std::unique_ptr<journal::Journal>();
  if (!is_shared) opened = own_journal(program);
  if (!opened) return complain(opened.error());
  auto socket = net::listen(io.get_executor(), master_at(address), net::Reach::AnyNetwork);
  if (!socket) return complain(socket.error());
  if (is_shared) opened = shared_journal(program, io, *socket, address);
  if (!opened) return complain(opened.error());
  std::unique_ptr<journal::Journal> journal = std::move(*opened);
  if (program.wrap) journal = program.wrap(std::move(journal));
  const auto at_failure = [](const Error& error) { std::_Exit(complain(error)); };
  auto recorder = std::make_unique<recording::Recorder>(recording::Recorder::Options{
      recording::recordings_of(program.journal), program.settings.recording_bytes_max, [](const std::string&) {}});
  auto master =
      master::Master::make(io, *journal, program.settings, std::move(*socket), at_failure, std::move(recorder));
  if (!master) return complain(master.error());
  if (program.watch) program.watch(master->get());
  (*master)->start();
  io.run();
  return 0;
}

// SIGTERM, which a simulated process reads from a descriptor.
asio::awaitable<void> await_end(asio::posix::stream_descriptor& signals, std::function<void(int)> on_told_to_end) {
  for (;;) {
    const auto [error] = co_await signals.async_wait(asio::posix::stream_descriptor::wait_read, net::no_throw);
    signalfd_siginfo info{};
    if (error || ::read(signals.native_handle(), &info, sizeof info) < 0) co_return;
    if (info.ssi_signo == SIGTERM) on_told_to_end(SIGTERM);
  }
}

// What a launcher is: a process that starts others, each with the same descriptors.
pid_t fork_runner(const std::string& name, const std::function<double()>& pace, const std::function<void()>& body) {
  Process& launcher = World::here()->process();
  if (!launcher.machine().can_fork) {
    errno = EAGAIN;
    return -1;
  }
  const auto main = [body] {
    body();
    return 0;
  };
  Process& runner = launcher.machine().cluster().start(launcher.machine(), name, main, launcher.id(), launcher.slots());
  if (pace) runner.pace = pace();
  return runner.id();
}

Result<worker::StartedLauncher> launch(const std::function<double()>& pace) {
  std::array<int, 2> sockets{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) return failed("no socket pair");
  worker::StartedLauncher started{Descriptor(sockets[0]), 0};
  const Descriptor theirs(sockets[1]);
  Process& worker = World::here()->process();
  if (!worker.machine().can_fork) return failed("no process can be started");
  constexpr int kSocket = 3;
  const auto main = [pace, name = "runner of " + worker.name()] {
    const auto fork = [&](const std::function<void()>& body) { return fork_runner(name, pace, body); };
    return worker::Launcher(Descriptor(kSocket), worker::Confinement(), fork).run();
  };
  std::map<int, Slot> slots{{kSocket, {Held(worker.at(theirs.get())), true}}};
  started.pid = worker.machine()
                    .cluster()
                    .start(worker.machine(), "launcher of " + worker.name(), main, worker.id(), std::move(slots))
                    .id();
  return started;
}

int run_worker(const WorkerProgram& program, const std::string& host) {
  asio::io_context io(1);
  worker::AttemptOutputs outputs(io.get_executor());
  worker::MainLoop loop;
  loop.slots = {program.slots, program.application_directories, program.name};
  loop.master.masters = program.masters;
  loop.master.name = program.name;
  loop.master.host = host;
  loop.master.incarnation = net::make_token();
  loop.master.slots = program.slots;
  loop.master.connect_timeout = std::chrono::hours(1);
  loop.drain_timeout = program.drain_timeout;
  loop.start_launcher = [&program] { return launch(program.pace); };
  sigset_t wanted{};
  asio::posix::stream_descriptor signals(io, ::signalfd(-1, &wanted, SFD_NONBLOCK));
  loop.watch_signals = [&](std::function<void(int)> on_told_to_end) {
    asio::co_spawn(io, await_end(signals, std::move(on_told_to_end)), net::AbortOnException{"signals"});
  };
  const Status ended = worker::run(io, outputs, std::move(loop));
  return ended ? 0 : complain(ended.error());
}

}  // namespace

std::string dotted(std::uint32_t host) {
  return std::to_string(host >> 24) + "." + std::to_string(host >> 16 & 255) + "." + std::to_string(host >> 8 & 255) +
         "." + std::to_string(host & 255);
}

net::Endpoint master_at(std::uint32_t host) { return {dotted(host), kMasterPort}; }

Process& start_master(Cluster& cluster, Machine& machine, const MasterProgram& program) {
  return cluster.start(machine, "master",
                       [program, address = machine.address()] { return run_master(program, address); });
}

Process& start_worker(Cluster& cluster, Machine& machine, const WorkerProgram& program) {
  return cluster.start(machine, "worker " + program.name,
                       [program, host = machine.name()] { return run_worker(program, host); });
}

}  // namespace ontime::lab::machines
