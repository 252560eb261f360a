#pragma once
// What a command line asks for, one plain struct per verb. Made by parse_command_line(), carried out by execute().

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.h"
#include "common/base/job_settings.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/injection/settings.h"
#include "common/net/tls_identity.h"

namespace ontime::cli {

using Settings = std::map<std::string, std::string, std::less<>>;  // --set key=value

// The options that `run` and `submit` share.
struct JobOptions : JobSettings {
  std::string application;
  std::vector<std::string> inputs;   // as typed; "-" is standard input
  std::vector<std::string> lists;    // of values, as typed; see cli/parameter_lists.h
  std::string inputs_file;           // that names more of them; "-" is standard input; empty: none
  std::string usual_inputs_file;     // the same, where the command line names no input at all
  std::vector<std::string> exclude;  // patterns, as typed
  std::int64_t due_unix_ns = 0;      // the deadline, if it was given as a clock time; 0: it was not
  bool growing = false;              // files may be appended to while the job runs
  bool top_level_only = false;       // of input directories
  bool file_tasks = false;           // each file is at least one task
  std::uint64_t stdin_bytes_max = 16ull << 30;
  std::string output;             // as typed
  std::uint64_t split_bytes = 0;  // 0: the default, or `splits`
  std::uint32_t splits = 0;
  Settings parameters;
  std::vector<std::string> application_directories;  // looked at before the default ones
  std::vector<std::string> files;                    // that the job brings, as typed
  std::vector<std::string> notify;                   // WHEN:WHAT

