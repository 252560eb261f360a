// What of the named files a job's client leaves out, and what the job's own output says about its inputs.
#include "master/inputs/input_choice.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/files/roots.h"
#include "master/inputs/input_listing.h"
#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

class ChosenInputs : public testing::Test {
 protected:
  void make(const std::string& name, const std::string& bytes = "text\n") { test::write_file(at(name), bytes); }
  std::string at(const std::string& name) const { return directory_ / name; }

  // Names, below the test's directory, of what the arguments list; none if they are refused.
  Paths list(const Paths& arguments, const InputChoice& choice = {}) {
    const auto listed = list_inputs(arguments, {}, choice);
    error_ = listed ? "" : listed.error().message;
    left_out_ = listed ? listed->left_out : "";
    skipped_ = listed ? listed->skipped : decltype(skipped_)();
    Paths names;
    for (std::size_t i = 0; listed && i < listed->files.size(); ++i)
      names.push_back(fs::path(listed->files[i].path).lexically_relative(directory_.path()));
    return names;
  }
  std::string error_for(const Paths& arguments) {
    EXPECT_TRUE(list(arguments).empty());
    return error_;
  }

  test::TemporaryDirectory directory_;
  std::string error_;
  std::string left_out_;
  std::map<std::string, std::string, std::less<>> skipped_;
};

InputChoice choice_of(const Paths& exclude, const std::string& skip = "") {
  return InputChoice::of(Directories::WithThoseBelow, exclude, skip).value();
}

InputChoice with_output(const std::string& output, InputChoice choice = {}) {
  choice.set_output(output);
  return choice;
}

TEST_F(ChosenInputs, LeavesOutWhatIsExcludedByNameOrPath) {
  for (const char* name : {"d/a.txt", "d/a.tmp", "d/old/b.txt", "d/old/x/c.txt", "d/new/.h/d.txt", "d/new/old/e.txt"})
    make(name);
  EXPECT_EQ(list({at("d")}, choice_of({"**/*.tmp", at("d/old")})), (Paths{"d/a.txt", "d/new/old/e.txt"}));
  EXPECT_NE(left_out_.find("3 names, the first is '" + at("d/a.tmp") + "', as --exclude says so"), std::string::npos)
      << left_out_;
  EXPECT_EQ(list({at("d")}, choice_of({"**/old"})), (Paths{"d/a.tmp", "d/a.txt"}));
  EXPECT_EQ(list({at("d/**/*.txt")}, choice_of({"**/{old,a}*"})), (Paths{}));
  EXPECT_EQ(list({at("d/*/*.txt"), at("d/a.txt")}, choice_of({at("d/n*"), "**/a.txt"})), (Paths{"d/old/b.txt"}));
  EXPECT_EQ(list({at("d/new/.h"), at("d/a.txt")}, choice_of({"**/d.*"})), (Paths{"d/a.txt"}));  // below what is hidden
}

// So that one bad file among good ones does not need a list of the good ones.
TEST_F(ChosenInputs, LooksAtNothingThatIsExcluded) {
  make("d/a");
  make("d/b.zip", "PK\x03\x04 and so on");
  make("d/caf\xe9.txt");
  fs::create_symlink(at("gone"), at("d/link"));
  ASSERT_EQ(::mkfifo(at("d/fifo").c_str(), 0600), 0);
  for (const char* argument : {"d", "d/*", "d/**"})
    EXPECT_EQ(list({at(argument)}, choice_of({"**/{*.zip,link,fifo,caf*}"})), (Paths{"d/a"})) << argument << error_;
}

TEST_F(ChosenInputs, SkipsWhatItIsToSkipAndSaysWhy) {
  make("d/a");
  make("d/b.zip", "PK\x03\x04 and so on");
  fs::create_symlink(at("gone"), at("d/link"));
  ASSERT_EQ(::mkfifo(at("d/fifo").c_str(), 0600), 0);
  EXPECT_EQ(list({at("d"), at("nothing")}, choice_of({}, "unreadable,vanished")), (Paths{"d/a"}));
  ASSERT_EQ(skipped_.size(), 4u);
  EXPECT_EQ(skipped_[at("d/link")], "The input '" + at("d/link") + "' is a link to something that is not there.");
  EXPECT_EQ(skipped_[at("d/fifo")], "The input '" + at("d/fifo") + "' is not a regular file.");
  EXPECT_NE(skipped_[at("d/b.zip")].find("zip"), std::string::npos);
  EXPECT_NE(skipped_[at("nothing")].find("No such file"), std::string::npos);
  EXPECT_EQ(left_out_, "skipped: 4 inputs, the first with this: " + skipped_[at("d/b.zip")]);
  EXPECT_EQ(list({at("d")}, choice_of({"**/*.zip", "**/fifo"}, "vanished")), (Paths{"d/a"}));
  EXPECT_EQ(skipped_.size(), 1u);
  EXPECT_NE(error_for({at("nothing")}).find("No such file"), std::string::npos);
  list({at("d")}, choice_of({"**/*.zip"}, "vanished"));
  EXPECT_NE(error_.find("fifo' is not a regular file"), std::string::npos) << error_;
  list({at("gone")}, choice_of({}, "vanished"));
  EXPECT_NE(error_.find("There is nothing to read"), std::string::npos) << error_;
}

