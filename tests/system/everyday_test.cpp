// What people do every day: commands as --help prints them, programs of their own, answers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/support/sanitized.h"
#include "tests/system/cluster.h"

namespace ontime::test {
namespace {

constexpr const char* kWords =
    "import sys\n"
    "for line in sys.stdin:\n"
    "    for word in line.split():\n"
    "        print(word, 1, sep='\\t')\n";

class Everyday : public testing::Test {
 protected:
  Everyday() { write_file(directory_ / "book.txt", "to be or\nnot to be\n"); }
  // In the test's directory, as at a prompt.
  Finished at_prompt(const std::string& command) const {
    return shell("cd '" + directory_.path() + "' && PATH='" + kBin + "':$PATH && " + command);
  }
  TemporaryDirectory directory_;
};

TEST_F(Everyday, TheExamplesOfRunWorkAsPrinted) {
  std::filesystem::create_directory(directory_ / "logs");
  ASSERT_EQ(at_prompt("gzip -c book.txt > logs/a.gz && cp logs/a.gz logs/b.gz").status, 0);
  const std::string help = at_prompt("ontime run --help").out;
  std::istringstream lines(help.substr(help.find("Examples:")));
  int examples = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ontime ")) continue;
    const Finished finished = at_prompt(line);
    EXPECT_EQ(finished.status, 0) << line << "\n" << finished.err;
    std::filesystem::remove_all(directory_ / "out");
    ++examples;
  }
  EXPECT_GE(examples, 4);
  EXPECT_EQ(at_prompt("ontime result lengths").out, "8\t1\n9\t1\n");
}

TEST_F(Everyday, RecordsAreWhatTheFirstFileShowsIfTheJobSaysSo) {
  write_file(directory_ / "a.json", "[\n {\"n\": 1},\n {\"n\": 2}\n]\n");
  const std::string run = "ontime run exec a.json --set framing=lines --set command=cat --output ";
  const Finished shown = at_prompt(run + "chosen --records auto --json");
  ASSERT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(nlohmann::json::parse(shown.out).at("record_format"), "json:array");
  EXPECT_EQ(at_prompt("ontime result chosen").out, "{\"n\": 1}\n{\"n\": 2}\n");
  const Finished lines = at_prompt(run + "lines");
  EXPECT_NE(lines.err.find("which --records json:array reads"), std::string::npos) << lines.err;
  EXPECT_EQ(at_prompt("ontime result lines").out, read_file(directory_ / "a.json"));
}

TEST_F(Everyday, OneBadNameAmongGoodOnesIsLeftOutAndListed) {
  std::filesystem::create_directory(directory_ / "in");
  ASSERT_EQ(at_prompt("cp book.txt in/a && cp book.txt in/b.bak && ln -s gone in/link").status, 0);
  const std::string run = "ontime run wordcount --exclude '*.bak' -o ";
  EXPECT_EQ(at_prompt(run + "refused in").status, 2);
  const Finished skipped = at_prompt(run + "counts in --skip unreadable,vanished");
  ASSERT_EQ(skipped.status, 0) << skipped.err;
  const std::string why = "'" + directory_.path() + "/in/link' is a link to something that is not there.";
  EXPECT_NE(skipped.out.find("left out:    1 input: The input " + why), std::string::npos) << skipped.out;
  EXPECT_EQ(at_prompt("ontime result counts").out, "be\t2\nnot\t1\nor\t1\nto\t2\n");
  EXPECT_NE(read_file(directory_ / "counts/_manifest.json").find("\"why\":\"The input " + why), std::string::npos);
  EXPECT_EQ(at_prompt("ontime verify counts").status, 0);
  const Finished json = at_prompt(run + "again in --skip vanished --json");
  EXPECT_NE(json.out.find("\"why\": \"The input " + why), std::string::npos) << json.out;
}

// The first words of the torn file, and the first rows of the other one, are mapped before the damage shows.
TEST_F(Everyday, WhatTurnsOutToBeCorruptIsLeftOutWholly) {
  std::filesystem::create_directory(directory_ / "in");
  ASSERT_EQ(at_prompt("cp book.txt in/a.txt && seq 1 300000 | gzip -c | head -c 300000 > in/torn.gz && "
                      "head -c 100000 /dev/zero | tr '\\0' x > in/long")
                .status,
            0);
  const std::string run = "ontime run wordcount in --max-record 10KB --checkpoint 50ms --inject pace=500ms -o ";
  EXPECT_EQ(at_prompt(run + "refused").status, 1);
  const Finished skipped = at_prompt(run + "counts --skip corrupt");
  ASSERT_EQ(skipped.status, 0) << skipped.err;
  EXPECT_NE(skipped.out.find("left out:    2 inputs: "), std::string::npos) << skipped.out;
  EXPECT_EQ(at_prompt("ontime result counts").out, "be\t2\nnot\t1\nor\t1\nto\t2\n");
  EXPECT_EQ(at_prompt("ontime verify counts").status, 0);
  const std::string manifest = read_file(directory_ / "counts/_manifest.json");
  EXPECT_NE(manifest.find("\"path\":\"" + directory_.path() + "/in/torn.gz\",\"why\":\""), std::string::npos)
      << manifest;
  EXPECT_EQ(at_prompt("rm in/a.txt; " + run + "none --skip corrupt").status, 1);
}

// The command that maps the first file removes the second.
TEST_F(Everyday, AnInputThatVanishesAfterItWasListedIsLeftOut) {
  const std::string run =
      "mkdir -p in && cp book.txt in/a && cp book.txt in/b && ontime run exec in -w 1 --no-combine --set merge=sum "
      "--max-attempts 1 --set command=\"rm -f '" +
      directory_.path() + "/in/b'; sed 's/$/\t1/'\" -o ";
  EXPECT_EQ(at_prompt(run + "refused --skip corrupt,unreadable").status, 1);
  const Finished skipped = at_prompt(run + "counts --skip vanished");
  ASSERT_EQ(skipped.status, 0) << skipped.err;
  const std::string why = "cannot open the input " + directory_.path() + "/in/b: No such file or directory";
  EXPECT_NE(skipped.out.find("left out:    1 input: " + why), std::string::npos) << skipped.out;
  EXPECT_EQ(at_prompt("ontime result counts").out, "not to be\t1\nto be or\t1\n");
  EXPECT_EQ(at_prompt("ontime verify counts").status, 0);
  const std::string manifest = read_file(directory_ / "counts/_manifest.json");
  EXPECT_NE(manifest.find("\"path\":\"" + directory_.path() + "/in/b\",\"why\":\"" + why), std::string::npos)
      << manifest;
}

TEST_F(Everyday, NamesThatMeanAFileToOneProcessAreReadByIt) {
  const std::string run = "ontime run wordcount -q --answer - -o ", counts = "be\t2\nnot\t1\nor\t1\nto\t2\n";
  EXPECT_EQ(at_prompt(run + "a /dev/stdin < book.txt").out, counts);
  EXPECT_EQ(at_prompt(run + "b /dev/fd/3 3< book.txt").out, counts);
  EXPECT_EQ(at_prompt("bash -c '" + run + "c <(cat book.txt) <(echo be)'").out, "be\t3\nnot\t1\nor\t1\nto\t2\n");
  EXPECT_NE(at_prompt(run + "d /dev/fd/1 | cat").err.find("only open for writing"), std::string::npos);
  EXPECT_NE(at_prompt(run + "e - /dev/stdin < book.txt").err.find("twice"), std::string::npos);
}

// Each attempt appends a line itself.
TEST_F(Everyday, AFileThatGrowsIsReadUpToTheLengthThatItHad) {
  const std::string run =
      "ontime run exec live.log -q --answer - --split-size 1000 --set merge=sum --set command="
      "\"echo more >> '" +
      directory_.path() + "/live.log'; wc -l | sed 's/^ */n\t/'\" -o ";
  ASSERT_EQ(at_prompt("seq 1000 > live.log").status, 0);
  const Finished refused = at_prompt(run + "a");
  EXPECT_EQ(refused.status, 1) << refused.err;
  ASSERT_EQ(at_prompt("seq 1000 > live.log").status, 0);
  const Finished read = at_prompt(run + "b --growing");
  ASSERT_EQ(read.status, 0) << read.err;
  EXPECT_EQ(read.out, "n\t1000\n");
  EXPECT_EQ(at_prompt("ontime verify b").status, 0);
}

TEST_F(Everyday, ANameThatIsNotUtf8IsReadAndNamedSoThatItCanBeReadAgain) {
  ASSERT_EQ(at_prompt("mkdir in && cp book.txt \"$(printf 'in/caf\\351')\"").status, 0);
  const Finished run = at_prompt("ontime run wordcount in -o counts --splits 2");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string url = "file://" + directory_.path() + "/in/caf%e9";
  EXPECT_NE(read_file(directory_ / "counts/_manifest.json").find("\"" + url + "\""), std::string::npos);
  EXPECT_EQ(at_prompt("ontime verify counts").status, 0);
  const Finished again = at_prompt("ontime run wordcount '" + url + "' -o again -q --answer -");
  EXPECT_EQ(again.out, at_prompt("ontime result counts").out) << again.err;
}

TEST_F(Everyday, NamesOfInputsAreReadFromAFile) {
  ASSERT_EQ(at_prompt("cp book.txt 'a b' && printf 'odd\n' > 'new\nline'").status, 0);
  const std::string counts = " | sort -z | ontime run wordcount --files-from - -q --answer - -o ";
  EXPECT_EQ(at_prompt("printf 'a b\\0' " + counts + "one").out, "be\t2\nnot\t1\nor\t1\nto\t2\n");
  EXPECT_EQ(
      at_prompt("printf 'a b\n\nbook.txt\n' > names && ontime run wordcount --files-from names -q --answer - -o two")
          .out,
      "be\t4\nnot\t2\nor\t2\nto\t4\n");
  EXPECT_EQ(at_prompt("find . -name '*line' -print0" + counts + "three").out, "odd\t1\n");
  EXPECT_NE(at_prompt("ontime run wordcount --files-from nothing -o x").err.find("--files-from: 'nothing' cannot be"),
            std::string::npos);
  EXPECT_NE(at_prompt("ontime run wordcount --files-from - - -o x").err.find("--files-from: standard input"),
            std::string::npos);
  EXPECT_EQ(at_prompt("ontime run wordcount --files-from /dev/null -o x").status, 2);
}

TEST_F(Everyday, APythonWordCountIsAnsweredWithCounts) {
  write_file(directory_ / "words.py", kWords);
  const Finished run = at_prompt(
      "ontime run exec book.txt -o counts --splits 2 -q --set command='python3 words.py' --set merge=sum --file "
      "words.py "
      "--answer answer.tsv");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string expected = "be\t2\nnot\t1\nor\t1\nto\t2\n";
  EXPECT_EQ(read_file(directory_ / "answer.tsv"), expected);
  EXPECT_EQ(at_prompt("ontime result counts").out, expected);
  const Finished again = at_prompt("ontime run wordcount book.txt -o more --answer answer.tsv");
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find("--answer: 'answer.tsv' exists"), std::string::npos) << again.err;
  EXPECT_FALSE(std::filesystem::exists(directory_ / "more"));
}

