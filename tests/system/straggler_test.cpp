// One straggler in a job of ten tasks on twenty workers, with the real programs: without speculation the job misses its
// deadline; every policy that resumes launches copies that map nothing again below the offset where they resume, and
// the answer is the same to the byte. Attempts are paced, so they take no less than the test asks for. On a busy
// machine they take longer: policies that see no chance any more launch nothing, so the deadline leaves the machine
// forty times what it needs. And s-resume judges a task once, by a pace that a burst after a pause makes look better:
// the straggler takes seven times as long as the deadline, and is judged when many bursts and pauses are behind it.
// That the deadline is made is tested in virtual time (InjectedSimulation).
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

const std::string kDeadline = "60s";

class Straggler : public testing::Test {
 protected:
  // A whole split takes 1.5 s if nothing is said; with the straggler's original `slowdown` times as long: 450 s.
  void start(const std::string& slowdown = "300x") {
    cluster_.set_node_timeout(node_timeout_);
    cluster_.start_master({"--inject", "pace=" + pace_, "--inject", "straggler=0.1:" + slowdown, "--seed", "7"});
    for (int i = 0; i < 20; ++i) cluster_.add_worker();
    ASSERT_TRUE(eventually([&] { return cluster_.nodes().size() == 20; }));
  }
  Arguments job_arguments(const Arguments& extra) const {
    Arguments arguments{"wordcount", kNovel, "--output", cluster_ / "out", "--splits", "10"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return arguments;
  }
  // Runs the job to its end; its description with tasks.
  nlohmann::json run(const Arguments& extra) {
    const std::string job = cluster_.submit(job_arguments(extra));
    EXPECT_EQ(cluster_.wait(job), "succeeded");
    return cluster_.job(job);
  }
  void expect_right_answer() { EXPECT_EQ(verified_answer(cluster_ / "out"), expected_); }

  void expect_resumed(const nlohmann::json& job) {
    expect_right_answer();
    const auto tasks = raced(job);
    ASSERT_FALSE(tasks.empty()) << job.dump(1);
    bool has_resumed = false;
    for (const auto& task : tasks) {
      for (const auto& attempt : task["attempts"]) {
        if (attempt["attempt"] == 0) continue;
        expect_began_at_a_border(task, attempt);
        has_resumed = has_resumed || attempt["start_offset"] > task["begin"];
      }
    }
    EXPECT_TRUE(has_resumed) << job.dump(1);
    expect_balanced(job);
  }
  // It began at a recorded offset: the begin of a segment, and what lies below was sealed by somebody else.
  static void expect_began_at_a_border(const nlohmann::json& task, const nlohmann::json& attempt) {
    const std::uint64_t begin = attempt["start_offset"];
    bool is_border = false;
    for (const auto& segment : task["segments"]) {
      is_border = is_border || segment["begin"] == begin;
      const bool is_below = segment["end"] <= begin;
      EXPECT_FALSE(is_below && segment["attempt"] == attempt["attempt"]) << task.dump(1);
    }
    EXPECT_TRUE(is_border) << task.dump(1);
  }
  // The ledger balances to the byte, and says that what was resumed was not mapped twice.
  static void expect_balanced(const nlohmann::json& job) {
    const auto& bytes = job["account"]["bytes"];
    EXPECT_EQ(bytes["useful"], job["input_bytes"]);
    EXPECT_EQ(bytes["mapped"].get<std::uint64_t>(), bytes["useful"].get<std::uint64_t>() +
                                                        bytes["duplicated"].get<std::uint64_t>() +
                                                        bytes["dropped"].get<std::uint64_t>());
    EXPECT_EQ(bytes["dropped"], 0) << job["account"].dump(1);
    EXPECT_GT(job["account"]["saved"]["bytes"], 0) << job["account"].dump(1);
  }

  // The tasks where more than one attempt was launched.
  static std::vector<nlohmann::json> raced(const nlohmann::json& job) {
    std::vector<nlohmann::json> raced;
    for (const auto& task : job["task_list"]) {
      if (task["attempts"].size() > 1) raced.push_back(task);
    }
    return raced;
  }

  Cluster cluster_;
  std::string pace_ = "1.5s";         // of a whole split
  std::string node_timeout_ = "60s";  // no worker is lost on a busy machine
  const std::string expected_ = counted_by_coreutils(kNovel);
};

TEST_F(Straggler, WithoutSpeculationTheDeadlineIsMissed) {
  start("8x");
  const nlohmann::json job = run({"--policy", "none", "--deadline", "6s"});
  EXPECT_EQ(job["deadline_met"], false) << job.dump(1);
  EXPECT_TRUE(raced(job).empty());
  expect_right_answer();
}

struct Resuming {
  const char* policy;
  const char* handover;
};

void PrintTo(const Resuming& resuming, std::ostream* out) { *out << resuming.policy << ' ' << resuming.handover; }

class EveryResumingPolicy : public Straggler, public testing::WithParamInterface<Resuming> {};

TEST_P(EveryResumingPolicy, MapsNothingAgain) {
  start();
  const std::string policy = GetParam().policy;
  Arguments arguments{"--policy",   policy,   "--policy-set", std::string("handover=") + GetParam().handover,
                      "--deadline", kDeadline};
  if (policy == "s-resume")
    arguments.insert(arguments.end(), {"--policy-set", "tau_est=6s", "--policy-set", "tau_kill=9s"});
  expect_resumed(run(arguments));
}

// Shed decides when a job is submitted, and only then. With all twenty slots it would give every task a copy from the
// start, and no straggler would be left; with twelve, the straggler gets copies when the next job comes.
TEST_F(Straggler, ShedResumesItWhenTheNextJobIsSubmitted) {
  start();
  const Arguments policy{"--policy", "shed", "--policy-set", "lambda=0.6", "--deadline", kDeadline};
  const std::string job = cluster_.submit(job_arguments(policy));
  ASSERT_TRUE(eventually([&] {
    const nlohmann::json description = cluster_.job(job);
    return !description.is_null() && description["tasks_done"] == 9;
  }));
  Arguments next{"wordcount", kNovel, "--output", cluster_ / "next"};
  next.insert(next.end(), policy.begin(), policy.end());
  cluster_.submit(next);
  EXPECT_EQ(cluster_.wait(job), "succeeded");
  expect_resumed(cluster_.job(job));
}

// The worker of the straggler's original dies by SIGKILL, in the moment that `is_time` tells from the straggler's task.
class KilledNode : public Straggler {
 protected:
  template <class IsTime>
  void run_and_kill(Arguments policy, IsTime is_time) {
    node_timeout_ = "3s";
    start();
    policy.insert(policy.end(), {"--checkpoint", "200ms", "--deadline", kDeadline});
    const std::string job = cluster_.submit(job_arguments(policy));
    nlohmann::json task;
    ASSERT_TRUE(eventually([&] {
      const nlohmann::json description = cluster_.job(job);
      if (description.is_null() || description["state"] != "running") return false;
      task = slowest(description);
      return !task.is_null() && is_time(task);
    }));
    kill_worker_called(task["attempts"][0]["node_name"]);
    EXPECT_EQ(cluster_.wait(job), "succeeded");
    expect_right_answer();
    const nlohmann::json after = cluster_.job(job)["task_list"][task["task"].get<std::size_t>()];
    // Every later attempt began at or behind the end of what the original had sealed.
    std::uint64_t sealed = after["begin"];
    for (const auto& segment : after["segments"]) {
      if (segment["attempt"] == 0) sealed = segment["end"];
    }
    EXPECT_GT(sealed, after["begin"].get<std::uint64_t>()) << after.dump(1);
    EXPECT_GT(after["attempts"].size(), 1u);
    for (const auto& attempt : after["attempts"]) {
      const bool began_below = attempt["start_offset"].get<std::uint64_t>() < sealed;
      EXPECT_FALSE(attempt["attempt"] != 0 && began_below) << after.dump(1);
    }
  }

