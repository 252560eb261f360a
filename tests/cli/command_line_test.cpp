#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/clock_time.h"

namespace ontime::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

template <class C>
C parsed(std::vector<std::string> arguments) {
  const auto result = parse_command_line(std::move(arguments));
  EXPECT_TRUE(result.command.has_value()) << result.text;
  return result.command ? std::get<C>(*result.command) : C{};
}

std::string complaint(std::vector<std::string> arguments) {
  const auto result = parse_command_line(std::move(arguments));
  EXPECT_FALSE(result.command.has_value());
  EXPECT_EQ(result.exit, ExitCode::BadUsage);
  return result.text;
}

TEST(CommandLine, WhatFollowsThreeColonsIsListsOfValues) {
  const auto run =
      parsed<RunCommand>({"run", "each", "-o", "out", "--set", "command=x", ":::", "a", "--output", ":::", "1"});
  EXPECT_THAT(run.job.inputs, ElementsAre(":::"));
  EXPECT_THAT(run.job.lists, ElementsAre(":::", "a", "--output", ":::", "1"));
  EXPECT_EQ(run.job.output, "out");
  EXPECT_THAT(parsed<SubmitCommand>({"submit", "each", "list", "-o", "out", "::::", "f"}).job.inputs,
              ElementsAre("list", ":::"));
}

TEST(CommandLine, RunTakesInputsInOrderAndDefaultsForTheRest) {
  const auto run = parsed<RunCommand>({"run", "wordcount", "b.txt", "a.txt", "--output", "out"});
  EXPECT_EQ(run.job.application, "wordcount");
  EXPECT_THAT(run.job.inputs, ElementsAre("b.txt", "a.txt"));
  EXPECT_EQ(run.job.output, "out");
  EXPECT_EQ(run.job.split_bytes, 0u);
  EXPECT_EQ(run.job.splits, 0u);
  EXPECT_EQ(run.job.deadline, Duration(0));
  EXPECT_FALSE(run.job.checkpoint_interval.has_value());
  EXPECT_EQ(run.job.record_bytes_max, 0u);
  EXPECT_EQ(run.job.policy, "");
  EXPECT_GE(run.cluster.workers, 1u);
  EXPECT_EQ(run.cluster.slots, 1u);
  EXPECT_FALSE(run.quiet || run.json || run.show_tasks || run.explain);
}

TEST(CommandLine, RunTakesEveryOption) {
  // clang-format off
  const auto run = parsed<RunCommand>({
      "run", "exec", "in", "-o", "out", "--workers", "3", "--slots", "2", "--set", "command=a=b c", "--set", "x=",
      "--split-size", "64KiB", "--deadline", "90s", "--checkpoint", "0", "--attempt-timeout", "2m", "--max-attempts",
      "7", "--max-record", "1MiB", "--policy", "late", "--policy-set", "k=v", "--app-dir", "/a", "--app-dir", "/b",
      "--node-timeout", "1s", "--heartbeat", "50ms", "--log-level", "debug", "--log-file", "l", "--tasks",
      "--explain", "--report", "r.html", "-q", "--json"});
  // clang-format on
  EXPECT_THAT(run.job.parameters, ElementsAre(Pair("command", "a=b c"), Pair("x", "")));
  EXPECT_EQ(run.job.split_bytes, 64u << 10);
  EXPECT_EQ(run.job.deadline, Duration(std::chrono::seconds(90)));
  EXPECT_EQ(run.job.checkpoint_interval, Duration(0));
  EXPECT_EQ(run.job.attempt_timeout, Duration(std::chrono::minutes(2)));
  EXPECT_EQ(run.job.attempts_max, 7u);
  EXPECT_EQ(run.job.record_bytes_max, 1u << 20);
  EXPECT_EQ(run.job.policy, "late");
  EXPECT_THAT(run.job.policy_parameters, ElementsAre(Pair("k", "v")));
  EXPECT_THAT(run.job.application_directories, ElementsAre("/a", "/b"));
  EXPECT_EQ(run.cluster.workers, 3u);
  EXPECT_EQ(run.cluster.slots, 2u);
  EXPECT_EQ(run.cluster.node_timeout, Duration(std::chrono::seconds(1)));
  EXPECT_EQ(run.cluster.heartbeat, Duration(std::chrono::milliseconds(50)));
  EXPECT_EQ(run.cluster.log_level, "debug");
  EXPECT_EQ(run.report, "r.html");
  EXPECT_TRUE(run.quiet && run.json && run.show_tasks && run.explain);
}

TEST(CommandLine, AnOptionBetweenInputsTakesOnlyItsOwnValue) {
  const auto run =
      parsed<RunCommand>({"run", "--set", "a=1", "wordcount", "--app-dir", "/x", "one", "-o", "out", "two"});
  EXPECT_EQ(run.job.application, "wordcount");
  EXPECT_THAT(run.job.inputs, ElementsAre("one", "two"));
}

