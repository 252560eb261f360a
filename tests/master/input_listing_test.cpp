#include "master/inputs/input_listing.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/limits.h"
#include "master/mounts/file_system.h"
#include "tests/support/temporary_directory.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

class InputListing : public testing::Test {
 protected:
  void make(const std::string& name, const std::string& bytes = "text\n") { test::write_file(at(name), bytes); }
  std::string at(const std::string& name) const { return directory_ / name; }

  // Names, below the test's directory, of what the arguments list.
  Paths list(const Paths& arguments, const InputChoice& choice = {}) {
    const auto listed = list_inputs(arguments, {}, choice);
    if (!listed) {
      error_ = listed.error().message;
      EXPECT_EQ(listed.error().kind, ErrorKind::BadInput);
      return {};
    }
    left_out_ = listed->left_out;
    Paths names;
    for (const auto& file : listed->files) names.push_back(fs::path(file.path).lexically_relative(directory_.path()));
    return names;
  }

  std::string error_for(const Paths& arguments) {
    EXPECT_TRUE(list(arguments).empty());
    return error_;
  }

  test::TemporaryDirectory directory_;
  std::string error_;
  std::string left_out_;
};

TEST_F(InputListing, TakesAFileWithItsSizeTimeAndCodec) {
  make("a.txt", "12345");
  make("b", "\x1f\x8b\x08 and so on");
  make("c.GZ", "\x28\xb5\x2f\xfd and so on");
  const auto listed = list_inputs({at("a.txt"), at("b"), at("c.GZ")});
  ASSERT_TRUE(listed) << listed.error().message;
  const auto* files = &listed->files;
  ASSERT_EQ(files->size(), 3u);
  struct stat status {};
  ASSERT_EQ(::stat(at("a.txt").c_str(), &status), 0);
  EXPECT_EQ((*files)[0].path, at("a.txt"));
  EXPECT_EQ((*files)[0].size, 5u);
  EXPECT_EQ((*files)[0].version, files::version_of(status));
  EXPECT_EQ((*files)[0].codec, Codec::Plain);
  EXPECT_EQ((*files)[1].codec, Codec::Gzip);
  EXPECT_EQ((*files)[2].codec, Codec::Zstd);
}

TEST_F(InputListing, KnowsCompressedFilesByTheirContent) {
  make("text.gz");
  make("short.zst", "x");
  make("skippable", "\x5a\x2a\x4d\x18 and so on");
  make("almost-bzip2", "BZh is no magic number");
  make("bzip2", "BZh91AY&SY and so on");
  make("xz", std::string("\xfd"
                         "7zXZ\0 and so on",
                         16));
  const auto listed =
      list_inputs({at("text.gz"), at("short.zst"), at("skippable"), at("almost-bzip2"), at("bzip2"), at("xz")});
  ASSERT_TRUE(listed) << listed.error().message;
  std::vector<Codec> codecs;
  for (const auto& file : listed->files) codecs.push_back(file.codec);
  using enum Codec;
  EXPECT_EQ(codecs, (std::vector{Plain, Plain, Zstd, Plain, Bzip2, Xz}));
}

