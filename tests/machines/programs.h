#pragma once
// The programs that ship, as simulated processes: composed as their main() does, of the same parts, but for what
// belongs to the real process (signals, the log's files, the command line).

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/net/masters.h"
#include "master/base/settings.h"
#include "master/journal/etcd_journal.h"
#include "master/journal/journal.h"
#include "master/master.h"
#include "tests/machines/process.h"

namespace ontime::lab::machines {

inline constexpr std::uint16_t kMasterPort = 7077;
std::string dotted(std::uint32_t host);  // "10.0.0.1"
net::Endpoint master_at(std::uint32_t host);

struct MasterProgram {
  master::Settings settings;
  std::string journal = "/journal";
  // "": the journal is there, and nobody else's. Otherwise it is in this etcd, whose lease is so long, and what is kept
  // beside it is there.
  std::string etcd{};
  Duration lease = std::chrono::seconds(2);
  std::uint64_t snapshot_bytes = journal::EtcdSettings().log_bytes_min;
  // For who watches: the journal that is used in place of the real one, which it wraps; and the master, until it ends.
  std::function<std::unique_ptr<journal::Journal>(std::unique_ptr<journal::Journal>)> wrap;
  std::function<void(const master::Master*)> watch;
};
Process& start_master(Cluster& cluster, Machine& machine, const MasterProgram& program);

struct WorkerProgram {
  net::Masters masters;
  std::string name;
  std::uint32_t slots = 1;
  std::vector<std::string> application_directories;
  Duration drain_timeout = std::chrono::seconds(30);  // after SIGTERM
  std::function<double()> pace;                       // of each of its runners, see Process
};
// With a launcher of its own, which starts runners: processes with the worker's name too.
Process& start_worker(Cluster& cluster, Machine& machine, const WorkerProgram& program);

}  // namespace ontime::lab::machines
