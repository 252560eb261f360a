// What lies in a root and what does not, whatever it is called.
#include "common/files/roots.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/support/temporary_directory.h"

namespace ontime::files {
namespace {

namespace fs = std::filesystem;

class RootsTest : public testing::Test {
 protected:
  RootsTest() {
    test::write_file(directory_ / "data/in/file", "inside");
    test::write_file(directory_ / "data-2/file", "a neighbour");
    test::write_file(directory_ / "secret", "outside");
    roots_ = *Roots::make({directory_ / "data"});
  }
  std::string at(const std::string& name) const { return directory_ / name; }

  // What is read there: "outside" of the roots, "error N", or the content.
  std::string read(const std::string& path) const {
    const Opened opened = open_within(roots_, path, O_RDONLY | O_CLOEXEC);
    if (opened.is_outside) return "refused";
    if (opened.descriptor < 0) return "error " + std::to_string(opened.problem);
    std::string content(100, '\0');
    const ssize_t size = ::read(opened.descriptor, content.data(), content.size());
    ::close(opened.descriptor);
    content.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return content;
  }

  test::TemporaryDirectory directory_;
  Roots roots_;
};

TEST_F(RootsTest, HoldWhatLiesInThem) {
  EXPECT_EQ(read(at("data/in/file")), "inside");
  EXPECT_EQ(read(at("data/./in/../in/file")), "inside");
  EXPECT_EQ(read(at("data-2/file")), "refused");
  EXPECT_EQ(read(at("secret")), "refused");
  EXPECT_EQ(read(at("data/in/../../secret")), "refused");
}

TEST_F(RootsTest, LinksCountForWhereTheyLead) {
  fs::create_symlink(at("secret"), at("data/link"));
  fs::create_symlink("../../secret", at("data/in/relative"));
  fs::create_directory_symlink(at(""), at("data/up"));
  fs::create_symlink(at("data/in/file"), at("link-inside"));
  EXPECT_EQ(read(at("data/link")), "refused");
  EXPECT_EQ(read(at("data/in/relative")), "refused");
  EXPECT_EQ(read(at("data/up/secret")), "refused");
  EXPECT_EQ(read(at("data/up/data/in/file")), "inside");
  EXPECT_EQ(read(at("link-inside")), "inside");
}

TEST_F(RootsTest, NothingIsToldOfWhatLiesOutside) {
  EXPECT_EQ(read(at("data/missing")), "error " + std::to_string(ENOENT));
  EXPECT_EQ(read(at("missing")), "refused");
  EXPECT_EQ(read(at("data/../missing")), "refused");
}

TEST_F(RootsTest, AFileThatHasNoNameAnyMoreLiesNowhere) {
  const int file = ::open(at("data/in/file").c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(place_of(file), fs::canonical(at("data/in/file")).string());
  fs::remove(at("data/in/file"));
  EXPECT_FALSE(place_of(file));
  ::close(file);
}

TEST_F(RootsTest, AnyOfThemWillDoAndNoneIsEverywhere) {
  roots_ = *Roots::make({at("data"), at("data-2/")});
  EXPECT_EQ(read(at("data-2/file")), "a neighbour");
  EXPECT_EQ(roots_.text(), at("data") + ", " + at("data-2"));
  roots_ = Roots();
  EXPECT_EQ(read(at("secret")), "outside");
  roots_ = *Roots::make({"/"});
  EXPECT_EQ(read(at("secret")), "outside");
}

TEST_F(RootsTest, ARootMayBeALinkItself) {
  fs::create_directory_symlink(at("data"), at("alias"));
  roots_ = *Roots::make({at("alias")});
  EXPECT_EQ(read(at("alias/in/file")), "inside");
  EXPECT_EQ(read(at("data/in/file")), "inside");
  EXPECT_EQ(read(at("alias/missing")), "error " + std::to_string(ENOENT));
}

TEST_F(RootsTest, InsideIsNotTheRootItself) {
  EXPECT_TRUE(roots_.hold(roots_.resolved().front()));
  EXPECT_FALSE(roots_.hold_inside(roots_.resolved().front()));
  EXPECT_TRUE(roots_.hold_inside(roots_.resolved().front() + "/in"));
}

TEST_F(RootsTest, MustBeDirectoriesThatAreThere) {
  EXPECT_FALSE(Roots::make({at("nothing")}));
  EXPECT_FALSE(Roots::make({at("secret")}));
  EXPECT_FALSE(Roots::make({"data"}));
}

// A name that leads inside and outside by turns gives what is inside or nothing, never what is outside.
TEST_F(RootsTest, ALinkThatChangesMeanwhileIsNotFollowedOut) {
  fs::create_symlink(at("data/in/file"), at("data/one"));
  fs::create_symlink(at("secret"), at("data/other"));
  std::atomic<bool> over = false;
  std::thread changer([&] {
    while (!over) ::renameat2(AT_FDCWD, at("data/one").c_str(), AT_FDCWD, at("data/other").c_str(), RENAME_EXCHANGE);
  });
  for (int i = 0; i < 2000; ++i) {
    const std::string found = read(at("data/one"));
    EXPECT_TRUE(found == "inside" || found == "refused") << found;
  }
  over = true;
  changer.join();
}

}  // namespace
}  // namespace ontime::files
