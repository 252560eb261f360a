#include "cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "cli/job_fields.h"
#include "common/base/environment.h"
#include "common/base/limits.h"

namespace ontime::cli {

using flags::add_duration;
using flags::add_settings;
using flags::add_size;
using flags::add_whole;

namespace {

constexpr std::uint32_t kLocalWorkersMax = 256;    // processes that one `ontime run` may start
constexpr const char* kConnection = "Connection";  // flags that each verb has which asks a master

}  // namespace

void add_input_options(CLI::App& app, JobOptions& job) {
  add_argument(app, "APP", job.application, "Application: a name from 'ontime apps', or the path of a shared object");
  auto* inputs =
      add_argument(app, "INPUT", job.inputs,
                   "Files, directories with all below, patterns (quoted: * ? [] ** {a,b}), file://, "
                   "https://, s3:// and hdfs:// addresses, - for standard input, or ::: VALUE... ::: VALUE... as "
                   "GNU parallel has them: each combination is a record");
  add_text(app, "--files-from", job.inputs_file, "FILE",
           "Read more INPUT from this file (- is standard input), one a line, or each ended by a NUL")
      ->each([inputs](const std::string&) { inputs->required(false); });
  job.usual_inputs_file = environment_variable("ONTIME_FILES_FROM");
  if (!job.usual_inputs_file.empty()) inputs->required(false);
  add_text(app, "--exclude", job.exclude, "PATTERN",
           "Leave out of the input what matches: a name, or with a slash a path or address; repeatable")
      ->envname("ONTIME_EXCLUDE");
  app.add_flag("--growing", job.growing, "Read what plain files have at submission, though more is appended meanwhile")
      ->envname("ONTIME_GROWING");
  app.add_flag("--no-recurse", job.top_level_only, "Leave out the directories inside input directories");
  add_size(app, "--stdin-limit", job.stdin_bytes_max, "Most bytes that INPUT - may have; they are kept in a file");
  auto* size = add_size(app, "--split-size", job.split_bytes, "Input bytes for each task (default 128MiB)");
  auto* count = add_whole(app, "--splits", job.splits, {1, kTasksOfJobMax},
                          "Divide the input into this many tasks or a few less instead");
  size->excludes(count);
  count->excludes(size);
  app.add_flag("--no-combine", job.file_tasks, "Give each file a task of its own; otherwise small files share tasks");
  add_settings(app, "-s,--set", job.parameters, "A parameter of the application; repeatable");
}

void add_job_options(CLI::App& app, JobOptions& job) {
  add_input_options(app, job);
  add_text(app, "-o,--output", job.output, "DIR",
           "Directory for the output, s3://bucket/prefix or hdfs://host/dir; must not exist or be empty")
      ->required();
  add_setting_flags(app, job);
}

CLI::Option* add_deadline(CLI::App& app, JobOptions& job, const std::string& help) {
  const auto read = [&job](const std::string& text) {
    if (const Status given = read_deadline(text, job); !given)
      throw CLI::ValidationError("--deadline", given.error().message);
  };
  return app.add_option_function<std::string>("--deadline", read, help)->type_name("TIME");
}

void add_cluster_options(CLI::App& app, ClusterOptions& cluster) {
  const char* group = "The cluster of this run";
  add_whole(app, "-w,--workers", cluster.workers, {1, kLocalWorkersMax},
            "Worker processes, by default one for each core that may be used")
      ->group(group);
  add_whole(app, "--slots", cluster.slots, {1, kSlotsOfWorkerMax}, "Attempts that each worker runs at a time")
      ->group(group);
  add_size(app, "--attempt-memory", cluster.attempt_memory,
           "Memory that each process of an attempt may allocate (default: this machine's memory, divided by the "
           "attempts that run at a time, but at least 1GiB)",
           kAttemptMemoryMin)
      ->group(group);
  add_duration(app, "--node-timeout", cluster.node_timeout, "A worker that is silent for this long is lost")
      ->group(group);
  add_duration(app, "--heartbeat", cluster.heartbeat, "How often workers report their progress", kHeartbeatMin)
      ->group(group);
  flags::add_log_level(app, cluster.log_level, "What master and workers log")->group(group);
  add_text(app, "--inject", cluster.injection.settings, "KEY=VALUE",
           "Disturb attempts on purpose, such as pace=2s; repeatable")
      ->group(group);
  add_text(app, "--injection", cluster.injection.file, "FILE", "The same from a YAML file; --inject wins")
      ->group(group);
  add_whole(app, "--seed", cluster.injection.seed, {}, "Seed of the random draws in both (default 0)")->group(group);
  add_text(app, "--log-file", cluster.log_file, "FILE", "Keep the log of master and workers here (default: not kept)")
      ->group(group);
}

void add_master_options(CLI::App& app, MasterOptions& master) {
  add_text(app, "-m,--master", master.address, "HOST:PORT,...",
           "Address of the master, or of each of several, else $ONTIME_MASTER")
      ->envname("ONTIME_MASTER")
      ->capture_default_str()
      ->group(kConnection);
  add_credential_options(app, master);
}

void add_credential_options(CLI::App& app, MasterOptions& master) {
  add_text(app, "--token-file", master.token_file, "FILE",
           "File that holds the token to prove (default: $ONTIME_TOKEN_FILE, $ONTIME_TOKEN, or token of "
           "$ONTIME_TLS_DIR)")
      ->envname("ONTIME_TOKEN_FILE")
      ->group(kConnection);
  add_text(app, "--tls-ca", master.tls.authority, "FILE",
           "Certificate of the cluster's authority (default: $ONTIME_TLS_CA, or ca.pem, cert.pem and key.pem of "
           "$ONTIME_TLS_DIR)")
      ->envname("ONTIME_TLS_CA")
      ->group(kConnection);
  add_text(app, "--tls-cert", master.tls.certificate, "FILE", "This client's certificate, else $ONTIME_TLS_CERT")
      ->envname("ONTIME_TLS_CERT")
      ->group(kConnection);
  add_text(app, "--tls-key", master.tls.key, "FILE", "Its key, else $ONTIME_TLS_KEY")
      ->envname("ONTIME_TLS_KEY")
      ->group(kConnection);
}

void add_application_directories(CLI::App& app, std::vector<std::string>& directories) {
  add_text(app, "--app-dir", directories, "DIR", "Look for applications here first; repeatable");
}

void add_json(CLI::App& app, bool& json) { app.add_flag("--json", json, "Print JSON, for programs to read"); }

void spell_out_paths(std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "--complete") return;  // what follows is not complete
  auto mark = std::find(arguments.begin(), arguments.end(), "--");
  if (mark == arguments.end()) return;
  for (mark = arguments.erase(mark); mark != arguments.end(); ++mark)
    if (mark->starts_with('-')) mark->insert(0, "./");
}

std::function<void(const std::string&)> read_id(JobId& into) {
  return [&into](const std::string& text) {
    const auto id = parse_job_id(text);
    if (!id) throw CLI::ValidationError("ID", "'" + text + "' is not the id of a job, such as 7 or job-7");
    into = *id;
  };
}

std::function<void(const std::string&)> read_attempt(AttemptChoice& into) {
  return [&into](const std::string& text) {
    // The name of an attempt's file, as messages show it, is as good.
    std::string plain;
    for (const char c : text) {
      if (c == '-')
        plain += '/';
      else if (c != 't' && c != 'a')
        plain += c;
    }
    const char* const end = plain.data() + plain.size();
    std::uint32_t number = 0;
    auto read = std::from_chars(plain.data(), end, number);
    into.task = number;
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == '/') {
      read = std::from_chars(read.ptr + 1, end, number);
      into.attempt = number;
    }
    if (read.ec != std::errc() || read.ptr != end)
      throw CLI::ValidationError("TASK",
                                 "'" + text + "' is neither a task nor an attempt, such as 3, 3/1 or t00003-a1");
  };
}

}  // namespace ontime::cli
