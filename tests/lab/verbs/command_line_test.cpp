#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/lab_verbs.h"
#include "lab/verbs/command.h"

namespace ontime::lab {
namespace {

using cli::ExitCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

template <class C>
C parsed(std::vector<std::string> arguments) {
  const auto result = parse_lab_line(std::move(arguments));
  EXPECT_TRUE(result.command.has_value()) << result.text;
  return result.command ? std::get<C>(*result.command) : C{};
}

std::string complaint(std::vector<std::string> arguments) {
  const auto result = parse_lab_line(std::move(arguments));
  EXPECT_FALSE(result.command.has_value());
  EXPECT_EQ(result.exit, ExitCode::BadUsage);
  return result.text;
}

struct Case {
  std::vector<std::string> arguments;
  std::string complaint;
};

void PrintTo(const Case& one, std::ostream* out) {
  for (const auto& argument : one.arguments) *out << argument << " ";
}

class BadLabUsage : public testing::TestWithParam<Case> {};

TEST_P(BadLabUsage, IsOneSentenceInOurOwnWords) {
  EXPECT_EQ(complaint(GetParam().arguments), GetParam().complaint + "\n");
}

std::string about_seed(const std::string& verb, const std::string& value) {
  return "ontime " + verb + ": --seed: '" + value +
         "' is not a whole number from 0 to 18446744073709551615; see 'ontime " + verb + " --help'.";
}

INSTANTIATE_TEST_SUITE_P(
    Flags, BadLabUsage,
    testing::Values(
        Case{{"plan", "w", "i", "--deadline", "1s", "--beta", "3"},
             "ontime plan: --beta needs --t-min as well; see 'ontime plan --help'."},
        Case{{"plan", "w", "i", "--deadline", "1s", "--seed", "99999999999999999999999"},
             about_seed("plan", "99999999999999999999999")},
        Case{{"simulate", "f", "--seed", ""}, about_seed("simulate", "")},
        Case{{"plan", "w", "i", "--deadline", "1s", "--price", "-1"},
             "ontime plan: --price: '-1' is not a number of 0 or more; see 'ontime plan --help'."},
        Case{{"plan", "w", "i", "--deadline", "1s", "--slots", "100000000"},
             "ontime plan: --slots: '100000000' is not a whole number from 1 to 100000; see 'ontime plan --help'."},
        Case{{"experiment", "f", "--on", "foo"},
             "ontime experiment: --on: 'foo' is not one of: sim, local, HOST:PORT; see 'ontime experiment --help'."}));

TEST(LabCommandLine, ReplayTakesAJobAJournalOrAFileAndPolicies) {
  const auto replay = parsed<ReplayCommand>({"replay", "job-7", "--strict", "--journal", "j", "--policy", "none",
                                             "--policy", "shed+:theta=1s", "--runs", "30", "--alone"});
  EXPECT_EQ(replay.job, JobId{7});
  EXPECT_EQ(replay.journal, "j");
  EXPECT_THAT(replay.policies, ElementsAre("none", "shed+:theta=1s"));
  EXPECT_EQ(replay.runs, 30u);
  EXPECT_TRUE(replay.alone);
  EXPECT_TRUE(replay.strict);
  EXPECT_EQ(parsed<ReplayCommand>({"replay"}).job, JobId{});
  EXPECT_THAT(complaint({"replay", "seven"}), HasSubstr("not the id of a job"));
  EXPECT_NE(complaint({"replay", "--journal", "j", "--recording", "r"}), "");
}

TEST(LabCommandLine, PlanTakesInputDeadlineAndHints) {
  const auto plan = parsed<PlanCommand>({"plan", "wordcount", "a.txt", "--deadline", "90s", "--slots", "8", "--t-min",
                                         "2s", "--beta", "1.5", "--price", "0.1", "--set", "k=v"});
  EXPECT_EQ(plan.job.application, "wordcount");
  EXPECT_EQ(plan.job.deadline, std::chrono::seconds(90));
  EXPECT_EQ(plan.slots, 8u);
  EXPECT_EQ(plan.t_min, std::chrono::seconds(2));
  EXPECT_EQ(plan.beta, 1.5);
  EXPECT_EQ(plan.target, 0.99);
  EXPECT_THAT(plan.job.parameters, ElementsAre(Pair("k", "v")));
  EXPECT_THAT(complaint({"plan", "wordcount", "a.txt"}), HasSubstr("--deadline"));
  EXPECT_NE(complaint({"plan", "wordcount", "a.txt", "--deadline", "1s", "--target-pocd", "1.5"}), "");
  EXPECT_NE(complaint({"plan", "wordcount", "a.txt", "--deadline", "1s", "--beta", "1.5"}), "") << "beta needs t_min";
}

TEST(LabCommandLine, EveryVerbThatOntimeListsHasHelpWithExamples) {
  for (const cli::LabVerb& verb : cli::lab_verbs()) {
    const auto result = parse_lab_line({"help", verb.name});
    EXPECT_EQ(result.exit, ExitCode::Done);
    EXPECT_THAT(result.text, HasSubstr("\n  ontime " + std::string(verb.name) + " ")) << verb.name;
    EXPECT_THAT(result.text, HasSubstr(verb.summary));
  }
}

TEST(LabVerb, IsFoundInWhatIsTyped) {
  EXPECT_STREQ(cli::lab_verb_of({"simulate", "a.yaml"})->name, "simulate");
  EXPECT_STREQ(cli::lab_verb_of({"help", "plan"})->name, "plan");
  EXPECT_EQ(cli::lab_verb_of({"run", "simulate"}), nullptr);
  EXPECT_EQ(cli::lab_verb_of({"help"}), nullptr);
  EXPECT_EQ(cli::lab_verb_of({}), nullptr);
}

TEST(Compare, SaysWhatIsWrongWithWhatItIsToRead) {
  const auto complaint_about = [](const std::string& before) {
    CompareCommand command;
    command.before = before;
    command.after = "/nowhere/at/all";
    const auto done = execute(command);
    return done ? "nothing" : done.error().message;
  };
  EXPECT_EQ(complaint_about("/nowhere"), "'/nowhere' holds no finished experiment: there is no jobs.csv");
  EXPECT_THAT(complaint_about("hdfs:///results"), HasSubstr("names no host; write hdfs://host/path"));
  EXPECT_THAT(complaint_about("s3://B/results"), HasSubstr("names no bucket"));
}

}  // namespace
}  // namespace ontime::lab
