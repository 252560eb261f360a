// Answers of etcd that get lost, and requests that come twice.
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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

  std::string address() const { return "etcd://127.0.0.1:" + std::to_string(port_) + "/ontime"; }
  // The answer to the next transaction does not get through.
  void lose_answer() { loses_answer_ = true; }
  // Each once more, the latest first: so that it does not end as it was before.
  void repeat_all() {
    std::vector<std::string> all;
    {
      const std::lock_guard lock(mutex_);
      all = transactions_;
    }
    for (auto one = all.rbegin(); one != all.rend(); ++one)
      EXPECT_TRUE(httplib::Client("http://" + host_).Post(kTransaction, *one, kJson));
  }

 private:
  static constexpr const char* kTransaction = "/v3/kv/txn";
  static constexpr const char* kJson = "application/json";

  void forward(const httplib::Request& request, httplib::Response& answer) {
    const bool is_transaction = request.path == kTransaction;
    if (is_transaction) {
      const std::lock_guard lock(mutex_);
      transactions_.push_back(request.body);
    }
    const httplib::Result result = httplib::Client("http://" + host_).Post(request.path, request.body, kJson);
    if (!result || (is_transaction && loses_answer_.exchange(false))) {
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
  std::mutex mutex_;
  std::vector<std::string> transactions_;  // guarded by mutex_
};

class EtcdAnswersTest : public EtcdJournalTest {
 protected:
  std::unique_ptr<EtcdJournal> lead_by_forwarder(EtcdSettings settings = {.lease = std::chrono::seconds(60)}) {
    start();
    forwarder_ = std::make_unique<Forwarder>(address().hosts[0]);
    auto opened = EtcdJournal::open(parse_etcd_address(forwarder_->address()).value(), std::move(settings));
    EXPECT_TRUE(opened) << opened.error().message;
    if (!opened) return nullptr;
    EXPECT_TRUE((*opened)->lead(ignore_leader));
    return std::move(*opened);
  }

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

}  // namespace
}  // namespace ontime::journal
