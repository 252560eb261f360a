// Workers that leave and nodes that operators take out, over real connections.
#include <gtest/gtest.h>

#include "tests/master/master_fixture.h"

namespace ontime::test {
namespace {

using asio::awaitable;

class DrainSessionTest : public MasterFixture {
 protected:
  static wire::ToMaster leave() {
    wire::ToMaster message;
    message.mutable_leave();
    return message;
  }
  static wire::Request drain(const std::string& node, bool undo = false) {
    wire::Request request;
    request.mutable_drain_node()->set_node(node);
    request.mutable_drain_node()->set_undo(undo);
    return request;
  }
  static wire::ToMaster twin(const std::string& incarnation) {
    wire::ToMaster message;
    message.mutable_register_()->set_incarnation(incarnation);
    message.mutable_register_()->set_host("host");
    message.mutable_register_()->set_name("twin");
    message.mutable_register_()->set_slots(1);
    return message;
  }
  awaitable<std::string> state_of_first() {
    wire::Request request;
    request.mutable_list_nodes();
    const wire::Reply reply = co_await ask(request);
    co_return reply.nodes().nodes(0).state();
  }
};

TEST_F(DrainSessionTest, AWorkerThatLeavesIsCutAcknowledgedAndReleased) {
  write_file(input_, "one\ntwo\nthree\n");
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    co_await submit();
    std::optional<wire::Order> order;
    do order = co_await worker.next_order();
    while (order && !order->has_launch());
    const wire::Order::Launch launch = order->launch();
    worker.send(leave());
    order = co_await worker.next_order();
    EXPECT_TRUE(order->has_cut() && order->cut().release());
    const std::string draining = co_await state_of_first();
    EXPECT_EQ(draining, "draining");
    wire::Report answer = about(launch.attempt(), 1);
    answer.mutable_cut()->set_at(4);
    answer.mutable_cut()->set_release(true);
    worker.report(answer);
    wire::Order::Launch done = launch;
    done.mutable_range()->set_end(4);
    worker.report(seal(done, 2, "x"));
    order = co_await worker.next_order();
    EXPECT_TRUE(order->has_release());
    EXPECT_EQ(worker.acknowledged, 2u);  // all it knew is durable
    const std::string left = co_await state_of_first();
    EXPECT_EQ(left, "left");
  });
}

TEST_F(DrainSessionTest, AnOperatorTakesANodeOutAndBack) {
  play([&]() -> awaitable<void> {
    FakeWorker worker = co_await make_worker();
    const wire::Reply out = co_await ask(drain("worker-one"));
    EXPECT_EQ(out.drained().node(), 1u);
    EXPECT_EQ(out.drained().state(), "drained");
    const wire::Reply back = co_await ask(drain("node-1", true));
    EXPECT_EQ(back.drained().state(), "live");
    const wire::Reply again = co_await ask(drain("1"));
    EXPECT_EQ(again.drained().state(), "drained");
  });
}

TEST_F(DrainSessionTest, ANodeThatIsNotThereOrNotToBeTakenBackIsNamed) {
  play([&]() -> awaitable<void> {
    const wire::Reply nobody = co_await ask(drain("elsewhere"));
    EXPECT_TRUE(nobody.bad_input());
    EXPECT_NE(nobody.error().find("No such node: 'elsewhere'"), std::string::npos);
    FakeWorker worker = co_await make_worker();
    worker.send(leave());
    const auto order = co_await worker.next_order();
    EXPECT_TRUE(order->has_release());
    const wire::Reply gone = co_await ask(drain("node-1", true));
    EXPECT_NE(gone.error().find("has left"), std::string::npos) << gone.error();
  });
}

TEST_F(DrainSessionTest, TwoOfOneNameAreToldApartByNumber) {
  play([&]() -> awaitable<void> {
    FakeWorker first = co_await connect_worker();
    first.send(twin("one"));
    co_await first.next_welcome();
    FakeWorker second = co_await connect_worker();
    second.send(twin("two"));
    co_await second.next_welcome();
    const wire::Reply reply = co_await ask(drain("twin"));
    EXPECT_NE(reply.error().find("give the number"), std::string::npos) << reply.error();
  });
}

}  // namespace
}  // namespace ontime::test
