#include "master/command_line.h"

#include <CLI/CLI.hpp>
#include <sstream>
#include <utility>

#include "common/base/units.h"
#include "common/injection/load.h"
#include "master/submission.h"

namespace ontime::master {
namespace {

constexpr std::uint16_t kDefaultPort = 7400;

// The flags as text, before they are checked.
struct Flags {
  std::string listen = "127.0.0.1:7400";
  bool insecure_network = false;
  int listen_descriptor = -1;
  std::string port_file;
  std::string journal = "ontime-journal";
  std::string journal_sync = "on";
  std::string recording_limit = "256MiB";
  std::string node_timeout = "5s";
  std::string heartbeat = "200ms";
  std::string cut_timeout = "3s";
  std::string placement = "apart,fast-first,leave-out";
  double owner_share = 1;
  scheduler::HistoryLimits history;
  std::string history_age = "0s";
  std::string policy = "auto";
  std::vector<std::string> policy_settings;
  std::vector<std::string> input_roots;
  std::vector<std::string> output_roots;
  std::string token_file;
  net::TlsFiles tls;
  log::Options log;
  bool check_config = false;
  bool check_journal = false;
  std::string backup_journal;
  pid_t parent = 0;
  injection::Flags injection;
};

void declare(CLI::App& app, Flags& flags) {
  app.add_option("--listen", flags.listen, "Address to listen on, HOST:PORT; port 0 picks a free one")
      ->capture_default_str();
  app.add_flag("--insecure-network", flags.insecure_network,
               "Allow --listen on other than loopback addresses without TLS: only for a private network that nobody "
               "else is on. Needs a token");
  app.add_option("--listen-fd", flags.listen_descriptor, "Take over this listening socket instead")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--port-file", flags.port_file, "Write the port there once the master listens");
  app.add_option("--journal", flags.journal, "Directory of the journal; made if it is missing")->capture_default_str();
  app.add_option("--journal-sync", flags.journal_sync, "on: survives a power cut; off: only the death of the process")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--recording-limit", flags.recording_limit,
                 "Most that recordings of what happened, for 'ontime replay', may take beside the journal; 0: none")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--history-jobs", flags.history.jobs, "Ended jobs that are remembered")->capture_default_str();
  app.add_option("--history-tasks", flags.history.tasks, "The same, by the number of their tasks: about 400 bytes each")
      ->capture_default_str();
  app.add_option("--history-age", flags.history_age, "Forget jobs that have ended so long ago; 0: never")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--node-timeout", flags.node_timeout, "Silence after which a node is lost")->capture_default_str();
  app.add_option("--heartbeat", flags.heartbeat, "Interval at which workers report progress")->capture_default_str();
  app.add_option("--cut-timeout", flags.cut_timeout, "An attempt that does not answer a cut for so long is ended")
      ->capture_default_str();
  app.add_option("--placement", flags.placement,
                 "Rules for choosing nodes, any of: apart (copies of a task on different nodes), fast-first, leave-out "
                 "(nodes slower than luck explains); or none")
      ->capture_default_str();
  app.add_option("--owner-share", flags.owner_share,
                 "Share of all slots, and of the room for jobs, that one owner's jobs may take; owners are the names of "
                 "tokens")
      ->check(CLI::Range(0.01, 1.0))
      ->capture_default_str();
  app.add_option("--policy", flags.policy, "What to do about stragglers of jobs that do not say it")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--policy-set", flags.policy_settings, "A parameter of that policy; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--input-root", flags.input_roots,
                 "Jobs may read only files that lie in this directory; repeatable. None: any file that can be read")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--output-root", flags.output_roots,
                 "Jobs may write only to directories that lie in this one; repeatable. None: any that can be written")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--token-file", flags.token_file,
                 "File with the token that workers and clients must know, or lines ROLE:TOKEN or ROLE:NAME:TOKEN, read "
                 "again on SIGHUP; else $ONTIME_TOKEN, or tokens of $ONTIME_TLS_DIR");
  app.add_option("--tls-ca", flags.tls.authority,
                 "Certificate of the authority of 'ontime certs'; with --tls-cert and --tls-key all connections are "
                 "encrypted. Else ca.pem, cert.pem and key.pem of $ONTIME_TLS_DIR")
      ->type_name("FILE");
  app.add_option("--tls-cert", flags.tls.certificate, "This master's certificate")->type_name("FILE");
  app.add_option("--tls-key", flags.tls.key, "Its key")->type_name("FILE");
  app.add_option("--log-level", flags.log.level, "Least important events that are logged")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}))
      ->capture_default_str();
  app.add_option("--log-format", flags.log.format, "One event a line, as text or as JSON")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_option("--log-file", flags.log.file, "Log there instead of to stderr");
  app.add_flag("--check-config", flags.check_config, "Check flags and configuration file, and exit")
      ->configurable(false);
  app.add_flag("--check-journal", flags.check_journal,
               "Read the journal, changing nothing, say what it holds, and exit")
      ->configurable(false);
  app.add_option("--backup-journal", flags.backup_journal,
                 "Write a copy of the journal, which may be in use, that a master can be started on later, and exit")
      ->configurable(false)
      ->type_name("DIR");
  app.add_option("--die-with-parent", flags.parent, "End when this process, which started this one, ends")
      ->check(CLI::PositiveNumber)
      ->type_name("PID");
  app.add_option("--inject", flags.injection.settings, "Disturb attempts on purpose, see docs/injection.md; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--injection", flags.injection.file, "The same from a YAML file; --inject wins")->type_name("FILE");
  app.add_option("--seed", flags.injection.seed, "What the chance in both depends on")->type_name("N");
  app.set_config("--config", "", "File with any of these flags, one `name=value` per line");
  app.allow_config_extras(CLI::config_extras_mode::error);  // a misspelt name is an error, as on the command line
  app.set_version_flag("--version", ONTIME_VERSION);
}

