// What fuzzing has found worth keeping is fed to every parser in every build.
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "tests/fuzz/targets.h"
#include "tests/support/temporary_directory.h"

namespace ontime::fuzz {

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, IsFed) {
  int fed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ONTIME_FUZZ_CORPUS "/" + std::string(GetParam().name))) {
    SCOPED_TRACE(entry.path());
    GetParam().feed(test::read_file(entry.path()));
    ++fed;
  }
  EXPECT_GT(fed, 0);
  GetParam().feed("");
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace ontime::fuzz
