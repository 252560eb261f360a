#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "apps/exec/command.h"
#include "apps/exec/merge.h"
#include "tests/apps/mapped.h"
#include "tests/support/temporary_directory.h"

namespace ontime::apps::test {
namespace {

std::vector<std::string> run(const std::string& command, std::string_view text, const Division& division = {},
                             TestContext* context = nullptr) {
  const app::Application& exec = application("exec");
  TestContext own = context_of(exec, {{"command", command}});
  if (context != nullptr) {
    own.path = context->path;
    own.first_record = context->first_record;
    *context = own;
  }
  return map_text(exec, context != nullptr ? *context : own, text, division);
}

std::string failure_of(const std::string& command, std::string_view text = "line\n") {
  try {
    run(command, text);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no failure";
}

TEST(Exec, WhatTheCommandWritesIsTheOutputOfTheSegment) {
  EXPECT_EQ(run("tr a-z A-Z", "one\ntwo\n"), (std::vector<std::string>{"ONE\nTWO\n"}));
  EXPECT_EQ(run("cat", "one\r\ntwo\0x\n"), (std::vector<std::string>{"one\r\ntwo\n"}));
}

TEST(Exec, RecordsThatAreNoLinesComeFramedAndAreTakenWhole) {
  const auto semicolons = *records::make_format("delimiter:;");
  const auto framed = [&](const std::string& framing, TestContext* seen = nullptr) {
    const app::Application& exec = application("exec");
    TestContext context = context_of(exec, {{"command", "od -An -c | tr -d ' '"}, {"framing", framing}});
    if (seen != nullptr) context.on_taken = seen->on_taken;
    return map_text(exec, context, "a\nb;;cde", {.batches = {0}, .cuts = {}, .format = semicolons.get()}).at(0);
  };
  EXPECT_EQ(framed("none"), "a\\nb;;cde\n");
  EXPECT_EQ(framed("netstring"), "3:a\\nb,0:,3:cde,\n");
  EXPECT_EQ(framed("nul"), "a\\nb\\0\\0cde\\0\n");
  EXPECT_EQ(framed("lines"), "a\\nb\\n\\ncde\\n\n");
  TestContext progress;
  std::vector<std::uint64_t> taken;
  progress.on_taken = [&](std::uint64_t offset) { taken.push_back(offset); };
  framed("netstring", &progress);
  EXPECT_EQ(taken.front(), 0u);
  EXPECT_EQ(taken.back(), 8u);
  const app::Application& exec = application("exec");
  EXPECT_THROW(exec.validate(context_of(exec, {{"command", "cat"}, {"framing", "x"}})), std::invalid_argument);
}

TEST(Exec, ItsEnvironmentHasHadoopsNames) {
  EXPECT_EQ(run("env | grep -E '^mapred' | grep -v input | sort", "x\n").at(0),
            "mapred_job_id=job_0_0007\nmapred_task_id=attempt_0_0007_m_000003_1\nmapred_task_is_map=true\n"
            "mapred_task_partition=3\nmapred_tip_id=task_0_0007_m_000003\nmapreduce_job_id=job_0_0007\n"
            "mapreduce_task_attempt_id=attempt_0_0007_m_000003_1\nmapreduce_task_id=task_0_0007_m_000003\n"
            "mapreduce_task_ismap=true\nmapreduce_task_partition=3\n");
}

TEST(Exec, SaysWhichSignalHasEndedAProgramOfTheCommand) {
  EXPECT_THAT(failure_of("sh -c 'kill -9 $$'; exit $?"),
              testing::EndsWith(
                  "ended with status 137 (a program in it was ended by signal 9, Killed: perhaps memory ran out)"));
  EXPECT_THAT(failure_of("exit 143"), testing::EndsWith("ended by signal 15, Terminated)"));
  EXPECT_THAT(failure_of("exit 255"), testing::EndsWith("ended with status 255"));
}

// The program that is left ends once the status has named it.
TEST(Exec, SaysThatAProgramThatWasLeftHoldsTheOutputOpen) {
  const ontime::test::TemporaryDirectory directory;
  const std::string named = directory.path() + "/named";
  const app::Application& exec = application("exec");
  TestContext context = context_of(exec, {{"command", "(while [ ! -e " + named + " ]; do sleep 0.01; done) & cat"}});
  context.on_status = [&](std::string_view status) {
    EXPECT_THAT(status, testing::MatchesRegex("the command has ended, but (sh|sleep) .process [0-9]+., which it left, "
                                              "holds its output open"));
    std::ofstream{named};
  };
  EXPECT_EQ(map_text(exec, context, "x\n").at(0), "x\n");
}

// As in a runner, to which the worker has given a directory with the job's files.
class ExecInARunner : public testing::Test {
 protected:
  ExecInARunner() {
    write("data.txt", "as sent\n", 0444);
    write("tool", "#!/bin/sh\necho it runs\n", 0555);
    ::setenv("ONTIME_RUNNER_DIRECTORY", directory_.path().c_str(), 1);
  }
  ~ExecInARunner() override { ::unsetenv("ONTIME_RUNNER_DIRECTORY"); }

  void write(const std::string& name, const std::string& content, mode_t mode) {
    std::ofstream(directory_ / name) << content;
    ::chmod((directory_ / name).c_str(), mode);
  }
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path()))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  const std::vector<std::string> files_ = {"data.txt", "tool"};
  const ontime::test::TemporaryDirectory directory_;
};

TEST_F(ExecInARunner, ACommandSeesTheFilesAsSentAndNothingOfAnother) {
  const std::string command =
      "mkdir deep && mkdir deep/er && touch deep/er/file && chmod 0 deep && chmod u+w data.txt && echo mine >> "
      "data.txt; "
      "echo mine > ../data.txt; cat data.txt; ./tool; ls; cat >/dev/null";
  const std::string seen = "as sent\nmine\nit runs\ndata.txt\ndeep\ntool\n";
  EXPECT_EQ(run(command, "a\nb\n", {.batches = {0}, .cuts = {0}}), (std::vector<std::string>{seen, seen}));
  EXPECT_EQ(left(), files_);
}

TEST_F(ExecInARunner, ACommandThatFailsLeavesNothing) {
  EXPECT_THAT(failure_of("touch new; ./mapper.py"),
              testing::EndsWith("ended with status 127 (not found; it works in a directory of its own: send its files "
                                "with --file, or give whole paths)"));
  EXPECT_EQ(left(), files_);
}

TEST(Exec, RunsOncePerSegment) {
  EXPECT_EQ(run("wc -l", "a\nb\nc\nd\n", {.batches = {0}, .cuts = {2}}), (std::vector<std::string>{"3\n", "1\n"}));
}

TEST(Exec, AMissingLastLineEndIsAddedOnBothSides) {
  EXPECT_EQ(run("wc -l", "a\nb"), (std::vector<std::string>{"2\n"}));
  EXPECT_EQ(run("cat; printf end", "a\n"), (std::vector<std::string>{"a\nend\n"}));
  EXPECT_EQ(run("cat >/dev/null", "a\n"), (std::vector<std::string>{""}));
}

TEST(Exec, ASegmentWithoutRecordsGivesTheCommandAnEmptyInput) {
  const app::Application& exec = application("exec");
  TestContext context = context_of(exec, {{"command", "wc -c"}});
  const auto mapper = exec.make_mapper();
  mapper->setup(context);
  mapper->begin_segment(0);
  TightOutput out;
  mapper->flush(out);
  EXPECT_EQ(out.text(), "0\n");
}

TEST(Exec, MovesMoreThanAnyPipeHoldsInAllDirections) {
  const std::string text(3'000'000, 'x');
  const auto outputs = run("tee /dev/stderr 2>/dev/null; echo done", text + "\n");
  EXPECT_EQ(outputs, (std::vector<std::string>{text + "\ndone\n"}));
  // All of the output comes before any input is read, and much on stderr in between.
  const auto eager =
      run("head -c 1000000 /dev/zero; head -c 300000 /dev/zero | tr '\\0' '\\n' | sed 's/^/reporter:counter:g,n,1/' "
          ">&2; cat >/dev/null",
          text + "\n");
  std::string zeros(1'000'000, '\0');
  zeros += '\n';
  EXPECT_EQ(eager[0], zeros);
}

TEST(Exec, ACommandMayCloseItsInputEarly) {
  EXPECT_EQ(run("head -n 1", "first\n" + std::string(1'000'000, 'x') + "\n", {.batches = {0}, .cuts = {}}),
            (std::vector<std::string>{"first\n"}));
  EXPECT_EQ(run("exec <&-; echo deaf", std::string(1'000'000, 'x')), (std::vector<std::string>{"deaf\n"}));
}

TEST(Exec, ReporterLinesReachTheJobAndOthersPass) {
  TestContext context;
  testing::internal::CaptureStderr();
  run("echo reporter:counter:fruit,apples,3 >&2; echo reporter:counter:fruit,apples,4 >&2; echo "
      "reporter:counter:fruit,apples,-9 >&2; echo plain >&2; "
      "echo reporter:counter:fruit,pears,x >&2; echo reporter:counter:,pears,1 >&2; "
      "echo reporter:status:halfway there >&2; printf 'no end' >&2; cat >/dev/null",
      "line\n", {}, &context);
  const std::string advice =
      "ontime: that is no counter: GROUP,NAME,AMOUNT is wanted, and an amount is a whole number\n";
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "plain\nreporter:counter:fruit,pears,x\n" + advice + "reporter:counter:,pears,1\n" + advice + "no end\n");
  EXPECT_EQ(context.counters, (std::map<std::string, std::uint64_t>{{"fruit,apples", ~std::uint64_t{1}}}));
  EXPECT_EQ(context.status, "halfway there");
}

