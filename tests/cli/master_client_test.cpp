#include "cli/client/master_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "cli/client/follow.h"
#include "cli/client/selector.h"
#include "tests/cli/fake_master.h"

namespace ontime::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

MasterClient::Options options_for(const FakeMaster& master) {
  MasterClient::Options options;
  options.masters = master.endpoint();
  return options;
}

TEST(MasterClient, AsksOneQuestionAfterAnotherOnOneConnection) {
  FakeMaster master([](const wire::Request& request) {
    wire::Reply reply;
    if (request.has_submit()) reply.mutable_submitted()->set_job(static_cast<unsigned>(request.submit().inputs_size()));
    if (request.has_list_jobs()) reply.mutable_jobs()->add_jobs()->set_job(3);
    if (request.has_list_nodes()) reply.mutable_nodes()->add_nodes()->set_name("n");
    if (request.has_kill_job()) reply.mutable_killed()->set_state(wire::KILLED);
    if (request.has_describe_job()) reply.mutable_job()->mutable_summary()->set_job(request.describe_job().job());
    return reply;
  });
  MasterClient client(options_for(master));
  wire::JobSpec spec;
  spec.add_inputs("a");
  spec.add_inputs("b");
  EXPECT_EQ(client.submit(spec)->job(), 2u);
  EXPECT_EQ(client.list_jobs()->jobs(0).job(), 3u);
  EXPECT_EQ(client.list_nodes()->nodes(0).name(), "n");
  EXPECT_EQ(*client.kill(JobId{1}), wire::KILLED);
  EXPECT_EQ(client.describe(JobId{9}, {.tasks = true})->summary().job(), 9u);
}

TEST(Selector, AsksForNoMoreJobsThanItNeeds) {
  std::atomic<std::uint32_t> lists = 0;
  std::atomic<std::uint32_t> latest = 0;
  FakeMaster master([&](const wire::Request& request) {
    ++lists;
    latest = request.list_jobs().latest();
    wire::Reply reply;
    for (const std::uint32_t id : {8u, 9u}) reply.mutable_jobs()->add_jobs()->set_job(id);
    return reply;
  });
  MasterClient client(options_for(master));
  EXPECT_EQ(*find_job(client, "job-3"), JobId{3});
  EXPECT_EQ(lists, 0u);
  EXPECT_EQ(*find_job(client, "last-1"), JobId{8});
  EXPECT_EQ(latest, 2u);
  EXPECT_THAT(find_job(client, "4-9").error().message, HasSubstr("this verb takes one job"));
  EXPECT_EQ(*find_jobs(client, {"9", "last", "2-9", "1"}), (std::vector<JobId>{{9}, {8}, {1}}));
  EXPECT_EQ(lists, 2u) << "one list for all words";
}

TEST(MasterClient, JobsThatDoNotFitIntoOneAnswerAreFetchedPartByPart) {
  FakeMaster master([](const wire::Request& request) {
    wire::Reply reply;
    const std::uint32_t job = request.list_jobs().first_job() + 1;
    reply.mutable_jobs()->add_jobs()->set_job(job);
    if (job < 3) reply.mutable_jobs()->set_next_job(job);
    return reply;
  });
  MasterClient client(options_for(master));
  const auto jobs = client.list_jobs();
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->jobs_size(), 3);
  EXPECT_EQ(jobs->jobs(2).job(), 3u);
  EXPECT_EQ(jobs->next_job(), 0u);
}

TEST(MasterClient, NodesThatDoNotFitIntoOneAnswerAreFetchedPartByPart) {
  FakeMaster master([](const wire::Request& request) {
    wire::Reply reply;
    const std::uint32_t node = request.list_nodes().first_node() + 1;
    reply.mutable_nodes()->add_nodes()->set_node(node);
    reply.mutable_nodes()->mutable_measures()->set_records(node);
    if (node < 3) reply.mutable_nodes()->set_next_node(node);
    return reply;
  });
  MasterClient client(options_for(master));
  const auto nodes = client.list_nodes();
  ASSERT_TRUE(nodes);
  ASSERT_EQ(nodes->nodes_size(), 3);
  EXPECT_EQ(nodes->nodes(2).node(), 3u);
  EXPECT_EQ(nodes->measures().records(), 1u);
}

TEST(MasterClient, AListThatDoesNotGetOnIsNotFollowedForEver) {
  FakeMaster master([](const wire::Request&) {
    wire::Reply reply;
    reply.mutable_jobs()->set_next_job(1);
    return reply;
  });
  MasterClient client(options_for(master));
  EXPECT_THAT(client.list_jobs().error().message, HasSubstr("another question"));
}

TEST(MasterClient, TasksThatDoNotFitIntoOneAnswerAreFetchedPageByPage) {
  FakeMaster master([](const wire::Request& request) {
    const auto first = request.describe_job().first_task();
    wire::Reply reply;
    for (auto index = first; index < std::min(first + 2, 5u); ++index)
      reply.mutable_job()->add_tasks()->set_index(index);
    if (first + 2 < 5) reply.mutable_job()->set_next_task(first + 2);
    return reply;
  });
  MasterClient client(options_for(master));
  const auto job = client.describe(JobId{1}, {.tasks = true});
  ASSERT_TRUE(job);
  ASSERT_EQ(job->tasks_size(), 5);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(job->tasks(i).index(), static_cast<unsigned>(i));
}

