#pragma once
// The programs that ship, as simulated processes: composed as their main() does, of the same parts, but for what
// belongs to the real process (signals, the log's files, the command line).

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "master/base/settings.h"
#include "master/journal/journal.h"
#include "master/master.h"
#include "tests/machines/process.h"

namespace ontime::lab::machines {

inline constexpr std::uint16_t kMasterPort = 7077;
std::string dotted(std::uint32_t host);  // "10.0.0.1"

struct MasterProgram {
  master::Settings settings;
  std::string journal = "/journal";
  // For who watches: the journal that is used in place of RocksDB's, which it wraps; and the master, until it ends.
  std::function<std::unique_ptr<journal::Journal>(std::unique_ptr<journal::Journal>)> wrap;
  std::function<void(const master::Master*)> watch;
};
Process& start_master(Cluster& cluster, Machine& machine, const MasterProgram& program);

struct WorkerProgram {
  std::uint32_t master = 0;  // its machine's address
  std::string name;
  std::uint32_t slots = 1;
  std::vector<std::string> application_directories;
  Duration drain_timeout = std::chrono::seconds(30);  // after SIGTERM
  std::function<double()> pace;                       // of each of its runners, see Process
};
// With a launcher of its own, which starts runners: processes with the worker's name too.
Process& start_worker(Cluster& cluster, Machine& machine, const WorkerProgram& program);

}  // namespace ontime::lab::machines