TEST(Exec, TheLastWordsOfACommandThatFailsAreALine) {
  testing::internal::CaptureStderr();
  failure_of("cat >/dev/null; printf 'last words' >&2; exit 3");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "last words\n");
}

TEST(Exec, LinesOnStderrOfAnyLengthNeedBoundedMemory) {
  testing::internal::CaptureStderr();
  run("head -c 1000000 /dev/zero | tr '\\0' 'e' >&2; cat >/dev/null", "line\n");
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 5);
  std::erase(text, '\n');
  EXPECT_EQ(text, std::string(1'000'000, 'e'));
}

TEST(Exec, AFailingCommandFailsTheAttemptWithASentence) {
  EXPECT_EQ(failure_of("cat >/dev/null; exit 3"), "the command \"cat >/dev/null; exit 3\" ended with status 3");
  EXPECT_EQ(failure_of("kill -9 $$"),
            "the command \"kill -9 $$\" was ended by signal 9 (Killed: perhaps memory ran out)");
  EXPECT_EQ(failure_of("no-such-program"), "the command \"no-such-program\" ended with status 127 (not found)");
  EXPECT_EQ(failure_of("/dev/null"), "the command \"/dev/null\" ended with status 126 (found, but not executable)");
}

TEST(Exec, TheCommandIsToldWhatItReads) {
  TestContext context;
  context.path = "/data/in put.txt";
  const std::string command = "cat >/dev/null; echo \"$ontime_input_file,$ontime_input_offset,$map_input_file\"";
  TestContext table;
  table.first_record = "a,\"b\nc\"";
  EXPECT_EQ(run("cat >/dev/null; echo \"$ontime_input_header\"", "x\n", {}, &table),
            (std::vector<std::string>{"a,\"b\nc\"\n"}));
  EXPECT_EQ(
      run(command, "0123\nx\n", {.batches = {}, .cuts = {0}}, &context),
      (std::vector<std::string>{"/data/in put.txt,0,/data/in put.txt\n", "/data/in put.txt,5,/data/in put.txt\n"}));
}