TEST_F(Everyday, EachCommandWorksInADirectoryOfItsOwnWithTheFilesAsSent) {
  write_file(directory_ / "data.txt", "as sent\n");
  const std::string command =
      "chmod u+w data.txt; echo mine >> data.txt; mkdir scratch && cat >> seen && echo \"seen\\t$(wc -l < seen)\" && "
      "echo \"others\\t$(($(wc -l < data.txt) - 2))\"";
  const Finished run = at_prompt(
      "seq 6000 > numbers && ontime run exec numbers -q -o own --splits 6 --workers 1 --file data.txt --answer - "
      "--set merge=sum --set command='" +
      command + "'");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "others\t0\nseen\t6000\n");
}

TEST_F(Everyday, NoFileThatIsThereIsReplaced) {
  write_file(directory_ / "mine", "precious\n");
  for (const auto& [command, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"run wordcount mine -o o --record mine", "--record: 'mine' exists; choose another name"},
           {"run wordcount mine -o o --report mine", "--report: 'mine' exists; choose another name"},
           {"run wordcount mine -o o --answer new --report ./new", "--answer and --report name the same file, './new'"},
           {"run wordcount mine -o o --record new --log-file new",
            "--record and --log-file name the same file, 'new'"}}) {
    const Finished refused = at_prompt("ontime " + command);
    EXPECT_EQ(refused.status, 2) << command;
    EXPECT_NE(refused.err.find(sentence), std::string::npos) << refused.err;
  }
  EXPECT_EQ(read_file(directory_ / "mine"), "precious\n");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "o"));
}

