#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "apps/each/command_group.h"
#include "apps/each/entry.h"
#include "apps/each/template.h"
#include "tests/apps/mapped.h"
#include "tests/support/process.h"
#include "tests/support/random_seed.h"
#include "tests/support/temporary_directory.h"

namespace {
bool has_glibc_2_28 = false;
}

// In place of glibc's.
extern "C" int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t* actions, const char* path) noexcept {
  using Add = int(posix_spawn_file_actions_t*, const char*);
  if (has_glibc_2_28) return ENOSYS;
  return reinterpret_cast<Add*>(dlsym(RTLD_NEXT, "posix_spawn_file_actions_addchdir_np"))(actions, path);
}

namespace ontime::apps::test {
namespace {

using ontime::test::eventually;
using ontime::test::read_file;
using ontime::test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;

std::string filled(const std::string& line, const std::string& argument, const std::string& separator = "") {
  return Template(line, separator).fill(argument, 7);
}

TEST(EachTemplate, HasTheReplacementStringsOfGnuParallel) {
  EXPECT_EQ(filled("f {} {.} {/} {//} {/.} {#}", "a/b.c/d.tar.gz"),
            "f a/b.c/d.tar.gz a/b.c/d.tar d.tar.gz a/b.c d.tar 7");
  EXPECT_EQ(filled("f {.} {//} {/.}", "a.b/c"), "f a.b/c a.b c");
  EXPECT_EQ(filled("f {//}", "plain"), "f .");
  EXPECT_EQ(filled("f {//}", "/top"), "f /");
  EXPECT_EQ(filled("f", "x"), "f x") << "without any, the argument comes last";
  EXPECT_EQ(filled("{2} {1/} {-1.} {9} {}", "a/b,c.d", ","), "c.d b c '' a/b c.d");
  EXPECT_EQ(filled("awk '{print $1}' {1}", "x"), "awk '{print $1}' x") << "other braces are the shell's";
  EXPECT_EQ(filled("echo ${1} {}", "x"), "echo ${1} x");
}

// What the shell makes of the line is the argument, and nothing else, in whatever quotes it stands.
TEST(EachTemplate, WhatAnArgumentHoldsStaysText) {
  const char* arguments[] = {"",
                             "a b",
                             "it's",
                             "$(touch pwned)",
                             "`touch pwned`",
                             "\"; touch pwned; \"",
                             "a\\",
                             "*",
                             "';touch pwned;'",
                             "~",
                             "#",
                             "-n",
                             "&",
                             "$HOME",
                             "!x",
                             "a=b",
                             "\n",
                             "\xff\x01"};
  for (const std::string argument : arguments) {
    for (const std::string line : {"printf %s {}", "printf %s \"{}\"", "printf %s '{}'",
                                   "printf %s \"$(printf %s {})\"", "printf %s \"$(printf %s '{}')\""}) {
      const ontime::test::Finished finished = ontime::test::shell(filled(line, argument));
      const bool drops_feed = line.find("$(") != line.npos && argument == "\n";
      EXPECT_EQ(finished.out, drops_feed ? "" : argument) << line;
    }
  }
}

TEST(EachTemplate, RefusesPlacesWhereAnArgumentWouldBeReadTwice) {
  for (const char* line : {"echo `f {}`", "echo \\{}", "echo \"{}", "echo '{}", "echo $(f {}", "cat <<E\n{}\nE"})
    EXPECT_THROW(Template(line, ""), std::invalid_argument) << line;
}

TEST(EachTemplate, NeedsNoShellForPlainWordsAlone) {
  EXPECT_THAT(*plain_words(" dd  if=/dev/null of=x%y "), ElementsAre("dd", "if=/dev/null", "of=x%y"));
  for (const char* line : {"", "A=b c", "cd /", "echo x", "a;b", "a 'b'", "a *", "a ~", "a #b", "a $b", "a\nb", "a=b"})
    EXPECT_FALSE(plain_words(line)) << line;
}

TEST(EachEntry, IsReadAsItWasWritten) {
  Entry entry;
  entry.place = 12;
  entry.host = "h";
  entry.started = 1.5;
  entry.status = -1;
  entry.signal = 9;
  entry.command = "a\tb\nc\\d\xff\x1b é\r";
  entry.outcome = "failed";
  entry.tries = 2;
  entry.argument = "\\x41";
  entry.input = "/in put";
  entry.errors = std::string("e\0", 2);
  const std::string line = line_of(entry);
  EXPECT_THAT(line, HasSubstr("\ta\\tb\\nc\\\\d\\xff\\x1b é\\x0d\t"));
  EXPECT_EQ(line_of(entry_of(std::string_view(line).substr(0, line.size() - 1))), line);
  EXPECT_EQ(entry_of(line.substr(0, line.size() - 1)).command, entry.command);
  EXPECT_THROW(entry_of("word\t3"), std::runtime_error);
}

// By the application, with its parameters.
std::vector<Entry> run_each(std::map<std::string, std::string, std::less<>> given, std::string_view text,
                            const Division& division = {}, TestContext* seen = nullptr) {
  const app::Application& each = application("each");
  TestContext context = context_of(each, std::move(given));
  if (seen != nullptr) context.on_asked = seen->on_asked;
  const auto outputs = map_text(each, context, text, division);
  if (seen != nullptr) seen->counters = context.counters;
  std::vector<Entry> entries;
  std::istringstream lines(sorted(each, context, outputs));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line + "\n", header_of_entries());
  while (std::getline(lines, line)) entries.push_back(entry_of(line));
  return entries;
}

TEST(Each, SaysWhatBecameOfEachCommand) {
  TestContext seen;
  const auto entries = run_each({}, "echo out; echo err >&2; exit 3\nkill -9 $$\n\ntrue\nno-such-program\n", {}, &seen);
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[0].status, 3);
  EXPECT_EQ(entries[0].output, "out\n");
  EXPECT_EQ(entries[0].errors, "err\n");
  EXPECT_EQ(entries[0].outcome, "failed");
  EXPECT_EQ(entries[1].signal, SIGKILL);
  EXPECT_EQ(entries[2].outcome, "ok");
  EXPECT_EQ(entries[2].input, "/some/where/input.txt");
  EXPECT_EQ(entries[3].status, 127);
  EXPECT_THAT(entries[3].errors, HasSubstr("not found"));
  EXPECT_EQ(seen.counters["each,run"], 4u);
  EXPECT_EQ(seen.counters["each,failed"], 3u);
}

