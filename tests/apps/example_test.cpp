// The example of docs/write-applications.md works, and is the one shown there.
#include <gtest/gtest.h>

#include "common/app/loaded_application.h"
#include "tests/apps/mapped.h"
#include "tests/support/temporary_directory.h"

namespace ontime::apps::test {
namespace {

TEST(Example, FindsLinesAndCountsThem) {
  const auto loaded = app::LoadedApplication::load("find_lines", {ONTIME_EXAMPLE_DIRECTORY});
  ASSERT_TRUE(loaded) << loaded.error().message;
  const app::Application& find_lines = loaded->application();
  EXPECT_THROW(find_lines.validate(context_of(find_lines)), std::invalid_argument);
  TestContext context = context_of(find_lines, {{"text", "be"}});
  EXPECT_EQ(map_text(find_lines, context, "to be\r\nor not\nto be\n", {.batches = {1}, .cuts = {0}}),
            (std::vector<std::string>{"0\tto be\n", "14\tto be\n"}));
  EXPECT_EQ(context.counters, (std::map<std::string, std::uint64_t>{{"find_lines,found", 2}}));
}

TEST(Example, IsShownInTheDocumentation) {
  const std::string source = ONTIME_SOURCE_DIRECTORY;
  const std::string example = ontime::test::read_file(source + "/tests/apps/example/find_lines.cpp");
  const std::string page = ontime::test::read_file(source + "/docs/write-applications.md");
  EXPECT_NE(page.find("```cpp\n" + example + "```\n"), std::string::npos);
}

}  // namespace
}  // namespace ontime::apps::test