TEST_F(Everyday, AReportThatCannotBeWrittenIsNoFailureOfTheJob) {
  const Finished run = at_prompt("ontime run wordcount book.txt -o out --report /dev/full");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.out.find("job-1 succeeded"), std::string::npos) << run.out;
  EXPECT_NE(run.err.find("No space left on device; the job has succeeded, and its output is in"), std::string::npos)
      << run.err;
}

TEST_F(Everyday, AnAnswerThatGoesToStandardOutputIsAllThatIsThere) {
  for (const std::string more : {"", " -q"}) {
    const Finished run = at_prompt("ontime run wordcount book.txt -o counts" + more + " --answer - && rm -r counts");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, "be\t2\nnot\t1\nor\t1\nto\t2\n");
  }
  EXPECT_FALSE(std::filesystem::exists(directory_ / "-"));
}

TEST_F(Everyday, ACommandThatMergesIsTheReadersOwnOrIsAskedFor) {
  const Finished run = at_prompt(
      "ontime run exec book.txt -o out -q --set command='tr \" \" \"\\n\" | sed s/$/\\\\t1/' --set merge='uniq | wc "
      "-l'");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(at_prompt("ontime result out").out, "4\n");
  // As a master writes it whose jobs are other users'.
  ASSERT_EQ(at_prompt(R"(sed -i 's/^"owner": "",/"owner": "alice",/' out/_manifest.json)").status, 0);
  EXPECT_NE(at_prompt("ontime result out").err.find("--run-command runs it"), std::string::npos);
  ASSERT_EQ(at_prompt(R"(sed -i 's/^"owner": "alice",/"owner": "",/' out/_manifest.json)").status, 0);
  if (geteuid() != 0) return;
  ASSERT_EQ(at_prompt("chown 65534 out/_manifest.json").status, 0);
  const Finished refused = at_prompt("ontime result out");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("uniq | wc -l; --run-command runs it"), std::string::npos) << refused.err;
  EXPECT_EQ(at_prompt("ontime result out --run-command").out, "4\n");
}