TEST_F(InputListing, RefusesWhatWouldBeCountedAsBytesThoughItIsNone) {
  using namespace std::string_literals;
  const std::string zlib = "x\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01\x27"s;  // "abc"
  for (const auto& [what, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"compressed with lz4", "\x04\x22\x4d\x18 etc"},
           {"compressed with lzop", "\x89LZO\0\r\n\x1a\n"s},
           {"compressed with zlib", zlib},
           {"compressed with lzma", "]\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0etc"s},
           {"a 7z archive", "7z\xbc\xaf\x27\x1c and so on"},
           {"a zip archive", "PK\x03\x04 and so on"},
           {"a tar archive", "name" + std::string(253, '\0') + "ustar  \0root"s},
           {"an Avro file", "Obj\x01\x04\x14"},
           {"a SequenceFile", "SEQ\x06\x19org.apache"},
           {"an ORC file", "ORC\x0a\x06\x12\x04"},
           {"a Parquet file", "PAR1\x15\x04"}}) {
    make("data", bytes);
    EXPECT_NE(error_for({at("data")}).find("'" + at("data") + "' is " + what + ", which Ontime cannot read; "),
              std::string::npos)
        << error_for({at("data")});
  }
  for (const std::string& text :
       {"x^2 + y^2 = z^2\n"s, "x^"s, zlib.substr(0, 8), "x\x9c" + std::string(1000, 'a'), "ORC, a band\n"s,
        "PAR15 4 golf\n"s, "SEQ 6\n"s, "Obj 1\n"s, std::string(257, 'a') + "ustar of text\n", "]\n"s}) {
    make("text", text);
    EXPECT_EQ(list({at("text")}), (Paths{"text"})) << text;
  }
}

TEST_F(InputListing, ReadsADirectoryWithAllBelowInOrder) {
  for (const char* name : {"d/b", "d/a", "d/sub/x", "d/sub/deep/y", "d/c"}) make(name);
  EXPECT_EQ(list({at("d")}), (Paths{"d/a", "d/b", "d/c", "d/sub/deep/y", "d/sub/x"}));
  EXPECT_EQ(list({at("d/")}), (Paths{"d/a", "d/b", "d/c", "d/sub/deep/y", "d/sub/x"}));
  EXPECT_EQ(left_out_, "");
}

TEST_F(InputListing, LeavesOutHiddenNamesAndSaysSo) {
  for (const char* name : {"d/a", "d/sub/_logs/x", "d/sub/y", "d/.git/config"}) make(name);
  EXPECT_EQ(list({at("d")}), (Paths{"d/a", "d/sub/y"}));
  EXPECT_EQ(left_out_,
            "left out of the input: 2 names, the first is '" + at("d/.git") + "', as its name begins with '.' or '_'");
  EXPECT_EQ(list({at("d/sub")}), (Paths{"d/sub/y"}));
  EXPECT_EQ(left_out_, "left out of the input: '" + at("d/sub/_logs") + "', as its name begins with '.' or '_'");
  EXPECT_EQ(list({at("d/.git"), at("d/sub/_logs/x")}), (Paths{"d/.git/config", "d/sub/_logs/x"}));  // named, so meant
}

TEST_F(InputListing, LeavesOutDirectoriesInsideIfToldSo) {
  for (const char* name : {"d/a", "d/sub/x"}) make(name);
  EXPECT_EQ(list({at("d")}, Directories::TopLevelOnly), (Paths{"d/a"}));
  EXPECT_EQ(left_out_, "left out of the input: '" + at("d/sub") + "', as it is a directory inside a directory");
}

TEST_F(InputListing, APatternThatEndsInASlashMeansDirectories) {
  for (const char* name : {"d/a", "d/x/b", "d/y/c"}) make(name);
  EXPECT_EQ(list({at("d/*/")}), (Paths{"d/x/b", "d/y/c"}));
}

TEST_F(InputListing, ReadsADirectoryOnceWhateverLinksLeadToIt) {
  for (const char* name : {"d/a", "d/sub/x"}) make(name);
  fs::create_directory_symlink(at("d"), at("d/sub/up"));
  fs::create_directory_symlink(at("d/sub"), at("d/zz"));
  fs::create_symlink("itself", at("d/itself"));
  EXPECT_EQ(list({at("d")}), (Paths{"d/a", "d/sub/x"}));
  EXPECT_NE(left_out_.find("3 names, the first is '" + at("d/itself") + "', as it is a link to itself"),
            std::string::npos)
      << left_out_;
  EXPECT_EQ(list({at("d/**/x")}), (Paths{"d/sub/x"}));
}

