#include "tests/system/cluster.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/model/traces.h"

namespace ontime::test {

Finished ontime(Arguments arguments) {
  arguments.insert(arguments.begin(), kBin + "/ontime");
  return run(arguments, {{"ONTIME_APP_PATH", kApps + ":" + kBin + "/../lib/ontime/apps"}});
}

std::string counted_by_coreutils(const std::string& files) {
  return shell("export LC_ALL=C; cat " + files +
               " | tr -s ' \\t\\n\\v\\f\\r' '\\n' | sed '/^$/d' | sort | uniq -c | sed -E 's/^ *([0-9]+) "
               "(.*)$/\\2\\t\\1/'")
      .out;
}

std::string verified_answer(const std::string& directory) {
  const Finished verify = ontime({"verify", directory});
  EXPECT_EQ(verify.status, 0) << verify.out << verify.err;
  const Finished result = ontime({"result", directory});
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

std::vector<pid_t> runners_of(const Process& worker) {
  std::vector<pid_t> runners;
  for (const pid_t launcher : descendants(worker.pid(), "ontime-runner")) {
    for (const pid_t runner : descendants(launcher, "ontime-runner")) runners.push_back(runner);
  }
  return runners;
}

Cluster::Cluster() = default;

Cluster::~Cluster() {
  const model::Trace trace = model::check_recordings_of(directory_ / "journal");
  if (!trace.broken.empty()) ADD_FAILURE() << "the formal model does not allow what a master did: " << trace.broken;
}

void Cluster::start_master(const Arguments& extra) {
  master_extra_ = extra;
  const std::string port_file = directory_ / "port";
  Arguments arguments{master_program_,
                      "--journal",
                      directory_ / "journal",
                      "--node-timeout",
                      node_timeout_,
                      "--heartbeat",
                      "50ms",
                      "--port-file",
                      port_file,
                      "--listen",
                      "127.0.0.1:" + (port_.empty() ? "0" : port_)};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  std::remove(port_file.c_str());
  const std::string log = directory_ / ("master-" + std::to_string(++started_));
  master_ = Process(arguments, log, environment_);
  const bool listens = eventually([&] { return !read_file(port_file).empty() || !master_.is_running(); });
  ASSERT_TRUE(listens && master_.is_running()) << read_file(log + ".err");
  port_ = read_file(port_file);
  port_.erase(std::remove_if(port_.begin(), port_.end(), [](char c) { return c < '0' || c > '9'; }), port_.end());
}

void Cluster::restart_master() {
  master_.kill();
  start_master(master_extra_);
}

Process Cluster::start_worker(const Arguments& flags) {
  Arguments arguments{kBin + "/ontime-worker", "--master", workers_ask_.empty() ? address() : workers_ask_, "--app-dir",
                      kApps};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return Process(arguments, directory_ / ("worker-" + std::to_string(++started_)), environment_);
}

std::size_t Cluster::add_worker(std::uint32_t slots, const Arguments& extra) {
  Arguments flags{"--slots", std::to_string(slots)};
  flags.insert(flags.end(), extra.begin(), extra.end());
  workers_.push_back({.flags = flags, .process = start_worker(flags)});
  return workers_.size() - 1;
}

void Cluster::replace_worker(std::size_t index) {
  Worker& worker = workers_.at(index);
  worker.process.kill();
  worker.process = start_worker(worker.flags);
}

std::vector<pid_t> Cluster::runners() const {
  std::vector<pid_t> runners;
  for (const Worker& worker : workers_) {
    const std::vector<pid_t> more = runners_of(worker.process);
    runners.insert(runners.end(), more.begin(), more.end());
  }
  std::sort(runners.begin(), runners.end());
  return runners;
}

bool Cluster::kill_some_attempt(std::uint32_t which) {
  const std::vector<pid_t> running = runners();
  if (running.empty()) return false;
  return ::kill(running[which % running.size()], SIGKILL) == 0;
}

Finished Cluster::client(Arguments arguments) const {
  arguments.insert(arguments.end(), {"--master", address()});
  arguments.insert(arguments.end(), client_flags_.begin(), client_flags_.end());
  return ontime(std::move(arguments));
}

std::string Cluster::submit(Arguments arguments) {
  arguments.insert(arguments.begin(), "submit");
  const Finished submitted = client(std::move(arguments));
  EXPECT_EQ(submitted.status, 0) << submitted.out << submitted.err;
  const std::size_t at = submitted.out.find("job-");
  EXPECT_NE(at, std::string::npos) << submitted.out;
  return submitted.out.substr(at, submitted.out.find_first_not_of("0123456789", at + 4) - at);
}

void Cluster::expect_one_of_two_to_get(const std::string& output) const {
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = output + "-" + std::to_string(round);
    const Arguments submission{kBin + "/ontime", "submit", "wordcount", kNovel,
                               "--output",       name,     "--master",  address()};
    Process first(submission, directory_ / "first");
    Process second(submission, directory_ / "second");
    const Finished ends[] = {first.wait(), second.wait()};
    const bool is_first = ends[0].status == 0;
    const Finished& refused = ends[is_first ? 1 : 0];
    EXPECT_EQ(ends[is_first ? 0 : 1].status, 0) << name << ": both are refused: " << ends[0].err << ends[1].err;
    EXPECT_EQ(refused.status, 2) << name << ": both get it";
    EXPECT_NE(refused.err.find("is being used by another job"), std::string::npos) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
}

nlohmann::json Cluster::job(const std::string& id) const {
  const Finished described = client({"job", id, "--json"});
  return described.status == 0 ? nlohmann::json::parse(described.out) : nlohmann::json();
}

nlohmann::json Cluster::nodes() const {
  const Finished listed = client({"nodes", "--json"});
  return listed.status == 0 ? nlohmann::json::parse(listed.out)["nodes"] : nlohmann::json::array();
}

std::string Cluster::wait(const std::string& id) const {
  std::string state;
  Arguments follow{kBin + "/ontime", "job", id, "--follow", "--master", address()};
  follow.insert(follow.end(), client_flags_.begin(), client_flags_.end());
  Process follower(follow, directory_ / ("wait-" + id));
  const bool ended = eventually([&] {
    if (follower.is_running()) return false;
    const nlohmann::json description = job(id);
    if (description.is_null()) return false;
    state = description["state"];
    return state != "queued" && state != "running" && state != "committing";
  });
  EXPECT_TRUE(ended) << "the job stays " << state;
  return state;
}

}  // namespace ontime::test