TEST_F(ChosenInputs, SkipsNoMoreThanCanBeShown) {
  fs::create_directory(at("d"));
  for (int i = 0; i <= 1000; ++i) fs::create_symlink("gone", at("d/" + std::to_string(i)));
  make("d/a");
  EXPECT_EQ(list({at("d")}, choice_of({}, "vanished")), (Paths{}));
  EXPECT_NE(error_.find("more than 1000 inputs"), std::string::npos) << error_;
  EXPECT_EQ(list({at("d")}, choice_of({"**/7"}, "vanished")), (Paths{"d/a"}));
}

TEST_F(ChosenInputs, KnowsWhatInputsCanBeSkippedFor) {
  for (const char* kinds : {"", "vanished", "archived,unreadable,corrupt"}) EXPECT_TRUE(read_flaws(kinds)) << kinds;
  for (const char* kinds : {"late", "vanished,,archived", "vanished, archived", "torn"})
    EXPECT_FALSE(read_flaws(kinds)) << kinds;
}

TEST_F(ChosenInputs, MayGrowIfThatIsSaid) {
  make("log");
  make("log.gz", "\x1f\x8b\x08 and so on");
  const auto choice = InputChoice::of(Directories::WithThoseBelow, {}, "", Changes::MayGrow);
  const auto listed = list_inputs({directory_.path()}, {}, *choice);
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_TRUE(files::is_growing(listed->files[0].version));
  EXPECT_FALSE(files::is_growing(listed->files[1].version));  // what is read of it depends on all of it
}

TEST_F(ChosenInputs, ShowByTheFirstFileWhatRecordsAre) {
  InputChoice choice;
  choice.set_records_by_content();
  const auto records_of = [&](const char* directory) {
    const auto listed = list_inputs({at(directory)}, {}, choice);
    EXPECT_TRUE(listed) << listed.error().message;
    return listed ? listed->records : "none";
  };
  const std::string head = "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 1048576\r\n\r\n";
  const std::string warc = head + std::string(1 << 20, 'x') + "\r\n\r\n";
  make("warc/a", "");
  make("warc/b", warc + warc + warc);
  EXPECT_EQ(records_of("warc"), "warc");
  EXPECT_EQ(list_inputs({at("warc")}, {}, choice)->files.at(0).points.size(), 2u) << "it is looked through as such";
  make("array/a", "[\n {\"a\": 1}\n]\n");
  make("array/b", warc);
  EXPECT_EQ(records_of("array"), "json:array");
  make("text/a");
  EXPECT_EQ(records_of("text"), "");
  EXPECT_EQ(list_inputs({at("array")})->records, "") << "nobody has asked";
  make("other", "BZh91AY&SY and so on");
  EXPECT_TRUE(list({at("other")}, choice).empty());
  EXPECT_NE(error_.find("say which records"), std::string::npos) << error_;
}

// The next job over the same directory would count the output of this one.
TEST_F(ChosenInputs, AreNotWhereTheOutputIsWritten) {
  make("in/a");
  make("in/sub/b");
  fs::create_directory_symlink("in", at("link"));
  for (const char* output : {"in/out", "in/sub/out", "in/new/er/out", "link/out"})
    for (const char* input : {"in", "in/", "link"}) {
      EXPECT_EQ(list({at(input)}, with_output(at(output))), Paths{}) << input << output;
      EXPECT_NE(error_.find("The output lies in the input directory"), std::string::npos) << error_;
    }
  for (const char* output : {"out", "in/_out", "in/.x/out", "inner"})
    EXPECT_EQ(list({at("in")}, with_output(at(output))).size(), 2u) << output << error_;
  EXPECT_EQ(list({at("in/a")}, with_output(at("in/out"))), (Paths{"in/a"}));
  EXPECT_EQ(list({at("in")}, with_output(at("in/out"), Directories::TopLevelOnly)), (Paths{"in/a"}));
  EXPECT_EQ(list({at("in")}, with_output(at("in/out"), choice_of({"**/out"}))).size(), 2u) << error_;
  EXPECT_TRUE(with_output("s3://books/in/out").would_write_below("s3://books/in"));
  EXPECT_FALSE(with_output("s3://books/inner").would_write_below("s3://books/in"));
}

TEST_F(ChosenInputs, AreNotWhatAnEarlierJobHasWrittenUnlessItIsNamed) {
  for (const char* name : {"in/a", "in/out1/part-m-00000", "in/out1/_manifest.json", "in/out1/_SUCCESS"}) make(name);
  EXPECT_EQ(list({at("in")}), (Paths{"in/a"}));
  EXPECT_NE(left_out_.find("'" + at("in/out1") + "', as it is the output of a job"), std::string::npos) << left_out_;
  EXPECT_EQ(list({at("in/out1")}), (Paths{"in/out1/part-m-00000"}));
  EXPECT_EQ(list({at("in/out*")}), (Paths{"in/out1/part-m-00000"}));
}

}  // namespace
}  // namespace ontime::master
