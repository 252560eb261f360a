// Runs a test program as a process of a simulated machine: its sleeps, time-outs and connections are simulated, so none
// of them takes time, and a busy real machine changes nothing.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/machines/small_cluster.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ontime::lab::machines::test::SmallCluster small;
  int failed = 1;
  small.run(small.one, [&failed] {
    std::filesystem::create_directory("/tmp");
    ::unsetenv("TMPDIR");  // a directory of the real machine
    failed = RUN_ALL_TESTS();
  });
  const std::string& broken = small.cluster.broken;
  if (!broken.empty()) std::fprintf(stderr, "%s\n", broken.c_str());
  return broken.empty() ? failed : 1;
}
