// What clients are told while there is no room for the journal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "tests/master/master_fixture.h"

namespace ontime::test {
namespace {

using asio::awaitable;

class FullJournalSession : public MasterFixture {
 protected:
  static awaitable<wire::Reply> reply_over(std::shared_ptr<net::Connection> connection) {
    const auto payload = co_await connection->receive();
    wire::Reply reply;
    EXPECT_TRUE(payload && reply.ParseFromArray(payload->data(), static_cast<int>(payload->size())));
    co_return reply;
  }
};

// The question is answered at once, and the answer waits for the batch that finds no room.
TEST_F(FullJournalSession, WhoAsksWhileTheDiskFillsUpIsToldSo) {
  play([&]() -> awaitable<void> {
    const auto asking = co_await connect(wire::CLIENT);
    journal_.shut();
    FakeWorker worker = co_await connect_worker();
    worker.enlist("one", 1);  // something to write down
    while (!journal_.is_waiting()) co_await net::sleep_for(std::chrono::milliseconds(1));
    wire::Request list;
    list.mutable_list_jobs();
    EXPECT_TRUE(asking->send(list));
    for (int turn = 0; turn < 10; ++turn) co_await net::sleep_for(std::chrono::milliseconds(1));
    journal_.fill("The disk is full.");
    journal_.open();
    const wire::Reply reply = co_await reply_over(asking);
    EXPECT_THAT(reply.error(), testing::HasSubstr("takes no orders for now: The disk is full."));
    journal_.fill("");
  });
}

// To say otherwise of what has been taken would be a lie once there is room.
TEST_F(FullJournalSession, WhoseJobWasTakenBeforeHearsOfItWhenThereIsRoom) {
  play([&]() -> awaitable<void> {
    const auto submitting = co_await connect(wire::CLIENT);
    wire::Request list;
    list.mutable_list_jobs();
    co_await ask(list);  // answered once the master's own first records are written
    journal_.fill("The disk is full.");
    EXPECT_TRUE(submitting->send(submission()));
    wire::Reply refused;
    while (refused.error().empty()) refused = co_await ask(list);
    journal_.fill("");
    const wire::Reply reply = co_await reply_over(submitting);
    EXPECT_EQ(reply.submitted().job(), 1u) << reply.error();
  });
}

}  // namespace
}  // namespace ontime::test
