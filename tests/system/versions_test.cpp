// Programs of other versions: what stands between them rewrites their messages into those that an older or a newer
// release of either would send.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "common/protocol/client.pb.h"
#include "common/protocol/control.pb.h"
#include "common/protocol/version.h"
#include "tests/system/middlebox.h"
#include "tests/system/paced_jobs.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;

const std::string kUnknown("\xc0\x3e\x01", 3);  // field 1000: 1, of a later release
constexpr std::uint32_t kNext = protocol::kVersion.minor_version + 1;
constexpr std::size_t kFirst = 2;  // frame that is not part of the handshake

using Frames = std::vector<std::string>;

template <class Message>
Message parsed(std::string_view payload) {
  Message message;
  EXPECT_TRUE(message.ParseFromArray(payload.data(), static_cast<int>(payload.size())));
  return message;
}

template <class Greeting>
std::string with_minor(std::string_view payload, std::uint32_t minor, const std::string& release) {
  Greeting greeting = parsed<Greeting>(payload);
  greeting.set_protocol(protocol::kVersion.major_version);
  greeting.set_protocol_minor(minor);
  greeting.set_release(release);
  return greeting.SerializeAsString() + (minor > protocol::kVersion.minor_version ? kUnknown : "");
}

// What masters call a release whose protocol is so many versions ahead.
std::string release_of(std::uint32_t majors, std::uint32_t minors) {
  const auto [major, minor] = protocol::kVersion;
  return "Ontime 9.8.7 (protocol " + std::to_string(major + majors) + "." + std::to_string(minor + minors) + ")";
}

// The first of a major version may say none of it.
template <class Greeting>
std::string without_minor(std::string_view payload) {
  Greeting greeting = parsed<Greeting>(payload);
  greeting.clear_protocol_minor();
  greeting.clear_release();
  return greeting.SerializeAsString();
}

// As if the message and the one in it had another field.
template <class Message>
std::string with_more(std::string_view payload) {
  const std::string tag(1, static_cast<char>(parsed<Message>(payload).what_case() << 3 | 2));
  return std::string(payload) + kUnknown + tag + static_cast<char>(kUnknown.size()) + kUnknown;  // protobuf merges both
}

// A worker of a later minor version: says more everywhere, and things that are new.
Frames of_newer_worker(bool of_guest, std::size_t number, std::string_view payload) {
  if (!of_guest || number == 1) return {std::string(payload)};
  if (number == 0) return {with_minor<wire::Hello>(payload, kNext, "9.8.7")};
  return {with_more<wire::ToMaster>(payload), kUnknown};
}

// To a worker of the first minor version: its hello is shorter, and the master says more than it knows.
Frames of_older_worker(bool of_guest, std::size_t number, std::string_view payload) {
  if (of_guest) return {number == 0 ? without_minor<wire::Hello>(payload) : std::string(payload)};
  if (number == 1) return {with_minor<wire::HelloReply>(payload, kNext, "9.8.7")};
  if (number < kFirst) return {std::string(payload)};
  return {with_more<wire::ToWorker>(payload), kUnknown};
}

// The same, and every job needs something of it that is new.
Frames of_worker_too_old_for_the_job(bool of_guest, std::size_t number, std::string_view payload) {
  if (of_guest || number < kFirst) return of_older_worker(of_guest, number, payload);
  auto message = parsed<wire::ToWorker>(payload);
  if (!message.has_orders()) return {std::string(payload)};
  for (auto& order : *message.mutable_orders()->mutable_orders())
    if (order.has_setup()) order.mutable_setup()->set_needs_minor(kNext);
  return {message.SerializeAsString()};
}

// Its questions are those that are known here.
Frames of_newer_client(bool of_guest, std::size_t number, std::string_view payload) {
  if (!of_guest || number != 0) return {std::string(payload)};
  return {with_minor<wire::Hello>(payload, kNext, "9.8.7")};
}

