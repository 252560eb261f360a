#pragma once
// A small cluster whose processes may die of what they were told to: a dead process is started again, and a death
// nobody asked for is a failure.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/crash/plan.h"
#include "tests/support/process.h"

namespace ontime::test {

inline const std::string kBin = ONTIME_TEST_BIN;
inline const std::string kApps = ONTIME_TEST_APPS;

// Why a cycle has failed: one sentence.
struct CycleFailed {
  std::string why;
};

class Processes {
 public:
  // `directory`: for the journal, logs and marks of deaths. Nothing runs yet. Throws CycleFailed, as all of these do.
  Processes(std::string directory, const Plan& plan);

  void start();
  // Looks after the processes until `holds`; 30 s at most, which no cycle takes.
  void until(const std::string& what, const std::function<bool()>& holds);
  // `ontime ARGUMENTS --master US`, to its end, whether the master lives or not.
  Finished client(Arguments arguments);
  void restart_master();  // SIGKILL, and a new one
  void stop();            // SIGTERM to all, which has to end them well

  bool master_died() const { return has_died(kMasterMark); }
  bool worker_died() const { return has_died(kWorkerMark); }
  // A client may have met a master that was not there.
  bool master_was_away() const { return master_died() || disk_failed() || was_cut_; }
  bool disk_failed() const { return has_died(kFaultMark); }
  // Where the journal is and outputs go: what a power cut strikes and a disk's fault is limited to.
  std::string disk() const { return directory_ + "/disk"; }

 private:
  static constexpr const char* kMasterMark = "died-master";
  static constexpr const char* kWorkerMark = "died-worker";

  static constexpr const char* kFaultMark = "disk-failed";

  bool has_died(const char* mark) const;
  void cut_power_once();
  void tend();  // starts again what has died
  void tend_master();
  void start_master();
  Process make_worker();
  void check_death(Process& process, const char* mark, const std::string& who);
  Environment environment(Side side) const;
  std::string program(const std::string& name, const Environment& environment) const;
  std::string next_log(const std::string& who) { return directory_ + "/" + std::to_string(++logs_) + "-" + who; }

  const std::string directory_;
  const Plan plan_;
  Process master_;
  std::vector<Process> workers_;
  std::string port_ = "0";
  int logs_ = 0;
  bool was_cut_ = false;
};

}  // namespace ontime::test