TEST(Exec, TheRestOfTheEnvironmentIsOurs) {
  setenv("ONTIME_TEST_VALUE", "kept", 1);
  setenv("map_input_file", "replaced", 1);
  EXPECT_EQ(run("cat >/dev/null; echo $ONTIME_TEST_VALUE $map_input_file", "x\n"),
            (std::vector<std::string>{"kept /some/where/input.txt\n"}));
  unsetenv("ONTIME_TEST_VALUE");
  unsetenv("map_input_file");
}

TEST(Exec, TheCommandHoldsNoDescriptorsOfOurs) {
  EXPECT_EQ(run("cat >/dev/null; ls /proc/self/fd | wc -l", "x\n"), (std::vector<std::string>{"4\n"}));  // and ls's own
}

// A command that works and prints nothing is so told from one that stands still.
TEST(Exec, ProgressIsWhatTheCommandHasReadWhileTheRestWaits) {
  const app::Application& exec = application("exec");
  ontime::test::TemporaryDirectory directory;
  const std::string read =
      "dd bs=1 count=100 >/dev/null 2>&1; until [ -e " + directory / "go" + " ]; do sleep 0.01; done; ";
  TestContext context = context_of(exec, {{"command", read + "cat >/dev/null"}});
  std::vector<std::uint64_t> taken;
  context.on_taken = [&](std::uint64_t offset) {
    taken.push_back(offset);
    if (offset == 5100) std::ofstream(directory / "go") << "on";
  };
  auto mapper = exec.make_mapper();
  mapper->setup(context);
  mapper->begin_segment(5000);
  TightOutput out;
  mapper->map({std::string(2000, 'x') + "\n", 5000, &records::lines()}, out);
  mapper->flush(out);
  EXPECT_EQ(taken.front(), 5000u) << "that the command has begun is no progress";
  EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end()));
  const auto paused = std::find(taken.begin(), taken.end(), 5100u);
  ASSERT_NE(paused, taken.end());
  EXPECT_EQ(taken.back(), 7001u);
}