  JobOptions() {  // the master's
    policy.clear();
    record_bytes_max = 0;
    window_bytes_max = 0;
  }
};

// Where the master is and how to be let in.
struct MasterOptions {
  std::string address = "127.0.0.1:7400";  // or of each of several, after commas
  std::string token_file;                  // empty: $ONTIME_TOKEN
  TlsFiles tls;                            // empty: those of $ONTIME_TLS_DIR, if it is set
};

// Workers that are alike; they are called name-1, name-2 ...
struct WorkerGroup {
  std::string name = "worker";
  std::uint32_t count = 1;
  std::uint32_t slots = 1;  // of each
};

struct ClusterOptions {
  std::uint32_t workers = 1;
  std::uint32_t slots = 1;          // of each worker
  std::vector<WorkerGroup> groups;  // instead of both, if there are any
  Duration others_wait{};           // so much later all workers but the first are started
  Duration node_timeout{std::chrono::seconds(5)};
  Duration heartbeat{std::chrono::milliseconds(200)};
  std::string log_level = "warning";
  std::string log_file;                              // empty: thrown away with the cluster
  std::string access_points;                         // a directory to share them in; empty: none
  bool record = false;                               // what happens, beside the journal
  bool is_local_only = false;                        // no job has inputs or outputs in stores or on web servers
  std::uint64_t attempt_memory = 0;                  // bytes that each process of an attempt may allocate; 0: no limit
  injection::Flags injection;                        // what disturbs attempts on purpose
  std::vector<std::string> application_directories;  // the job's
};

struct RunCommand {
  JobOptions job;
  ClusterOptions cluster;
  bool show_tasks = false;
  bool explain = false;
  std::string record;  // a file for the recording; empty: none
  std::string answer;  // a file for the answer; empty: none
  std::string report;  // a file for the page about the job; empty: none
  bool quiet = false;
  bool json = false;
};

struct SubmitCommand {
  JobOptions job;
  MasterOptions master;
  bool wait = false;
  bool quiet = false;
  bool json = false;
};

struct JobsCommand {
  MasterOptions master;
  bool accounts = false;
  std::optional<std::uint32_t> latest;  // 0: all
  std::vector<std::string> states;      // only jobs in one of these; none: all
  bool late = false;                    // only those that missed their deadline, or are likely to
  bool watch = false;                   // again and again, until interrupted
  bool json = false;
};

struct TopCommand {
  MasterOptions master;
};

struct JobCommand {
  MasterOptions master;
  std::string job;             // as its user names it: selector.h
  std::uint32_t tasks = 1000;  // that are listed at most; 0: all
  std::uint32_t first_task = 0;
  bool open_tasks_only = false;
  bool show_segments = false;
  bool follow = false;  // until it has ended
  bool json = false;
};

struct ExplainCommand {
  MasterOptions master;
  std::string job;                    // as its user names it: selector.h
  std::optional<std::uint32_t> task;  // none: those with most to tell
  bool all = false;
  bool json = false;
};

// A job as one file, for people or for programs that show traces.
struct ExportCommand {
  enum class As { Report, Trace };
  As as = As::Report;
  MasterOptions master;
  std::string job;     // as its user names it: selector.h
  std::string output;  // empty: stdout
  bool force = false;  // replace a file that is there
};

// An attempt of a job; without its number all of the task, without a task all of the job.
struct AttemptChoice {
  std::optional<std::uint32_t> task;
  std::optional<std::uint32_t> attempt;
};

struct LogsCommand {
  MasterOptions master;
  std::string job;  // as its user names it, or its output directory
  AttemptChoice attempts;
  bool follow = false;
  bool json = false;
};

struct NodesCommand {
  MasterOptions master;
  bool json = false;
};

struct DrainCommand {
  MasterOptions master;
  std::string node;  // its id, number or name
  bool undo = false;
  bool wait = false;  // until nothing runs there any more
  bool json = false;
};

struct WebCommand {
  MasterOptions master;
  std::string listen = "127.0.0.1:7480";
  bool insecure_network = false;        // may listen beyond the loopback
  std::vector<std::string> host_names;  // it may be called by, beside localhost
  std::string visitor_token_file;       // empty: anyone who can reach it may read
  std::string https;                    // directory of ca.pem, cert.pem and key.pem; empty: plain HTTP
  std::string port_file;                // empty: none
  std::vector<std::string> arguments;   // all of these as they were given
};

struct KillCommand {
  MasterOptions master;
  std::vector<std::string> jobs;  // as their user names them
  bool json = false;
};

struct ResultCommand {
  std::string directory;
  std::string output;     // empty: stdout
  bool force = false;     // replace a file that is there
  std::uint64_t top = 0;  // 0: everything, by key
  std::uint64_t memory_bytes = 256u << 20;
  bool run_command = false;  // that the job names for its merge, also if another user wrote it
  std::vector<std::string> application_directories;
};

struct VerifyCommand {
  std::string directory;
  bool quiet = false;
  bool json = false;
};

struct AppsCommand {
  std::vector<std::string> application_directories;
  bool json = false;
};

struct PoliciesCommand {
  bool json = false;
};

struct GenCommand {
  std::string kind;
  std::string amount;  // rows or a size, as the kind counts
  std::string output;  // empty: stdout
  std::uint64_t seed = 1;
  Settings settings;
  bool force = false;  // replace a file that is there
  bool quiet = false;
};

struct TeraValidateCommand {
  std::string file;  // "-": stdin
  bool quiet = false;
  bool json = false;
};

// Makes an authority, or a certificate that it signs.
struct CertsCommand {
  enum class What { Authority, Node, Client, Cluster };
  What what = What::Authority;
  std::string directory = "ontime-certs";
  std::string name;                // of the node or client
  std::vector<std::string> hosts;  // of a node, empty: its name; of a cluster's master
  std::string role = "submit";     // of a client
  std::uint32_t days = 365;
  bool force = false;  // replace what is there
};

struct CompletionCommand {
  std::string shell;
};

using Command =
    std::variant<RunCommand, SubmitCommand, JobsCommand, JobCommand, ExplainCommand, NodesCommand, KillCommand,
                 ResultCommand, VerifyCommand, AppsCommand, PoliciesCommand, GenCommand, TeraValidateCommand,
                 WebCommand, CertsCommand, CompletionCommand, DrainCommand, LogsCommand, ExportCommand, TopCommand>;

// What the program says to the shell. docs and --help promise these numbers.
enum class ExitCode : int {
  Done = 0,
  Failed = 1,         // the job or the operation failed
  BadUsage = 2,       // what was asked for cannot be right; asking again is no use
  Late = 3,           // the job succeeded after its deadline
  Interrupted = 130,  // Ctrl-C, as shells number it
};

inline ExitCode exit_code_of(const Error& error) {
  return error.kind == ErrorKind::BadInput ? ExitCode::BadUsage : ExitCode::Failed;
}

}  // namespace ontime::cli