TEST(MasterClient, RefusalsKeepTheirSentenceAndKind) {
  FakeMaster master([](const wire::Request& request) {
    wire::Reply reply;
    reply.set_error("no such thing");
    reply.set_bad_input(request.has_submit());
    return reply;
  });
  MasterClient client(options_for(master));
  EXPECT_EQ(client.submit({}).error().kind, ErrorKind::BadInput);
  EXPECT_EQ(client.kill(JobId{1}).error().kind, ErrorKind::Failed);
  EXPECT_EQ(client.kill(JobId{1}).error().message, "no such thing");
}

TEST(MasterClient, AnAnswerToAnotherQuestionIsAnError) {
  FakeMaster master([](const wire::Request&) {
    wire::Reply reply;
    reply.mutable_nodes();
    return reply;
  });
  MasterClient client(options_for(master));
  EXPECT_THAT(client.list_jobs().error().message, HasSubstr("another question"));
}

TEST(MasterClient, NobodyThereTellsHowToStartAMaster) {
  net::Endpoint gone;
  {
    FakeMaster master([](const wire::Request&) { return std::nullopt; });
    gone = master.endpoint();
  }
  MasterClient::Options options;
  options.masters = gone;
  MasterClient client(options);
  const auto status = client.connect();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Unavailable);
  EXPECT_THAT(status.error().message, HasSubstr("ontime-master --listen " + net::to_string(gone)));
}

TEST(MasterClient, AWrongTokenIsBadInput) {
  FakeMaster master([](const wire::Request&) { return std::nullopt; }, "secret");
  auto options = options_for(master);
  options.token = "guess";
  MasterClient client(options);
  EXPECT_EQ(client.connect().error().kind, ErrorKind::BadInput);
  options.token = "secret";
  MasterClient welcome(options);
  EXPECT_TRUE(welcome.connect());
}

TEST(MasterClient, ABrokenConnectionIsUnavailableAndTheNextQuestionConnectsAgain) {
  std::atomic<int> asked = 0;
  FakeMaster master([&](const wire::Request&) -> std::optional<wire::Reply> {
    if (asked++ == 0) return std::nullopt;
    wire::Reply reply;
    reply.mutable_jobs();
    return reply;
  });
  MasterClient client(options_for(master));
  EXPECT_EQ(client.list_jobs().error().kind, ErrorKind::Unavailable);
  EXPECT_TRUE(client.list_jobs());
}

// A listening socket that nobody accepts from: the master is away, as while it is started again.
class AwayMaster : public testing::Test {
 protected:
  MasterClient::Options options() {
    MasterClient::Options options;
    options.masters = net::Endpoint{"127.0.0.1", acceptor_->local_endpoint().port()};
    return options;
  }
  asio::io_context io_{1};
  Result<asio::ip::tcp::acceptor> acceptor_ = net::listen(io_.get_executor(), {"127.0.0.1", 0});
};

TEST_F(AwayMaster, PatienceEnds) {
  auto impatient = options();
  impatient.patience = 30ms;
  MasterClient client(impatient);
  EXPECT_EQ(client.connect().error().kind, ErrorKind::Unavailable);
}

TEST_F(AwayMaster, TheWatchEndsTheWait) {
  auto watched = options();
  int calls = 0;
  watched.watch = [&calls]() -> Status { return ++calls < 3 ? Status() : failed("enough"); };
  MasterClient client(watched);
  EXPECT_EQ(client.list_jobs().error().message, "enough");
}

wire::Reply job_in(wire::JobState state) {
  wire::Reply reply;
  reply.mutable_job()->mutable_summary()->set_state(state);
  return reply;
}

TEST(Follow, WaitsThroughPollsAndBrokenConnectionsForTheEnd) {
  std::atomic<int> asked = 0;
  FakeMaster master([&](const wire::Request& request) -> std::optional<wire::Reply> {
    EXPECT_GT(request.describe_job().wait_ns(), 0);
    const int turn = asked++;
    if (turn == 1) return std::nullopt;
    return job_in(turn < 3 ? wire::RUNNING : wire::SUCCEEDED);
  });
  MasterClient client(options_for(master));
  ProgressView view(true);
  const auto ended = follow(client, JobId{1}, view, 60s);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->summary().state(), wire::SUCCEEDED);
  EXPECT_EQ(asked, 4);
}

TEST(Follow, AMasterThatForgotTheJobEndsTheWait) {
  FakeMaster master([](const wire::Request&) {
    wire::Reply reply;
    reply.set_error("there is no job-1");
    return reply;
  });
  MasterClient client(options_for(master));
  ProgressView view(true);
  EXPECT_EQ(follow(client, JobId{1}, view, 60s).error().message, "there is no job-1");
}

}  // namespace
}  // namespace ontime::cli
