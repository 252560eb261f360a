#pragma once
// A cluster of the real programs on the loopback, and what tests do to it.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace ontime::test {

inline const std::string kBin = ONTIME_TEST_BIN;    // where the programs are
inline const std::string kApps = ONTIME_TEST_APPS;  // applications made for tests
inline const std::string kText = ONTIME_TEST_TEXT;  // the bundled text
inline const std::string kNovel = kText + "/austen_persuasion.txt";

// `ontime ARGUMENTS...`, to the end.
Finished ontime(Arguments arguments);

// The words of `files` (a shell glob) with their counts, by coreutils, as `ontime result` prints them.
std::string counted_by_coreutils(const std::string& files);

struct Result {
  int status = 0;
  std::string answer;
};
// `ontime result DIR`, and ADD_FAILURE unless `ontime verify DIR` approves.
std::string verified_answer(const std::string& directory);

// The processes in which a worker's attempts run, without their launcher.
std::vector<pid_t> runners_of(const Process& worker);

class Cluster {
 public:
  Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();  // ADD_FAILURE if what a master has recorded by now is not what the formal model allows
  // Fast heartbeats and a short time-out, so that losses are noticed soon; or another one, from the next start on.
  void set_node_timeout(const std::string& timeout) { node_timeout_ = timeout; }
  // Another one than the program that ships, from the next start on.
  void set_master_program(const std::string& path) { master_program_ = path; }
  // Of masters and workers, from the next start on.
  void set_environment(const Environment& environment) { environment_ = environment; }
  // Workers ask for the master there, from the next start on.
  void lead_workers_to(const std::string& address) { workers_ask_ = address; }
  // Of the client in each of its calls, such as its certificate.
  void set_client_flags(const Arguments& flags) { client_flags_ = flags; }
  void start_master(const Arguments& extra = {});
  void restart_master();  // SIGKILL, then a new one on the same journal and port
  std::size_t add_worker(std::uint32_t slots = 1, const Arguments& extra = {});
  void replace_worker(std::size_t index);       // SIGKILL, then a new one with the same flags
  bool kill_some_attempt(std::uint32_t which);  // SIGKILL one of the running runners; false if there is none

  Process& master() { return master_; }
  Process& worker(std::size_t index) { return workers_.at(index).process; }
  std::size_t workers() const { return workers_.size(); }
  std::vector<pid_t> runners() const;  // of all workers

  // `ontime VERB ... --master US`.
  Finished client(Arguments arguments) const;
  std::string submit(Arguments arguments);  // "job-1"
  // Two clients submit a job with that output at once, again and again: each time one of them gets it, and the other is
  // told in one sentence that it is taken. For a cluster without workers.
  void expect_one_of_two_to_get(const std::string& output) const;
  nlohmann::json job(const std::string& id) const;  // with tasks; null while the master is away
  nlohmann::json nodes() const;                     // none while the master is away
  std::string wait(const std::string& id) const;    // its final state
  // Masters that the test starts itself, in the place of start_master().
  void set_masters(const std::string& addresses) { addresses_ = addresses; }
  std::string address() const { return addresses_.empty() ? "127.0.0.1:" + port_ : addresses_; }
  std::string operator/(const std::string& name) const { return directory_ / name; }

 private:
  struct Worker {
    Arguments flags;
    Process process;
  };
  Process start_worker(const Arguments& flags);

  TemporaryDirectory directory_;
  std::string port_;
  std::string addresses_;
  Arguments master_extra_;
  Arguments client_flags_;
  Environment environment_;
  std::string workers_ask_;  // empty: address()
  std::string node_timeout_ = "1s";
  std::string master_program_ = kBin + "/ontime-master";
  Process master_;
  std::vector<Worker> workers_;
  int started_ = 0;
};

}  // namespace ontime::test
