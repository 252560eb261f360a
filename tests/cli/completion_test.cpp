// Completion and the manual page, which are made of the same description of the flags as --help.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "cli/command_line.h"
#include "cli/lab_verbs.h"

namespace ontime::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

using Words = std::vector<std::string>;

Words completed(Words words) {
  words.insert(words.begin(), "--complete");
  const auto parsed = parse_command_line(words);
  EXPECT_EQ(parsed.exit, ExitCode::Done);
  Words found;
  std::istringstream lines(parsed.text);
  for (std::string line; std::getline(lines, line);) found.push_back(line.substr(0, line.find('\t')));
  return found;
}

std::set<std::string> flags_in(const std::string& text) {
  static const std::regex kFlag("--[a-z][a-z-]*");
  std::set<std::string> flags;
  for (std::sregex_iterator at(text.begin(), text.end(), kFlag), end; at != end; ++at) flags.insert(at->str());
  return flags;
}

// Only the flags that help lists: its descriptions and examples name others too.
std::set<std::string> flags_in_help(const Words& verb) {
  Words arguments = verb;
  arguments.emplace_back("--help");
  std::set<std::string> flags;
  std::istringstream lines(parse_command_line(arguments).text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  -")) flags.merge(flags_in(line.substr(0, std::min<std::size_t>(28, line.size()))));
  return flags;
}

// Verbs of `ontime`, and those of `ontime certs`, that this program carries out itself.
std::vector<Words> verbs() {
  std::vector<Words> verbs;
  for (const std::string& verb : completed({""}))
    if (find_lab_verb(verb) == nullptr) verbs.push_back({verb});
  for (const std::string& kind : completed({"certs", ""})) verbs.push_back({"certs", kind});
  return verbs;
}

TEST(Completion, OffersVerbs) {
  EXPECT_THAT(completed({""}), IsSupersetOf({"run", "submit", "completion", "simulate"}));
  EXPECT_THAT(completed({"re"}), ElementsAre("report", "result", "replay"));
  EXPECT_THAT(completed({"help", "su"}), ElementsAre("submit"));
  EXPECT_THAT(completed({"certs", "c"}), ElementsAre("client", "cluster"));
}

TEST(Completion, OffersTheFlagsThatHelpLists) {
  for (const Words& verb : verbs()) {
    Words words = verb;
    words.emplace_back("--");
    const Words offered = completed(words);
    EXPECT_EQ(std::set<std::string>(offered.begin(), offered.end()), flags_in_help(verb)) << verb.back();
    EXPECT_THAT(offered, Contains("--help"));
  }
}

TEST(Completion, OffersValues) {
  EXPECT_THAT(completed({"run", "wordcount", "a", "--on-miss", ""}), ElementsAre("finish", "kill"));
  EXPECT_THAT(completed({"run", "--on-miss=k"}), ElementsAre("--on-miss=kill"));
  EXPECT_THAT(completed({"run", "--on-miss", "=", "k"}), ElementsAre("kill"));  // as bash divides it
  EXPECT_THAT(completed({"run", "--policy", "she"}), ElementsAre("shed", "shed+"));
  EXPECT_THAT(completed({"gen", "te"}), ElementsAre("teragen", "text"));
  EXPECT_THAT(completed({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
}

TEST(Completion, OffersTheJobsThatWereSubmittedLast) {
  for (const char* verb : {"job", "explain", "logs", "report", "trace", "kill"})
    EXPECT_THAT(completed({verb, "la"}), ElementsAre("last", "last-1", "last-2", "last-3")) << verb;
}

TEST(Completion, LeavesFilesToTheShell) {
  EXPECT_THAT(completed({"run", "wordcount", ""}), IsEmpty());
  EXPECT_THAT(completed({"verify", "--json", ""}), IsEmpty());
  EXPECT_THAT(completed({"run", "--output", "--"}), IsEmpty());  // the value of --output
}

TEST(ManualPage, HasAllFlagsOfEveryVerb) {
  const std::string page = std::regex_replace(parse_command_line({"--man"}).text, std::regex(R"(\\-)"), "-");
  for (const Words& verb : verbs()) {
    std::string title = "ontime";
    for (const std::string& word : verb) title += " " + word;
    const auto begin = page.find(".SS " + title + "\n");
    ASSERT_NE(begin, page.npos) << title;
    const std::string section = page.substr(begin, page.find(".SS ", begin + 1) - begin);
    for (const std::string& flag : flags_in_help(verb)) EXPECT_THAT(section, HasSubstr("\\fB" + flag + "\\fR"));
  }
}

TEST(ManualPage, EscapesWhatRoffReadsAsItsOwn) {
  const std::string page = parse_command_line({"--man"}).text;
  EXPECT_THAT(page, Not(HasSubstr("\n'")));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-version\\fR"));
}

}  // namespace
}  // namespace ontime::cli
