// The simulated etcd, through the client that ships, beside Debian's.
#include "tests/machines/etcd_rules.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/store/network.h"
#include "tests/machines/etcd_server.h"
#include "tests/machines/small_cluster.h"
#include "tests/support/etcd_cluster.h"

namespace ontime::lab::machines::test {
namespace {

using namespace std::chrono_literals;
using journal::EtcdAccess;
using journal::EtcdClient;
using Kind = EtcdOperation::Kind;

constexpr std::int64_t kNeverGranted = std::int64_t{1} << 40;

// A request whose revisions count from where its sequence began, and whose leases are those of the sequence, from 1.
struct Asked {
  enum class What { Transact, Grant, Renew, Revoke, Compact };
  What what = What::Transact;
  EtcdTransaction transaction{};
  std::int64_t number = 0;  // of the lease; the revision
};

// An etcd, and what a sequence of requests needs to mean the same to each.
class Asker {
 public:
  explicit Asker(EtcdClient& client) : client_(client), base_(client.transact({})->revision) {}

  std::string ask(const Asked& asked) {
    switch (asked.what) {
      case Asked::What::Transact:
        return told(client_.transact(here(asked.transaction)));
      case Asked::What::Grant: {
        const EtcdResult<std::int64_t> granted = client_.grant_lease(600s);
        if (granted) leases_.push_back(*granted);
        return granted ? "granted" : told(granted.error());
      }
      case Asked::What::Renew:
        return told(client_.renew_lease(lease(asked.number)));
      case Asked::What::Revoke:
        return told(client_.revoke_lease(lease(asked.number)));
      default:
        return told(client_.compact(base_ + asked.number));
    }
  }

 private:
  std::int64_t lease(std::int64_t number) const {
    if (number == 0) return 0;
    return std::cmp_less_equal(number, leases_.size()) ? leases_[static_cast<std::size_t>(number - 1)] : kNeverGranted;
  }
  std::int64_t number_of(std::int64_t lease) const {
    return lease == 0 ? 0 : std::ranges::find(leases_, lease) - leases_.begin() + 1;
  }

  EtcdTransaction here(EtcdTransaction asked) const {
    for (EtcdCompare& one : asked.compares) {
      if (one.created != 0) one.created += base_;
      if (one.modified && *one.modified != 0) *one.modified += base_;
    }
    for (auto* const operations : {&asked.then, &asked.otherwise}) {
      for (EtcdOperation& one : *operations) one.lease = lease(one.lease);
    }
    return asked;
  }

  static std::string told(const EtcdError& error) { return "error " + std::to_string(static_cast<int>(error.kind)); }
  static std::string told(const EtcdResult<void>& done) { return done ? "done" : told(done.error()); }
  std::string told(const EtcdResult<EtcdAnswer>& answer) const {
    if (!answer) return told(answer.error());
    std::string text = (answer->has_held ? "held at " : "not held at ") + std::to_string(answer->revision - base_);
    for (const auto& got : answer->got) {
      text += " |";
      for (const auto& [key, value, created, modified, lease] : got) {
        text += " " + key + "=" + value + " made " + std::to_string(created - base_) + " changed " +
                std::to_string(modified - base_) + " lease " + std::to_string(number_of(lease));
      }
    }
    return text;
  }

  EtcdClient& client_;
  const std::int64_t base_;
  std::vector<std::int64_t> leases_;
};

std::string any_key() { return std::string("k") + static_cast<char>('a' + *rc::gen::inRange(0, 4)); }
std::string any_value() { return std::string(static_cast<std::size_t>(*rc::gen::inRange(0, 3)), 'v'); }

EtcdOperation any_operation() {
  EtcdOperation one{.kind = *rc::gen::element(Kind::Get, Kind::Put, Kind::Put, Kind::Erase), .key = any_key()};
  if (one.kind == Kind::Put) {
    one.value = any_value();
    one.lease = *rc::gen::element(0, 0, 1, 2, 3);
  } else if (*rc::gen::inRange(0, 2) == 0) {
    one.end = any_key();
    one.limit = one.kind == Kind::Get ? *rc::gen::inRange(0, 3) : 0;
  }
  return one;
}

EtcdCompare any_compare() {
  EtcdCompare one{.key = any_key()};
  const std::int64_t revision = *rc::gen::inRange(0, 6);
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      one.value = any_value();
      break;
    case 1:
      one.modified = revision;
      break;
    default:
      one.created = revision;
  }
  return one;
}

template <class Draw>
auto some(int most, Draw draw) {
  std::vector<decltype(draw())> all;
  for (int count = *rc::gen::inRange(0, most + 1); count > 0; --count) all.push_back(draw());
  return all;
}

Asked any_request() {
  using enum Asked::What;
  Asked asked{.what = *rc::gen::weightedElement<Asked::What>(
                  {{12, Transact}, {2, Grant}, {1, Renew}, {2, Revoke}, {1, Compact}})};
  if (asked.what == Transact)
    asked.transaction = {some(2, any_compare), some(3, any_operation), some(2, any_operation)};
  asked.number = *rc::gen::inRange(1, asked.what == Compact ? 8 : 4);
  return asked;
}

std::vector<Asked> any_sequence() {
  std::vector<Asked> all{{.what = Asked::What::Grant}};
  for (int count = *rc::gen::inRange(1, 25); count > 0; --count) all.push_back(any_request());
  all.push_back({.transaction = {.then = {{.key = "k", .end = "l"}}}});
  return all;
}

std::vector<std::string> answers(EtcdClient& client, const std::vector<Asked>& sequence) {
  Asker asker(client);
  std::vector<std::string> all;
  for (const Asked& one : sequence) all.push_back(asker.ask(one));
  return all;
}

class SimulatedEtcd {
 public:
  void use(const std::function<void(EtcdClient&)>& what) {
    small_.run(small_.other, [&] {
      EtcdClient client(access_, 1500ms, &never_);
      what(client);
    });
  }
  std::vector<std::string> answers_to(const std::vector<Asked>& sequence) {
    std::vector<std::string> all;
    use([&](EtcdClient& client) { all = answers(client, sequence); });
    return all;
  }
  EtcdRules& rules() { return server_.rules; }
  void pass(Duration time) { small_.pass(time); }

