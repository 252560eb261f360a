#pragma once
// The flags of ontime-master.

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/log/log.h"
#include "common/net/sockets.h"
#include "master/base/settings.h"
#include "master/journal/etcd_address.h"
#include "master/journal/etcd_journal.h"

namespace ontime::master {

// A journal that several masters share.
struct SharedJournalPlace {
  journal::EtcdAddress address;
  journal::EtcdSettings settings;
};

struct CommandLine {
  net::Endpoint listen;
  net::Reach reach = net::Reach::Loopback;
  std::optional<int> listen_descriptor;    // instead of `listen`
  std::string port_file;                   // empty: none
  std::string journal = "ontime-journal";  // a directory, or where shared_journal is
  std::optional<SharedJournalPlace> shared_journal;
  std::string state_directory;  // of the files beside the journal
  Settings settings;
  std::string token_file;  // as in net::read_accepted_tokens()
  log::Options log;
  bool check_config = false;
  bool check_journal = false;
  std::string backup_journal;  // where to; empty: no backup
  bool is_local_only = false;  // inputs and outputs are in no store and on no web server
  pid_t parent = 0;            // to die with; 0: with nobody
};

// What to do: run, or print a text (of --help, --version or a usage error) and exit.
struct Parsed {
  std::optional<CommandLine> command_line;
  int exit_code = 0;
  std::string text;  // to stderr if exit_code is not 0
};

Parsed parse_command_line(int argc, const char* const* argv);

}  // namespace ontime::master
