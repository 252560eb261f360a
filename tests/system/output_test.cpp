// One output directory has one job, and what it holds is that job's answer or nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OneOutput : public PacedJobs {
 protected:
  // Another submission is refused because its output belongs to a job.
  void expect_taken(const std::string& output) {
    const Finished second = cluster_.client(
        {"submit", "paced", kText + "/austen_northangerabbey.txt", "--output", output, "--app-dir", kApps});
    EXPECT_EQ(second.status, 2) << second.out;
    EXPECT_THAT(second.err, HasSubstr("is being used by another job"));
  }

  void expect_one_job_in_one_directory(const Arguments& master) {
    fs::create_directory(cluster_ / "real");
    fs::create_directory_symlink("real", cluster_ / "link");
    cluster_.start_master(master);
    const std::string job = submit_paced("real/y");
    expect_taken(cluster_ / "link/y");
    cluster_.restart_master();
    expect_taken(cluster_ / "link/y");
    cluster_.add_worker(2);
    expect_right_answer(job, "real/y");
  }

  // The directory becomes a link to another one.
  void replace(const std::string& output, const std::string& by) {
    fs::rename(cluster_ / output, cluster_ / (output + ".moved"));
    fs::create_directory_symlink(cluster_ / by, cluster_ / output);
  }
};

TEST_F(OneOutput, OneDirectoryUnderTwoNamesBelongsToOneJob) { expect_one_job_in_one_directory({}); }

TEST_F(OneOutput, OneDirectoryUnderTwoNamesBelongsToOneJobWithinRootsToo) {
  expect_one_job_in_one_directory({"--output-root", fs::path(cluster_ / "real").parent_path()});
}

TEST_F(OneOutput, OfTwoJobsThatAreSubmittedAtOnceOneGetsIt) {
  cluster_.start_master();
  cluster_.expect_one_of_two_to_get(cluster_ / "out");
}

TEST_F(OneOutput, HasNoOtherOneInsideOfItWhileItsJobRunsAndAfterwards) {
  cluster_.start_master();
  cluster_.add_worker(2);
  const std::string job = submit_paced("out");
  ASSERT_TRUE(eventually([&] { return is_under_way(job); }));
  fs::create_directory_symlink("out", cluster_ / "link");
  const std::string claim = fs::directory_iterator(cluster_ / "out/_attempts")->path().filename();
  const auto expect_refused = [&](const std::string& output) {
    const Finished other =
        cluster_.client({"submit", "wordcount", kText + "/austen_northangerabbey.txt", "--output", cluster_ / output});
    EXPECT_EQ(other.status, 2) << output << other.out;
    EXPECT_THAT(other.err, HasSubstr("lies in '" + cluster_ / "out" + "', which is the output of a job")) << output;
  };
  for (const std::string& inside : {std::string("out/part-m-00000"), "out/_attempts/" + claim + "/t00000-a9",
                                    std::string("out/deep/sub"), std::string("link/sub")})
    expect_refused(inside);
  expect_right_answer(job, "out");
  expect_refused("out/sub");
  expect_refused("link/sub");
  EXPECT_EQ(ontime({"verify", cluster_ / "out"}).status, 0);
}

TEST_F(OneOutput, ASuccessThatTheJobDidNotWriteFailsItAndStays) {
  cluster_.start_master();
  cluster_.add_worker(2);
  const std::string job = submit_paced("out");
  ASSERT_TRUE(eventually([&] { return is_under_way(job); }));
  write_file(cluster_ / "out/_SUCCESS", "");
  EXPECT_EQ(cluster_.wait(job), "failed");
  EXPECT_THAT(std::string(cluster_.job(job)["message"]), HasSubstr("holds a _SUCCESS that this job did not write"));
  EXPECT_TRUE(fs::exists(cluster_ / "out/_SUCCESS"));
  EXPECT_EQ(ontime({"result", cluster_ / "out"}).status, 2);
}

