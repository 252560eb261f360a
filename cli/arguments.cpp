#include "cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "common/base/units.h"

namespace ontime::cli {
namespace {

// Defaults as one would type them: "5s", "200ms", "64MiB".
std::string shown(Duration duration) {
  if (duration.count() == 0) return "off";
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + "s" : std::to_string(ms) + "ms";
}

std::string shown(std::uint64_t bytes) { return std::to_string(bytes >> 20) + "MiB"; }

// Options as `-o,--output DIR`, defaults behind their description.
class Formatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const bool has_value = option->get_type_size() != 0 && !option->get_type_name().empty();
    return has_value ? " " + option->get_type_name() : "";
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const auto& value = option->get_default_str();
    return option->get_description() + (value.empty() ? "" : " (default " + value + ")");
  }
};

}  // namespace

CLI::Validator one_of(std::vector<std::string> choices) {
  return CLI::Validator(
      [choices = std::move(choices)](std::string& text) {
        if (std::find(choices.begin(), choices.end(), text) != choices.end()) return std::string();
        std::string message = "'" + text + "' is none of";
        for (const auto& choice : choices) message += " " + choice;
        return message;
      },
      "");
}

CLI::Option* add_size(CLI::App& app, const std::string& name, std::uint64_t& value, const std::string& help) {
  auto* option = app.add_option_function<std::string>(
      name,
      [name, &value](const std::string& text) {
        const auto size = parse_size(text);
        if (!size) throw CLI::ValidationError(name, size.error().message);
        if (*size == 0) throw CLI::ValidationError(name, "the size must be at least 1 byte");
        value = *size;
      },
      help);
  option->type_name("SIZE");
  if (value != 0) option->default_str(shown(value));
  return option;
}

namespace {

template <class Value>  // Duration, or one that may be left out
CLI::Option* add_duration_to(CLI::App& app, const std::string& name, Value& value, const std::string& help) {
  auto* option = app.add_option_function<std::string>(
      name,
      [name, &value](const std::string& text) {
        const auto duration = parse_duration(text);
        if (!duration) throw CLI::ValidationError(name, duration.error().message);
        if (duration->count() < 0) throw CLI::ValidationError(name, "'" + text + "' is negative");
        value = *duration;
      },
      help);
  return option->type_name("TIME");
}

}  // namespace

CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& value, const std::string& help) {
  return add_duration_to(app, name, value, help)->default_str(shown(value));
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::optional<Duration>& value,
                          const std::string& help) {
  return add_duration_to(app, name, value, help);
}

CLI::Option* add_settings(CLI::App& app, const std::string& name, Settings& settings, const std::string& help) {
  auto* option = app.add_option_function<std::vector<std::string>>(
      name,
      [name, &settings](const std::vector<std::string>& texts) {
        for (const auto& text : texts) {
          const auto equals = text.find('=');
          if (equals == std::string::npos || equals == 0)
            throw CLI::ValidationError(name, "'" + text + "' is not KEY=VALUE");
          settings[text.substr(0, equals)] = text.substr(equals + 1);
        }
      },
      help);
  return option->type_name("KEY=VALUE")->allow_extra_args(false);
}

CLI::Option* add_count(CLI::App& app, const std::string& name, std::uint32_t& value, std::uint32_t least,
                       const std::string& help) {
  auto* option = app.add_option_function<std::string>(
      name,
      [name, &value, least](const std::string& text) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < least)
          throw CLI::ValidationError(name,
                                     "'" + text + "' is not a whole number from " + std::to_string(least) + " on");
      },
      help);
  option->type_name("N");
  if (value != 0) option->default_str(std::to_string(value));
  return option;
}

