#include "tests/crash/processes.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "tests/crash/power_cut.h"

namespace ontime::test {
namespace {

using namespace std::chrono_literals;

constexpr int kWorkers = 2;
constexpr int kAborted = 128 + SIGABRT;
constexpr int kGaveUp = 1;

}  // namespace

Processes::Processes(std::string directory, const Plan& plan) : directory_(std::move(directory)), plan_(plan) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that no process of the cluster gets lost
  std::filesystem::create_directory(disk());
  std::filesystem::create_directory(directory_ + "/shadow");
}

void Processes::start() {
  start_master();
  until("the master listens", [this] { return port_ != "0"; });
  for (int i = 0; i < kWorkers; ++i) workers_.push_back(make_worker());
}

Environment Processes::environment(Side side) const {
  Environment all;
  const auto& death = side == Side::Master ? plan_.master : plan_.worker;
  const char* const mark = side == Side::Master ? kMasterMark : kWorkerMark;
  if (death) {
    all["ONTIME_KILL_AT"] = death->point + ":" + std::to_string(death->passing) + ":" + directory_ + "/" + mark;
  }
  const bool has_fault = plan_.fault && plan_.fault_side == side;
  if (!has_fault && (!plan_.power || was_cut_)) return all;
  all["ONTIME_DISK"] = disk();
  if (plan_.power) all["ONTIME_DISK_SHADOW"] = directory_ + "/shadow";
  if (has_fault) {
    all["ONTIME_DISK_FAULT"] = plan_.fault->op + ":" + plan_.fault->error + ":" + std::to_string(plan_.fault->passing) +
                               ":" + directory_ + "/" + kFaultMark;
  }
  return all;
}

// What ships, or the copy whose disk has faults.
std::string Processes::program(const std::string& name, const Environment& environment) const {
  return (environment.contains("ONTIME_DISK") ? ONTIME_TEST_FAULTY_BIN : kBin) + "/" + name;
}

// The whole machine: every process at once, then what the disk forgets.
void Processes::cut_power_once() {
  was_cut_ = true;
  master_.kill();
  for (Process& worker : workers_) worker.kill();
  for (std::vector<pid_t> left = descendants(::getpid(), "ontime-runner"); !left.empty();
       left = descendants(::getpid(), "ontime-runner")) {
    for (const pid_t pid : left) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
  cut_power(disk(), directory_ + "/shadow", *plan_.power);
  start_master();
  for (Process& worker : workers_) worker = make_worker();
}

void Processes::start_master() {
  const std::string port_file = directory_ + "/port";
  std::filesystem::remove(port_file);
  const Environment chosen = environment(Side::Master);
  master_ = Process({program("ontime-master", chosen), "--journal", disk() + "/journal", "--port-file", port_file,
                     "--listen", "127.0.0.1:" + port_, "--node-timeout", "400ms", "--heartbeat", "20ms"},
                    next_log("master"), chosen);
}

Process Processes::make_worker() {
  const Environment chosen = environment(Side::Worker);
  return {{program("ontime-worker", chosen), "--master", "127.0.0.1:" + port_, "--slots", "1", "--app-dir", kApps,
           "--attempt-env", "*", "--drain-timeout", "1s"},
          next_log("worker"),
          chosen};
}

bool Processes::has_died(const char* mark) const { return std::filesystem::exists(directory_ + "/" + mark); }

void Processes::check_death(Process& process, const char* mark, const std::string& who) {
  const Finished end = process.output();
  if (end.status == kAborted && has_died(mark)) return;
  if (end.status == kGaveUp && disk_failed() && end.err.find("ontime-" + who + ": Cannot ") != std::string::npos)
    return;
  throw CycleFailed{"a " + who + " ended with " + std::to_string(end.status) + ": " + end.err};
}

void Processes::tend_master() {
  if (!master_.is_running()) {
    check_death(master_, kMasterMark, "master");
    start_master();
  }
  if (port_ != "0") return;
  port_ = read_file(directory_ + "/port");
  port_.erase(std::remove(port_.begin(), port_.end(), '\n'), port_.end());
  if (port_.empty()) port_ = "0";
}

void Processes::tend() {
  if (plan_.power && !was_cut_ && (master_died() || worker_died())) cut_power_once();
  tend_master();
  for (Process& worker : workers_) {
    if (worker.is_running()) continue;
    check_death(worker, kWorkerMark, "worker");
    worker = make_worker();
  }
}

void Processes::until(const std::string& what, const std::function<bool()>& holds) {
  const auto limit = std::chrono::steady_clock::now() + 30s;
  for (;;) {
    tend();
    if (holds()) return;
    if (std::chrono::steady_clock::now() > limit) throw CycleFailed{"after 30 s it does not hold that " + what};
    std::this_thread::sleep_for(1ms);
  }
}

Finished Processes::client(Arguments arguments) {
  arguments.insert(arguments.begin(), kBin + "/ontime");
  arguments.insert(arguments.end(), {"--master", "127.0.0.1:" + port_});
  Process process(arguments, next_log("client"));
  until("'ontime " + arguments[1] + "' ends", [&] { return !process.is_running(); });
  return process.output();
}

void Processes::restart_master() {
  master_.kill();
  start_master();
  until("the next master listens", [this] { return !read_file(directory_ + "/port").empty(); });
}

void Processes::stop() {
  // One that has just been started in a dead one's place does not know yet what SIGTERM means.
  until("all workers have registered", [this] {
    return std::all_of(workers_.begin(), workers_.end(), [](const Process& worker) {
      return worker.output().err.find("registered master=") != std::string::npos;
    });
  });
  for (Process& worker : workers_) worker.signal(SIGTERM);
  master_.signal(SIGTERM);
  const Finished end = master_.wait();
  if (end.status != 0 && !(end.status == kAborted && master_died())) check_death(master_, kMasterMark, "master");
  for (Process& worker : workers_) {
    if (worker.wait().status != 0) check_death(worker, kWorkerMark, "worker");
  }
}

}  // namespace ontime::test
