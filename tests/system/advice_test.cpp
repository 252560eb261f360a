// `ontime-master --advise` and an application master that the test plays: over a real socket, with tokens and without,
// killed and started again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "common/protocol/advise.pb.h"
#include "tests/system/cluster.h"
#include "tests/system/hostile_peer.h"

namespace ontime::test {
namespace {

using testing::HasSubstr;

class AdvisingMaster : public testing::Test {
 protected:
  static wire::ToAdvisor job() {
    wire::ToAdvisor message;
    message.mutable_job()->set_id("job_7_0001");
    message.mutable_job()->mutable_settings()->set_name("sort");
    message.mutable_job()->mutable_settings()->set_deadline(20ll * 1'000'000'000);
    message.mutable_job()->set_resumable(true);
    message.mutable_job()->mutable_settings()->set_policy("s-resume");
    for (const auto& [name, value] : {std::pair{"tau_est", "10ms"}, {"tau_kill", "1h"}, {"r", "0"}, {"t_min", "1s"},
                                      {"beta", "1.5"}, {"t_avg", "1ms"}, {"fit", "flags"}}) {
      wire::Entry* entry = message.mutable_job()->mutable_settings()->add_policy_parameters();
      entry->set_key(name);
      entry->set_value(value);
    }
    message.mutable_job()->add_tasks()->set_length(1'000'000'000);
    return message;
  }
  static wire::AttemptEvent* add_event(wire::ToAdvisor& message, std::uint32_t attempt) {
    wire::AttemptEvent* event = message.mutable_events()->add_events();
    event->set_attempt(attempt);
    return event;
  }

  std::unique_ptr<HostilePeer> admitted(const std::string& token = "") {
    auto peer = std::make_unique<HostilePeer>(cluster_.address());
    EXPECT_TRUE(peer->greet(wire::APPLICATION_MASTER, "", token));
    const auto reply = peer->hear<wire::HelloReply>();
    EXPECT_TRUE(reply && reply->error().empty());
    return peer;
  }
  // Whether its job is taken.
  static bool is_accepted(HostilePeer& peer) {
    for (;;) {
      const auto message = peer.hear<wire::ToApplication>();
      if (!message || !message->has_alive()) return message && message->has_accepted();
    }
  }
  // With its job, of which this has happened so far.
  std::unique_ptr<HostilePeer> connected(const wire::ToAdvisor& past) {
    auto peer = admitted();
    wire::ToAdvisor synchronised;
    synchronised.mutable_synchronised();
    EXPECT_TRUE(peer->say(job()) && (!past.has_events() || peer->say(past)) && peer->say(synchronised));
    EXPECT_TRUE(is_accepted(*peer));
    return peer;
  }
  // The next order of that kind; others do not matter.
  template <class Kind>
  static wire::AdviceOrder next_order(HostilePeer& peer, Kind is_that_kind) {
    while (const auto message = peer.hear<wire::ToApplication>()) {
      for (const wire::AdviceOrder& order : message->orders().orders()) {
        if (is_that_kind(order)) return order;
      }
    }
    ADD_FAILURE() << "no such order came";
    return {};
  }

  Cluster cluster_;
};

TEST_F(AdvisingMaster, CutsAStragglerAndGoesOnAfterItsDeath) {
  cluster_.start_master({"--advise", "3"});
  wire::ToAdvisor said;
  add_event(said, 0)->mutable_started()->set_node("host-a");
  auto peer = connected(said);
  std::jthread stands_still([&peer](const std::stop_token& stop) {
    wire::ToAdvisor progress;
    add_event(progress, 0)->mutable_progress()->set_offset(100);
    while (!stop.stop_requested() && peer->say(progress)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  const wire::AdviceOrder cut = next_order(*peer, [](const auto& order) { return order.has_cut(); });
  stands_still.request_stop();
  stands_still.join();
  EXPECT_EQ(cut.cut().attempt(), 0u);

  cluster_.restart_master();
  said.mutable_events()->mutable_events(0)->mutable_started()->set_order(1);
  add_event(said, 0)->mutable_cut()->set_at(500);
  peer = connected(said);
  const wire::AdviceOrder copy = next_order(*peer, [](const auto& order) { return order.has_add(); });
  EXPECT_EQ(copy.add().begin(), 500u);
  wire::ToAdvisor done;
  add_event(done, 0)->mutable_sealed()->set_at(500);
  wire::AttemptEvent::Started* started = add_event(done, 1)->mutable_started();
  started->set_order(copy.add().order());
  started->set_begin(500);
  add_event(done, 1)->mutable_ended()->set_outcome(wire::AttemptEvent::SUCCEEDED);
  wire::ToAdvisor over;
  over.mutable_job_ended()->set_succeeded(true);
  EXPECT_TRUE(peer->say(done) && peer->say(over));
  EXPECT_EQ(cluster_.wait("job-1"), "succeeded");
  EXPECT_EQ(cluster_.job("job-1")["attempts_launched"], 2);
  EXPECT_THAT(cluster_.client({"explain", "job-1"}).out, HasSubstr("s-resume"));
  EXPECT_THAT(cluster_.client({"nodes"}).out, HasSubstr("container-3"));
}

TEST_F(AdvisingMaster, LetsInWhoKnowsATokenThatMaySubmit) {
  const std::string tokens = cluster_ / "tokens";
  write_secret(tokens, "submit:yarn:right\nread-only:eyes\n");
  cluster_.start_master({"--advise", "3", "--token-file", tokens});
  for (const auto& [token, why] :
       {std::pair{"wrong", "the application master's token is not the master's"}, {"eyes", "needs the role submit"}}) {
    HostilePeer peer(cluster_.address());
    EXPECT_TRUE(peer.greet(wire::APPLICATION_MASTER, "", token));
    const auto reply = peer.hear<wire::HelloReply>();
    ASSERT_TRUE(reply);
    EXPECT_THAT(reply->error(), HasSubstr(why));
  }
  const auto peer = admitted("right");
  EXPECT_TRUE(peer->say(job()));
  EXPECT_TRUE(is_accepted(*peer));
}

TEST_F(AdvisingMaster, ShowsOutWhoSaysWhatNoApplicationMasterWould) {
  cluster_.start_master({"--advise", "3"});
  const auto honest = connected({});
  wire::ToAdvisor elsewhere;
  add_event(elsewhere, 0)->set_task(7);
  elsewhere.mutable_events()->mutable_events(0)->mutable_progress();
  wire::ToAdvisor flood;
  while (flood.events().events_size() <= 10'000) add_event(flood, 0)->mutable_progress();
  for (const wire::ToAdvisor& wrong : {elsewhere, flood, job(), wire::ToAdvisor()}) {
    const auto peer = admitted();
    wire::ToAdvisor own = job();
    own.mutable_job()->set_id("job_7_0666");
    EXPECT_TRUE(peer->say(own));
    peer->say(wrong);
    EXPECT_TRUE(peer->is_shown_out());
  }
  const auto early = admitted();
  EXPECT_TRUE(early->say(elsewhere));  // before the job
  EXPECT_TRUE(early->is_shown_out());
  const auto long_frame = admitted();
  EXPECT_TRUE(long_frame->send("\xff\xff\xff\xff"));
  EXPECT_TRUE(long_frame->is_shown_out());
  const auto noise = admitted();
  EXPECT_TRUE(noise->send(std::string("\x03\0\0\0\xff\xff\xff", 7)));
  EXPECT_TRUE(noise->is_shown_out());

  wire::ToAdvisor over;
  over.mutable_job_ended()->set_succeeded(true);
  EXPECT_TRUE(honest->say(over));
  EXPECT_EQ(cluster_.wait("job-1"), "succeeded");
}

}  // namespace
}  // namespace ontime::test
