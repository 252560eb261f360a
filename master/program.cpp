#include "master/program.h"

#include <spdlog/spdlog.h>

#include <asio/io_context.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "common/base/descriptor.h"
#include "common/base/kill_point.h"
#include "common/base/machine.h"
#include "common/base/program_path.h"
#include "common/base/wording.h"
#include "common/files/file_system.h"
#include "common/flags/everything_written.h"
#include "common/injection/settings.h"
#include "common/log/fields.h"
#include "common/log/log.h"
#include "common/net/sockets.h"
#include "common/store/network.h"
#include "master/command_line.h"
#include "master/journal/etcd_journal.h"
#include "master/journal/rocksdb_journal.h"
#include "master/journal_tools.h"
#include "master/master.h"
#include "master/notices/notifiers.h"
#include "master/operator_signals.h"
#include "master/recording/block.h"
#include "master/recording/recorder.h"
#include "master/succession.h"

namespace ontime::master {
namespace {

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

int complain(const Error& error) {
  std::fputs(complaint("ontime-master", error.message).c_str(), stderr);
  return error.kind == ErrorKind::BadInput ? kBadUsage : kFailed;
}

// Such as /dev/null or a pipe.
bool is_special(const std::string& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  return type != std::filesystem::file_type::not_found && type != std::filesystem::file_type::regular;
}

// Before a journal is made that nobody would use.
Status check_port_file(const std::string& path) {
  if (path.empty()) return {};
  const std::string place = is_special(path) ? path : std::filesystem::absolute(path).parent_path().string();
  return ::access(place.c_str(), W_OK) == 0 ? Status() : files::system_error("write the port file", path, errno);
}

// A reader of the file sees the whole port. What is no plain file is not replaced by one.
Status write_port_file(const std::string& path, std::uint16_t port) {
  const bool is_in_place = is_special(path);
  const std::string temporary = is_in_place ? path : path + ".new";
  const std::string text = std::to_string(port) + "\n";
  if (Status written = files::write_file(temporary, text); !written) return written;
  pass_kill_point("port-before-rename");
  const int problem = is_in_place ? 0 : files::rename(temporary, path);
  if (problem != 0) return files::system_error("write the port file", path, problem);
  pass_kill_point("port-renamed");
  return {};
}

// What is durable is not known any more: the next master on this journal finds out.
[[noreturn]] void end_at_journal_failure(const Error& error) {
  log::say("ontime-master: " + error.message + " The master ends now; start it again once that is put right.\n");
  spdlog::critical("journal_failed reason={}", log::Quoted{error.message});
  spdlog::default_logger()->flush();
  std::_Exit(kFailed);
}

Result<asio::ip::tcp::acceptor> open_socket(asio::io_context& io, const CommandLine& line) {
  if (line.listen_descriptor) return net::adopt_listener(io.get_executor(), *line.listen_descriptor, line.reach);
  return net::listen(io.get_executor(), line.listen, line.reach);
}

// A master that was killed holds its journal and its port until the kernel has ended it, and the kernel lets a write to
// a slow disk end first.
template <class Open>
auto take_over(const Open& open) {
  static constexpr auto kPredecessorMost = std::chrono::seconds(10);
  static constexpr auto kTryAgainAfter = std::chrono::milliseconds(50);
  const auto until = std::chrono::steady_clock::now() + kPredecessorMost;
  for (bool is_first = true;; is_first = false) {
    auto opened = open();
    if (opened || opened.error().kind != ErrorKind::Unavailable || std::chrono::steady_clock::now() >= until) {
      return opened;
    }
    if (is_first) spdlog::warn("master_waiting for=10s why={}", log::Quoted{opened.error().message});
    std::this_thread::sleep_for(kTryAgainAfter);
  }
}

struct Opened {
  std::unique_ptr<journal::Journal> journal;
  journal::SharedJournal* shared = nullptr;  // the same, if other masters have it too
  std::optional<asio::ip::tcp::acceptor> socket;
};

// The journal first: a second master on it must not be reachable.
Status open_own(asio::io_context& io, const CommandLine& line, Opened& opened) {
  auto journal = take_over([&] { return journal::RocksdbJournal::open(line.journal, {line.settings.journal_sync}); });
  if (!journal) return std::move(journal).error();
  opened.journal = std::move(*journal);
  auto socket = take_over([&] { return open_socket(io, line); });
  if (!socket) return std::move(socket).error();
  opened.socket.emplace(std::move(*socket));
  return {};
}

// The socket first: the other masters are told its port.
Status open_shared(asio::io_context& io, const CommandLine& line, Opened& opened) {
  if (const int problem = files::make_directories(line.state_directory); problem != 0) {
    return files::system_error("make the directory", line.state_directory, problem);
  }
  auto socket = take_over([&] { return open_socket(io, line); });
  if (!socket) return std::move(socket).error();
  journal::EtcdSettings settings = line.shared_journal->settings;
  if (settings.name.empty()) {
    const asio::ip::tcp::endpoint there = socket->local_endpoint();
    const std::string host = line.listen_descriptor ? there.address().to_string() : line.listen.host;
    settings.name = net::to_string({there.address().is_unspecified() ? host_name() : host, there.port()});
  }
  auto journal = journal::EtcdJournal::open(line.shared_journal->address, settings);
  if (!journal) return std::move(journal).error();
  opened.shared = journal->get();
  opened.journal = std::move(*journal);
  opened.socket.emplace(std::move(*socket));
  return {};
}

// The master that leads now must not be disturbed, so nothing is ended in order.
[[noreturn]] void end_at_loss(const std::string& why) {
  log::say("ontime-master: " + why + " It ends; start it again to follow.\n");
  spdlog::critical("leadership_lost reason={}", log::Quoted{why});
  spdlog::default_logger()->flush();
  std::_Exit(kFailed);
}

// Until this master leads. False: it was told to end before.
Result<bool> follow(asio::io_context& io, const CommandLine& line, journal::SharedJournal& journal,
                    asio::ip::tcp::acceptor& socket, OperatorSignals& signals) {
  journal.on_lost(end_at_loss);
  const std::uint16_t port = socket.local_endpoint().port();
  spdlog::info("master_waits_to_lead port={} cluster={} journal={}", port, journal.cluster(),
               log::Quoted{line.journal});
  if (!line.port_file.empty()) {
    if (Status written = write_port_file(line.port_file, port); !written) return std::move(written).error();
  }
  const Settings& settings = line.settings;
  return wait_to_lead(io, journal, socket, &signals,
                      {journal.cluster(), 0, signals.tokens(), settings.tls, settings.advise != 0, std::string()});
}

std::unique_ptr<recording::Recorder> make_recorder(const CommandLine& line) {
  if (line.settings.recording_bytes_max == 0) return nullptr;
  return std::make_unique<recording::Recorder>(recording::Recorder::Options{
      recording::recordings_of(line.state_directory), line.settings.recording_bytes_max,
      [](const std::string& why) { spdlog::warn("recording_stopped reason={}", log::Quoted{why}); }});
}

Error orphan(pid_t parent) {
  return failed("--die-with-parent: process " + std::to_string(parent) +
                " did not start this one, or has ended; name the process that starts it");
}

// Beside this program. If it is missing, a notice that it should tell says so.
std::string notifier_program() { return (program_path().parent_path() / "ontime-notifier").string(); }

bool has_no_roots(const JobRoots& roots) { return roots.input.are_everywhere() || roots.output.are_everywhere(); }

// Whatever hangs, the journal's disk included, the process ends soon after it was told to. What is not durable by then
// is lost as by kill.
void end_at_the_latest() {
  static constexpr auto kEndMax = std::chrono::seconds(10);
  std::thread([] {
    std::this_thread::sleep_for(kEndMax);
    log::say("ontime-master: did not end in order within 10 s, and ends at once.\n");
    std::_Exit(kFailed);
  }).detach();
}

// The journal is closed and unlocked, and all sockets are closed, even if threads are left behind. A master that dies
// with its parent ends as soon as its recording is complete: what its journal has is as safe as after a kill.
int end(std::unique_ptr<Master>& master, std::unique_ptr<journal::Journal>& journal, bool dies_with_parent) {
  const bool have_all_ended = master->stop();
  master.reset();
  if (have_all_ended && dies_with_parent) {
    spdlog::default_logger()->flush();
    std::_Exit(0);
  }
  journal.reset();
  if (have_all_ended) return 0;
  spdlog::warn("threads_left_behind message=\"they hang in a file system that does not answer\"");
  spdlog::default_logger()->flush();
  std::_Exit(0);
}

int run(const CommandLine& line) {
  // A crash is safe at any time, so the kernel may end this process with its parent at once.
  if (line.parent != 0 && !die_with_parent(line.parent)) return complain(orphan(line.parent));
  if (Status status = check_port_file(line.port_file); !status) return complain(status.error());
  if (!line.is_local_only) {
    if (Status status = store::load_network(); !status) return complain(status.error());
  }
  asio::io_context io(1);
  OperatorSignals signals(io, line.token_file, line.settings.tokens);  // SIGHUP may come at any time
  if (Status status = log::set_up(line.log); !status) return complain(status.error());
  Opened opened;
  const Status begun = line.shared_journal ? open_shared(io, line, opened) : open_own(io, line, opened);
  if (!begun) return complain(begun.error());
  auto& [journal, shared, socket] = opened;
  if (shared != nullptr) {
    const Result<bool> leads = follow(io, line, *shared, *socket, signals);
    if (!leads) return complain(leads.error());
    if (!*leads) return 0;
  }
  Settings settings = line.settings;
  settings.index_directory = line.state_directory + "/access-points";
  settings.history_directory = line.state_directory + "/history";
  const auto notifiers = std::make_shared<Notifiers>(io.get_executor(), notifier_program());
  settings.notices.tell = std::bind_front(&Notifiers::tell, notifiers);
  auto master = Master::make(io, *journal, settings, std::move(*socket), end_at_journal_failure, make_recorder(line));
  if (!master) return complain(master.error());
  pass_kill_point("journal-read");
  (*master)->set_tokens(signals.tokens());  // they may have come while it followed
  signals.serve({[&io, &master] {
                   end_at_the_latest();
                   (*master)->wind_down([&io] { io.stop(); });
                 },
                 [&master](net::Tokens tokens) { return (*master)->set_tokens(std::move(tokens)); }});
  (*master)->start();
  if (line.reach == net::Reach::AnyNetwork && !line.settings.tls) {
    spdlog::warn("insecure_network address={} message=\"orders and inputs' names cross this network in the clear\"",
                 net::to_string(line.listen));
  }
  if (line.reach == net::Reach::AnyNetwork && has_no_roots(line.settings.roots)) {
    spdlog::warn(
        "no_roots message=\"any client that may submit can read and write whatever the cluster's user can; "
        "--input-root and "
        "--output-root say where\"");
  }
  if (line.settings.injection) spdlog::info("injection_active {}", injection::describe(*line.settings.injection));
  spdlog::info("master_listening port={} tls={} cluster={} journal={}", (*master)->port(),
               line.settings.tls ? "yes" : "no", journal->cluster(), log::Quoted{line.journal});
  if (!line.port_file.empty()) {
    if (Status status = write_port_file(line.port_file, (*master)->port()); !status) return complain(status.error());
  }
  io.run();
  notifiers->stop();  // what is not told, the next master tells
  return end(*master, journal, line.parent != 0);
}

int print(const Result<std::string>& text) {
  if (!text) return complain(text.error());
  std::fputs(text->c_str(), stdout);
  return 0;
}

int carry_out(int argc, char** argv, Prepare prepare) {
  ::signal(SIGPIPE, SIG_IGN);
  raise_descriptor_limit(std::numeric_limits<std::uint64_t>::max());
  const Parsed parsed = parse_command_line(argc, argv);
  if (!parsed.command_line) {
    std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
    return parsed.exit_code;
  }
  if (parsed.command_line->check_config) {
    std::puts("The configuration is fine.");
    return 0;
  }
  const CommandLine& line = *parsed.command_line;
  if (line.check_journal) return print(check_journal(line.journal));
  if (!line.backup_journal.empty()) return print(backup_journal(line.journal, line.backup_journal));
  if (Status enough = allow_open_files(); !enough) return complain(enough.error());
  prepare(line.state_directory);
  return run(line);
}

}  // namespace

int main_of(int argc, char** argv, Prepare prepare) {
  return flags::with_everything_written("ontime-master", carry_out(argc, argv, prepare));
}

}  // namespace ontime::master