TEST(Exec, WhatACommandWillNeverReadCountsAsTaken) {
  const app::Application& exec = application("exec");
  TestContext context = context_of(exec, {{"command", "exec <&-; echo deaf"}});
  std::uint64_t taken = 0;
  context.on_taken = [&](std::uint64_t offset) { taken = offset; };
  EXPECT_EQ(map_text(exec, context, std::string(1'000'000, 'x') + "\n", {}), (std::vector<std::string>{"deaf\n"}));
  EXPECT_EQ(taken, 1'000'001u);
}

TEST(Exec, ACommandOfASegmentThatIsGivenUpIsKilled) {
  const app::Application& exec = application("exec");
  ontime::test::TemporaryDirectory directory;
  TestContext context = context_of(
      exec, {{"command", "echo $$ >" + directory / "pid" + "; echo ready; cat >/dev/null; exec sleep 1000"}});
  auto mapper = exec.make_mapper();
  mapper->setup(context);
  mapper->begin_segment(0);
  TightOutput out;
  while (out.text().empty()) mapper->map({"x\n", 0, &records::lines()}, out);
  pid_t process = 0;
  std::ifstream(directory / "pid") >> process;
  ASSERT_GT(process, 0);
  EXPECT_EQ(kill(process, 0), 0);
  mapper.reset();
  EXPECT_EQ(kill(process, 0), -1);
}