namespace {

void add_attempt_timeout(CLI::App& app, std::optional<Duration>& value) {
  app.add_option_function<std::string>(
         "--attempt-timeout",
         [&value](const std::string& text) {
           const auto given = text == "never" ? Result<Duration>(Duration::max()) : parse_duration(text);
           if (!given) throw CLI::ValidationError("--attempt-timeout", given.error().message);
           if (*given <= Duration(0)) throw CLI::ValidationError("--attempt-timeout", "it must be above 0, or never");
           value = *given;
         },
         "End an attempt that makes no progress for so long; never: none (default: 20 times what the job's attempts "
         "need from one offset to the next, at least 30s)")
      ->type_name("TIME");
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> make_formatter() {
  auto formatter = std::make_shared<Formatter>();
  formatter->column_width(28);
  return formatter;
}

void add_input_options(CLI::App& app, JobOptions& job) {
  app.add_option("APP", job.application, "Application: a name from 'ontime apps', or the path of a shared object")
      ->required()
      ->type_name("");
  app.add_option("INPUT", job.inputs, "Files, directories, globs (quoted) or file:// addresses")
      ->required()
      ->type_name("");
  auto* size = add_size(app, "--split-size", job.split_bytes, "Input bytes for each task (default 128MiB)");
  auto* count = add_count(app, "--splits", job.splits, 1, "Divide the input into about this many tasks instead");
  size->excludes(count);
  count->excludes(size);
  add_settings(app, "-s,--set", job.parameters, "A parameter of the application; repeatable");
}

void add_job_options(CLI::App& app, JobOptions& job) {
  add_input_options(app, job);
  app.add_option("-o,--output", job.output, "Directory for the output; must not exist or be empty")
      ->required()
      ->type_name("DIR");
  add_duration(app, "--deadline", job.deadline, "Time the job may take; later than that, the exit code is 3");
  add_duration(app, "--checkpoint", job.checkpoint_interval,
               "Seal what is mapped this often, 0 is never (default 5s; 0 for policies that restart)");
  add_attempt_timeout(app, job.attempt_timeout);
  add_count(app, "--max-attempts", job.attempts_max, 1, "Failures of one segment that fail the job");
  add_size(app, "--max-record", job.record_bytes_max, "A longer record fails the job");
  app.add_option("--policy", job.policy, "What to do about stragglers: a name from 'ontime policies' (default auto)")
      ->type_name("NAME");
  add_settings(app, "--policy-set", job.policy_parameters, "A parameter of the policy; repeatable");
  app.add_option("--estimator", job.estimator,
                 "How completion times are estimated: chronos, hadoop, exponential or simple-exponential")
      ->check(one_of({"chronos", "hadoop", "exponential", "simple-exponential"}))
      ->type_name("NAME");
  app.add_option_function<std::string>(
         "--on-miss", [&job](const std::string& what) { job.kill_on_miss = what == "kill"; },
         "When the deadline has passed: finish the job, or kill it (default finish)")
      ->check(one_of({"finish", "kill"}))
      ->type_name("WHAT");
  add_application_directories(app, job.application_directories);
}

void add_cluster_options(CLI::App& app, ClusterOptions& cluster) {
  const char* group = "The cluster of this run";
  add_count(app, "-w,--workers", cluster.workers, 1, "Worker processes, as many as there are cores unless told")
      ->group(group);
  add_count(app, "--slots", cluster.slots, 1, "Attempts that each worker runs at a time")->group(group);
  add_duration(app, "--node-timeout", cluster.node_timeout, "A worker silent for so long is lost")->group(group);
  add_duration(app, "--heartbeat", cluster.heartbeat, "How often workers report their progress")->group(group);
  app.add_option("--log-level", cluster.log_level,
                 "What master and workers log: trace, debug, info, warning, error or off")
      ->check(one_of({"trace", "debug", "info", "warning", "error", "off"}))
      ->type_name("LEVEL")
      ->capture_default_str()
      ->group(group);
  app.add_option("--inject", cluster.injection.settings, "Disturb attempts on purpose, such as pace=2s; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--injection", cluster.injection.file, "The same from a YAML file; --inject wins")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--seed", cluster.injection.seed, "What the chance in both depends on (default 0)")
      ->type_name("N")
      ->group(group);
  app.add_option("--log-file", cluster.log_file, "Keep the log of master and workers here (default: not kept)")
      ->type_name("FILE")
      ->group(group);
}

void add_master_options(CLI::App& app, MasterOptions& master) {
  app.add_option("-m,--master", master.address, "Address of the master, else $ONTIME_MASTER")
      ->envname("ONTIME_MASTER")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  add_credential_options(app, master);
}

void add_credential_options(CLI::App& app, MasterOptions& master) {
  app.add_option("--token-file", master.token_file,
                 "File that holds the token to prove (default: $ONTIME_TOKEN, or token of $ONTIME_TLS_DIR)")
      ->type_name("FILE");
  app.add_option("--tls-ca", master.tls.authority,
                 "Certificate of the cluster's authority (default: ca.pem, cert.pem and key.pem of $ONTIME_TLS_DIR)")
      ->type_name("FILE");
  app.add_option("--tls-cert", master.tls.certificate, "This client's certificate")->type_name("FILE");
  app.add_option("--tls-key", master.tls.key, "Its key")->type_name("FILE");
}

void add_application_directories(CLI::App& app, std::vector<std::string>& directories) {
  app.add_option("--app-dir", directories, "Look for applications here first; repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

void add_json(CLI::App& app, bool& json) { app.add_flag("--json", json, "Print JSON, for programs to read"); }

}  // namespace ontime::cli