TEST(CommandLine, AnInputMayBeCalledLikeAVerbOrAnOption) {
  const auto run = parsed<RunCommand>({"run", "wordcount", "jobs", "-o", "out", "--", "--json", "result"});
  EXPECT_THAT(run.job.inputs, ElementsAre("jobs", "./--json", "result"));
  EXPECT_FALSE(run.json);
}

TEST(CommandLine, WordsInBracketsArePatternsAndNoLists) {
  const auto run =
      parsed<RunCommand>({"run", "wordcount", "[ab]", "[a,b]", "-o", "[o]", "--name", "[n]", "--app-dir", "[d]"});
  EXPECT_THAT(run.job.inputs, ElementsAre("[ab]", "[a,b]"));
  EXPECT_THAT(run.job.application_directories, ElementsAre("[d]"));
  EXPECT_EQ(run.job.output, "[o]");
  EXPECT_EQ(run.job.name, "[n]");
  EXPECT_THAT(parsed<KillCommand>({"kill", "[1,2]"}).jobs, ElementsAre("[1,2]"));
}

TEST(CommandLine, ASettingGivenTwiceIsRefused) {
  EXPECT_THAT(complaint({"run", "exec", "i", "-o", "o", "--set", "command=cat", "--set", "command=wc"}),
              HasSubstr("--set: 'command' is given twice; give it once"));
  EXPECT_THAT(complaint({"run", "w", "i", "-o", "o", "--policy-set", "k=1", "--policy-set", "k=1"}),
              HasSubstr("--policy-set: 'k' is given twice"));
  EXPECT_THAT(complaint({"run", "w", "i", "-o", "o", "--policy", "late:k=1,k=1"}), HasSubstr("gives 'k' twice"));
}

TEST(CommandLine, APolicyIsNamedWithItsParametersOrWithout) {
  const auto run =
      parsed<RunCommand>({"run", "w", "i", "-o", "o", "--policy-set", "k=2s", "--policy", "shed+:theta=1s,lambda=0.2"});
  EXPECT_EQ(run.job.policy, "shed+");
  EXPECT_THAT(run.job.policy_parameters, ElementsAre(Pair("k", "2s"), Pair("lambda", "0.2"), Pair("theta", "1s")));
}

TEST(CommandLine, SubmitAndClientVerbsNameTheMaster) {
  EXPECT_EQ(parsed<JobsCommand>({"jobs"}).master.address, "127.0.0.1:7400");
  EXPECT_EQ(parsed<NodesCommand>({"nodes", "--master", "[::1]:9"}).master.address, "[::1]:9");
  EXPECT_TRUE(parsed<KillCommand>({"kill", "1", "--json"}).json);
  EXPECT_TRUE(parsed<DrainCommand>({"drain", "node-1", "--json"}).json);
  EXPECT_THAT(parsed<KillCommand>({"kill", "1", "4-9", "last"}).jobs, ElementsAre("1", "4-9", "last"));
  const auto submit =
      parsed<SubmitCommand>({"submit", "w", "i", "-o", "o", "-m", "h:1", "--wait", "--token-file", "t"});
  EXPECT_EQ(submit.master.address, "h:1");
  EXPECT_EQ(submit.master.token_file, "t");
  EXPECT_TRUE(submit.wait);
}

TEST(CommandLine, MasterComesFromTheEnvironmentUnlessTold) {
  setenv("ONTIME_MASTER", "10.0.0.1:1", 1);
  EXPECT_EQ(parsed<JobsCommand>({"jobs"}).master.address, "10.0.0.1:1");
  EXPECT_EQ(parsed<JobsCommand>({"jobs", "-m", "x:2"}).master.address, "x:2");
  unsetenv("ONTIME_MASTER");
}

TEST(CommandLine, ABadValueIsCalledByWhereItComesFrom) {
  setenv("ONTIME_DEADLINE", "soon", 1);
  EXPECT_THAT(complaint({"run", "a", "i", "-o", "o"}), HasSubstr("ontime run: $ONTIME_DEADLINE: 'soon' is not a"));
  EXPECT_THAT(complaint({"run", "a", "i", "-o", "o", "--deadline", "late"}), HasSubstr("--deadline: 'late' is not a"));
  EXPECT_THAT(complaint({"run", "a", "i", "-o", "o", "--deadline=late"}), HasSubstr("--deadline: 'late' is not a"));
  unsetenv("ONTIME_DEADLINE");
}

