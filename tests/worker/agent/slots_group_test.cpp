// Attempts on small files that share a task.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "common/protocol/convert.h"
#include "tests/worker/agent/slots_fixture.h"

namespace ontime::worker {
namespace {

using test::SlotsWorld;
using testing::HasSubstr;

class SlotsGroup : public testing::Test {
 protected:
  // Three files of 100 bytes, of a group in which 50 bytes come before them.
  SlotsGroup() {
    EXPECT_TRUE(world.set_up());
    wire::Order order;
    wire::Order::Launch& launch = *order.mutable_launch();
    *launch.mutable_attempt() = protocol::to_wire(world.attempt(0));
    launch.mutable_file()->set_path("/data/first");
    launch.mutable_file()->set_size(350);
    launch.mutable_file()->set_parts_begin(50);
    for (const char* path : {"/data/a", "/data/b", "s3://bucket/c"}) {
      launch.mutable_file()->add_parts()->set_path(path);
      launch.mutable_file()->mutable_parts()->rbegin()->set_size(100);
    }
    launch.mutable_range()->set_begin(60);
    launch.mutable_range()->set_end(350);
    EXPECT_TRUE(world.slots.obey(order));
    runner = world.next_runner();
    runner->starts();
    world.settle();
    world.new_reports();
  }
  void want_address(std::uint32_t part) {
    wire::FromRunner message;
    message.mutable_address_wanted()->set_part(part);
    runner->says(message);
    world.settle();
  }

  SlotsWorld world;
  std::unique_ptr<test::FakeRunner> runner;
};

TEST_F(SlotsGroup, TheRunnerGetsTheFilesAndNoAddressForALocalOne) {
  ASSERT_EQ(runner->run().launch().file().parts_size(), 3);
  EXPECT_EQ(runner->run().launch().file().parts_begin(), 50u);
  EXPECT_EQ(runner->run().address(), "");
}

TEST_F(SlotsGroup, AnAddressIsOfTheFileThatIsAskedFor) {
  want_address(2);
  const auto answer = runner->next();
  ASSERT_TRUE(answer && answer->has_address());
  const wire::ToRunner::Address& given = answer->address();  // without keys there is a reason instead
  EXPECT_TRUE(given.address().empty() ? !given.error().empty() : given.address().find("/c") != std::string::npos);
  want_address(0);
  const auto refused = runner->next();
  ASSERT_TRUE(refused && refused->has_address());
  EXPECT_EQ(refused->address().address(), "");
  EXPECT_NE(refused->address().error(), "");
}

TEST_F(SlotsGroup, ARunnerThatAsksForAFileThatItWasNotGivenIsEnded) {
  want_address(3);
  const auto end = world.only_end();
  EXPECT_EQ(end.failure(), wire::CRASHED);
  EXPECT_THAT(end.message(), HasSubstr("it has no such file"));
  EXPECT_TRUE(runner->was_killed());
}

TEST_F(SlotsGroup, ACrashNamesTheFileThatWasMapped) {
  runner->block().offset.store(170);
  world.end(*runner, SIGSEGV);
  EXPECT_THAT(world.only_end().message(), HasSubstr("it had mapped /data/b up to byte 20"));
}

TEST_F(SlotsGroup, ACrashAtAFilesEndNamesThatFile) {
  runner->block().offset.store(150);
  world.end(*runner, SIGSEGV);
  EXPECT_THAT(world.only_end().message(), HasSubstr("it had mapped /data/a up to byte 100"));
}

}  // namespace
}  // namespace ontime::worker
