#include "cli/cluster/supervisor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cli/scratch.h"

namespace ontime::cli {
namespace {

using testing::HasSubstr;

// Runs a shell script as a child would be run, and returns its wait status.
int run(const ChildProgram& program) {
  const auto pid = start(program);
  EXPECT_TRUE(pid) << pid.error().message;
  int status = -1;
  if (pid) waitpid(*pid, &status, 0);
  return status;
}

ChildProgram shell(const Scratch& scratch, const std::string& script) {
  return {"shell", "/bin/sh", {"-c", script}, {}, scratch / "log", {}};
}

TEST(ChildProcess, OutputAndErrorsAreAppendedToTheLog) {
  const Scratch scratch;
  run(shell(scratch, "echo out; echo err >&2"));
  run(shell(scratch, "cat; echo again"));  // nothing to read
  EXPECT_EQ(scratch.content("log"), "out\nerr\nagain\n");
}

TEST(ChildProcess, EnvironmentIsChangedNotReplaced) {
  const Scratch scratch;
  setenv("ONTIME_TEST_KEPT", "kept", 1);
  setenv("ONTIME_TEST_CHANGED", "before", 1);
  auto program = shell(scratch, "echo $ONTIME_TEST_KEPT $ONTIME_TEST_CHANGED; env | grep -c ONTIME_TEST_CHANGED");
  program.environment = {"ONTIME_TEST_CHANGED=after"};
  run(program);
  EXPECT_EQ(scratch.content("log"), "kept after\n1\n");
}

TEST(ChildProcess, OneDescriptorIsHandedOnAndAllOthersAreClosed) {
  const Scratch scratch;
  const auto path = scratch.file("inherited", "from the parent");
  const int leaked = open("/dev/null", O_RDONLY);
  auto program =
      shell(scratch, "ls -l /proc/self/fd/3; test -e /proc/self/fd/" + std::to_string(leaked) + " || echo no");
  program.inherited_descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  run(program);
  EXPECT_THAT(scratch.content("log"), HasSubstr(path));
  close(*program.inherited_descriptor);
  if (leaked > kInheritedDescriptor) {
    EXPECT_THAT(scratch.content("log"), HasSubstr("no\n"));
  }
  close(leaked);
}

TEST(ChildProcess, HasAProcessGroupOfItsOwn) {
  const Scratch scratch;
  run(shell(scratch, "cut -d' ' -f5 /proc/$$/stat; echo $$"));
  const auto text = scratch.content("log");
  const auto line_end = text.find('\n');
  EXPECT_EQ(text.substr(0, line_end), text.substr(line_end + 1, line_end));
}

TEST(ChildProcess, AMissingProgramIsNamed) {
  const Scratch scratch;
  auto program = shell(scratch, "");
  program.path = "/nowhere/program";
  const auto pid = start(program);
  ASSERT_FALSE(pid);
  EXPECT_THAT(pid.error().message, HasSubstr("/nowhere/program"));
  EXPECT_THAT(sibling_program("ontime-nothing").error().message, HasSubstr("ontime-nothing"));
}

TEST(ChildProcess, WaitStatusReadsAsASentence) {
  const Scratch scratch;
  EXPECT_EQ(describe_wait_status(run(shell(scratch, "exit 7"))), "exited with code 7");
  EXPECT_EQ(describe_wait_status(run(shell(scratch, "kill -9 $$"))), "was killed by signal 9 (Killed)");
}

TEST(ChildProcess, LastLineSkipsBlankOnes) {
  const Scratch scratch;
  EXPECT_EQ(last_line_of(scratch.file("a", "first\nlast words\n\n  \n")), "last words");
  std::string long_line(100'000, 'x');
  long_line += "\nend";
  EXPECT_EQ(last_line_of(scratch.file("b", long_line)), "end");
  EXPECT_EQ(last_line_of(scratch.file("c", "")), "");
  EXPECT_EQ(last_line_of("/nowhere"), "");
}

}  // namespace
}  // namespace ontime::cli