// Its jobs have an option that is new.
Frames of_client_that_asks_for_more(bool of_guest, std::size_t number, std::string_view payload) {
  if (!of_guest || number < kFirst) return of_newer_client(of_guest, number, payload);
  auto request = parsed<wire::Request>(payload);
  if (request.has_submit()) request.set_needs_minor(kNext);
  return {request.SerializeAsString()};
}

// And so is its question.
Frames of_client_with_a_new_question(bool of_guest, std::size_t number, std::string_view payload) {
  if (!of_guest || number < kFirst) return of_newer_client(of_guest, number, payload);
  wire::Request request;
  request.set_needs_minor(kNext);
  return {request.SerializeAsString() + kUnknown};
}

Frames of_next_major(bool of_guest, std::size_t number, std::string_view payload) {
  if (!of_guest || number != 0) return {std::string(payload)};
  auto hello = parsed<wire::Hello>(payload);
  hello.set_protocol(protocol::kVersion.major_version + 1);
  hello.set_release("9.8.7");
  return {hello.SerializeAsString()};
}

class OtherVersions : public PacedJobs {
 protected:
  // Time-outs that only a process that hangs reaches, however slow the machine is.
  void SetUp() override {
    cluster_.set_node_timeout("60s");
    cluster_.start_master({"--cut-timeout", "60s"});
  }
  Process start_worker(const std::string& name, const Middlebox& through) {
    return Process({kBin + "/ontime-worker", "--master", through.address(), "--name", name, "--slots", "1",
                    "--drain-timeout", "100s"},
                   cluster_ / name);
  }
  // Each of its attempts takes minutes, unless it is released.
  std::string submit(const std::string& output) {
    return cluster_.submit({"paced", kNovel, "--output", cluster_ / output, "--splits", "3", "--checkpoint", "1s",
                            "--set", "lines=1", "--set", "pause_us=100000", "--set", "until=" + (cluster_ / "goes-on"),
                            "--app-dir", kApps});
  }
  void release_jobs() { write_file(cluster_ / "goes-on", ""); }
  std::ptrdiff_t live() const {
    const nlohmann::json all = cluster_.nodes();
    return std::count_if(all.begin(), all.end(), [](const nlohmann::json& node) { return node["state"] == "live"; });
  }
  void expect_right(const std::string& job, const std::string& output) {
    EXPECT_EQ(cluster_.wait(job), "succeeded") << cluster_.job(job).dump(1);
    EXPECT_EQ(verified_answer(cluster_ / output), counted_by_coreutils(kNovel));
  }
  Finished submit_through(const Middlebox& through, const std::string& output) {
    return ontime({"submit", "--master", through.address(), "wordcount", kNovel, "--output", cluster_ / output});
  }
};

// Workers of an older minor version than their master are replaced by those of a newer one, and the master is
// restarted, while a job runs.
TEST_F(OtherVersions, AJobRunsOnWhileItsClusterIsUpgradedOneByOne) {
  const Middlebox older(cluster_.address(), of_older_worker);
  const Middlebox newer(cluster_.address(), of_newer_worker);
  std::vector<Process> workers;
  for (const char* name : {"old-1", "old-2", "old-3"}) workers.push_back(start_worker(name, older));
  ASSERT_TRUE(eventually([&] { return live() == 3; }));
  const std::string job = submit("out");
  ASSERT_TRUE(eventually([&] { return cluster_.job(job)["attempts_running"] == 3; }));
  const std::string first = "an older Ontime (protocol " + std::to_string(protocol::kVersion.major_version) + ".0)";
  const bool is_named = cluster_.master().output().err.find(first) != std::string::npos;
  EXPECT_EQ(is_named, protocol::kVersion.minor_version > 0) << "it is older, unless there is no older one";
  for (int i = 0; i < 3; ++i) {
    workers[static_cast<std::size_t>(i)].signal(SIGTERM);
    EXPECT_EQ(workers[static_cast<std::size_t>(i)].wait().status, 0);
    workers.push_back(start_worker("new-" + std::to_string(i + 1), newer));
    ASSERT_TRUE(eventually([&] { return live() == 3; }));
    if (i != 1) continue;
    cluster_.restart_master();
    ASSERT_TRUE(eventually([&] { return live() == 3; }));
    EXPECT_EQ(cluster_.job(job)["state"], "running");
  }
  release_jobs();
  expect_right(job, "out");
  EXPECT_EQ(cluster_.job(job)["attempts_failed"], 0) << cluster_.job(job).dump(1);
  expect_right(submit("again"), "again");
  EXPECT_THAT(cluster_.master().output().err, HasSubstr(release_of(0, 1)));
}

