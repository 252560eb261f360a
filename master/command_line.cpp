#include "master/command_line.h"

#include <sstream>
#include <utility>

#include "common/base/environment.h"
#include "common/base/limits.h"
#include "common/base/wording.h"
#include "common/flags/flags.h"
#include "common/injection/settings.h"
#include "common/net/masters.h"
#include "master/submissions/notify.h"
#include "master/submissions/submission.h"
#include "scheduler/policies/policy.h"

namespace ontime::master {
namespace {

constexpr std::uint16_t kDefaultPort = 7400;

// What was given, before it is checked as a whole.
struct Flags {
  CommandLine line;
  std::string listen = "127.0.0.1:7400";
  bool insecure_network = false;
  std::string journal_sync = "on";
  std::string placement = "apart,fast-first,leave-out,warm-first";
  std::string job_order = "deadline";
  std::vector<std::string> input_roots;
  std::vector<std::string> output_roots;
  TlsFiles tls;
  SharedJournalPlace shared_journal;
  std::string journal_login_file;
  std::string notify_secret_file;
  std::string notify_commands;
  injection::Flags injection;
};

void declare_network(CLI::App& app, Flags& flags) {
  flags::add_text(app, "--listen", flags.listen, "Address to listen on, HOST:PORT; port 0 picks a free one",
                  {.shows_value = true});
  flags::add_switch(app, "--insecure-network", flags.insecure_network,
                    "Allow --listen on other than loopback addresses without TLS: only for a private network that "
                    "nobody else is on. Needs a token");
  flags::add_whole(app, "--listen-fd", flags.line.listen_descriptor, {}, "Take over this listening socket instead");
  flags::add_text(app, "--port-file", flags.line.port_file, "Write the port there once the master listens");
}

void declare_journal(CLI::App& app, Flags& flags) {
  Settings& settings = flags.line.settings;
  flags::add_text(app, "--journal", flags.line.journal,
                  "Directory of the journal, made if it is missing; or etcd://HOST,.../PREFIX (etcds:// with TLS), "
                  "which several masters share, of which one leads",
                  {.shows_value = true});
  flags::add_text(app, "--journal-sync", flags.journal_sync,
                  "on: survives a power cut; off: only the death of the process",
                  {.shows_value = true, .choices = {"on", "off"}});
  flags::add_text(app, "--access-points", settings.shared_index_directory,
                  "Directory in which masters share the access points of compressed inputs; none: each has its own, "
                  "beside its journal",
                  {.type = "DIR"});
  flags::add_size(app, "--recording-limit", settings.recording_bytes_max,
                  "Most that recordings of what happened, for 'ontime replay', may take beside the journal; 0: none",
                  0);
  flags::add_whole(app, "--history-jobs", settings.history.jobs, {}, "Ended jobs that are remembered");
  flags::add_whole(app, "--history-tasks", settings.history.tasks, {},
                   "The same, by the number of their tasks: about 475 bytes each; the latest stays");
  flags::add_size(
      app, "--history-limit", settings.history_bytes_max,
      "Most that the timelines and logs of ended jobs may take beside the journal; 0: a restart forgets them", 0);
  flags::add_duration(app, "--history-age", settings.history.age, "Forget jobs that have ended so long ago; 0: never");
}

void declare_shared_journal(CLI::App& app, Flags& flags) {
  SharedJournalPlace& shared = flags.shared_journal;
  flags::add_text(
      app, "--advertise", shared.settings.name,
      "With a journal in etcd: where peers reach this master, as others tell them; default: where it listens",
      {.type = "HOST:PORT"});
  flags::add_duration(app, "--journal-lease", shared.settings.lease,
                      "With a journal in etcd: silence after which another master leads", std::chrono::seconds(2));
  flags::add_text(app, "--journal-login-file", flags.journal_login_file,
                  "With a journal in etcd: file with USER:PASSWORD", {.type = "FILE"});
  flags::add_text(app, "--journal-ca", shared.settings.tls.authority,
                  "With etcds://: certificate of the authority of etcd's members", {.type = "FILE"});
  flags::add_text(app, "--journal-cert", shared.settings.tls.certificate,
                  "With etcds://: this master's certificate for them", {.type = "FILE"});
  flags::add_text(app, "--journal-key", shared.settings.tls.key, "With etcds://: its key", {.type = "FILE"});
  flags::add_text(app, "--state-dir", flags.line.state_directory,
                  "With a journal in etcd: directory of what is kept beside it, histories, recordings and access "
                  "points; default: ontime-state",
                  {.type = "DIR"});
}

void declare_scheduling(CLI::App& app, Flags& flags) {
  Settings& settings = flags.line.settings;
  flags::add_duration(app, "--node-timeout", settings.node_timeout, "Silence after which a node is lost");
  flags::add_duration(app, "--heartbeat", settings.heartbeat, "Interval at which workers report progress",
                      kHeartbeatMin);
  flags::add_duration(app, "--cut-timeout", settings.cut_timeout,
                      "End an attempt that does not answer a cut within this time", std::chrono::milliseconds(1));
  flags::add_text(
      app, "--placement", flags.placement,
      "Rules for choosing nodes, any of: apart (copies of a task on different nodes), fast-first, leave-out "
      "(nodes slower than luck explains), warm-first (where a runner of the job is idle); or none",
      {.shows_value = true});
  flags::add_text(
      app, "--job-order", flags.job_order,
      "Which of an owner's jobs of equal priority get slots first: those with the earliest deadline, but last those "
      "that cannot all be in time, and then those without one, the least input left first (deadline), in order of "
      "submission (fifo), or as each job's policy says (policy)",
      {.type = "ORDER", .shows_value = true, .choices = {"deadline", "fifo", "policy"}});
  flags::describe(flags::add_number(app, "--owner-share", settings.owner_share, 0.01, 1,
                                    "Share of all slots, and of the room for jobs, that one owner's jobs may take; "
                                    "owners are the names of tokens"),
                  {.shown = "1"});
  flags::describe(flags::add_policy(app, settings.policy.name, settings.policy.parameters, scheduler::read_policy,
                                    "What to do about stragglers of jobs that do not say it: NAME, or "
                                    "NAME:KEY=VALUE,..."),
                  {.shown = settings.policy.name});
}

// In this mode the master has application masters of Hadoop in the place of workers.
void declare_advice(CLI::App& app, Flags& flags) {
  flags::describe(flags::add_whole(
                      app, "--advise", flags.line.settings.advise, {1, kContainersMax},
                      "Run no jobs, but plan for those of a Hadoop cluster, whose YARN runs so many map tasks at once: "
                      "see docs/hadoop.md"),
                  {.type = "CONTAINERS"});
}

void declare_access(CLI::App& app, Flags& flags) {
  flags::add_roots(app, "Jobs", flags.input_roots, flags.output_roots);
  flags::add_text(app, "--token-file", flags.line.token_file,
                  "File with the token that workers and clients must know, or lines ROLE:TOKEN or ROLE:NAME:TOKEN, "
                  "read again on SIGHUP; else $ONTIME_TOKEN, or tokens of $ONTIME_TLS_DIR");
  flags::add_tls(app, "master", flags.tls.authority, flags.tls.certificate, flags.tls.key);
}

void declare_notices(CLI::App& app, Flags& flags) {
  flags::add_texts(app, "--notify", flags.line.settings.notices.otherwise,
                   "What to tell about jobs that do not say it, as 'ontime submit --notify'; repeatable",
                   {.type = "WHEN:WHAT"}, true);
  flags::add_text(app, "--notify-commands", flags.notify_commands,
                  "Role that a job needs to have what has this master's rights run, commands of --notify and policies "
                  "from files, or nobody "
                  "(default: submit; with TLS, --insecure-network or several tokens nobody)",
                  {.type = "ROLE", .choices = {"submit", "admin", "nobody"}});
  flags::add_text(app, "--notify-secret-file", flags.notify_secret_file,
                  "File with the secret that signs what --notify posts (HMAC-SHA256), else "
                  "$ONTIME_NOTIFY_SECRET_FILE",
                  {.type = "FILE"});
}

void declare_process(CLI::App& app, Flags& flags) {
  flags::add_log(app, flags.line.log.level, flags.line.log.format, flags.line.log.file);
  flags::add_switch(app, "--check-config", flags.line.check_config, "Check flags and configuration file, and exit",
                    {.configurable = false});
  flags::add_switch(app, "--check-journal", flags.line.check_journal,
                    "Read the journal, changing nothing, say what it holds, and exit", {.configurable = false});
  flags::add_text(app, "--backup-journal", flags.line.backup_journal,
                  "Write a copy of the journal, which may be in use, that a master can be started on later, and exit",
                  {.type = "DIR", .configurable = false});
  flags::add_switch(
      app, "--local-only", flags.line.is_local_only,
      "Do not load at the start what speaks with stores and web servers: no job has inputs or outputs there");
  flags::describe(flags::add_whole(app, "--die-with-parent", flags.line.parent, {1},
                                   "End when this process, which started this one, ends"),
                  {.type = "PID"});
  flags::add_texts(app, "--inject", flags.injection.settings,
                   "Disturb attempts on purpose, see docs/injection.md; repeatable", {.type = "KEY=VALUE"}, true);
  flags::add_text(app, "--injection", flags.injection.file, "The same from a YAML file; --inject wins",
                  {.type = "FILE"});
  flags::add_whole(app, "--seed", flags.injection.seed, {}, "Seed of the random draws in both");
  flags::add_config_file(app);
  flags::add_standard_flags(app, "ontime-master");
}

void declare(CLI::App& app, Flags& flags) {
  declare_network(app, flags);
  declare_journal(app, flags);
  declare_shared_journal(app, flags);
  declare_scheduling(app, flags);
  declare_advice(app, flags);
  declare_access(app, flags);
  declare_notices(app, flags);
  declare_process(app, flags);
}

// Who may connect, from where, and what they must show.
Status check_network(const Flags& flags, CommandLine& line) {
  Result<net::Endpoint> listen = net::parse_endpoint(flags.listen, kDefaultPort);
  if (!listen) return bad_input("--listen: " + listen.error().message);
  line.listen = *listen;
  Result<net::Tokens> tokens = net::read_accepted_tokens(line.token_file);
  if (!tokens) return tokens.error();
  Result<net::TlsPointer> tls = net::load_tls(flags.tls);
  if (!tls) return tls.error();
  line.settings.tokens = std::move(*tokens);
  line.settings.tls = std::move(*tls);
  const bool has_tokens = !line.settings.tokens.is_empty();
  if (flags.insecure_network && !has_tokens) {
    return bad_input("--insecure-network needs a token: set $ONTIME_TOKEN or --token-file.");
  }
  if (has_tokens && (line.settings.tls || flags.insecure_network)) line.reach = net::Reach::AnyNetwork;
  if (line.settings.owner_share < 1 && !has_tokens && !line.settings.tls) {
    return bad_input(
        "--owner-share needs owners, which are the names of tokens or certificates: give it --token-file.");
  }
  return {};
}

// The one line of a file that holds a secret.
Result<std::string> secret_in(const char* flag, const std::string& file, const char* what) {
  Result<std::string> secret = net::read_secret(file, what);
  if (!secret) return bad_input(std::string(flag) + ": " + secret.error().message);
  while (secret->ends_with('\n') || secret->ends_with('\r')) secret->pop_back();
  if (secret->empty())
    return bad_input(std::string(flag) + ": '" + file + "' is empty; write the " + what + " into it");
  return secret;
}

Status check_local_journal(const Flags& flags, CommandLine& line) {
  const SharedJournalPlace& shared = flags.shared_journal;
  const TlsFiles& tls = shared.settings.tls;
  for (const auto& [flag, value] : {std::pair{"--advertise", shared.settings.name},
                                    {"--journal-login-file", flags.journal_login_file},
                                    {"--journal-ca", tls.authority},
                                    {"--journal-cert", tls.certificate},
                                    {"--journal-key", tls.key},
                                    {"--state-dir", line.state_directory}}) {
    if (!value.empty())
      return bad_input(std::string(flag) + " is for a journal in etcd; '" + line.journal + "' is a directory");
  }
  line.state_directory = line.journal;
  return {};
}

Status check_journal_place(const Flags& flags, CommandLine& line) {
  if (!journal::is_etcd_address(line.journal)) return check_local_journal(flags, line);
  if (line.check_journal || !line.backup_journal.empty()) {
    return bad_input(
        "--check-journal and --backup-journal are for a journal in a directory; of one in etcd, which a "
        "master checks as it reads it, 'etcdctl snapshot save' makes a backup");
  }
  auto address = journal::parse_etcd_address(line.journal);
  if (!address) return bad_input("--journal: " + address.error().message);
  line.shared_journal.emplace(SharedJournalPlace{std::move(*address), flags.shared_journal.settings});
  journal::EtcdSettings& settings = line.shared_journal->settings;
  const auto reached = net::parse_masters(settings.name, 0);
  if (!settings.name.empty() && (!reached || reached->are_several())) {
    return bad_input("--advertise: '" + settings.name + "' is not HOST:PORT, where peers reach this master");
  }
  if (!flags.journal_login_file.empty()) {
    auto login = secret_in("--journal-login-file", flags.journal_login_file, "USER:PASSWORD");
    if (!login) return std::move(login).error();
    const std::size_t colon = login->find(':');
    if (colon == login->npos || colon == 0) return bad_input("--journal-login-file: write USER:PASSWORD into it");
    settings.user = login->substr(0, colon);
    settings.password = login->substr(colon + 1);
  }
  line.journal = line.shared_journal->address.text();
  line.settings.lease = settings.lease;
  if (line.state_directory.empty()) line.state_directory = "ontime-state";
  return {};
}

Status check_notices(const Flags& flags, Settings& settings) {
  NoticeSettings& notices = settings.notices;
  if (notices.otherwise.size() > kNoticesMax)
    return bad_input("--notify: at most " + std::to_string(kNoticesMax) + " may be given");
  for (const std::string& text : notices.otherwise) {
    if (const auto notify = read_notify(text); !notify) return bad_input("--notify: " + notify.error().message);
  }
  const bool is_shared = flags.insecure_network || settings.tls || settings.tokens.all().size() > 1;
  notices.is_command_right_given = !flags.notify_commands.empty();
  if (flags.notify_commands == "admin") notices.command_right = net::Right::Control;
  if (flags.notify_commands == "nobody" || (flags.notify_commands.empty() && is_shared)) notices.command_right.reset();
  const std::string& named = flags.notify_secret_file;
  const std::string file = named.empty() ? environment_variable("ONTIME_NOTIFY_SECRET_FILE") : named;
  if (file.empty()) return {};
  Result<std::string> secret = secret_in("--notify-secret-file", file, "secret of notices");
  if (!secret) return std::move(secret).error();
  notices.secret = std::move(*secret);
  return {};
}

Result<scheduler::Placement> placement_of(const std::string& text) {
  scheduler::Placement placement{.apart = false, .fast_first = false, .leave_out = false, .warm_first = false};
  if (text == "none") return placement;
  std::istringstream rules(text);
  for (std::string rule; std::getline(rules, rule, ',');) {
    if (rule == "apart")
      placement.apart = true;
    else if (rule == "fast-first")
      placement.fast_first = true;
    else if (rule == "leave-out")
      placement.leave_out = true;
    else if (rule == "warm-first")
      placement.warm_first = true;
    else if (rule == "none")
      return bad_input("--placement: 'none' is no rule beside others; give it alone or leave it out");
    else
      return bad_input("--placement: '" + rule + "' is not one of: apart, fast-first, leave-out, warm-first, none");
  }
  return placement;
}

Status check_scheduling(const Flags& flags, Settings& settings) {
  if (Status status = check_intervals(settings.heartbeat, settings.node_timeout); !status) return status;
  const Result<scheduler::Placement> placement = placement_of(flags.placement);
  if (!placement) return placement.error();
  settings.placement = *placement;
  if (flags.job_order == "deadline") settings.job_order = scheduler::JobOrder::EarliestDeadline;
  if (flags.job_order == "fifo") settings.job_order = scheduler::JobOrder::Fifo;
  return check_policy(settings.policy.name, settings.policy.parameters);
}

Result<CommandLine> check(const Flags& flags) {
  CommandLine line = flags.line;
  line.settings.journal_sync = flags.journal_sync == "on";
  line.log.program = "ontime-master";
  if (Status status = check_scheduling(flags, line.settings); !status) return status.error();
  auto roots = JobRoots::make(flags.input_roots, flags.output_roots);
  if (!roots) return roots.error();
  line.settings.roots = std::move(*roots);
  if (Status status = check_network(flags, line); !status) return status.error();
  if (Status status = check_journal_place(flags, line); !status) return status.error();
  if (Status status = check_notices(flags, line.settings); !status) return status.error();
  auto injection = injection::load(flags.injection);
  if (!injection) return std::move(injection).error();
  line.settings.injection = std::move(*injection);
  return line;
}

}  // namespace

Parsed parse_command_line(int argc, const char* const* argv) {
  Flags flags;
  const auto declare_all = [&flags](CLI::App& app) { declare(app, flags); };
  if (auto printout = flags::parse(
          "ontime-master", "The master of an Ontime cluster: schedules jobs on the workers that register with it.",
          declare_all, {argv + 1, argv + argc}))
    return {std::nullopt, printout->exit_code, std::move(printout->text)};
  Result<CommandLine> checked = check(flags);
  if (!checked) return {std::nullopt, flags::kBadUsage, complaint("ontime-master", checked.error().message)};
  return {std::move(*checked), 0, {}};
}

}  // namespace ontime::master