TEST_F(Everyday, ApplicationsAreListedAsJsonWhateverTheirDirectoryIsCalled) {
  const Finished listed = at_prompt(
      "d=$(printf 'a\\377') && mkdir $d && cp $(ontime apps --json | grep -o '/[^\"]*_wordcount.so') $d && "
      "ontime apps --json --app-dir $d");
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_NE(listed.out.find("/libontime_app_wordcount.so\""), std::string::npos) << listed.out;
}

TEST_F(Everyday, AnExitCodeCanBeFine) {
  EXPECT_EQ(at_prompt("ontime run exec book.txt -o bad -q --max-attempts 1 --set command='grep x'").status, 1);
  EXPECT_EQ(at_prompt("ontime run exec book.txt -o good -q --set ok=0,1 --set command='grep x'").status, 0);
}

TEST_F(Everyday, AnApplicationThatLeaksEndsWithASentence) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers allocate terabytes";
  const std::string leak = "python3 -c 'x = []\nwhile True: x.append(bytearray(1 << 20))'";
  const Finished limits =
      at_prompt("ontime run exec book.txt -o limits -q --set command='ulimit -d' --answer - --slots 2 --workers 1");
  EXPECT_GE(std::atoll(limits.out.c_str()), 1 << 20) << limits.out << limits.err;  // in KiB; "unlimited" is 0
  const Finished finished = at_prompt("ontime run exec book.txt -o out -q --max-attempts 1 --attempt-memory 200MiB " +
                                      std::string("--set command=\"") + leak + "\"");
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.err.find("MemoryError"), std::string::npos) << finished.err;
}