TEST(CommandLine, ADeadlineMayBeAClockTime) {
  const auto deadline = [](const char* text) {
    return parsed<RunCommand>({"run", "a", "i", "-o", "o", "--deadline", text}).job;
  };
  const std::int64_t before = now_unix_ns();
  const JobOptions job = deadline("06:00Z");
  EXPECT_GT(job.due_unix_ns, before);
  EXPECT_LE(job.due_unix_ns, now_unix_ns() + Duration(std::chrono::hours(24)).count());
  EXPECT_EQ(job.due_unix_ns % Duration(std::chrono::minutes(1)).count(), 0);
  EXPECT_GT(job.deadline, Duration(0));
  EXPECT_EQ(deadline("90s").due_unix_ns, 0);
  EXPECT_THAT(complaint({"run", "a", "i", "-o", "o", "--deadline", "2020-01-01T06:00"}),
              HasSubstr("--deadline: '2020-01-01T06:00' has passed"));
  EXPECT_THAT(complaint({"run", "a", "i", "-o", "o", "--deadline", "6:00"}), HasSubstr("'6:00' is not a time; write"));
  EXPECT_THAT(complaint({"run", "a", "i", "-o", "o", "--deadline", "2999-01-01T06:00"}), HasSubstr("too far away"));
}

TEST(CommandLine, ABadVariableMattersOnlyWhereItIsUsed) {
  setenv("ONTIME_DEADLINE", "soon", 1);
  EXPECT_EQ(parsed<RunCommand>({"run", "a", "i", "-o", "o", "--deadline", "5s"}).job.deadline,
            Duration(std::chrono::seconds(5)));
  EXPECT_FALSE(parsed<JobsCommand>({"jobs"}).json);
  unsetenv("ONTIME_DEADLINE");
}

TEST(CommandLine, JobResultVerifyAndAppsTakeTheirOptions) {
  const auto job = parsed<JobCommand>({"job", "12", "--open", "--segments"});
  EXPECT_EQ(job.job, "12");
  EXPECT_TRUE(job.open_tasks_only && job.show_segments);
  EXPECT_EQ(job.tasks, 1000u);
  const auto part = parsed<JobCommand>({"job", "12", "--tasks", "0", "--first", "3000"});
  EXPECT_EQ(part.tasks, 0u);
  EXPECT_EQ(part.first_task, 3000u);
  const auto result = parsed<ResultCommand>({"result", "dir", "--top", "3", "--memory", "1MiB", "-o", "f"});
  EXPECT_EQ(result.directory, "dir");
  EXPECT_EQ(result.top, 3u);
  EXPECT_EQ(result.memory_bytes, 1u << 20);
  EXPECT_EQ(result.output, "f");
  EXPECT_TRUE(parsed<VerifyCommand>({"verify", "dir", "--json"}).json);
  EXPECT_TRUE(parsed<AppsCommand>({"apps", "--json"}).json);
}

TEST(CommandLine, ExplainTakesOneTaskOrAll) {
  const auto one = parsed<ExplainCommand>({"explain", "job-7", "--task", "3", "--json"});
  EXPECT_EQ(one.job, "job-7");
  EXPECT_EQ(one.task, 3u);
  EXPECT_TRUE(one.json);
  EXPECT_TRUE(parsed<ExplainCommand>({"explain", "7", "--all"}).all);
  EXPECT_FALSE(parsed<ExplainCommand>({"explain", "7"}).task.has_value());
  EXPECT_THAT(complaint({"explain", "7", "--all", "--task", "3"}), HasSubstr("excludes"));
  EXPECT_THAT(complaint({"jobs", "--account", "--state", "failed"}), HasSubstr("excludes"));
  EXPECT_THAT(complaint({"explain", "7", "--task", "x"}), HasSubstr("--task"));
  EXPECT_TRUE(parsed<JobsCommand>({"jobs", "--account"}).accounts);
}

TEST(CommandLine, AJobIsExportedAsAPageOrATrace) {
  const auto report = parsed<ExportCommand>({"report", "7", "-o", "r.html", "--force"});
  EXPECT_EQ(report.as, ExportCommand::As::Report);
  EXPECT_EQ(report.job, "7");
  EXPECT_EQ(report.output, "r.html");
  EXPECT_TRUE(report.force);
  EXPECT_EQ(parsed<ExportCommand>({"trace", "job-7"}).as, ExportCommand::As::Trace);
}

TEST(CommandLine, MissingPiecesAreNamedTogether) {
  EXPECT_THAT(complaint({"run", "wordcount"}), testing::AllOf(HasSubstr("INPUT"), HasSubstr("--output")));
  EXPECT_THAT(complaint({}), HasSubstr("ontime --help"));
}

