#include "tests/crash/cycle.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/temporary_directory.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;

const std::string kNovel = ONTIME_TEST_TEXT "/austen_persuasion.txt";

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw CycleFailed{otherwise};
}

// What the clients of a cluster do, again and again until a master answers.
int count_files(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return -1;
  int files = 0;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    files += at->is_regular_file(error);
  return files;
}

class Clients {
 public:
  Clients(Processes& cluster, const Text& text, const Plan& plan)
      : cluster_(cluster),
        text_(text),
        policy_(plan.policy),
        splits_(plan.splits),
        outputs_(plan.outputs.empty() ? cluster.disk() : plan.outputs),
        outputs_at_(plan.outputs.empty() ? cluster.disk() : plan.outputs_at),
        count_(plan.count ? plan.count : count_files) {}

  // Of an output, as clients name it, and where its files are.
  std::string address_of(const std::string& output) const { return outputs_ + "/" + output; }
  std::string place_of(const std::string& output) const { return outputs_at_ + "/" + output; }
  bool exists(const std::string& path) const { return count_(path) >= 0; }
  bool has_files(const std::string& path) const { return count_(path) > 0; }

  // The id of the job that writes to `output`, whichever submission it came of.
  std::string submit(const std::string& output, const std::string& pause_us) {
    for (;;) {
      const Finished asked =
          cluster_.client({"submit", "paced", text_.path, "--output", address_of(output), "--splits", splits_,
                           "--checkpoint", "15ms", "--max-attempts", "100", "--policy", policy_, "--set", "lines=40",
                           "--set", "pause_us=" + pause_us, "--app-dir", kApps});
      if (asked.status == 0) return asked.out.substr(0, asked.out.find('\n'));
      require(cluster_.master_was_away(), "a submission was refused: " + asked.err);
      const std::string job = job_at(output);
      if (!job.empty()) return job;
      require(asked.status == 1, "a submission after the master's death was refused: " + asked.err);
    }
  }

  std::string state_of(const std::string& job) {
    const Finished asked = cluster_.client({"job", job, "--json"});
    if (asked.status == 0) return nlohmann::json::parse(asked.out)["state"];
    require(asked.status == 1, "the master does not know " + job + ", which it has accepted: " + asked.err);
    return "";
  }

  void kill(const std::string& job) {
    cluster_.until(job + " is killed", [&] { return cluster_.client({"kill", job}).status == 0; });
  }

 private:
  // Nothing: the master knows of none.
  std::string job_at(const std::string& output) {
    Finished asked;
    cluster_.until("a master lists its jobs", [&] {
      asked = cluster_.client({"jobs", "--json"});
      return asked.status == 0;
    });
    const nlohmann::json listed = nlohmann::json::parse(asked.out);
    for (const nlohmann::json& job : listed["jobs"]) {
      if (job["output"] == address_of(output)) return job["job"];
    }
    return "";
  }

  Processes& cluster_;
  const Text& text_;
  const std::string policy_;
  const std::string splits_;
  const std::string outputs_;
  const std::string outputs_at_;
  const std::function<int(const std::string&)> count_;
};

struct Job {
  std::string id;
  std::string output;  // as clients name it
  std::string place;   // where its files are
};

void check_answer(const Clients& clients, const Job& job, const Text& text) {
  const Finished verified = run({kBin + "/ontime", "verify", job.output});
  require(verified.status == 0, "'ontime verify' finds: " + verified.out + verified.err);
  const Finished result = run({kBin + "/ontime", "result", job.output}, {{"ONTIME_APP_PATH", kApps}});
  require(result.status == 0 && result.out == text.answer, "the answer is wrong");
  for (const char* left : {"/_attempts", "/_claim"})
    require(!clients.exists(job.place + left), job.place + left + " is left");
}

// To its success. A job that the disk made fail says so and leaves nothing; then another one must do.
Job run_job(Processes& cluster, Clients& clients, const Text& text, const std::string& name = "out") {
  const Job job{clients.submit(name, "1000"), clients.address_of(name), clients.place_of(name)};
  std::string state;
  cluster.until(job.id + " has ended", [&] {
    cluster.client({"job", job.id, "--follow"});
    state = clients.state_of(job.id);
    return !state.empty() && state != "queued" && state != "running" && state != "committing";
  });
  if (state == "failed" && cluster.disk_failed() && name == "out") {
    require(!clients.exists(job.place + "/_SUCCESS"), "a failed job has _SUCCESS");
    return run_job(cluster, clients, text, "again");
  }
  require(state == "succeeded", job.id + " has " + state);
  check_answer(clients, job, text);
  return job;
}

std::string run_job_to_be_killed(Processes& cluster, Clients& clients) {
  const std::string job = clients.submit("dropped", "100000");
  const std::string output = clients.place_of("dropped");
  cluster.until("an attempt of " + job + " writes", [&] { return clients.has_files(output + "/_attempts"); });
  clients.kill(job);
  // Between the claim's end and the directory's own a death leaves the empty directory: nothing tells whose it is.
  cluster.until("the output of " + job + " is gone", [&] { return !clients.has_files(output); });
  return job;
}

}  // namespace

Text make_text(const std::string& directory) {
  std::istringstream novel(read_file(kNovel));
  std::map<std::string, int> counts;
  std::string text;
  std::string line;
  while (std::getline(novel, line)) {
    text += line + "\n";
    std::istringstream words(line);
    for (std::string word; words >> word;) ++counts[word];
  }
  Text made{directory + "/text", ""};
  write_file(made.path, text);
  for (const auto& [word, count] : counts) made.answer += word + "\t" + std::to_string(count) + "\n";
  return made;
}

Deaths run_cycle(const std::string& directory, const Plan& plan, const Text& text) {
  Processes cluster(directory, plan);
  cluster.start();
  Clients clients(cluster, text, plan);
  const Job job = run_job(cluster, clients, text);
  std::string killed;
  if (plan.kills_a_job) killed = run_job_to_be_killed(cluster, clients);
  cluster.restart_master();
  std::string state;
  cluster.until("a new master answers", [&] { return !(state = clients.state_of(job.id)).empty(); });
  require(state == "succeeded", job.id + " has succeeded, and after a restart it has " + state);
  if (!killed.empty()) {
    cluster.until("a new master answers", [&] { return !(state = clients.state_of(killed)).empty(); });
    require(state == "killed", killed + " was killed, and after a restart it has " + state);
  }
  check_answer(clients, job, text);
  cluster.stop();
  const Finished journal = run({kBin + "/ontime-master", "--check-journal", "--journal", cluster.disk() + "/journal"});
  require(journal.status == 0, "--check-journal says: " + journal.err);
  return {cluster.master_died(), cluster.worker_died(), cluster.disk_failed()};
}

}  // namespace ontime::test
