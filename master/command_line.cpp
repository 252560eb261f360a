#include "master/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "common/base/units.h"

namespace ontime::master {
namespace {

constexpr std::uint16_t kDefaultPort = 7400;

// The flags as text, before they are checked.
struct Flags {
  std::string listen = "127.0.0.1:7400";
  int listen_descriptor = -1;
  std::string port_file;
  std::string journal = "ontime-journal";
  std::string journal_sync = "on";
  std::string node_timeout = "5s";
  std::string heartbeat = "200ms";
  std::string token_file;
  log::Options log;
  bool check_config = false;
  bool die_with_parent = false;
};

void declare(CLI::App& app, Flags& flags) {
  app.add_option("--listen", flags.listen, "Address to listen on, HOST:PORT; port 0 picks a free one")
      ->capture_default_str();
  app.add_option("--listen-fd", flags.listen_descriptor, "Take over this listening socket instead")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--port-file", flags.port_file, "Write the port there once the master listens");
  app.add_option("--journal", flags.journal, "Directory of the journal; made if it is missing")->capture_default_str();
  app.add_option("--journal-sync", flags.journal_sync, "on: survives a power cut; off: only the death of the process")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--node-timeout", flags.node_timeout, "Silence after which a node is lost")->capture_default_str();
  app.add_option("--heartbeat", flags.heartbeat, "Interval at which workers report progress")->capture_default_str();
  app.add_option("--token-file", flags.token_file,
                 "File whose first line workers and clients must show; else $ONTIME_TOKEN");
  app.add_option("--log-level", flags.log.level, "Least important events that are logged")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}))
      ->capture_default_str();
  app.add_option("--log-format", flags.log.format, "One event a line, as text or as JSON")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_option("--log-file", flags.log.file, "Log there instead of to stderr");
  app.add_flag("--check-config", flags.check_config, "Check flags and configuration file, and exit")
      ->configurable(false);
  app.add_flag("--die-with-parent", flags.die_with_parent, "End when the process that started this one ends");
  app.set_config("--config", "", "File with any of these flags, one `name=value` per line");
  app.allow_config_extras(CLI::config_extras_mode::error);  // a misspelt name is an error, as on the command line
  app.set_version_flag("--version", ONTIME_VERSION);
}

Result<std::string> token_of(const Flags& flags) {
  if (flags.token_file.empty()) {
    const char* token = std::getenv("ONTIME_TOKEN");
    return std::string(token == nullptr ? "" : token);
  }
  std::ifstream file(flags.token_file);
  std::string token;
  if (!std::getline(file, token) || token.empty()) {
    return bad_input("The token file '" + flags.token_file + "' cannot be read or its first line is empty.");
  }
  return token;
}

Status check_intervals(const Settings& settings) {
  if (settings.heartbeat < std::chrono::milliseconds(1)) return bad_input("--heartbeat must be at least 1ms.");
  if (settings.node_timeout < 2 * settings.heartbeat) {
    return bad_input("--node-timeout must be at least twice --heartbeat, or every node would soon be lost.");
  }
  return {};
}

Result<CommandLine> check(const Flags& flags) {
  CommandLine line;
  Result<net::Endpoint> listen = net::parse_endpoint(flags.listen, kDefaultPort);
  if (!listen) return listen.error();
  line.listen = *listen;
  if (flags.listen_descriptor >= 0) line.listen_descriptor = flags.listen_descriptor;
  line.port_file = flags.port_file;
  line.journal = flags.journal;
  line.journal_sync = flags.journal_sync == "on";
  const Result<Duration> node_timeout = parse_duration(flags.node_timeout);
  if (!node_timeout) return bad_input("--node-timeout: " + node_timeout.error().message);
  const Result<Duration> heartbeat = parse_duration(flags.heartbeat);
  if (!heartbeat) return bad_input("--heartbeat: " + heartbeat.error().message);
  line.settings.node_timeout = *node_timeout;
  line.settings.heartbeat = *heartbeat;
  if (Status status = check_intervals(line.settings); !status) return status.error();
  Result<std::string> token = token_of(flags);
  if (!token) return token.error();
  line.settings.token = std::move(*token);
  line.log = flags.log;
  line.log.program = "ontime-master";
  line.check_config = flags.check_config;
  line.die_with_parent = flags.die_with_parent;
  return line;
}

}  // namespace

Parsed parse_command_line(int argc, const char* const* argv) {
  CLI::App app("The master of an Ontime cluster: schedules jobs on the workers that register with it.",
               "ontime-master");
  Flags flags;
  declare(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      std::ostringstream text;
      app.exit(error, text, text);
      return {std::nullopt, 0, text.str()};
    }
    return {std::nullopt, 2, std::string("ontime-master: ") + error.what() + " (see ontime-master --help)\n"};
  }
  Result<CommandLine> checked = check(flags);
  if (!checked) return {std::nullopt, 2, "ontime-master: " + checked.error().message + "\n"};
  return {std::move(*checked), 0, {}};
}

}  // namespace ontime::master