// Each worker that takes a killed one's place is of another version than the last, and so may be older than the one
// before it. A master that is restarted finds all of them.
TEST_F(OtherVersions, RandomKillsNeverChangeTheAnswer) {
  cluster_.set_node_timeout("1s");
  cluster_.start_master();
  const Middlebox older(cluster_.address(), of_older_worker);
  const Middlebox newer(cluster_.address(), of_newer_worker);
  const std::array<std::string, 3> ways{older.address(), newer.address(), cluster_.address()};
  int next = 0;
  const auto turn = [&] { cluster_.lead_workers_to(ways[next++ % 3]); };
  for (int i = 0; i < 3; ++i) {
    turn();
    cluster_.add_worker();
  }
  kill_at_random(20, turn);
}

TEST_F(OtherVersions, AJobThatNeedsMoreThanAnOlderWorkerKnowsRunsOnTheOthers) {
  const Middlebox older(cluster_.address(), of_worker_too_old_for_the_job);
  const Process old_worker = start_worker("old", older);
  cluster_.add_worker();
  ASSERT_TRUE(eventually([&] { return live() == 2; }));
  release_jobs();
  const std::string job = submit("out");
  expect_right(job, "out");
  const std::string all = cluster_.job(job).dump();
  EXPECT_THAT(all, HasSubstr("needs a newer worker than this one, which is " + protocol::describe_own_version()));
}

TEST_F(OtherVersions, ANewerClientIsServedAsFarAsAllOfItsRequestIsKnown) {
  cluster_.add_worker();
  const Middlebox newer(cluster_.address(), of_newer_client);
  const Finished served = submit_through(newer, "out");
  EXPECT_EQ(served.status, 0) << served.err;
  expect_right("job-1", "out");
  const Middlebox asks_for_more(cluster_.address(), of_client_that_asks_for_more);
  const Middlebox asks_anew(cluster_.address(), of_client_with_a_new_question);
  for (const Middlebox* box : {&asks_for_more, &asks_anew}) {
    const Finished refused = submit_through(*box, "more");
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(protocol::describe_own_version()));
    EXPECT_THAT(refused.err, HasSubstr("its client, " + release_of(0, 1) + ", asks for; upgrade the master"));
  }
  EXPECT_EQ(cluster_.client({"jobs", "--json"}).out.find("job-2"), std::string::npos);
}

TEST_F(OtherVersions, AnotherMajorVersionIsTurnedAwayWithOneSentence) {
  const Middlebox next(cluster_.address(), of_next_major);
  const std::string expected = release_of(1, 0) + " and this master is " + protocol::describe_own_version() +
                               ", which do not understand each other; upgrade the master";
  const Finished client = submit_through(next, "out");
  EXPECT_EQ(client.status, 2) << client.err;
  EXPECT_THAT(client.err, HasSubstr("the client is " + expected));
  const Finished worker = start_worker("next", next).wait();
  EXPECT_NE(worker.status, 0);
  EXPECT_THAT(worker.err, HasSubstr("the worker is " + expected));
}

}  // namespace
}  // namespace ontime::test