// With glibc 2.28 by a shell.
TEST(Each, ACommandRunsInItsDirectoryWithAnyGlibc) {
  const TemporaryDirectory directory;
  const std::string there = directory / "it's there";
  std::filesystem::create_directory(there);
  for (has_glibc_2_28 = true;
       const char* command : {"printf '%s ' \"$PWD\"; echo {}", "sh -c 'printf \"%s \" \"$PWD\"; echo {}'", "pwd -P"}) {
    const Entry entry = run_each({{"command", command}, {"workdir", there}}, "a  'b'\n")[0];
    EXPECT_THAT(entry.output, HasSubstr(there)) << command;
    EXPECT_EQ(entry.status, 0) << entry.errors;
  }
  has_glibc_2_28 = false;
}

TEST(Each, ACommandHasADirectoryOfItsOwnThatIsGoneAfterwards) {
  const auto entries = run_each({{"command", "pwd; ls -A; mkdir -p a/b; echo {} > a/b/c"}}, "x\ny\n");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_NE(entries[0].output, entries[1].output);
  for (const Entry& entry : entries) {
    EXPECT_EQ(std::count(entry.output.begin(), entry.output.end(), '\n'), 1) << "it was empty";
    EXPECT_NE(access(entry.output.substr(0, entry.output.size() - 1).c_str(), F_OK), 0);
  }
  const TemporaryDirectory there;
  EXPECT_EQ(run_each({{"command", "pwd"}, {"workdir", there.path()}}, "x\n")[0].output, there.path() + "\n");
}

TEST(Each, KeepsTheFirstOutputAndTheLastErrors) {
  const Entry entry = run_each({{"command",
                                 "yes {} | head -c 3000000; seq 1 5000 >&2; yes err | head -c 300000 >&2; "
                                 "echo last >&2"}},
                               "y\n")[0];
  EXPECT_EQ(entry.received, 3'000'000u);
  EXPECT_EQ(entry.output.size(), 1u << 20);
  EXPECT_LE(entry.errors.size(), 4096u);
  EXPECT_TRUE(entry.errors.starts_with("err\n"));
  EXPECT_TRUE(entry.errors.ends_with("last\n"));
  EXPECT_EQ(run_each({{"output", "drop"}}, "echo x\n")[0].output, "");
}

TEST(Each, PrintsWhatCommandsHaveWrittenInTheOrderOfTheRecords) {
  const app::Application& each = application("each");
  TestContext context = context_of(each, {{"command", "echo {}"}, {"output", "only"}});
  const auto outputs = map_text(each, context, "b\na\n", {.batches = {}, .cuts = {0}});
  EXPECT_EQ(sorted(each, context, {outputs[1], outputs[0]}), "b\na\n");
}