TEST_F(InputListing, ExpandsGlobsInOrder) {
  for (const char* name : {"x2.log", "x10.log", "x1.log", "y.txt"}) make(name);
  EXPECT_EQ(list({at("x*.log")}), (Paths{"x1.log", "x10.log", "x2.log"}));
  EXPECT_EQ(list({at("[xy]?.log")}), (Paths{"x1.log", "x2.log"}));
}

TEST_F(InputListing, ExpandsBraces) {
  for (const char* name : {"a1.txt", "a2.csv", "b1.txt", "c1.txt", "{x}"}) make(name);
  EXPECT_EQ(list({at("{c,a}*.{txt,csv}")}), (Paths{"a1.txt", "a2.csv", "c1.txt"}));
  EXPECT_EQ(list({at("{a{1,2},b1}.*")}), (Paths{"a1.txt", "a2.csv", "b1.txt"}));
  EXPECT_EQ(list({at("{a1,a*}.txt")}), (Paths{"a1.txt"}));  // one argument names a file once
  EXPECT_EQ(list({at("{x}")}), (Paths{"{x}"}));
  EXPECT_EQ(list({at("{x}*")}), (Paths{"{x}"}));
  EXPECT_EQ(list({at("\\{x}*")}), (Paths{"{x}"}));
  std::string many = at("");
  for (int i = 0; i < 100; ++i) many += "{a,b}";
  EXPECT_NE(error_for({many}).find("more than 256 patterns"), std::string::npos) << error_;
}

TEST_F(InputListing, TwoStarsStandForAnyDirectories) {
  for (const char* name : {"d/a.txt", "d/x/b.txt", "d/x/y/c.txt", "d/x/y/c.csv", "d/_x/d.txt"}) make(name);
  EXPECT_EQ(list({at("d/**/*.txt")}), (Paths{"d/a.txt", "d/x/b.txt", "d/x/y/c.txt"}));
  EXPECT_EQ(list({at("**/y/*")}), (Paths{"d/x/y/c.csv", "d/x/y/c.txt"}));
  EXPECT_EQ(list({at("d/x/**")}), (Paths{"d/x/b.txt", "d/x/y/c.csv", "d/x/y/c.txt"}));
  EXPECT_EQ(list({at("**/**/c.{txt,csv}")}), (Paths{"d/x/y/c.csv", "d/x/y/c.txt"}));
}

TEST_F(InputListing, PatternsFindHiddenNamesOnlyIfTheySayTheFirstCharacter) {
  for (const char* name : {"d/a", "d/_b", "d/.c"}) make(name);
  EXPECT_EQ(list({at("d/*")}), (Paths{"d/a"}));
  EXPECT_NE(left_out_.find("2 names"), std::string::npos) << left_out_;
  EXPECT_EQ(list({at("d/_*")}), (Paths{"d/_b"}));
  EXPECT_EQ(left_out_, "");
}

TEST_F(InputListing, GetsOnWhileAGlobGoesThroughManyDirectories) {
  constexpr std::uint64_t kDirectories = 100;
  for (std::uint64_t i = 0; i < kDirectories; ++i) make("d" + std::to_string(i) + "/other");
  std::atomic<std::uint64_t> progress = 0;
  const ProgressOf counted(progress);
  EXPECT_NE(error_for({at("*/none")}).find("matches no file"), std::string::npos);
  EXPECT_GE(progress, kDirectories);
}

TEST_F(InputListing, KeepsTheOrderOfArguments) {
  for (const char* name : {"a", "b", "c"}) make(name);
  EXPECT_EQ(list({at("c"), at("[ab]")}), (Paths{"c", "a", "b"}));
}

TEST_F(InputListing, RefusesAFileThatTwoArgumentsName) {
  for (const char* name : {"d/a", "d/b"}) make(name);
  EXPECT_EQ(error_for({at("d"), at("d/./a")}), "The input names the file '" + at("d/a") + "' twice, by '" + at("d") +
                                                   "' and by '" + at("d/./a") +
                                                   "'; leave out one of them, as it would be counted twice.");
}