 private:
  SmallCluster small_;
  EtcdServer server_{small_.cluster, small_.one};
  const pid_t process_ = server_.start().id();
  const EtcdAccess access_{{server_.endpoint()}, "", "", {}};
  const std::atomic<bool> never_{false};
};

class EtcdRulesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!ontime::test::EtcdCluster::is_there()) GTEST_SKIP() << ontime::test::kNoEtcd;
  }

  void start() {
    etcd_.emplace(1);
    access_.origins = {"http://" + etcd_->hosts()};
    client_.emplace(access_, 60s, &never_);
  }
  EtcdClient& real() { return *client_; }
  // etcd raises it over the size of a file, which may be past the quota by then: that refuses more.
  void raise_alarm() {
    const auto poster =
        store::network().make_poster({.origin = access_.origins[0], .silence = 60s, .is_over = &never_});
    const auto raised =
        poster->post("/v3/maintenance/alarm", R"({"action": "ACTIVATE", "memberID": "1", "alarm": "NOSPACE"})", "");
    ASSERT_TRUE(raised && !raised->failure);
    const auto answer = real().transact({.then = {{.kind = Kind::Put, .key = "k", .value = "v"}}});
    ASSERT_EQ(answer.error().kind, EtcdError::Kind::NoSpace);
  }
  void clear() { ASSERT_TRUE(real().transact({.then = {{.kind = Kind::Erase, .key = "k", .end = "l"}}})); }

 private:
  std::optional<ontime::test::EtcdCluster> etcd_;
  EtcdAccess access_;
  const std::atomic<bool> never_{false};
  std::optional<EtcdClient> client_;
};

TEST_F(EtcdRulesTest, AreThoseOfEtcd) {
  start();
  EXPECT_TRUE(rc::check("etcd and the simulated one answer the same", [&] {
    const std::vector<Asked> sequence = any_sequence();
    clear();
    RC_ASSERT(answers(real(), sequence) == SimulatedEtcd().answers_to(sequence));
  }));
}

TEST_F(EtcdRulesTest, AreThoseOfEtcdWithoutSpace) {
  start();
  raise_alarm();
  EXPECT_TRUE(rc::check("without space they answer the same", [&] {
    const std::vector<Asked> sequence = any_sequence();
    SimulatedEtcd simulated;
    simulated.rules().is_full = true;
    RC_ASSERT(answers(real(), sequence) == simulated.answers_to(sequence));
  }));
}

TEST_F(EtcdRulesTest, EndALeaseWithItsKeysAtOneRevision) {
  start();
  const auto first = [](EtcdClient& client, const std::function<void()>& pass) {
    const auto begun = client.transact({});
    const auto lease = client.grant_lease(2s);
    for (const char* key : {"ka", "kb"})
      EXPECT_TRUE(client.transact({.then = {{.kind = Kind::Put, .key = key, .lease = *lease}}}));
    EtcdResult<EtcdAnswer> seen = EtcdAnswer();
    do {
      pass();
      seen = client.transact({.then = {{.key = "k", .end = "l"}}});
    } while (seen && !seen->got[0].empty());
    EXPECT_EQ(client.renew_lease(*lease).error().kind, EtcdError::Kind::NotFound);
    return seen->revision - begun->revision;
  };
  EXPECT_EQ(first(real(), [] {}), 3);
  SimulatedEtcd simulated;
  simulated.use([&](EtcdClient& client) {
    EXPECT_EQ(first(client,
                    [] {
                      Thread& here = *World::here();
                      here.sleep_until(here.world().now() + 100ms);
                    }),
              3);
  });
}

}  // namespace
}  // namespace ontime::lab::machines::test
