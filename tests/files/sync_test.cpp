#include "common/files/sync.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "common/files/disk.h"
#include "tests/support/temporary_directory.h"

namespace ontime::files {
namespace {

// Many threads sync at once: those that succeed later must not hide the one that has not.
TEST(SyncFiles, SaysThatOneOfManyCouldNotBeSynced) {
  const test::TemporaryDirectory scratch;
  std::vector<std::string> kept;
  for (int i = 0; i < 200; ++i) kept.push_back("f" + std::to_string(i));
  const auto write_all = [&] {  // what is synced already takes no time
    for (const std::string& name : kept) test::write_file(scratch / name, name);
  };
  std::vector<const char*> names;
  for (const std::string& name : kept) names.push_back(name.c_str());
  const Descriptor directory = open(scratch.path(), kDirectory);
  write_all();
  EXPECT_EQ(sync_files(directory.get(), names), 0);
  names.insert(names.begin() + 100, "missing");
  for (int round = 0; round < 10; ++round) {
    write_all();
    ASSERT_EQ(sync_files(directory.get(), names), ENOENT) << round;
  }
}

}  // namespace
}  // namespace ontime::files
