#pragma once
// A cluster, and jobs on it that take a few seconds with checkpoints all the while, so that there is time to do them
// harm.

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/system/cluster.h"

namespace ontime::test {

class PacedJobs : public testing::Test {
 protected:
  // About six seconds on one slot, so that a client of a busy machine finds it running.
  std::string submit_paced(const std::string& output, const std::string& splits = "6",
                           const std::string& policy = "auto", const Arguments& more = {}) {
    Arguments arguments{
        "paced",          novel_, "--output", cluster_ / output, "--splits",  splits, "--checkpoint", "100ms",
        "--max-attempts", "100",  "--set",    "lines=3",         "--app-dir", kApps,  "--policy",     policy};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return cluster_.submit(std::move(arguments));
  }
  // Workers, attempts and the master, one every few moments while jobs run, until so many were killed. Three workers or
  // more are there. Each answer is right.
  void kill_at_random(
      int kills, const std::function<void()>& before_each = [] {});

  bool has_begun(const std::string& job) {
    const nlohmann::json description = cluster_.job(job);
    return !description.is_null() && description["mapped_bytes"] > 0;
  }
  bool is_under_way(const std::string& job) {
    const nlohmann::json description = cluster_.job(job);
    return !description.is_null() && description["state"] == "running" && description["mapped_bytes"] > 0;
  }
  void expect_right_answer(const std::string& job, const std::string& output) {
    EXPECT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
    EXPECT_EQ(verified_answer(cluster_ / output), counted_by_coreutils(novel_));
  }

  const std::string novel_ = kText + "/austen_persuasion.txt";
  Cluster cluster_;
};

}  // namespace ontime::test