TEST(Each, TriesAgainWhatFails) {
  const TemporaryDirectory directory;
  const std::string command =
      "echo >> '" + (directory / "tries") + "'; [ $(wc -l < '" + (directory / "tries") + "') = 3 ]";
  const Entry entry = run_each({{"command", command + " #{}"}, {"retries", "5"}}, "x\n")[0];
  EXPECT_EQ(entry.outcome, "ok");
  EXPECT_EQ(entry.tries, 3u);
  EXPECT_EQ(run_each({{"command", "false {}"}, {"retries", "2"}}, "x\n")[0].tries, 2u);
}

// Their shares of a median too: three commands that take no time are followed by one that takes all it gets.
TEST(Each, EndsWhatTakesTooLongWithAllThatItHasStarted) {
  const TemporaryDirectory directory;
  const std::string pid = directory / "pid";
  const std::string slow = "sh -c 'echo $$ > " + pid + "; exec sleep 1000' & trap '' TERM; sleep 1000; sleep 1000";
  for (const auto& [timeout, before] : {std::pair("0.2", ""), std::pair("200%", "true\ntrue\ntrue\n")}) {
    const auto entries = run_each({{"timeout", timeout}}, before + slow + "\ntrue\n");
    const Entry& late = entries[entries.size() - 2];
    EXPECT_EQ(late.outcome, "timeout");
    EXPECT_EQ(late.signal, SIGKILL);
    EXPECT_EQ(entries.back().outcome, "ok") << "the next one runs as ever";
    EXPECT_TRUE(eventually([&] { return kill(std::stoi(read_file(pid)), 0) != 0; }));
  }
}

TEST(Each, EndsItsCommandsWhateverEndsTheProcess) {
  const TemporaryDirectory directory;
  const std::string pid = directory / "pid", own = directory / "own";
  const pid_t process = fork();
  if (process == 0) {
    CommandGroup commands({});
    commands.run("pwd > " + own + "; echo $$ > " + pid + ".new; mv " + pid + ".new " + pid + "; sleep 1000; true", {},
                 [] {});
    _exit(0);
  }
  ASSERT_TRUE(eventually([&] { return access(pid.c_str(), F_OK) == 0; }));
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return kill(std::stoi(read_file(pid)), 0) != 0; }));
  std::string path = read_file(own);
  path.pop_back();
  EXPECT_TRUE(eventually([&] { return access(path.c_str(), F_OK) != 0; }));
}

TEST(Each, WhileACommandRunsTheRecordsBehindItMayBecomeSomebodyElses) {
  const app::Application& each = application("each");
  TestContext context = context_of(each);
  context.on_asked = [](std::uint64_t offset) { return offset == 7; };
  const auto mapper = each.make_mapper();
  mapper->setup(context);
  mapper->begin_segment(0);
  TightOutput out;
  mapper->map({"true 1\ntrue 2\ntrue 3\n", 0, &records::lines()}, out);
  const std::string text = out.text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

TEST(Each, AnAnswerHasOneLineARecordWhateverIsCut) {
  const std::uint32_t seed = ontime::test::random_seed();
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < 60; ++i) text += "exit " + std::to_string(i % 3) + "\n";
  Division division;
  for (std::size_t i = 1; i < 60; ++i) {
    if (random() % 4 == 0) (random() % 2 == 0 ? division.cuts : division.batches).push_back(i);
  }
  const auto entries = run_each({}, text, division);
  ASSERT_EQ(entries.size(), 60u) << "seed " << seed;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].place, i * 7);
    EXPECT_EQ(entries[i].status, static_cast<int>(i % 3));
  }
}

TEST(Each, RunsAgainWhatHasFailed) {
  const app::Application& each = application("each");
  TestContext context = context_of(each, {{"command", "test {} != b"}});
  const std::string before = map_text(each, context, "a\nb\nc\n").at(0);
  const auto entries = run_each({{"again", "failed"}}, before);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].command, "test b != b");
  EXPECT_EQ(entries[0].place, 2u) << "it keeps its place";
  EXPECT_EQ(run_each({{"again", "failed"}, {"command", "test {} = b"}}, before)[0].outcome, "ok");
  EXPECT_THROW(run_each({{"again", "failed"}}, "no such line\n"), std::runtime_error);
}

TEST(Each, FailsTheJobForACommandOnlyIfAsked) {
  EXPECT_EQ(run_each({}, "false\n").size(), 1u);
  EXPECT_THROW(run_each({{"halt", "first"}}, "false\n"), std::runtime_error);
  for (const auto& [name, value] : {std::pair("halt", "soon"), std::pair("timeout", "0"), std::pair("timeout", "-3%"),
                                    std::pair("retries", "0"), std::pair("output", "x"), std::pair("command", "'")})
    EXPECT_THROW(application("each").validate(context_of(application("each"), {{name, value}})), std::invalid_argument);
}

}  // namespace
}  // namespace ontime::apps::test