// A command in its start, with more in front of it than its pipe holds.
TEST(Exec, WhatIsNotWrittenToTheCommandIsGivenBackWhenAsked) {
  ontime::test::TemporaryDirectory directory;
  const std::string gate = directory / "gate";
  ASSERT_EQ(mkfifo(gate.c_str(), 0600), 0);
  const app::Application& exec = application("exec");
  TestContext context = context_of(exec, {{"command", "read go < " + gate + "; cat"}});
  std::string text;
  while (text.size() < 100'000) text += "line " + std::to_string(text.size()) + "\n";
  std::uint64_t border = 0;
  context.on_asked = [&](std::uint64_t offset) {
    EXPECT_EQ(border, 0u);  // it was told
    border = offset;
    std::ofstream(gate) << "go\n";
    return true;
  };
  const std::vector<std::string> output = map_text(exec, context, text);
  EXPECT_EQ(output, std::vector<std::string>{text.substr(0, border)});
  EXPECT_GT(border, 0u);
  EXPECT_LT(border, 100'000u);
  EXPECT_EQ(text[border - 1], '\n');
}

TEST(Exec, TheCommandDiesWithTheRunner) {
  ontime::test::TemporaryDirectory directory;
  const std::string fifo = directory / "alive";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const pid_t runner = fork();
  if (runner == 0) {
    run("exec 3>" + fifo + "; exec sleep 1000", "x\n");
    _exit(0);
  }
  std::ifstream alive(fifo);  // opens when the command has opened it too
  kill(runner, SIGKILL);
  waitpid(runner, nullptr, 0);
  EXPECT_EQ(alive.get(), std::ifstream::traits_type::eof());  // comes when the command is gone
}

TEST(Exec, NeedsACommand) {
  const app::Application& exec = application("exec");
  EXPECT_THROW(exec.validate(context_of(exec)), std::invalid_argument);
  EXPECT_EQ(exec.merger_for(context_of(exec)), nullptr);
}

TEST(Exec, ExitCodesCanBeDeclaredFine) {
  const app::Application& exec = application("exec");
  TestContext grep = context_of(exec, {{"command", "grep x"}, {"ok", "0,1"}});
  EXPECT_EQ(map_text(exec, grep, "a\nb\n"), (std::vector<std::string>{""}));
  TestContext worse = context_of(exec, {{"command", "exit 2"}, {"ok", "0,1"}});
  EXPECT_THROW(map_text(exec, worse, "a\n"), std::runtime_error);
  for (const char* ok : {"", "x", "0,", "256", "-1", "0 1"})
    EXPECT_THROW(exec.validate(context_of(exec, {{"command", "true"}, {"ok", ok}})), std::invalid_argument) << ok;
}

std::string merged(const std::string& how, const std::vector<std::string>& outputs) {
  const app::Application& exec = application("exec");
  return merge(exec, context_of(exec, {{"command", "true"}, {"merge", how}}), outputs);
}

TEST(Exec, MergesTheValuesOfAKey) {
  const std::vector<std::string> outputs{"b\t2\na\t10\n", "a\t-3\nb\t2\n", "a\t9\n"};
  EXPECT_EQ(merged("sum", outputs), "a\t16\nb\t4\n");
  EXPECT_EQ(merged("max", outputs), "a\t10\nb\t2\n");
  EXPECT_EQ(merged("min", outputs), "a\t-3\nb\t2\n");
  EXPECT_EQ(merged("list", outputs), "a\t-3\t10\t9\nb\t2\t2\n");
  EXPECT_EQ(merged("sum", {"a\t0.5\n", "a\t2\n"}), "a\t2.5\n");
  EXPECT_THROW(merged("sum", {"a\tmany\n", "a\t1\n"}), std::runtime_error);
  EXPECT_THROW(merged("sum", {"a\tmany\n"}), std::runtime_error);  // as when it is merged
  EXPECT_THROW(merged("sum", {"a\t9223372036854775807\n", "a\t1\n"}), std::runtime_error);
}

TEST(Exec, ACommandThatMergesGetsAllLinesByKey) {
  EXPECT_EQ(merged("tac; echo end", {"b\t2\na\ty\tz\n", "a\tx\n"}), "b\t2\na\ty\tz\na\tx\nend\n");
  EXPECT_THROW(merged("exit 3", {"a\t1\n"}), std::runtime_error);
  EXPECT_EQ(make_merger("tac")->command(), "tac");
  EXPECT_EQ(make_merger("sum")->command(), "");
}

}  // namespace
}  // namespace ontime::apps::test