TEST(CommandLine, WrongValuesAreQuoted) {
  EXPECT_THAT(complaint({"run", "w", "i", "-o", "o", "--split-size", "12 parsecs"}), HasSubstr("'12 parsecs'"));
  EXPECT_THAT(complaint({"run", "w", "i", "-o", "o", "--split-size", "0"}), HasSubstr("give 1 B or more"));
  EXPECT_THAT(complaint({"run", "w", "i", "-o", "o", "--deadline", "soon"}), HasSubstr("'soon'"));
  EXPECT_THAT(complaint({"run", "w", "i", "-o", "o", "--workers", "-1"}), HasSubstr("'-1'"));
  EXPECT_THAT(complaint({"run", "w", "i", "-o", "o", "--workers", "4294967296"}), HasSubstr("'4294967296'"));
  EXPECT_THAT(complaint({"run", "w", "i", "-o", "o", "--set", "novalue"}), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(complaint({"run", "w", "i", "-o", "o", "--set", "=v"}), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(complaint({"run", "w", "i", "-o", "o", "--log-level", "loud"}), HasSubstr("'loud'"));
  EXPECT_THAT(complaint({"run", "w", "i", "-o", "o", "--splits", "2", "--split-size", "1k"}), HasSubstr("excludes"));
  EXPECT_THAT(complaint({"result", "d", "--top", "0"}), HasSubstr("--top"));
  EXPECT_THAT(complaint({"frobnicate"}), HasSubstr("'frobnicate'"));
}

TEST(CommandLine, HelpShowsExamplesForEveryVerb) {
  for (const std::string verb :
       {"run", "submit", "jobs", "job", "explain", "nodes", "kill", "result", "verify", "apps"}) {
    const auto help = parse_command_line({verb, "--help"});
    EXPECT_EQ(help.exit, ExitCode::Done);
    EXPECT_THAT(help.text, HasSubstr("Examples:\n  ontime " + verb));
  }
  EXPECT_THAT(parse_command_line({"--help"}).text, HasSubstr("Exit codes: 0 done"));
}

TEST(CommandLine, HelpListsVerbsInGroupsAndFitsTheTerminal) {
  const auto help = [](std::vector<std::string> arguments, const char* columns) {
    setenv("COLUMNS", columns, 1);
    const std::string text = parse_command_line(std::move(arguments)).text;
    unsetenv("COLUMNS");
    return text;
  };
  EXPECT_THAT(parse_command_line({"--help"}).text, HasSubstr("\nRun jobs:\n  run "));
  EXPECT_THAT(parse_command_line({"--help"}).text, HasSubstr("\nStudy jobs:\n  simulate "));
  EXPECT_THAT(parse_command_line({"job", "--help"}).text, HasSubstr("\nConnection:\n  -m,--master"));
  const std::string narrow = help({"job", "--help"}, "60");
  EXPECT_THAT(narrow, HasSubstr("\n  --tls-cert FILE           This client's certificate, else\n"
                                "                            $ONTIME_TLS_CERT\n"));
  std::istringstream lines(narrow);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60u) << line;
  EXPECT_EQ(help({"job", "--help"}, "1000"), parse_command_line({"job", "--help"}).text);
  EXPECT_THAT(help({"run", "--help"}, "60"), HasSubstr("\n  ontime run exec book.txt -o lengths --set command=\"awk"))
      << "what is typed stays whole";
}

TEST(CommandLine, TheVersionSaysOfWhatItWasBuilt) {
  const std::string text = parse_command_line({"--version"}).text;
  EXPECT_THAT(text, testing::ContainsRegex("^ontime [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\nCommit: ([0-9a-f]{40}(, changed)?|not known, because .*)\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\nCompiler: [A-Za-z]+ [0-9.]+, [A-Za-z]+\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\nLibraries: ([A-Za-z0-9-]+ [0-9.]+(, )?)+\n$"));
}

TEST(CommandLine, GenAndTeravalidateTakeEveryOption) {
  const auto gen =
      parsed<GenCommand>({"gen", "text", "1GB", "-o", "book", "--seed", "7", "--set", "words=9", "--force", "-q"});
  EXPECT_EQ(gen.kind, "text");
  EXPECT_EQ(gen.amount, "1GB");
  EXPECT_EQ(gen.output, "book");
  EXPECT_EQ(gen.seed, 7u);
  EXPECT_THAT(gen.settings, ElementsAre(Pair("words", "9")));
  EXPECT_TRUE(gen.force && gen.quiet);
  EXPECT_THAT(complaint({"gen", "text"}), HasSubstr("AMOUNT"));
  const auto validate = parsed<TeraValidateCommand>({"teravalidate", "-", "--json"});
  EXPECT_EQ(validate.file, "-");
  EXPECT_TRUE(validate.json);
  EXPECT_FALSE(parsed<TeraValidateCommand>({"teravalidate", "file"}).quiet);
}

}  // namespace
}  // namespace ontime::cli
