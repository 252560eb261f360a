#include "master/input_listing.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "master/file_system.h"
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
  Paths list(const Paths& arguments) {
    const auto files = list_inputs(arguments);
    if (!files) {
      error_ = files.error().message;
      EXPECT_EQ(files.error().kind, ErrorKind::BadInput);
      return {};
    }
    Paths names;
    for (const auto& file : *files) names.push_back(fs::path(file.path).lexically_relative(directory_.path()));
    return names;
  }

  std::string error_for(const Paths& arguments) {
    EXPECT_TRUE(list(arguments).empty());
    return error_;
  }

  test::TemporaryDirectory directory_;
  std::string error_;
};

TEST_F(InputListing, TakesAFileWithItsSizeTimeAndCodec) {
  make("a.txt", "12345");
  make("b.gz");
  make("c.zst");
  const auto files = list_inputs({at("a.txt"), at("b.gz"), at("c.zst")});
  ASSERT_TRUE(files) << files.error().message;
  ASSERT_EQ(files->size(), 3u);
  struct stat status {};
  ASSERT_EQ(::stat(at("a.txt").c_str(), &status), 0);
  EXPECT_EQ((*files)[0].path, at("a.txt"));
  EXPECT_EQ((*files)[0].size, 5u);
  EXPECT_EQ((*files)[0].mtime_ns, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec);
  EXPECT_EQ((*files)[0].codec, scheduler::Codec::Plain);
  EXPECT_EQ((*files)[1].codec, scheduler::Codec::Gzip);
  EXPECT_EQ((*files)[2].codec, scheduler::Codec::Zstd);
}

TEST_F(InputListing, SortsADirectoryAndLeavesOutHiddenAndMarkedFilesAndSubdirectories) {
  for (const char* name : {"d/b", "d/a", "d/.hidden", "d/_SUCCESS", "d/sub/x", "d/c"}) make(name);
  EXPECT_EQ(list({at("d")}), (Paths{"d/a", "d/b", "d/c"}));
  EXPECT_EQ(list({at("d/")}), (Paths{"d/a", "d/b", "d/c"}));
}

TEST_F(InputListing, ExpandsGlobsInOrder) {
  for (const char* name : {"x2.log", "x10.log", "x1.log", "y.txt"}) make(name);
  EXPECT_EQ(list({at("x*.log")}), (Paths{"x1.log", "x10.log", "x2.log"}));
  EXPECT_EQ(list({at("[xy]?.log")}), (Paths{"x1.log", "x2.log"}));
}

TEST_F(InputListing, GetsOnWhileAGlobGoesThroughManyDirectories) {
  constexpr std::uint64_t kDirectories = 100;
  for (std::uint64_t i = 0; i < kDirectories; ++i) make("d" + std::to_string(i) + "/other");
  std::atomic<std::uint64_t> progress = 0;
  const ProgressOf counted(progress);
  EXPECT_NE(error_for({at("*/none")}).find("matches no file"), std::string::npos);
  EXPECT_GE(progress, kDirectories);
}

TEST_F(InputListing, KeepsTheOrderOfArgumentsAndEachFileOnce) {
  for (const char* name : {"a", "b", "c"}) make(name);
  EXPECT_EQ(list({at("c"), at("*"), at("./a")}), (Paths{"c", "a", "b"}));
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
  EXPECT_NE(error_for({"http://host/a"}).find("a scheme that Ontime cannot read"), std::string::npos);
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

TEST_F(InputListing, NamesWhatIsMissing) {
  EXPECT_EQ(error_for({at("nothing")}), "The input '" + at("nothing") + "' cannot be read: No such file or directory.");
  EXPECT_EQ(error_for({at("no*thing")}), "The input '" + at("no*thing") + "' matches no file.");
  EXPECT_NE(error_for({"relative"}).find("is not an absolute path"), std::string::npos);
  EXPECT_NE(error_for({""}).find("is not an absolute path"), std::string::npos);
  EXPECT_NE(error_for({"/" + std::string(5000, 'x')}).find("too long"), std::string::npos);
}

TEST_F(InputListing, RefusesADanglingLinkInADirectory) {
  fs::create_directory(at("d"));
  fs::create_symlink(at("gone"), at("d/link"));
  EXPECT_NE(error_for({at("d")}).find("d/link"), std::string::npos);
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

TEST_F(InputListing, RefusesANameThatIsNotUtf8) {
  make("caf\xe9.txt");
  EXPECT_NE(error_for({directory_.path()}).find("caf?.txt' is not valid UTF-8"), std::string::npos) << error_;
}

TEST_F(InputListing, FilesWithoutAByteAreInputWithoutTasks) {
  make("a", "");
  make("b", "");
  const auto files = list_inputs({at("a"), at("b")});
  ASSERT_TRUE(files.has_value());
  EXPECT_TRUE(files->empty());
}

TEST_F(InputListing, SaysWhenThereIsNothingToRead) {
  fs::create_directory(at("d"));
  EXPECT_EQ(error_for({at("d")}), "There is nothing to read: '" + at("d") +
                                      "' holds no file (names that begin with '.' or '_' are left out).");
  EXPECT_EQ(error_for({}), "There is nothing to read: the input names no file.");
}

}  // namespace
}  // namespace ontime::master
