#pragma once
// A test of the journal in etcd with members that are there.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/journal/etcd_records.h"
#include "tests/support/etcd_cluster.h"

namespace ontime::journal {

using scheduler::JournalRecord;
using OpenedEtcd = Result<std::unique_ptr<EtcdJournal>>;

inline void ignore_leader(const std::string&) {}

// With a cluster that is there before each test.
class EtcdJournalTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::EtcdCluster::is_there()) GTEST_SKIP() << test::kNoEtcd;
  }

  void start(std::size_t members = 1, const test::Arguments& more = {}) {
    etcd_ = std::make_unique<test::EtcdCluster>(members, more);
  }

  EtcdAddress address() const { return parse_etcd_address(etcd_->address()).value(); }

  std::unique_ptr<EtcdJournal> open(EtcdSettings settings = {}) const {
    OpenedEtcd opened = EtcdJournal::open(address(), std::move(settings));
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }

  std::unique_ptr<EtcdJournal> lead(EtcdSettings settings = {}) const {
    auto journal = open(std::move(settings));
    if (!journal) return nullptr;
    const Status leads = journal->lead(ignore_leader);
    EXPECT_TRUE(leads) << leads.error().message;
    return journal;
  }

  std::string refusal(EtcdSettings settings = {}) const {
    OpenedEtcd opened = EtcdJournal::open(address(), std::move(settings));
    if (!opened) return opened.error().message;
    const Status leads = (*opened)->lead(ignore_leader);
    return leads ? "" : leads.error().message;
  }

  static void append(Journal& journal, const std::vector<JournalRecord>& batch) {
    const Status status = journal.append(batch);
    ASSERT_TRUE(status) << status.error().message;
  }
  static void append_marks(Journal& journal, std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t number = first; number < end; ++number) append(journal, {record_of({1, number})});
  }

  static std::vector<Mark> marks(Journal& journal) {
    Status status;
    std::vector<Mark> all = marks_in(journal, status);
    EXPECT_TRUE(status) << status.error().message;
    return all;
  }
  static std::vector<Mark> first(std::uint32_t count) {
    std::vector<Mark> all;
    for (std::uint32_t number = 0; number < count; ++number) all.push_back({1, number});
    return all;
  }

  // Past the journal.
  EtcdAnswer transact(const EtcdTransaction& transaction) const {
    const std::atomic<bool> never{false};
    EtcdAccess access;
    for (const std::string& host : address().hosts) access.origins.push_back("http://" + host);
    const auto answer = EtcdClient(access, std::chrono::seconds(10), &never).transact(transaction);
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? *answer : EtcdAnswer();
  }
  void put(const std::string& key, const std::string& value) const {
    transact({.then = {{.kind = EtcdOperation::Kind::Put, .key = key, .value = value}}});
  }
  void erase(const std::string& key, const std::string& end = "") const {
    transact({.then = {{.kind = EtcdOperation::Kind::Erase, .key = key, .end = end}}});
  }
  std::vector<EtcdEntry> get(const std::string& key, const std::string& end = "") const {
    const EtcdAnswer answer = transact({.then = {{.key = key, .end = end}}});
    return answer.got.empty() ? std::vector<EtcdEntry>() : answer.got[0];
  }

  const EtcdLayout layout_{"ontime"};
  std::unique_ptr<test::EtcdCluster> etcd_;
};

}  // namespace ontime::journal