TEST_F(InputListing, TakesAFileWhoseNameLooksLikeAGlob) {
  make("a[1].txt");
  make("a1.txt");
  EXPECT_EQ(list({at("a[1].txt")}), (Paths{"a[1].txt"}));
}

TEST_F(InputListing, TakesFileUrls) {
  make("with space");
  EXPECT_EQ(list({"file://" + at("with%20space")}), (Paths{"with space"}));
  EXPECT_EQ(list({"file://localhost" + at("with%20space")}), (Paths{"with space"}));
  EXPECT_NE(error_for({"file://elsewhere/a"}).find("names another host"), std::string::npos);
  EXPECT_NE(error_for({"file:///a%2"}).find("two hexadecimal digits"), std::string::npos);
  EXPECT_NE(error_for({"ftp://host/a"}).find("a scheme that Ontime cannot read"), std::string::npos);
}

TEST_F(InputListing, LeavesOutEmptyFiles) {
  make("d/empty", "");
  make("d/full");
  EXPECT_EQ(list({at("d")}), (Paths{"d/full"}));
}

TEST_F(InputListing, FollowsLinksToFiles) {
  make("file");
  fs::create_directory(at("d"));
  fs::create_symlink(at("file"), at("d/link"));
  EXPECT_EQ(list({at("d")}), (Paths{"d/link"}));
}

TEST_F(InputListing, ReadsAFileOnceWhateverLinksLeadToIt) {
  make("d/x");
  fs::create_directory_symlink(".", at("d/loop"));
  fs::create_symlink("x", at("d/y"));
  EXPECT_EQ(list({at("d")}), (Paths{"d/x"}));
  EXPECT_EQ(list({at("d/*")}), (Paths{"d/loop/x"}));
  EXPECT_NE(left_out_.find("4 names, the first is '" + at("d/loop/loop")), std::string::npos) << left_out_;
  EXPECT_EQ(list({at("d/{x,y}")}), (Paths{"d/x"}));
  EXPECT_EQ(left_out_, "left out of the input: '" + at("d/y") + "', as it is read as '" + at("d/x") + "'");
  EXPECT_EQ(list({at("d/{x,x}")}), (Paths{"d/x"}));
  EXPECT_EQ(left_out_, "");
  EXPECT_NE(error_for({at("d/x"), at("d/y")}).find("twice"), std::string::npos);
  fs::create_hard_link(at("d/x"), at("hard"));
  EXPECT_EQ(list({at("d/x"), at("hard")}), (Paths{"d/x", "hard"}));  // two files to everybody who names them
}

TEST_F(InputListing, RefusesAFileThatHidesItsSize) {
  EXPECT_NE(error_for({"/proc/cpuinfo"}).find("says that it has 0 bytes, and yet it has content"), std::string::npos);
}

