// What attempts of other users can do to workers and to each other. What only root can try.
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <string>

#include "tests/system/privileges_fixture.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// What only root can try.
class RunAs : public Privileges {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  }
};

TEST_F(RunAs, AttemptsRunAsThatUserAndItsOutputBelongsToTheWorkers) {
  start({"--run-as", "nobody"});
  write_file(at("ours"), "private");
  fs::permissions(at("ours"), fs::perms(0600));
  std::string lines = "status\ndescriptors\n";
  lines += "read " + at("ours") + "\nwrite " + at("out/job/_attempts/mine") + "\nwrite " + at("out/mine") + "\n";
  const std::string told = output_of(lines);
  EXPECT_THAT(told, HasSubstr("Uid:\t65534\t65534\t65534\t65534\n"));
  EXPECT_THAT(told, HasSubstr("Gid:\t65534\t65534\t65534\t65534\n"));
  EXPECT_THAT(told, HasSubstr("CapEff:\t0000000000000000\n"));
  EXPECT_THAT(told, HasSubstr("NoNewPrivs:\t1\n"));
  EXPECT_THAT(told, HasSubstr("read " + at("ours") + "\tPermission denied\n"));
  EXPECT_THAT(told, HasSubstr("_attempts/mine\tPermission denied\n"));
  EXPECT_THAT(told, HasSubstr("out/mine\tPermission denied\n"));
  struct stat part {};
  ASSERT_EQ(::stat(at("out/job/part-m-00000").c_str(), &part), 0);
  EXPECT_EQ(part.st_uid, 0u);
  EXPECT_EQ(part.st_mode & 07777, 0644u);
  verified_answer(at("out/job"));
}

TEST_F(RunAs, ManyAttemptsOfOneRunnerEachGetTheirFile) {
  start({"--run-as", std::string(kNobody) + ":" + kNobody}, {"--output-root", at("out")});
  write_file(at("in/lines"), std::string(40, '\n'));
  const std::string id = cluster_.submit(
      {"curious", at("in/lines"), "--output", at("out/job"), "--splits", "10", "--app-dir", at("apps")});
  EXPECT_EQ(cluster_.wait(id), "succeeded") << cluster_.job(id)["message"];
  verified_answer(at("out/job"));
}

TEST_F(RunAs, ProcessesThatAreUsedUpAreNamed) {
  start({"--run-as", "nobody", "--attempt-processes", "40"});
  EXPECT_THAT(failure_of("processes\n"), HasSubstr("had all 40 processes that --attempt-processes allows"));
}

TEST_F(RunAs, AnInputThatTheUserMayNotReadIsAClearFailure) {
  start({"--run-as", "nobody"});
  write_file(at("in/lines"), "status\n");
  fs::permissions(at("in/lines"), fs::perms(0600));
  const std::string id = cluster_.submit(
      {"curious", at("in/lines"), "--output", at("out/job"), "--max-attempts", "1", "--app-dir", at("apps")});
  EXPECT_EQ(cluster_.wait(id), "failed");
  const std::string message = cluster_.job(id)["message"];
  EXPECT_THAT(message, HasSubstr("cannot open the input " + at("in/lines") + ": Permission denied"));
}

