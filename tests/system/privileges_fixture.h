#pragma once
// A cluster whose jobs try what they should not.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/system/cluster.h"

namespace ontime::test {

inline constexpr const char* kNobody = "65534";

class Privileges : public testing::Test {
 protected:
  // Applications where every user may read them, and nobody but us may write.
  Privileges() {
    ::umask(022);
    for (const std::string& directory : {at(""), at("in"), at("out"), at("apps")}) {
      std::filesystem::create_directories(directory);
      std::filesystem::permissions(directory, std::filesystem::perms(0755));
    }
    const std::string file = "/libontime_app_curious.so";
    std::filesystem::copy_file(kApps + file, at("apps") + file);
  }
  std::string at(const std::string& name) const { return cluster_ / name; }

  void start(Arguments worker = {}, const Arguments& master = {}) {
    cluster_.start_master(master);
    worker.insert(worker.end(), {"--app-dir", at("apps")});
    cluster_.add_worker(1, worker);
  }
  // Submits what tries `lines`; the job's description once it has ended.
  nlohmann::json attempt(const std::string& lines, const Arguments& more = {}) {
    write_file(at("in/lines"), lines);
    Arguments arguments{application_, at("in/lines"), "--output", at("out/job"), "--max-attempts",
                        "1",          "--app-dir",    at("apps")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const std::string id = cluster_.submit(arguments);
    cluster_.wait(id);
    return cluster_.job(id);
  }
  // What it wrote, if it could.
  std::string output_of(const std::string& lines) {
    const nlohmann::json job = attempt(lines);
    EXPECT_EQ(job["state"], "succeeded") << job["message"];
    return read_file(at("out/job/part-m-00000"));
  }
  std::string failure_of(const std::string& lines) {
    const nlohmann::json job = attempt(lines);
    EXPECT_EQ(job["state"], "failed");
    return job["message"];
  }

  std::string application_ = "curious";
  Cluster cluster_;
};

}  // namespace ontime::test