TEST_F(OneOutput, AJobThatReplacesItsDirectoryByALinkHarmsNobodyElse) {
  cluster_.start_master();
  cluster_.add_worker(4);
  const Arguments until_let_go{"--set", "pause_us=100000", "--set", "until=" + (cluster_ / "go")};
  const std::string victim = submit_paced("victim", "2", "none", until_let_go);
  const std::string culprit = submit_paced("culprit", "2", "none", until_let_go);
  ASSERT_TRUE(eventually([&] { return is_under_way(victim) && is_under_way(culprit); }));
  replace("culprit", "victim");
  cluster_.client({"kill", culprit});
  // On a slow machine it fails first, as its directory is gone.
  EXPECT_THAT(cluster_.wait(culprit), testing::AnyOf("killed", "failed"));
  cluster_.restart_master();  // which discards again what it finds ended
  write_file(cluster_ / "go", "");
  expect_right_answer(victim, "victim");
}

TEST_F(OneOutput, AJobWhoseDirectoryIsGoneFailsAndNamesIt) {
  cluster_.start_master();
  cluster_.add_worker(2);
  const std::string job = submit_paced("out", "2");
  ASSERT_TRUE(eventually([&] { return is_under_way(job); }));
  fs::create_directory(cluster_ / "elsewhere");
  replace("out", "elsewhere");
  EXPECT_EQ(cluster_.wait(job), "failed");
  EXPECT_THAT(std::string(cluster_.job(job)["message"]), HasSubstr(cluster_ / "out"));
  EXPECT_TRUE(fs::is_empty(cluster_ / "elsewhere"));
}

// A finished output that somebody changes afterwards.
class ChangedOutput : public OneOutput {
 protected:
  ChangedOutput() {
    EXPECT_EQ(ontime({"run", "wordcount", novel_, "--output", out_, "--splits", "2", "--quiet"}).status, 0);
  }
  void expect_refused(const std::string& why) {
    for (const char* verb : {"result", "verify"}) {
      const Finished asked = ontime({verb, out_});
      EXPECT_NE(asked.status, 0) << verb;
      EXPECT_THAT(asked.out + asked.err, HasSubstr(why)) << verb;
    }
  }

  const std::string out_ = cluster_ / "out";
};

TEST_F(ChangedOutput, AChangedByteIsNoticedByResultAndVerify) {
  std::string part = read_file(out_ + "/part-m-00001");
  part.at(part.find('\t') + 1) ^= 1;
  write_file(out_ + "/part-m-00001", part);
  expect_refused("changed after the job");
}

TEST_F(ChangedOutput, NobodyWaitsForAPipe) {
  for (const char* name : {"part-m-00001", "_manifest.json", "_SUCCESS"}) {
    const std::string path = out_ + "/" + name;
    fs::rename(path, out_ + ".kept");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    expect_refused(name);
    fs::remove(path);
    fs::rename(out_ + ".kept", path);
  }
  verified_answer(out_);
}

TEST_F(ChangedOutput, NoLinkLeadsOutOfTheDirectory) {
  for (const char* name : {"part-m-00001", "_manifest.json", "_SUCCESS"}) {
    const std::string path = out_ + "/" + name;
    fs::rename(path, out_ + ".kept");
    fs::create_symlink(out_ + ".kept", path);
    expect_refused(name);
    fs::rename(out_ + ".kept", path);
  }
  verified_answer(out_);
}

TEST_F(ChangedOutput, AnApplicationThatOthersCanChangeIsNotLoadedByAReader) {
  const std::string apps = cluster_ / "apps";
  fs::create_directory(apps);
  fs::copy_file(kApps + "/libontime_app_paced.so", apps + "/libontime_app_wordcount.so");
  fs::permissions(apps, fs::perms(0777));
  const Finished asked = ontime({"result", out_, "--app-dir", apps});
  EXPECT_EQ(asked.status, 2) << asked.out;
  EXPECT_THAT(asked.err, HasSubstr("is not run, because others could change it"));
}

}  // namespace
}  // namespace ontime::test
