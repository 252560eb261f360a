#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "apps/exec/frames.h"
#include "tests/apps/mapped.h"
#include "tests/support/temporary_directory.h"

namespace ontime::apps::test {
namespace {

// Answers each frame with what it has read of it, and says on stderr how many segments it has seen.
constexpr const char* kEcho = R"(
import sys
segments = 0
for header in sys.stdin.buffer:
    kind, *numbers = header.split()
    body = sys.stdin.buffer.read(int(numbers[1])) if numbers else b""
    if kind == b"segment":
        segments += 1
        continue
    answer = header.strip() + b":" + body
    sys.stderr.write("reporter:counter:frames,%s,1\n" % kind.decode())
    sys.stderr.flush()
    for part in (answer[:3], answer[3:]):
        sys.stdout.buffer.write(b"output %d\n%s" % (len(part), part))
    sys.stdout.write("done\n")
    sys.stdout.flush()
    if kind == b"flush":
        sys.stderr.write("reporter:status:segment %d\n" % segments)
        sys.stderr.flush()
)";

class ExecFrames : public testing::Test {
 protected:
  TestContext context_for(const std::string& script) {
    std::ofstream(directory_ / "script.py") << script;
    return context_of(exec_, {{"command", "exec python3 " + directory_ / "script.py"}, {"frames", "yes"}});
  }
  std::string failure_of(const std::string& script) {
    TestContext context = context_for(script);
    try {
      map_text(exec_, context, "line\n");
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no failure";
  }

  ontime::test::TemporaryDirectory directory_;
  const app::Application& exec_ = application("exec");
};

TEST_F(ExecFrames, OneCommandMapsAllSegmentsOfARunner) {
  TestContext context = context_for(kEcho);
  const auto outputs = map_text(exec_, context, "a\nb\nc\n", {.batches = {0}, .cuts = {1}});
  EXPECT_EQ(outputs, (std::vector<std::string>{"records 0 2:a\nrecords 2 2:b\nflush:\n", "records 4 2:c\nflush:\n"}));
  EXPECT_EQ(context.counters, (std::map<std::string, std::uint64_t>{{"frames,records", 3}, {"frames,flush", 2}}));
}

TEST_F(ExecFrames, ItsOneCommandKeepsItsDirectoryForAllSegments) {
  ::setenv("ONTIME_RUNNER_DIRECTORY", directory_.path().c_str(), 1);
  TestContext context = context_for(
      std::string("import os\nassert os.path.basename(os.getcwd()) == 'command-1'\nos.mkdir('kept')\n") + kEcho);
  const auto outputs = map_text(exec_, context, "a\nb\n", {.batches = {0}, .cuts = {0}});
  ::unsetenv("ONTIME_RUNNER_DIRECTORY");
  EXPECT_EQ(outputs.size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "command-1"));
}

TEST_F(ExecFrames, MovesMoreThanAnyPipeHolds) {
  const std::string text(3'000'000, 'x');
  TestContext context = context_for(kEcho);
  EXPECT_EQ(map_text(exec_, context, text + "\n"),
            (std::vector<std::string>{"records 0 3000001:" + text + "\nflush:\n"}));
}

TEST_F(ExecFrames, ACommandThatEndsEarlyFailsTheAttempt) {
  EXPECT_NE(failure_of("raise SystemExit(3)").find("ended with status 3"), std::string::npos);
  EXPECT_NE(failure_of("pass").find("ended before it had answered"), std::string::npos);
}

TEST_F(ExecFrames, TheLastWordsOfACommandThatFailsAreALine) {
  testing::internal::CaptureStderr();
  failure_of("import sys\nsys.stderr.write('last words')\nsys.exit(3)");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "last words\n");
}

TEST_F(ExecFrames, WhatIsNoAnswerFailsTheAttempt) {
  const std::string read =
      "import sys\nread = sys.stdin.buffer\nread.read(int(read.readline().split()[2]))\n"
      "read.readline()\n";
  EXPECT_EQ(failure_of(read + "print('hello', flush=True)\ninput()"),
            "the command answered 'hello' where 'output BYTES' or 'done' was expected");
  EXPECT_EQ(failure_of(read + "print('output -1', flush=True)\ninput()"),
            "the command answered 'output -1' where 'output BYTES' or 'done' was expected");
  EXPECT_NE(failure_of(read + "print('output ' + '9' * 100, flush=True)\ninput()").find("was expected"),
            std::string::npos);
  EXPECT_EQ(failure_of(read + "print('done\\ndone', flush=True)\ninput()"),
            "the command wrote an answer that nothing had asked for");
}

