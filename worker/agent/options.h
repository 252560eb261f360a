#pragma once
// The command line of ontime-worker.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/time.h"
#include "common/files/roots.h"
#include "common/log/log.h"
#include "common/net/masters.h"
#include "common/net/tls_identity.h"
#include "worker/confine/confinement.h"

namespace ontime::worker {

struct Options {
  net::Masters masters;
  std::uint32_t slots = 1;
  std::string host;
  std::string name;
  std::string token;
  net::TlsPointer tls;                               // null: connections are not encrypted
  bool has_only_own_apps = false;                    // --no-default-apps: jobs may not name directories either
  std::vector<std::string> application_directories;  // in the order they are searched
  files::Roots input_roots;
  files::Roots output_roots;
  Confinement confinement;                       // of attempts
  std::optional<UserRange> users;                // they run as, each job as its own
  std::vector<std::string> attempt_environment;  // variables they get besides those they need
  Duration connect_timeout{std::chrono::seconds(30)};
  Duration drain_timeout{std::chrono::seconds(30)};   // from SIGTERM to the end, at most; 0: at once
  std::string ending_notice{};                        // a file, an address or a cloud; empty: none is looked for
  std::optional<Duration> time_limit{};               // until the machine or allocation ends
  Duration time_limit_lead{std::chrono::seconds(5)};  // so much earlier the worker leaves
  log::Options log;
  std::string_view warning{};  // for the log: what the attempts' user lets jobs do
  bool is_local_only = false;  // inputs and outputs are in no store and on no web server
  pid_t parent = 0;            // to die with; 0: with nobody
};

// The options, or the exit status of a process that has nothing to do: --help, --version or --check-config was asked
// for (0) or the usage is wrong (2; one sentence is on stderr).
std::variant<Options, int> parse_options(int argc, char** argv);

// Which of the worker's environment variables its attempts get.

// Entries "NAME=VALUE" of `environment` (ends with a null) that attempts need: where programs lie, language, time zone,
// where temporary files go, how libraries are found; and those named in `more`, where a '*' at the end stands for
// anything. What opens the cluster (ONTIME_TOKEN, ONTIME_TLS_DIR) is never among them, and keys of a store (AWS_...)
// only by their whole names.
std::vector<std::string> environment_of_attempts(const char* const* environment, const std::vector<std::string>& more);

}  // namespace ontime::worker