 private:
  // The task that still runs and has got least far, once all have made progress.
  static nlohmann::json slowest(const nlohmann::json& job) {
    nlohmann::json slowest;
    std::uint64_t least = 0;
    for (const auto& task : job["task_list"]) {
      if (task["attempts"].empty()) return {};
      const std::uint64_t mapped =
          task["attempts"][0]["offset"].get<std::uint64_t>() - task["begin"].get<std::uint64_t>();
      if (mapped == 0) return {};
      if (slowest.is_null() || mapped < least) {
        slowest = task;
        least = mapped;
      }
    }
    return slowest;
  }
  // Workers are called HOST:PID.
  void kill_worker_called(const std::string& name) {
    for (std::size_t index = 0; index < cluster_.workers(); ++index) {
      if (name.ends_with(":" + std::to_string(cluster_.worker(index).pid()))) return cluster_.worker(index).kill();
    }
    FAIL() << "no worker is called " << name;
  }
};

// The moments right before and right after a cut are played in tests/scheduler/testdata/a-node-is-lost-right-*.txt:
// here nobody can say in which of them a worker is killed.
TEST_F(KilledNode, WithACheckpointTheTaskGoesOnFromTheLastSealedOffset) {
  // No copy ends the time in which there is one attempt, however late this test looks.
  run_and_kill({"--policy", "none"}, [](const nlohmann::json& task) {
    return task["attempts"].size() == 1 && task["segments"][0]["state"] == "sealed";
  });
}

// A policy that judges the straggler again and again, and copies that run for long enough to be seen.
TEST_F(KilledNode, WithACopyTheTaskGoesOnFromTheLastSealedOffset) {
  pace_ = "6s";
  run_and_kill({"--policy", "split-resume"}, [](const nlohmann::json& task) {
    return task["attempts"].size() > 1 && task["segments"][0]["state"] == "sealed";
  });
}

INSTANTIATE_TEST_SUITE_P(, EveryResumingPolicy,
                         testing::Values(Resuming{"s-resume", "predicted"}, Resuming{"s-resume", "ready"},

                                         Resuming{"shed+", "predicted"}, Resuming{"shed+", "ready"},
                                         Resuming{"split-resume", "predicted"}, Resuming{"split-resume", "ready"}),
                         [](const auto& param) {
                           std::string name = std::string(param.param.policy) + "_" + param.param.handover;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                             if (c == '+') c = 'P';
                           }
                           return name;
                         });

}  // namespace
}  // namespace ontime::test