// As RunAs, with a job of programs beside another's.
class RunAsRange : public RunAs {
 protected:
  RunAsRange() {
    const std::string file = "/libontime_app_exec.so";
    fs::copy_file(kBin + "/../lib/ontime/apps" + file, at("apps") + file);
    write_file(at("in/lines"), "first\nsecond\n");
  }
  // A directory "shared" in which every user may write.
  void share() {
    fs::create_directory(at("shared"));
    fs::permissions(at("shared"), fs::perms(0777));
  }
  // A job whose program has left a process in a group of its own, and goes on until the file "go" is there.
  std::string leave_a_stray() {
    share();
    const std::string id = submit_command("stray", "cat; setsid sh -c 'echo $$ > " + at("shared/stray.new") + "; mv " +
                                                       at("shared/stray.new") + " " + at("shared/stray") +
                                                       "; exec sleep 1000' < /dev/null > /dev/null 2>&1 &" +
                                                       " while [ ! -e " + at("go") + " ]; do sleep 0.05; done");
    EXPECT_TRUE(eventually([this] { return fs::exists(at("shared/stray")); }));
    return id;
  }
  pid_t stray() const { return std::stoi(read_file(at("shared/stray"))); }
  // Whom a process runs as; nothing if it has ended.
  static std::optional<uid_t> owner_of(pid_t pid) {
    std::smatch line;
    const std::string status = read_file("/proc/" + std::to_string(pid) + "/status");
    if (!std::regex_search(status, line, std::regex("\nUid:\t[0-9]+\t([0-9]+)"))) return std::nullopt;
    return static_cast<uid_t>(std::stoul(line[1]));
  }
  // A process with these users: real, effective, saved.
  static pid_t become_and_wait(std::array<uid_t, 3> users) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (::setresuid(users[0], users[1], users[2]) == 0) ::pause();
      ::_exit(1);
    }
    EXPECT_TRUE(eventually([&] { return owner_of(pid) == users[1]; }));
    return pid;
  }
  void start(const std::string& users, std::uint32_t slots) {
    cluster_.start_master();
    cluster_.add_worker(slots, {"--run-as", users, "--app-dir", at("apps")});
  }
  std::string submit_command(const std::string& output, const std::string& command, const Arguments& more = {}) {
    Arguments all{"exec",      at("in/lines"), "--output", at("out/" + output),
                  "--app-dir", at("apps"),     "--set",    "command=" + command};
    all.insert(all.end(), more.begin(), more.end());
    return cluster_.submit(all);
  }
  // What a program told that looked for a file that another job had brought.
  std::string look_for_others_file() {
    write_file(at("secret.key"), "password of " + at("") + "\n");
    const std::string owner = submit_command(
        "owner", "cat; touch " + at("shared/begun") + "; while [ ! -e " + at("go") + " ]; do sleep 0.05; done",
        {"--file", at("secret.key")});
    EXPECT_TRUE(eventually([this] { return fs::exists(at("shared/begun")); }));
    const std::string guesses = fs::temp_directory_path().string() + "/ontime-files-*";
    const std::string thief =
        submit_command("thief", "cat; for d in " + guesses +
                                    "; do for i in 1 2 3 4; do cat $d/runner-$i/secret.key; done; done; true");
    EXPECT_EQ(cluster_.wait(thief), "succeeded") << cluster_.job(thief)["message"];
    write_file(at("go"), "");
    EXPECT_EQ(cluster_.wait(owner), "succeeded") << cluster_.job(owner)["message"];
    return verified_answer(at("out/thief"));
  }
  // What a program told that tried to write to the output of another job's program, and to end it.
  std::string attack() {
    const std::string victim =
        submit_command("victim", "cat; while [ ! -e " + at("go") + " ]; do sleep 0.05; done; echo third");
    const std::string find = "grep -ls '[w]hile .* echo third' /proc/[0-9]*/cmdline";
    EXPECT_TRUE(eventually([&] { return !shell(find).out.empty(); }));
    const std::string attacker =
        submit_command("attacker", "for file in $(" + find +
                                       "); do at=${file%/cmdline}; echo found;"
                                       " parent=$(sed -n 's/^PPid:.//p' $at/status);"
                                       " for process in ${at#/proc/} $parent; do"
                                       " (echo forged > /proc/$process/fd/1) 2>/dev/null && echo written;"
                                       " kill -KILL $process 2>/dev/null && echo killed; done; done; true");
    EXPECT_EQ(cluster_.wait(attacker), "succeeded") << cluster_.job(attacker)["message"];
    write_file(at("go"), "");
    EXPECT_EQ(cluster_.wait(victim), "succeeded") << cluster_.job(victim)["message"];
    return verified_answer(at("out/attacker"));
  }
  // The user of each attempt of a job of four tasks.
  std::set<std::string> users_of_job(const std::string& output) {
    write_file(at("in/four"), "status\nstatus\nstatus\nstatus\n");
    const std::string id = cluster_.submit(
        {"curious", at("in/four"), "--output", at("out/" + output), "--splits", "4", "--app-dir", at("apps")});
    EXPECT_EQ(cluster_.wait(id), "succeeded") << cluster_.job(id)["message"];
    std::set<std::string> users;
    const std::regex line("Uid:\t([0-9]+)\t\\1\t\\1\t\\1\nGid:\t\\1\t\\1\t\\1\t\\1\n[^G]*Groups:\t \n");
    const std::string told = verified_answer(at("out/" + output));
    for (std::sregex_iterator at(told.begin(), told.end(), line), end; at != end; ++at) users.insert((*at)[1]);
    return users;
  }
};

TEST_F(RunAsRange, AProgramCanNeitherWriteToAnotherJobsOutputNorEndIt) {
  start("60000-60099", 2);
  const std::string told = attack();
  EXPECT_THAT(told, HasSubstr("found\n"));
  EXPECT_THAT(told, Not(HasSubstr("written")));
  EXPECT_THAT(told, Not(HasSubstr("killed")));
  EXPECT_EQ(verified_answer(at("out/victim")), "first\nsecond\nthird\n");
}

// So the test above tries what works elsewhere.
TEST_F(RunAsRange, WithOneUserItCan) {
  start("nobody", 2);
  EXPECT_THAT(attack(), HasSubstr("found\nwritten\nkilled\n"));
  EXPECT_THAT(cluster_.worker(0).output().err, HasSubstr("jobs_share_a_user message=\"programs of one job can"));
}

