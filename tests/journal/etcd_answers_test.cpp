// Answers of etcd that get lost, and requests that come twice.
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/hash/base64.h"
#include "tests/journal/etcd_fixture.h"

namespace ontime::journal {
namespace {

// Stands between a master and etcd.
class Forwarder {
 public:
  explicit Forwarder(const std::string& host) : host_(host) {
    server_.Post(".*",
                 [this](const httplib::Request& request, httplib::Response& answer) { forward(request, answer); });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  ~Forwarder() {
    server_.stop();
    thread_.join();
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  // The answer to the next transaction does not get through.
  void lose_answer() { loses_answer_ = true; }
  // Answers that are larger get through no more.
  void let_pass(std::size_t bytes_max) { bytes_max_ = bytes_max; }
  // Asked when the next transaction comes that has `part` in a value or key of its own; false: it does not get through.
  using Asked = std::function<bool(const std::string& transaction)>;
  void ask_at(const std::string& part, Asked asked) {
    const std::lock_guard lock(mutex_);
    part_ = hash::to_base64(part);
    asked_ = std::move(asked);
  }
  void carry_out(const std::string& transaction) const {
    EXPECT_TRUE(httplib::Client("http://" + host_).Post(kTransaction, transaction, kJson));
  }
  // Each once more, the latest first: so that it does not end as it was before.
  void repeat_all() {
    std::vector<std::string> all;
    {
      const std::lock_guard lock(mutex_);
      all = transactions_;
    }
    for (auto one = all.rbegin(); one != all.rend(); ++one) carry_out(*one);
  }

 private:
  static constexpr const char* kTransaction = "/v3/kv/txn";
  static constexpr const char* kJson = "application/json";

  void forward(const httplib::Request& request, httplib::Response& answer) {
    const bool is_transaction = request.path == kTransaction;
    Asked asked;
    if (is_transaction) {
      const std::lock_guard lock(mutex_);
      transactions_.push_back(request.body);
      if (asked_ && request.body.find(part_) != std::string::npos) asked.swap(asked_);
    }
    if (asked && !asked(request.body)) {
      answer.status = 503;
      return;
    }
    const httplib::Result result = httplib::Client("http://" + host_).Post(request.path, request.body, kJson);
    if (!result || result->body.size() > bytes_max_ || (is_transaction && loses_answer_.exchange(false))) {
      answer.status = 503;
      return;
    }
    answer.status = result->status;
    answer.set_content(result->body, kJson);
  }

  const std::string host_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::atomic<bool> loses_answer_{false};
  std::atomic<std::size_t> bytes_max_{SIZE_MAX};
  std::mutex mutex_;
  std::string part_;  // guarded by mutex_, as what follows
  Asked asked_;
  std::vector<std::string> transactions_;
};

class EtcdAnswersTest : public EtcdJournalTest {
 protected:
  void start_with_forwarder() {
    start();
    forwarder_ = std::make_unique<Forwarder>(address().hosts[0]);
  }
  // By so many members, which are all the same.
  std::unique_ptr<EtcdJournal> open_by_forwarder(EtcdSettings settings, int members = 1) {
    EtcdAddress address = this->address();
    address.hosts.assign(static_cast<std::size_t>(members), forwarder_->host());
    auto opened = EtcdJournal::open(address, std::move(settings));
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }
  std::unique_ptr<EtcdJournal> lead_by_forwarder(EtcdSettings settings = {.lease = std::chrono::seconds(60)}) {
    start_with_forwarder();
    auto journal = open_by_forwarder(std::move(settings));
    EXPECT_TRUE(journal && journal->lead(ignore_leader));
    return journal;
  }
  // Nobody else would lead before its lease ends.
  const EtcdSettings patient_{.lease = std::chrono::hours(1), .name = "a:7400"};

  std::unique_ptr<Forwarder> forwarder_;
};

TEST_F(EtcdAnswersTest, ABatchWhoseAnswerIsLostIsStoredOnce) {
  auto journal = lead_by_forwarder();
  ASSERT_TRUE(journal);
  append_marks(*journal, 0, 1);
  const std::vector<scheduler::JournalRecord> batch{record_of({1, 1}), large_record(5, 2 * kEtcdPartBytes)};
  forwarder_->lose_answer();
  const Status status = journal->append(batch);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Unavailable);
  EXPECT_TRUE(journal->append_again(batch));
  append_marks(*journal, 2, 3);
  const std::vector<scheduler::JournalRecord> small{record_of({1, 3})};
  forwarder_->lose_answer();
  EXPECT_FALSE(journal->append(small));
  EXPECT_TRUE(journal->append_again(small));
  EXPECT_EQ(marks(*journal), first(4));
  journal.reset();
  EXPECT_EQ(marks(*lead()), first(4));
}

// As a member does that hung with it, after another has carried it out. Everything that the master has ever sent comes
// again: to take the lead, to store, to write snapshots and to remove what is before them.
TEST_F(EtcdAnswersTest, ARequestThatIsCarriedOutLateChangesNothing) {
  auto journal = lead_by_forwarder({.lease = std::chrono::seconds(60), .log_bytes_min = 8u << 10});
  ASSERT_TRUE(journal);
  std::uint32_t number = 0;
  for (int round = 0; round < 4; ++round) {
    for (const std::uint32_t end = number + 5; number < end; ++number)
      append(*journal, {record_of({1, number}), large_record(5 + number, 3000), forget(5 + number - 1)});
    append(*journal, {large_record(4, 2 * kEtcdPartBytes), forget(4)});
    forwarder_->repeat_all();
  }
  EXPECT_TRUE(test::eventually([&] { return !get(layout_.current()).empty(); }));
  forwarder_->repeat_all();
  append_marks(*journal, number, number + 1);
  forwarder_->repeat_all();
  const std::vector<Mark> all = first(number + 1);
  EXPECT_EQ(marks(*journal), all);
  journal.reset();
  journal = lead();
  ASSERT_TRUE(journal);
  forwarder_->repeat_all();
  EXPECT_EQ(marks(*journal), all);
  journal.reset();
  EXPECT_EQ(marks(*lead()), all);
}

// The other member, which is asked then, finds that somebody leads: this master.
TEST_F(EtcdAnswersTest, LeadsThoughTheAnswerThatSaysSoIsLost) {
  start_with_forwarder();
  auto journal = open_by_forwarder(patient_, 2);
  ASSERT_TRUE(journal);
  forwarder_->ask_at(patient_.name, [this](const std::string& take) {
    forwarder_->carry_out(take);
    return false;
  });
  ASSERT_TRUE(journal->lead(ignore_leader));
  append_marks(*journal, 0, 2);
  EXPECT_EQ(marks(*journal), first(2));
}

TEST_F(EtcdAnswersTest, LeadsThoughItsRequestIsCarriedOutLate) {
  start_with_forwarder();
  auto journal = open_by_forwarder(patient_);
  ASSERT_TRUE(journal);
  forwarder_->ask_at(patient_.name, [this](const std::string& take) {
    forwarder_->ask_at(patient_.name, [this, take](const std::string&) {
      forwarder_->carry_out(take);
      return true;
    });
    return false;
  });
  ASSERT_TRUE(journal->lead(ignore_leader));
  append_marks(*journal, 0, 2);
  EXPECT_EQ(marks(*journal), first(2));
}

// With it a request of this master's that is carried out much later would take the lead for nobody.
TEST_F(EtcdAnswersTest, WhoComesTooLateToLeadLeavesNoLease) {
  start_with_forwarder();
  auto journal = open_by_forwarder(patient_);
  ASSERT_TRUE(journal);
  forwarder_->ask_at(patient_.name, [this](const std::string&) {
    put(layout_.leader(), "b:7400");
    return true;
  });
  Status leads;
  std::thread waiting([&] { leads = journal->lead(ignore_leader); });
  EXPECT_TRUE(test::eventually([&] { return !get(layout_.leader()).empty(); }));
  EXPECT_TRUE(test::eventually([&] {
    return etcd_->control({"lease", "list"}).out.find("found 0 leases") != std::string::npos;
  })) << etcd_->control({"lease", "list"}).out;
  journal->stop();
  waiting.join();
  EXPECT_FALSE(leads);
}

TEST_F(EtcdAnswersTest, AFollowerReadsLessAtATimeWhereMuchDoesNotGetThrough) {
  start_with_forwarder();
  auto journal = lead();
  ASSERT_TRUE(journal);
  RecordStore store;
  EtcdFollower follower(layout_, store);
  const std::atomic<bool> never{false};
  const EtcdAccess access{{"http://" + forwarder_->host()}, "", "", {}};
  EtcdClient client(access, std::chrono::seconds(10), &never);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(follower.look(client));  // so that it comes to read much
  for (std::uint32_t number = 0; number < 20; ++number) append(*journal, {large_record(100 + number, 100'000)});
  forwarder_->let_pass(400'000);
  EXPECT_TRUE(test::eventually([&] {
    const auto seen = follower.look(client);
    return seen && seen->is_all;
  }));
}

}  // namespace
}  // namespace ontime::journal