// Who may connect, from where, and what they must show.
Status check_network(const Flags& flags, CommandLine& line) {
  Result<net::Tokens> tokens = net::read_accepted_tokens(flags.token_file);
  if (!tokens) return tokens.error();
  Result<net::TlsPointer> tls = net::load_tls(flags.tls);
  if (!tls) return tls.error();
  line.settings.tokens = std::move(*tokens);
  line.token_file = flags.token_file;
  line.settings.tls = std::move(*tls);
  const bool has_tokens = !line.settings.tokens.is_empty();
  if (flags.insecure_network && !has_tokens) {
    return bad_input("--insecure-network needs a token: set $ONTIME_TOKEN or --token-file.");
  }
  if (has_tokens && (line.settings.tls || flags.insecure_network)) line.reach = net::Reach::AnyNetwork;
  if (flags.owner_share < 1 && !has_tokens && !line.settings.tls) {
    return bad_input("--owner-share needs owners, which are the names of tokens or certificates: give it --token-file.");
  }
  return {};
}

Status check_intervals(const Settings& settings) {
  if (settings.heartbeat < std::chrono::milliseconds(1)) return bad_input("--heartbeat must be at least 1ms.");
  if (settings.node_timeout < 2 * settings.heartbeat) {
    return bad_input("--node-timeout must be at least twice --heartbeat, or every node would soon be lost.");
  }
  return {};
}

Result<scheduler::Placement> placement_of(const std::string& text) {
  scheduler::Placement placement{.apart = false, .fast_first = false, .leave_out = false};
  if (text == "none") return placement;
  std::istringstream rules(text);
  for (std::string rule; std::getline(rules, rule, ',');) {
    if (rule == "apart")
      placement.apart = true;
    else if (rule == "fast-first")
      placement.fast_first = true;
    else if (rule == "leave-out")
      placement.leave_out = true;
    else
      return bad_input("--placement: '" + rule + "' is no rule; there is apart, fast-first and leave-out, or none.");
  }
  return placement;
}

Result<PolicyChoice> policy_of(const Flags& flags) {
  PolicyChoice policy{flags.policy, {}};
  for (const std::string& setting : flags.policy_settings) {
    const auto equals = setting.find('=');
    if (equals == setting.npos || equals == 0) return bad_input("--policy-set: '" + setting + "' is not KEY=VALUE.");
    policy.parameters[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  if (Status status = check_policy(policy.name, policy.parameters); !status) return status.error();
  return policy;
}

Status check_scheduling(const Flags& flags, Settings& settings) {
  const Result<Duration> cut_timeout = parse_duration(flags.cut_timeout);
  if (!cut_timeout) return bad_input("--cut-timeout: " + cut_timeout.error().message);
  if (*cut_timeout <= Duration::zero()) return bad_input("--cut-timeout must be above 0.");
  settings.cut_timeout = *cut_timeout;
  const Result<scheduler::Placement> placement = placement_of(flags.placement);
  if (!placement) return placement.error();
  settings.placement = *placement;
  settings.owner_share = flags.owner_share;
  const Result<Duration> age = parse_duration(flags.history_age);
  if (!age) return bad_input("--history-age: " + age.error().message);
  settings.history = flags.history;
  settings.history.age = *age;
  Result<PolicyChoice> policy = policy_of(flags);
  if (!policy) return policy.error();
  settings.policy = std::move(*policy);
  return {};
}

Status check_roots(const Flags& flags, JobRoots& roots) {
  auto input = files::Roots::make(flags.input_roots);
  if (!input) return bad_input("--input-root: " + input.error().message);
  auto output = files::Roots::make(flags.output_roots);
  if (!output) return bad_input("--output-root: " + output.error().message);
  roots = {std::move(*input), std::move(*output)};
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
  const Result<std::uint64_t> recording_limit = parse_size(flags.recording_limit);
  if (!recording_limit) return bad_input("--recording-limit: " + recording_limit.error().message);
  line.settings.recording_bytes_max = *recording_limit;
  if (Status status = check_scheduling(flags, line.settings); !status) return status.error();
  if (Status status = check_roots(flags, line.settings.roots); !status) return status.error();
  if (Status status = check_network(flags, line); !status) return status.error();
  line.log = flags.log;
  line.log.program = "ontime-master";
  line.check_config = flags.check_config;
  line.check_journal = flags.check_journal;
  line.backup_journal = flags.backup_journal;
  line.parent = flags.parent;
  auto injection = injection::load(flags.injection);
  if (!injection) return std::move(injection).error();
  line.settings.injection = std::move(*injection);
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