TEST_F(RunAsRange, AProgramCannotReadTheFilesThatAnotherJobBrought) {
  share();
  start("60300-60309", 2);
  EXPECT_THAT(look_for_others_file(), Not(HasSubstr("password of " + at(""))));
}

// So the test above looks where they lie.
TEST_F(RunAsRange, WithOneUserItCanReadThem) {
  share();
  start("nobody", 2);
  EXPECT_THAT(look_for_others_file(), HasSubstr("password of " + at("")));
}

TEST_F(RunAsRange, AttemptsOfAJobShareAUserThatALaterJobHasAgain) {
  start("60100-60108", 2);
  for (int round = 0; round < 2; ++round) {
    for (int number = 60100; number < 60108; ++number) {  // the last one is no job's
      const std::string user = std::to_string(number);
      EXPECT_EQ(users_of_job(user + "-" + std::to_string(round)), std::set<std::string>{user});
    }
  }
}

// A program that has left the process group of its attempt.
TEST_F(RunAsRange, WhatAJobLeavesBehindEndsWithIt) {
  start("60200-60204", 1);
  const std::string id = leave_a_stray();
  EXPECT_EQ(owner_of(stray()), 60200u);
  write_file(at("go"), "");
  EXPECT_EQ(cluster_.wait(id), "succeeded") << cluster_.job(id)["message"];
  EXPECT_TRUE(eventually([this] { return owner_of(stray()) != 60200u; }));
}

// So the test above sees what would stay.
TEST_F(RunAsRange, WithOneUserItStays) {
  start("nobody", 1);
  const std::string id = leave_a_stray();
  write_file(at("go"), "");
  EXPECT_EQ(cluster_.wait(id), "succeeded") << cluster_.job(id)["message"];
  cluster_.worker(0).kill();  // and so does what it has started, but for that
  EXPECT_EQ(::kill(stray(), SIGKILL), 0);
}

// Those that a worker has lost sight of, which was killed, are ended by the next one with the same range.
TEST_F(RunAsRange, WhatAWorkerThatWasKilledLeavesBehindEndsWithTheNextOne) {
  const auto lingering = become_and_wait({60300, 60300, 60300});
  start("60300-60304", 1);
  EXPECT_TRUE(eventually([&] { return ::waitpid(lingering, nullptr, WNOHANG) == lingering; }));
}

TEST_F(RunAsRange, ASweeperReachesAUsersProcessesAndTheyDoNotReachIt) {
  const pid_t sweeper = become_and_wait({60404, 60400, 60404});
  const pid_t attacker = ::fork();
  if (attacker == 0) {
    const bool is_user =
        ::setgroups(0, nullptr) == 0 && ::setresgid(60400, 60400, 60400) == 0 && ::setresuid(60400, 60400, 60400) == 0;
    const bool is_refused = ::kill(sweeper, SIGSTOP) != 0 && errno == EPERM && ::kill(sweeper, SIGKILL) != 0;
    ::_exit(is_user && is_refused ? 0 : 1);
  }
  int status = -1;
  ::waitpid(attacker, &status, 0);
  EXPECT_EQ(status, 0);
  const pid_t victim = become_and_wait({60400, 60400, 60400});
  const pid_t second = ::fork();
  if (second == 0) {
    const bool is_sweeper = ::setresuid(60404, 60400, 60404) == 0;
    ::_exit(is_sweeper && ::kill(victim, SIGKILL) == 0 ? 0 : 1);
  }
  ::waitpid(second, &status, 0);
  EXPECT_EQ(status, 0);
  ::waitpid(victim, nullptr, 0);
  ::kill(sweeper, SIGKILL);
  ::waitpid(sweeper, nullptr, 0);
}

TEST(RunAsFlag, IsRefusedForUsersThatAreNoneAndForThoseWhoAreNotRoot) {
  const Finished worker = run({kBin + "/ontime-worker", "--run-as", "no-such-user", "--check-config"});
  EXPECT_EQ(worker.status, 2);
  EXPECT_THAT(worker.err, HasSubstr(::geteuid() == 0 ? "there is no user 'no-such-user'" : "--run-as needs root"));
}

TEST(RunAsFlag, ARangeIsRefusedThatHasUsersOfTheMachineOrTooFew) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto refusal = [](const std::string& range) {
    return run({kBin + "/ontime-worker", "--slots", "8", "--run-as", range, "--check-config"}).err;
  };
  EXPECT_THAT(refusal("60000-60031"), HasSubstr("the range 60000-60031 has 32 users, and 8 slots need 33 or more"));
  EXPECT_THAT(refusal("0-99"), HasSubstr("--run-as: the range 0-99 has root in it"));
  EXPECT_THAT(refusal("65530-65549"), HasSubstr("has 65534 in it, which is the user nobody of this machine"));
  EXPECT_EQ(refusal("60000-60032"), "");
}

}  // namespace
}  // namespace ontime::test