TEST_F(InputListing, NamesWhatIsMissing) {
  EXPECT_EQ(error_for({at("nothing")}), "The input '" + at("nothing") + "' cannot be read: No such file or directory.");
  EXPECT_EQ(error_for({at("no*thing")}), "The input '" + at("no*thing") + "' matches no file.");
  EXPECT_NE(error_for({"relative"}).find("is not an absolute path"), std::string::npos);
  EXPECT_NE(error_for({""}).find("is not an absolute path"), std::string::npos);
  for (const char* scheme : {"/", "http://", "webhdfs://", "s3://"})
    EXPECT_NE(error_for({scheme + std::string(120'000, 'a') + "/x"}).find("is too long"), std::string::npos) << scheme;
  EXPECT_NE(error_for({"/" + std::string(5000, 'x')}).find("too long"), std::string::npos);
}

TEST_F(InputListing, RefusesADanglingLinkInADirectory) {
  fs::create_directory(at("d"));
  fs::create_symlink(at("gone"), at("d/link"));
  EXPECT_EQ(error_for({at("d")}), "The input '" + at("d/link") + "' is a link to something that is not there.");
  EXPECT_EQ(error_for({at("d/link")}), error_for({at("d")}));
}

TEST_F(InputListing, RefusesWhatIsNotARegularFile) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_for({at("fifo")}), "The input '" + at("fifo") + "' is not a regular file.");
  EXPECT_NE(error_for({"/dev/null"}).find("is not a regular file"), std::string::npos);
}

// Root may read everything, so it becomes somebody else meanwhile.
class SomebodyElse {
 public:
  SomebodyElse() { EXPECT_EQ(::seteuid(was_root_ ? 65534 : ::geteuid()), 0); }
  ~SomebodyElse() { EXPECT_EQ(::seteuid(was_root_ ? 0 : ::geteuid()), 0); }

 private:
  const bool was_root_ = ::geteuid() == 0;
};

TEST_F(InputListing, RefusesAFileThatMayNotBeRead) {
  make("secret");
  ::chmod(at("secret").c_str(), 0);
  ::chmod(directory_.path().c_str(), 0755);
  const SomebodyElse somebody;
  EXPECT_NE(error_for({at("secret")}).find("cannot be read: Permission denied"), std::string::npos);
}

TEST_F(InputListing, TakesANameThatIsNotUtf8) {
  make("caf\xe9.txt");
  EXPECT_EQ(list({directory_.path()}), (Paths{"caf\xe9.txt"})) << error_;
}

TEST_F(InputListing, RefusesWhatIsAnotherFileToEachProcess) {
  for (const char* path :
       {"/dev/stdin", "/dev/fd/0", "/dev//fd/3", "/proc/self/exe", "/proc/thread-self/comm", "file:///dev/stdin"})
    EXPECT_NE(error_for({path}).find("another file to each process"), std::string::npos) << path << error_;
  EXPECT_NE(error_for({"s3a://bucket/key"}).find("write s3://"), std::string::npos);
}

TEST_F(InputListing, FilesWithoutAByteAreInputWithoutTasks) {
  make("a", "");
  make("b", "");
  const auto listed = list_inputs({at("a"), at("b")});
  ASSERT_TRUE(listed.has_value());
  EXPECT_TRUE(listed->files.empty());
}

TEST_F(InputListing, RefusesMoreBytesThanOffsetsCanCount) {
  make("a.gz", "\x1f\x8b\x08 and so on");
  make("b.gz", "\x1f\x8b\x08 and so on");
  std::uint64_t held = kOffsetMax;
  master::InputListing one({}, {}, [&](const auto&) { return InputIndex{held, {}}; });
  EXPECT_TRUE(one.add(at("a.gz")));
  const Status second = one.add(at("b.gz"));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::BadInput);
  held = kOffsetMax + 1;
  master::InputListing other({}, {}, [&](const auto&) { return InputIndex{held, {}}; });
  const Status first = other.add(at("a.gz"));
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().message, "The input '" + at("a.gz") +
                                       "' is said to hold 4611686018427387905 bytes, but a job reads "
                                       "4611686018427387904 in all at most; correct its size, or leave it out of the "
                                       "input.");
}

TEST_F(InputListing, SaysWhenThereIsNothingToRead) {
  fs::create_directory(at("d"));
  EXPECT_EQ(error_for({at("d")}), "There is nothing to read: '" + at("d") + "' holds no file.");
  make("d/_SUCCESS", "");
  EXPECT_EQ(error_for({at("d")}), "There is nothing to read: '" + at("d") +
                                      "' holds no file (left out of the input: '" + at("d/_SUCCESS") +
                                      "', as its name begins with '.' or '_').");
  EXPECT_EQ(error_for({}), "There is nothing to read: the input names no file.");
}

}  // namespace
}  // namespace ontime::master