TEST_F(Everyday, FilesAreSentAlongAndNothingIsLeftOfThem) {
  Cluster cluster;
  cluster.start_master();
  cluster.add_worker(2);
  write_file(directory_ / "words.py", kWords);
  std::filesystem::create_directory(directory_ / "a b");
  write_file(directory_ / "a b/tool", "#!/bin/sh\nexec tr a-z A-Z\n");
  std::filesystem::permissions(directory_ / "a b/tool", std::filesystem::perms::owner_all);
  const std::string job = cluster.submit({"exec", directory_ / "book.txt", "--output", directory_ / "out", "--set",
                                          "command=python3 words.py | ./tool", "--set", "merge=sum", "--file",
                                          directory_ / "words.py", "--file", directory_ / "a b/tool"});
  ASSERT_EQ(cluster.wait(job), "succeeded") << cluster.client({"logs", job}).out;
  EXPECT_EQ(verified_answer(directory_ / "out"), "BE\t2\nNOT\t1\nOR\t1\nTO\t2\n");
  const Finished large = shell("head -c 5000000 /dev/zero > " + directory_ / "large");
  const Finished refused = cluster.client({"submit", "exec", directory_ / "book.txt", "--output", directory_ / "more",
                                           "--set", "command=cat", "--file", directory_ / "large"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("put it where the workers can read it"), std::string::npos) << refused.err;
}

TEST_F(Everyday, ASubmittedJobMayNameItsApplicationByAPath) {
  const std::string application = directory_ / "libontime_app_other.so";  // which no worker has
  std::filesystem::copy_file(kApps + "/libontime_app_paced.so", application);
  Cluster cluster;
  cluster.start_master();
  cluster.add_worker();
  const Finished finished =
      cluster.client({"submit", application, directory_ / "book.txt", "--output", directory_ / "out put", "--wait"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  // The next command is printed so that it works.
  const std::size_t at = finished.out.find("ontime result ");
  ASSERT_NE(at, std::string::npos) << finished.out;
  const Finished answer = at_prompt(finished.out.substr(at, finished.out.find('\n', at) - at));
  EXPECT_EQ(answer.status, 0) << answer.err;

  Cluster strict;
  strict.start_master();
  strict.add_worker(1, {"--no-default-apps", "--app-dir", kBin + "/../lib/ontime/apps"});
  const Finished refused =
      strict.client({"submit", application, directory_ / "book.txt", "--output", directory_ / "refused", "--wait"});
  EXPECT_EQ(refused.status, 1) << refused.out;
}

TEST_F(Everyday, JobsHaveNamesAndStatesAndCanBeFollowed) {
  Cluster cluster;
  cluster.start_master();
  const auto submit = [&](const std::string& output, const Arguments& more) {
    Arguments arguments{"exec", directory_ / "book.txt", "--output", directory_ / output, "--set", "command=cat"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return cluster.submit(arguments);
  };
  const std::string named = submit("a", {"--name", "nightly", "--priority", "5"});
  const std::string other = submit("b", {});
  const std::string third = submit("c", {});
  const auto description = cluster.job(named);
  EXPECT_EQ(description["name"], "nightly");
  EXPECT_EQ(description["priority"], 5);
  EXPECT_EQ(description["state"], "queued");
  EXPECT_NE(cluster.client({"jobs", "--state", "queued"}).out.find("nightly"), std::string::npos);
  EXPECT_EQ(cluster.client({"jobs", "--state", "running", "--state", "failed"}).out, "no jobs\n");
  const Finished latest = cluster.client({"jobs", "--state", "queued", "--latest", "2"});
  EXPECT_NE(latest.out.find("and 1 older"), std::string::npos) << latest.out;
  const Finished killed = cluster.client({"kill", other, "777", third, "888"});
  EXPECT_EQ(killed.out, other + " killed\n" + third + " killed\n");
  EXPECT_EQ(killed.status, 2);
  EXPECT_NE(killed.err.find("job-777"), std::string::npos) << killed.err;
  EXPECT_NE(killed.err.find("job-888"), std::string::npos) << killed.err;
  // The newest of those in that state, whatever is newer.
  EXPECT_NE(cluster.client({"jobs", "--state", "queued", "--latest", "1"}).out.find("nightly"), std::string::npos);
  cluster.add_worker();
  const Finished followed = cluster.client({"job", named, "--follow"});
  EXPECT_EQ(followed.status, 0) << followed.err;
  EXPECT_NE(followed.out.find("succeeded"), std::string::npos) << followed.out;
  EXPECT_EQ(cluster.client({"jobs", "--state", "killed", "--json"}).status, 0);
}

}  // namespace
}  // namespace ontime::test
