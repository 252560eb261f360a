#include "worker/agent/options.h"

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "common/app/loaded_application.h"
#include "common/base/limits.h"
#include "common/base/machine.h"
#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/flags/flags.h"
#include "common/http/url.h"
#include "common/net/token.h"
#include "worker/agent/cloud_notice.h"
#include "worker/confine/confinement.h"

namespace ontime::worker {
namespace {

constexpr std::uint16_t kMasterPort = 7400;
constexpr std::size_t kNameBytesMax = 256;
constexpr Duration kLeadMin = std::chrono::seconds(1);
constexpr std::string_view kRunsAsRoot =
    "attempts_run_as_root message=\"any client that may submit is root here; --run-as names another user\"";
constexpr std::string_view kSharesUser =
    "jobs_share_a_user message=\"programs of one job can change another's output and end its attempts; --run-as "
    "FIRST-LAST gives each job a user of its own\"";

// What was given and is checked as a whole before it becomes an option.
struct Words {
  std::string masters = "127.0.0.1:7400";
  std::string token_file;
  TlsFiles tls;
  std::string run_as;
  std::optional<Duration> attempt_cpu;
  std::vector<std::string> control_groups;
  std::vector<std::string> input_roots;
  std::vector<std::string> output_roots;
  bool check_config = false;
};

void declare_confinement(CLI::App& app, Words& words, Options& options) {
  AttemptLimits& limits = options.confinement.limits;
  flags::add_switch(app, "--no-default-apps", options.has_only_own_apps,
                    "Use only --app-dir: ignore the default directories and those that a job names");
  flags::add_roots(app, "Attempts", words.input_roots, words.output_roots);
  flags::add_text(app, "--run-as", words.run_as,
                  "Run attempts as this user, or those of each job as another user of a range of numbers; needs root",
                  {.type = "USER[:GROUP]|FIRST-LAST"});
  flags::add_size(app, "--attempt-memory", limits.memory_bytes, "Memory each process of an attempt may allocate",
                  kAttemptMemoryMin);
  flags::add_whole(app, "--attempt-files", limits.files, {16, 1u << 20}, "Files each of them may have open");
  flags::add_whole(app, "--attempt-processes", limits.processes, {1, 1u << 22},
                   "Processes and threads that the attempts' user may have on this machine");
  flags::add_duration(app, "--attempt-cpu", words.attempt_cpu,
                      "CPU time each process of an attempt may use, in whole seconds", std::chrono::seconds(1));
  flags::add_texts(app, "--attempt-cgroup", words.control_groups,
                   "Put attempts into this control group, which you have made and bounded; may be repeated",
                   {.type = "DIR"});
  flags::add_texts(app, "--attempt-env", options.attempt_environment,
                   "Pass this environment variable on to attempts; a '*' at its end stands for anything; may be "
                   "repeated",
                   {.type = "NAME"});
}

void declare(CLI::App& app, Words& words, Options& options) {
  flags::add_text(app, "--master", words.masters, "Where the master listens, or each of several, else $ONTIME_MASTER",
                  {.type = "HOST:PORT,...", .shows_value = true, .environment = "ONTIME_MASTER"});
  flags::describe(flags::add_whole(app, "--slots", options.slots, {1, kSlotsOfWorkerMax},
                                   "Attempts that run at the same time, one per core"),
                  {.shown = ""});
  flags::add_text(app, "--name", options.name, "Shown to people; default: host name and process id");
  flags::add_texts(app, "--app-dir", options.application_directories,
                   "Look here for applications first; may be repeated", {.type = "DIR"});
  declare_confinement(app, words, options);
  flags::add_duration(app, "--connect-timeout", options.connect_timeout,
                      "Give up if no master accepts this worker within this time");
  flags::add_duration(app, "--drain-timeout", options.drain_timeout,
                      "On SIGTERM, take at most this long to hand over running work to other workers; 0s: end at once");
  flags::add_duration(app, "--time-limit", options.time_limit,
                      "This machine ends so long after the worker's start; default: at $SLURM_JOB_END_TIME", kLeadMin);
  flags::add_duration(app, "--time-limit-lead", options.time_limit_lead, "Hand over running work so long before",
                      kLeadMin);
  flags::add_text(app, "--ending-notice", options.ending_notice,
                  "Hand over running work and end once this file exists, this address answers 200, or the metadata "
                  "service of this cloud says that it takes the spot machine away",
                  {.type = "FILE|URL|aws|azure|gcp"});
  flags::add_text(app, "--token-file", words.token_file,
                  "File with the token to show the master; default: $ONTIME_TOKEN, or token of $ONTIME_TLS_DIR",
                  {.type = "FILE"});
  flags::add_tls(app, "worker", words.tls.authority, words.tls.certificate, words.tls.key);
  flags::add_log(app, options.log.level, options.log.format, options.log.file);
  flags::add_switch(
      app, "--local-only", options.is_local_only,
      "Do not load at the start what speaks with stores and web servers: no job has inputs or outputs there");
  flags::describe(flags::add_whole(app, "--die-with-parent", options.parent, {1},
                                   "End when this process, which started this one, ends"),
                  {.type = "PID"});
  flags::add_switch(app, "--check-config", words.check_config, "Check flags and configuration file, and exit",
                    {.configurable = false});
  flags::add_standard_flags(app, "ontime-worker");
  flags::add_config_file(app);
}

Status understand_roots(const Words& words, Options& options) {
  auto roots = files::JobRoots::make(words.input_roots, words.output_roots);
  if (!roots) return roots.error();
  options.input_roots = std::move(roots->input);
  options.output_roots = std::move(roots->output);
  return {};
}

// Four times the slots: twice as many runners may live, idle ones too, and as many again have been killed and not
// ended.
Status understand_user_range(const Words& words, Options& options) {
  auto range = parse_user_range(words.run_as);
  if (!range) return bad_input("--run-as: " + range.error().message);
  const std::size_t wanted = 4 * std::size_t{options.slots};
  if (range->size() < wanted) {
    return bad_input("--run-as: the range " + words.run_as + " has " + std::to_string(range->size() + 1) +
                     " users, and " + std::to_string(options.slots) + " slots need " + std::to_string(wanted + 1) +
                     " or more; make it longer, or say fewer --slots");
  }
  options.users = *range;
  options.confinement.sweeper = range->sweeper();
  return {};
}

Status understand_user(const Words& words, Options& options) {
  const bool is_root = ::geteuid() == 0;
  bool stays_root = is_root;
  if (!words.run_as.empty()) {
    if (!is_root) {
      return bad_input("--run-as needs root: start the worker as root, or without it; attempts then run as its user");
    }
    if (is_user_range(words.run_as)) return understand_user_range(words, options);
    auto identity = parse_identity(words.run_as);
    if (!identity) return bad_input("--run-as: " + identity.error().message);
    stays_root = identity->user == 0;
    if (!stays_root) {
      options.confinement.run_as = std::move(*identity);
      options.warning = kSharesUser;
    }
  } else if (is_root) {
    options.warning = kRunsAsRoot;
  }
  if (stays_root && options.confinement.limits.processes > 0) {
    return bad_input("--attempt-processes does not bind root; name another user with --run-as");
  }
  return {};
}

Status understand_control_groups(const Words& words, Confinement& confinement) {
  for (const std::string& directory : words.control_groups) {
    if (Status status = check_control_group(directory); !status) {
      return bad_input("--attempt-cgroup: " + status.error().message);
    }
    confinement.control_groups.push_back(std::filesystem::absolute(directory));
  }
  return {};
}

Status understand_confinement(const Words& words, Options& options) {
  if (auto roots = understand_roots(words, options); !roots) return roots;
  if (auto user = understand_user(words, options); !user) return user;
  options.confinement.output_roots = options.output_roots.resolved();
  const auto cpu = std::chrono::ceil<std::chrono::seconds>(words.attempt_cpu.value_or(Duration(0)));
  options.confinement.limits.cpu_seconds = static_cast<std::uint64_t>(cpu.count());
  return understand_control_groups(words, options.confinement);
}

// Slurm says it in seconds since 1970.
Result<std::optional<Duration>> time_left_by_slurm() {
  const char* text = std::getenv("SLURM_JOB_END_TIME");
  if (text == nullptr) return std::optional<Duration>();
  const auto end = number_in<std::int64_t>(text);
  constexpr std::int64_t kEndMax = std::int64_t{1} << 33;
  if (!end || *end < 0 || *end > kEndMax)
    return bad_input("SLURM_JOB_END_TIME: '" + std::string(text) +
                     "' is no time in seconds since 1970; unset it, or say --time-limit");
  return std::optional(std::chrono::seconds(*end) - std::chrono::system_clock::now().time_since_epoch());
}

Status understand_time_limit(Options& options) {
  std::string named = "--time-limit";
  if (!options.time_limit) {
    auto left = time_left_by_slurm();
    if (!left) return std::move(left).error();
    options.time_limit = *left;
    named = "SLURM_JOB_END_TIME";
  }
  if (!options.time_limit || *options.time_limit > options.time_limit_lead) return {};
  return bad_input(named + ": less time is left than handing over may take (--time-limit-lead " +
                   format_duration(options.time_limit_lead) + "); give more time, or a shorter lead");
}

Status understand_notice(const Options& options) {
  const bool is_url = http::is_url(options.ending_notice);
  if (options.is_local_only && (is_url || cloud_named(options.ending_notice)))
    return bad_input("--ending-notice: no server is asked with --local-only; name a file");
  if (!is_url) return {};
  if (auto url = http::parse_url(options.ending_notice); !url)
    return bad_input("--ending-notice: " + url.error().message);
  return {};
}

Status understand(const Words& words, Options& options) {
  auto masters = net::parse_masters(words.masters, kMasterPort);
  if (!masters) return bad_input("--master: " + masters.error().message);
  auto token = net::read_own_token(words.token_file);
  if (!token) return std::move(token).error();
  auto tls = net::load_tls(words.tls);
  if (!tls) return std::move(tls).error();
  for (const std::string& directory : options.application_directories) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(directory, ignored))
      return bad_input("--app-dir: '" + directory + "' is not a directory");
  }
  for (const std::string& name : options.attempt_environment) {
    if (name.find('=') != name.npos)
      return bad_input("--attempt-env: '" + name + "' is no name; give the name of a variable that this worker has");
  }
  if (options.name.size() > kNameBytesMax)
    return bad_input("--name: the name has " + counted(options.name.size(), "byte") + "; give at most 256");
  if (auto limited = understand_time_limit(options); !limited) return limited;
  if (auto noticed = understand_notice(options); !noticed) return noticed;
  if (auto confined = understand_confinement(words, options); !confined) return confined;
  options.masters = std::move(*masters);
  options.token = std::move(*token);
  options.tls = std::move(*tls);
  options.host = host_name();
  if (options.name.empty()) options.name = options.host + ":" + std::to_string(::getpid());
  if (options.has_only_own_apps) return {};
  for (auto& directory : app::default_application_directories()) {
    options.application_directories.push_back(std::move(directory));
  }
  return {};
}

}  // namespace

std::variant<Options, int> parse_options(int argc, char** argv) {
  Options options;
  options.log.program = "ontime-worker";
  options.slots = machine_share().cores;
  Words words;
  const auto declare_all = [&](CLI::App& app) { declare(app, words, options); };
  if (const auto printout = flags::parse("ontime-worker", "Runs attempts of an Ontime cluster's jobs on this machine.",
                                         declare_all, {argv + 1, argv + argc})) {
    std::fputs(printout->text.c_str(), printout->exit_code == 0 ? stdout : stderr);
    return printout->exit_code;
  }
  if (auto understood = understand(words, options); !understood) {
    std::fputs(complaint("ontime-worker", understood.error().message).c_str(), stderr);
    return flags::kBadUsage;
  }
  if (words.check_config) {
    std::puts("The configuration is fine.");
    return 0;
  }
  return options;
}

}  // namespace ontime::worker
