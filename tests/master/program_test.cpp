// The program ontime-master: what it says and how it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tests/support/process.h"

namespace ontime::master {
namespace {

using test::Arguments;
using test::eventually;
using test::Finished;
using test::Process;
using test::run;
using testing::HasSubstr;
using testing::StartsWith;

// One sentence on stderr, nothing else.
void expect_sentence(const Finished& finished, int status, const std::string& part) {
  EXPECT_EQ(finished.status, status);
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, StartsWith("ontime-master: "));
  EXPECT_THAT(finished.err, HasSubstr(part));
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
}

class MasterProgram : public testing::Test {
 protected:
  Arguments command(const Arguments& more = {}) const {
    Arguments all = {ONTIME_MASTER,          "--listen",    "127.0.0.1:0", "--journal",
                     directory_ / "journal", "--log-level", "off"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // A master that listens; its port is in `port_`.
  Process start() {
    Process master(command({"--port-file", directory_ / "port"}), directory_ / "master");
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(directory_ / "port"); }));
    port_ = test::read_file(directory_ / "port");
    port_.pop_back();
    return master;
  }

  test::TemporaryDirectory directory_;
  std::string port_;
};

TEST_F(MasterProgram, RefusesWrongUsageInOneSentence) {
  expect_sentence(run({ONTIME_MASTER, "--nonsense"}), 2, "--nonsense");
  expect_sentence(run(command({"--node-timeout", "soon"})), 2, "--node-timeout");
  expect_sentence(run(command({"--node-timeout", "100ms"})), 2, "at least twice --heartbeat");
  expect_sentence(run(command({"--heartbeat", "0"})), 2, "--heartbeat");
  expect_sentence(run(command({"--journal-sync", "maybe"})), 2, "--journal-sync");
  expect_sentence(run({ONTIME_MASTER, "--log-level", "loud"}), 2, "loud");
  expect_sentence(run({ONTIME_MASTER, "--log-file", "/nope/x"}), 2, "--log-file: '/nope/x' cannot be written");
  expect_sentence(run(command({"--token-file", "/nowhere/token"})), 2, "/nowhere/token");
  expect_sentence(run(command({"--listen-fd", "99"})), 2, "99");
  expect_sentence(run(command({"--die-with-parent", "1"})), 1, "process 1 did not start this one");
  const std::string unused = directory_ / "unused";
  expect_sentence(run({ONTIME_MASTER, "--journal", unused, "--port-file", "/nosuch/port"}), 1,
                  "Cannot write the port file '/nosuch/port'");
  EXPECT_FALSE(std::filesystem::exists(unused));
  expect_sentence(run({ONTIME_MASTER, "--listen", "0.0.0.0:0", "--journal", directory_ / "other"}), 2, "loopback");
}

TEST_F(MasterProgram, APortFileThatIsNoPlainFileIsWrittenToAndNotReplaced) {
  const std::string pipe = directory_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Process master(command({"--port-file", pipe}), directory_ / "master");
  const std::string port = test::read_file(pipe);  // until the master has closed it
  EXPECT_GT(std::atoi(port.c_str()), 0) << port;
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(MasterProgram, ListensBeyondTheLoopbackOnlyOnRequestAndWithAToken) {
  Arguments arguments = {ONTIME_MASTER,          "--listen",    "0.0.0.0:0",         "--journal",
                         directory_ / "journal", "--port-file", directory_ / "port", "--insecure-network"};
  expect_sentence(run(arguments), 2, "--insecure-network needs a token");
  Process master(arguments, directory_ / "master", {{"ONTIME_TOKEN", "secret"}});
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(directory_ / "port"); }));
  master.signal(SIGTERM);
  const Finished finished = master.wait();
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.err, HasSubstr("insecure_network address=0.0.0.0:0"));
}

TEST_F(MasterProgram, ChecksItsConfigurationWithoutRunning) {
  test::write_file(directory_ / "config", "node-timeout=\"7s\"\n");
  EXPECT_EQ(run(command({"--config", directory_ / "config", "--check-config"})).status, 0);
  test::write_file(directory_ / "config", "node-timeout=\"never\"\n");
  expect_sentence(run(command({"--config", directory_ / "config", "--check-config"})), 2, "--node-timeout");
  expect_sentence(run(command({"--config", directory_ / "missing", "--check-config"})), 2, "missing");
  test::write_file(directory_ / "config", "nod-timeout=\"7s\"\n");
  expect_sentence(run(command({"--config", directory_ / "config", "--check-config"})), 2, "nod-timeout");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "journal"));
}

TEST_F(MasterProgram, EndsWithZeroOnSigtermAndOnSigint) {
  for (const int signal : {SIGTERM, SIGINT}) {
    std::filesystem::remove(directory_ / "port");
    Process master = start();
    master.signal(signal);
    EXPECT_EQ(master.wait().status, 0);
  }
}

// Both wait ten seconds for a predecessor that may be ending, at the same time.
TEST_F(MasterProgram, RefusesAPortOrAJournalThatAnotherMasterHas) {
  const Process master = start();
  const std::string journal = directory_ / "journal";
  Process with_its_port(
      {ONTIME_MASTER, "--listen", "127.0.0.1:" + port_, "--journal", directory_ / "other", "--log-level", "off"},
      directory_ / "with its port");
  Process with_its_journal(command(), directory_ / "with its journal");
  expect_sentence(with_its_port.wait(), 1, port_ + " of 127.0.0.1 is in use");
  expect_sentence(with_its_journal.wait(), 1, journal + "' is in use by another ontime-master");
}

TEST_F(MasterProgram, AKilledOneIsFollowedOnTheSameJournal) {
  start().kill();
  std::filesystem::remove(directory_ / "port");
  EXPECT_TRUE(start().is_running());
}

TEST_F(MasterProgram, TakesOverFromAKilledMasterThatHasNotEndedYet) {
  Process killed = start();
  const std::string log = directory_ / "log";
  Process successor({ONTIME_MASTER, "--listen", "127.0.0.1:" + port_, "--journal", directory_ / "journal",
                     "--port-file", directory_ / "port of the successor", "--log-file", log},
                    directory_ / "successor");
  ASSERT_TRUE(eventually([&] { return test::read_file(log).find("master_waiting") != std::string::npos; }));
  killed.kill();
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(directory_ / "port of the successor"); }));
}

TEST_F(MasterProgram, RefusesADamagedJournal) {
  start().kill();
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "journal")) {
    if (entry.path().filename() == "CURRENT") test::write_file(entry.path(), "MANIFEST-000999\n");
  }
  expect_sentence(run(command()), 1, directory_ / "journal");
}

TEST_F(MasterProgram, NamesAPortFileThatCannotBeWritten) {
  expect_sentence(run(command({"--port-file", "/nowhere/port"})), 1, "/nowhere/port");
}

}  // namespace
}  // namespace ontime::master
