// Bad usage: one sentence with the flag, the value and what to do, in our own words, and exit code 2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace ontime::cli {
namespace {

struct Case {
  std::vector<std::string> arguments;
  std::string complaint;
};

void PrintTo(const Case& one, std::ostream* out) {
  for (const auto& argument : one.arguments) *out << argument << " ";
}

class BadUsage : public testing::TestWithParam<Case> {};

TEST_P(BadUsage, IsOneSentenceInOurOwnWords) {
  const auto parsed = parse_command_line(GetParam().arguments);
  EXPECT_FALSE(parsed.command.has_value());
  EXPECT_EQ(parsed.exit, ExitCode::BadUsage);
  EXPECT_EQ(parsed.text, GetParam().complaint + "\n");
}

constexpr const char* kSeedRange = "is not a whole number from 0 to 18446744073709551615";

std::string about_seed(const std::string& verb, const std::string& value) {
  return "ontime " + verb + ": --seed: '" + value + "' " + kSeedRange + "; see 'ontime " + verb + " --help'.";
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, BadUsage,
    testing::Values(Case{{}, "ontime: No verb is given; see 'ontime --help'."},
                    Case{{"replya"}, "ontime: There is no verb 'replya'; did you mean 'replay'?"},
                    Case{{"rn"}, "ontime: There is no verb 'rn'; did you mean 'run'?"},
                    Case{{"rn", "--help"}, "ontime: There is no verb 'rn'; did you mean 'run'?"},
                    Case{{"help", "rn"}, "ontime: There is no verb 'rn'; did you mean 'run'?"},
                    Case{{"--json", "jobs"},
                         "ontime jobs: '--json' stands before the verb; write 'ontime jobs --json'; see 'ontime jobs "
                         "--help'."},
                    Case{{"frobnicate"}, "ontime: There is no verb 'frobnicate'; see 'ontime --help'."},
                    Case{{"--help-all"}, "ontime: There is no flag '--help-all'; did you mean '--help'?"},
                    Case{{"certs"},
                         "ontime certs: No verb is given; choose one of: init, node, client, cluster; see 'ontime "
                         "certs --help'."},
                    Case{{"certs", "nod"}, "ontime certs: There is no verb 'nod'; did you mean 'node'?"}));

INSTANTIATE_TEST_SUITE_P(
    Flags, BadUsage,
    testing::Values(
        Case{{"run", "w", "i", "--ouput", "o"}, "ontime run: There is no flag '--ouput'; did you mean '--output'?"},
        Case{{"run", "--frobnicate=7"}, "ontime run: There is no flag '--frobnicate'; see 'ontime run --help'."},
        Case{{"run", "w"}, "ontime run: missing: INPUT, --output; see 'ontime run --help'."},
        Case{{"run", "w", "i", "-o"}, "ontime run: --output needs a value: --output DIR; see 'ontime run --help'."},
        Case{{"run", "w", "i", "-o", "a", "-o", "b"},
             "ontime run: --output is given 2 times; give it once; see 'ontime run --help'."},
        Case{{"run", "w", "i", "-o", "a", "-s", "novalue"},
             "ontime run: --set: 'novalue' is not KEY=VALUE; see 'ontime run --help'."},
        Case{{"run", "w", "i", "-o", "a", "--on-miss", "kill"},
             "ontime run: --on-miss needs --deadline as well; see 'ontime run --help'."},
        Case{{"jobs", "--json=foo"}, "ontime jobs: --json takes no value; see 'ontime jobs --help'."},
        Case{{"explain", "1", "2"}, "ontime explain: '2' is one argument too many; see 'ontime explain --help'."},
        Case{{"explain", "7", "--task", "3", "--all"},
             "ontime explain: --task excludes --all; give one of them; see 'ontime explain --help'."}));

INSTANTIATE_TEST_SUITE_P(
    Values, BadUsage,
    testing::Values(
        Case{{"gen", "text", "1k", "--seed", "-1"}, about_seed("gen", "-1")},
        Case{{"gen", "text", "1k", "--seed", "0x10"}, about_seed("gen", "0x10")},
        Case{{"gen", "text", "1k", "--seed", "1e3"}, about_seed("gen", "1e3")},
        Case{{"gen", "text", "1k", "--seed", "99999999999999999999999"}, about_seed("gen", "99999999999999999999999")},
        Case{{"run", "w", "i", "-o", "o", "--seed", "abc"}, about_seed("run", "abc")},
        Case{{"run", "w", "i", "-o", "o", "--slots", "100000"},
             "ontime run: --slots: '100000' is not a whole number from 1 to 512; see 'ontime run --help'."},
        Case{{"run", "w", "i", "-o", "o", "--workers", "100000"},
             "ontime run: --workers: '100000' is not a whole number from 1 to 256; see 'ontime run --help'."},
        Case{{"run", "w", "i", "-o", "o", "--splits", "1000000000"},
             "ontime run: --splits: '1000000000' is not a whole number from 1 to 10000000; see 'ontime run --help'."},
        Case{{"run", "w", "i", "-o", "o", "--priority", "-2147483648"},
             "ontime run: --priority: '-2147483648' is not a whole number from -1000 to 1000; see 'ontime run --help'."},
        Case{{"run", "w", "i", "-o", "o", "--attempt-timeout", "99ms"},
             "ontime run: --attempt-timeout: '99ms' is too short; give 100ms or more, or never; see 'ontime run --help'."},
        Case{{"run", "w", "i", "-o", "o", "--heartbeat", "0s"},
             "ontime run: --heartbeat: '0s' is too short; give 1ms or more; see 'ontime run --help'."},
        Case{{"run", "w", "", "-o", "o"}, "ontime run: INPUT: the value is empty; is a variable of the shell not set?"},
        Case{{"run", "w", "i", "-o", ""},
             "ontime run: --output: the value is empty; is a variable of the shell not set?"},
        Case{{"run", "w", "i", "-o", "o", "--policy-set", "k=2", "--policy", "late:k=1"},
             "ontime run: --policy-set: 'k' is given twice; give it once; see 'ontime run --help'."},
        Case{{"run", "w", "i", "-o", "o", "--policy", "late:slow"},
             "ontime run: --policy: 'late:slow' is not NAME or NAME:KEY=VALUE,...; see 'ontime run --help'."},
        Case{{"certs", "client", "x", "--role", "boss"},
             "ontime certs client: --role: 'boss' is not one of: submit, admin, read-only; see 'ontime certs client "
             "--help'."},
        Case{{"certs", "node", "x", "--days", "1e3"},
             "ontime certs node: --days: '1e3' is not a whole number from 1 to 36500; see 'ontime certs node "
             "--help'."}));

TEST(Help, IsAVerbToo) {
  EXPECT_EQ(parse_command_line({"help", "run"}).text, parse_command_line({"run", "--help"}).text);
  EXPECT_EQ(parse_command_line({"help"}).text, parse_command_line({"--help"}).text);
  EXPECT_EQ(parse_command_line({"-V"}).text, parse_command_line({"--version"}).text);
}

}  // namespace
}  // namespace ontime::cli