TEST_F(ExecFrames, ItIsYesOrNo) {
  try {
    exec_.validate(context_of(exec_, {{"command", "true"}, {"frames", "maybe"}}));
    FAIL() << "it is taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "frames must be yes or no, not \"maybe\"");  // as every switch says it
  }
}

TEST(FramedAnswer, IsTheSameHoweverItIsCut) {
  const std::string answer = "output 5\nab\nc\noutput 0\noutput 1\nzdone\n";
  for (std::size_t cut = 0; cut <= answer.size(); ++cut) {
    FramedAnswer framed;
    TightOutput out;
    framed.begin();
    framed.receive(std::string_view(answer).substr(0, cut), out);
    framed.receive(std::string_view(answer).substr(cut), out);
    EXPECT_TRUE(framed.is_complete());
    EXPECT_FALSE(framed.is_at_line_start());
    EXPECT_EQ(out.text(), "ab\nc\nz");
  }
}

// Said by the attempt, and not when the answer is read; by the same rule wherever the output is cut.
TEST(Exec, AValueThatCannotBeMergedIsRefusedWhenItIsWritten) {
  const auto refusal = [](const std::string& how, const std::string& output) {
    std::string first;
    for (std::size_t cut = 0; cut <= output.size(); ++cut) {
      std::string said;
      try {
        NumberLines numbers(how);
        numbers.add(std::string_view(output).substr(0, cut));
        numbers.add(std::string_view(output).substr(cut));
        numbers.check();
      } catch (const std::runtime_error& error) {
        said = error.what();
      }
      if (cut == 0) first = said;
      EXPECT_EQ(said, first) << output << " cut at " << cut;
    }
    return first;
  };
  for (const char* how : {"sum", "max", "min"}) {
    EXPECT_EQ(refusal(how, "a\t1\nb c\t-2.5e3\n\t007\nd\t123456789012345678901234567890\n"), "");
    EXPECT_EQ(refusal(how, "a\t1\na\tmany\n"), "merge=" + std::string(how) +
                                                   " needs a key, a tab and a number in each line, and the command "
                                                   "wrote 'many' behind a tab");
    EXPECT_NE(refusal(how, "no model\n").find("wrote 'no model' without a tab"), std::string::npos);
    for (const char* wrong : {"a\n", "\n", "a\t\n", "a\t1\r\n", "a\t 1\n", "a\t1\t2\n", "a\t1e400\n"})
      EXPECT_NE(refusal(how, wrong), "") << wrong;
  }
  for (const char* how : {"", "list", "sort"}) EXPECT_EQ(refusal(how, "a\tmany\n\n"), "");
  const std::string endless(70'000, '1');  // its end is not waited for
  const auto check = [](const std::string& output) {
    NumberLines numbers("sum");
    numbers.add(output);
    numbers.check();
  };
  EXPECT_THROW(check("a\t" + endless), std::runtime_error);
  EXPECT_NO_THROW(check(endless + "\t1\n")) << "a key may be long";
  const app::Application& exec = application("exec");
  for (const char* frames : {"no", "yes"}) {
    const std::string command = *frames == 'n' ? "cat" : "read line; echo output 4; echo a; echo b; echo done; cat";
    TestContext context = context_of(exec, {{"command", command}, {"merge", "sum"}, {"frames", frames}});
    EXPECT_THROW(map_text(exec, context, "x\n"), std::runtime_error) << frames;
  }
}

TEST(Exec, TheStatusOfACommandSaysMoreThanItsLastWords) {
  const app::Application& exec = application("exec");
  TestContext context = context_of(exec, {{"command", "cat >/dev/null; echo no model; exit 3"}, {"merge", "sum"}});
  try {
    map_text(exec, context, "x\n");
    ADD_FAILURE() << "it has failed";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("ended with status 3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ontime::apps::test
