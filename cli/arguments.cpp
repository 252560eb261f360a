#include "cli/arguments.h"

#include <limits>
#include <utility>

#include "common/base/units.h"

namespace ontime::cli {
namespace {

std::string shown(Duration duration) { return duration.count() == 0 ? "off" : format_duration(duration); }

}  // namespace

CLI::Option* add_size(CLI::App& app, const std::string& name, std::uint64_t& value, const std::string& help) {
  auto* option = app.add_option_function<std::string>(
      name,
      [name, &value](const std::string& text) {
        const auto size = parse_size(text);
        if (!size) throw CLI::ValidationError(name, size.error().message);
        if (*size == 0) throw CLI::ValidationError(name, "the size must be at least 1 byte.");
        value = *size;
      },
      help);
  option->type_name("SIZE");
  if (value != 0) option->default_str(format_size(value));
  return option;
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& value, const std::string& help) {
  auto* option = app.add_option_function<std::string>(
      name,
      [name, &value](const std::string& text) {
        const auto duration = parse_duration(text);
        if (!duration) throw CLI::ValidationError(name, duration.error().message);
        if (duration->count() < 0) throw CLI::ValidationError(name, "'" + text + "' is negative.");
        value = *duration;
      },
      help);
  return option->type_name("TIME")->default_str(shown(value));
}

CLI::Option* add_settings(CLI::App& app, const std::string& name, Settings& settings, const std::string& help) {
  auto* option = app.add_option_function<std::vector<std::string>>(
      name,
      [name, &settings](const std::vector<std::string>& texts) {
        for (const auto& text : texts) {
          const auto equals = text.find('=');
          if (equals == std::string::npos || equals == 0)
            throw CLI::ValidationError(name, "'" + text + "' is not KEY=VALUE.");
          settings[text.substr(0, equals)] = text.substr(equals + 1);
        }
      },
      help);
  return option->type_name("KEY=VALUE")->allow_extra_args(false);
}

CLI::Option* add_count(CLI::App& app, const std::string& name, std::uint32_t& value, std::uint32_t least,
                       const std::string& help) {
  auto* option = app.add_option(name, value, help);
  option->check(CLI::Range(least, std::numeric_limits<std::uint32_t>::max(), "N"))->type_name("N");
  if (value != 0) option->capture_default_str();
  return option;
}

void add_job_options(CLI::App& app, JobOptions& job) {
  app.add_option("APP", job.application, "Application: a name from 'ontime apps', or the path of a shared object")
      ->required()
      ->type_name("");
  app.add_option("INPUT", job.inputs, "Files, directories, globs (quoted) or file:// addresses")
      ->required()
      ->type_name("");
  app.add_option("-o,--output", job.output, "Directory for the output; must not exist or be empty")
      ->required()
      ->type_name("DIR");
  auto* size = add_size(app, "--split-size", job.split_bytes, "Input bytes for each task (default 128MiB)");
  auto* count = add_count(app, "--splits", job.splits, 1, "Divide the input into about this many tasks instead");
  size->excludes(count);
  count->excludes(size);
  add_duration(app, "--deadline", job.deadline, "Time the job may take; later than that, the exit code is 3");
  add_settings(app, "-s,--set", job.parameters, "A parameter of the application; repeatable");
  add_duration(app, "--checkpoint", job.checkpoint_interval, "Seal what is mapped this often; 0 is never");
  add_duration(app, "--attempt-timeout", job.attempt_timeout, "Kill an attempt that makes no progress for so long");
  add_count(app, "--max-attempts", job.attempts_max, 1, "Failures of one segment that fail the job");
  add_size(app, "--max-record", job.record_bytes_max, "A longer record fails the job");
  app.add_option("--policy", job.policy, "What to do about stragglers")->type_name("NAME")->capture_default_str();
  add_settings(app, "--policy-set", job.policy_parameters, "A parameter of the policy; repeatable");
  add_application_directories(app, job.application_directories);
}

void add_cluster_options(CLI::App& app, ClusterOptions& cluster) {
  const auto* group = "The cluster of this run";
  add_count(app, "-w,--workers", cluster.workers, 1, "Worker processes (default: one for each core)")->group(group);
  add_count(app, "--slots", cluster.slots, 1, "Attempts that each worker runs at a time")->group(group);
  add_duration(app, "--node-timeout", cluster.node_timeout, "A worker silent for so long is lost")->group(group);
  add_duration(app, "--heartbeat", cluster.heartbeat, "How often workers report their progress")->group(group);
  app.add_option("--log-level", cluster.log_level, "What master and workers log")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}))
      ->type_name("LEVEL")
      ->capture_default_str()
      ->group(group);
  app.add_option("--log-file", cluster.log_file, "Keep the log of master and workers here (default: not kept)")
      ->type_name("FILE")
      ->group(group);
}

void add_master_options(CLI::App& app, MasterOptions& master) {
  app.add_option("-m,--master", master.address, "Address of the master")
      ->envname("ONTIME_MASTER")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app.add_option("--token-file", master.token_file, "File that holds the cluster's token (default: $ONTIME_TOKEN)")
      ->type_name("FILE");
}

void add_application_directories(CLI::App& app, std::vector<std::string>& directories) {
  app.add_option("--app-dir", directories, "Look for applications here first; repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

void add_json(CLI::App& app, bool& json) { app.add_flag("--json", json, "Print JSON, for programs to read"); }

}  // namespace ontime::cli
