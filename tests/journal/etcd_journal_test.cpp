// The journal in etcd with members that are there: who leads, what is too large, what is damaged.
#include "master/journal/etcd_journal.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/journal/etcd_fixture.h"

namespace ontime::journal {
namespace {

TEST_F(EtcdJournalTest, OneLeadsAndTheNextFollowsAndHearsOfItAndLeadsWhenItGoes) {
  start();
  auto leader = lead({.name = "a:7400"});
  ASSERT_TRUE(leader);
  append_marks(*leader, 0, 3);
  auto next = open({.name = "b:7400"});
  ASSERT_TRUE(next);
  std::mutex mutex;
  std::vector<std::string> heard;
  Status leads = failed("not yet");
  std::thread waiting([&] {
    leads = next->lead([&](const std::string& name) {
      const std::lock_guard lock(mutex);
      heard.push_back(name);
    });
  });
  EXPECT_TRUE(test::eventually([&] {
    const std::lock_guard lock(mutex);
    return !heard.empty();
  }));
  append_marks(*leader, 3, 5);
  leader.reset();
  waiting.join();
  ASSERT_TRUE(leads) << leads.error().message;
  EXPECT_EQ(heard, (std::vector<std::string>{"a:7400", ""}));
  EXPECT_EQ(marks(*next), first(5));
  append_marks(*next, 5, 6);
  EXPECT_EQ(marks(*next), first(6));
}

TEST_F(EtcdJournalTest, WaitingToLeadEndsWhenItIsStopped) {
  start();
  const auto leader = lead();
  auto next = open();
  ASSERT_TRUE(leader && next);
  std::atomic<bool> follows{false};
  Status leads;
  std::thread waiting([&] { leads = next->lead([&](const std::string&) { follows = true; }); });
  EXPECT_TRUE(test::eventually([&] { return follows.load(); }));
  next->stop();
  waiting.join();
  EXPECT_FALSE(leads);
}

TEST_F(EtcdJournalTest, WhoseLeaseIsRevokedHearsOfItOnceAndWritesNoMore) {
  start();
  auto leader = open();
  ASSERT_TRUE(leader);
  std::atomic<int> lost{0};
  leader->on_lost([&](const std::string&) { ++lost; });
  ASSERT_TRUE(leader->lead(ignore_leader));
  append_marks(*leader, 0, 2);
  const std::vector<EtcdEntry> key = get(layout_.leader());
  ASSERT_EQ(key.size(), 1u);
  char lease[17];
  std::snprintf(lease, sizeof lease, "%llx", static_cast<unsigned long long>(key[0].lease));
  EXPECT_EQ(etcd_->control({"lease", "revoke", lease}).status, 0);
  const std::vector<JournalRecord> batch{record_of({1, 2})};
  const Status status = leader->append(batch);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Failed);
  EXPECT_NE(status.error().message.find("leads no more"), std::string::npos) << status.error().message;
  EXPECT_TRUE(test::eventually([&] { return lost == 1; }));
  EXPECT_FALSE(leader->append_again(batch));
  EXPECT_EQ(marks(*lead()), first(2));
  EXPECT_EQ(lost, 1);
}

// The lease of the first is alive all the time: it is the comparison that keeps it out.
TEST_F(EtcdJournalTest, WhoseKeyAnotherHasTakenWritesNoMore) {
  start();
  auto one = open({.lease = std::chrono::minutes(1)});
  ASSERT_TRUE(one);
  std::atomic<int> lost{0};
  one->on_lost([&](const std::string&) { ++lost; });
  ASSERT_TRUE(one->lead(ignore_leader));
  append_marks(*one, 0, 2);
  erase(layout_.leader());
  auto other = lead();
  ASSERT_TRUE(other);
  append_marks(*other, 2, 4);
  const std::vector<JournalRecord> batch{large_record(7, 3 * kEtcdPartBytes)}, small{record_of({1, 9})};
  EXPECT_FALSE(one->append(batch));
  EXPECT_TRUE(test::eventually([&] { return lost == 1; }));
  EXPECT_FALSE(one->append(small));
  EXPECT_EQ(get(layout_.log_from(0), layout_.log_end()).size(), 4u);
  EXPECT_EQ(marks(*other), first(4));
}

TEST_F(EtcdJournalTest, StoresABatchOnceThoughItIsAppendedAgain) {
  start();
  auto journal = lead();
  ASSERT_TRUE(journal);
  const std::vector<JournalRecord> batch{record_of({1, 0}), record_of({1, 1})};
  append(*journal, batch);
  ASSERT_TRUE(journal->append_again(batch));
  append_marks(*journal, 2, 3);
  journal.reset();
  EXPECT_EQ(marks(*lead()), first(3));
}

TEST_F(EtcdJournalTest, ALargeBatchIsWholeOrNotThere) {
  start();
  auto journal = lead();
  ASSERT_TRUE(journal);
  append(*journal, {record_of({1, 0}), large_record(9, 10 * kEtcdPartBytes), record_of({1, 1})});
  EXPECT_EQ(get(layout_.log_from(1), layout_.log_end()).size(), 11u);
  // As a master leaves it that dies before the last part.
  put(layout_.log_part(2, 0, 3), encode_batch(std::vector<JournalRecord>{record_of({1, 99})}));
  put(layout_.log_part(2, 1, 3), "more");
  journal.reset();
  journal = lead();
  ASSERT_TRUE(journal);
  EXPECT_EQ(marks(*journal), first(2));
  append_marks(*journal, 2, 3);
  journal.reset();
  EXPECT_EQ(marks(*lead()), first(3));
}

TEST_F(EtcdJournalTest, StaysShortHoweverMuchIsWritten) {
  start();
  auto journal = lead({.log_bytes_min = 64u << 10});
  ASSERT_TRUE(journal);
  append(*journal, {large_record(2, 3 * kEtcdPartBytes)});
  for (std::uint32_t number = 0; number < 300; ++number) {
    append(*journal, {record_of({1, number}), large_record(100 + number, 20'000)});
    if (number > 0) append(*journal, {forget(100 + number - 1)});
  }
  const auto is_short = [&] {
    std::size_t bytes = 0;
    for (const EtcdEntry& entry : get("ontime/", "ontime0")) bytes += entry.value.size();
    return bytes < 5 * 3 * kEtcdPartBytes / 2;  // the snapshot, and a log that is no longer than it
  };
  EXPECT_TRUE(test::eventually(is_short));
  EXPECT_FALSE(get(layout_.current()).empty());
  EXPECT_GT(get(layout_.log_from(0), layout_.log_end()).front().key, layout_.log_from(2));
  journal.reset();
  journal = lead();
  EXPECT_EQ(marks(*journal), first(300));
}

TEST_F(EtcdJournalTest, AFollowerReadsTheSnapshotWhenTheLogHasGoneFromUnderIt) {
  start();
  auto journal = lead({.log_bytes_min = 32u << 10});
  ASSERT_TRUE(journal);
  append_marks(*journal, 0, 2);
  RecordStore store;
  EtcdFollower follower(layout_, store);
  const std::atomic<bool> never{false};
  const EtcdAccess access{{"http://" + address().hosts[0]}, "", "", {}};
  EtcdClient client(access, std::chrono::seconds(10), &never);
  ASSERT_TRUE(follower.look(client));
  EXPECT_EQ(follower.chain().batches, 2u);
  for (std::uint32_t number = 2; number < 60; ++number)
    append(*journal, {record_of({1, number}), large_record(5, 10'000), forget(5)});
  EXPECT_TRUE(test::eventually([&] { return get(layout_.log_from(0), layout_.log_from(4)).empty(); }));
  for (bool is_all = false; !is_all;) {
    const auto seen = follower.look(client);
    ASSERT_TRUE(seen) << seen.error().message;
    is_all = seen->is_all;
  }
  std::vector<std::string> read;
  ASSERT_TRUE(store.read_all([&](const JournalRecord& one) { read.push_back(encode_batch({&one, 1})); }));
  std::vector<std::string> wanted;
  ASSERT_TRUE(journal->read_all([&](const JournalRecord& one) { wanted.push_back(encode_batch({&one, 1})); }));
  EXPECT_EQ(read, wanted);
}

// Each is done to a journal that is whole, with a snapshot and a log, and undone.
TEST_F(EtcdJournalTest, RefusesWhatIsDamaged) {
  start();
  {
    auto journal = lead({.log_bytes_min = 32u << 10});
    ASSERT_TRUE(journal);
    append(*journal, {record_of({1, 0}), large_record(3, 3 * kEtcdPartBytes)});
    EXPECT_TRUE(test::eventually([&] { return !get(layout_.current()).empty(); }));
    append_marks(*journal, 1, 4);
  }
  const std::string log = layout_.log_part(3, 0, 1), part = layout_.snapshot_part(1, 1);
  for (const std::string& key : {layout_.head(), layout_.current(), log, layout_.log_part(4, 0, 1), part}) {
    SCOPED_TRACE(key);
    const std::vector<EtcdEntry> whole = get(key);
    ASSERT_EQ(whole.size(), 1u);
    erase(key);
    EXPECT_NE(refusal().find("it is damaged"), std::string::npos) << refusal();
    std::string flipped = whole[0].value;
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
    put(key, flipped);
    EXPECT_NE(refusal().find("it is damaged"), std::string::npos) << refusal();
    put(key, whole[0].value);
    EXPECT_EQ(refusal(), "");
  }
}

TEST_F(EtcdJournalTest, WaitsWithoutSpaceAndStoresTheBatchOnceWhenThereIsSome) {
  start(1, {"--quota-backend-bytes", std::to_string(16 << 20)});
  auto journal = lead({.quota_bytes = 16 << 20});
  ASSERT_TRUE(journal);
  EXPECT_TRUE(journal->has_room_for(1 << 20));
  const Status room = journal->has_room_for(5 << 20);
  ASSERT_FALSE(room);
  EXPECT_NE(room.error().message.find("has no room for 5.0 MiB more"), std::string::npos) << room.error().message;
  for (int i = 0; i < 10; ++i) {  // somebody else's; the file of its database may be twice as large
    const std::string key = "other/" + std::to_string(i);
    transact({.then = {{.kind = EtcdOperation::Kind::Put, .key = key, .value = std::string(500'000, 'x')}}});
  }
  std::uint32_t stored = 0;
  std::vector<JournalRecord> batch;
  Status status;
  for (; status && stored < 100; stored += status ? 1 : 0) {
    batch = {record_of({1, stored}), large_record(100 + stored, 400'000)};
    status = journal->append(batch);
  }
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Unavailable);
  EXPECT_NE(status.error().message.find("no space left"), std::string::npos) << status.error().message;
  EXPECT_FALSE(journal->append_again(batch));
  const auto next = EtcdJournal::open(parse_etcd_address(etcd_->address()).value(), {});
  EXPECT_TRUE(next) << next.error().message;
  // Its limit may be passed by as much as comes within 100 ms; a transaction that only erases is refused then as well.
  EXPECT_EQ(etcd_->control({"del", "--prefix", "other/"}).status, 0);
  const std::int64_t revision = transact({.then = {{.key = "other/"}}}).revision;
  EXPECT_EQ(etcd_->control({"compact", std::to_string(revision)}).status, 0);
  EXPECT_EQ(etcd_->control({"defrag"}).status, 0);
  EXPECT_EQ(etcd_->control({"alarm", "disarm"}).status, 0);
  EXPECT_TRUE(test::eventually([&] { return bool(status = journal->append_again(batch)); })) << status.error().message;
  EXPECT_EQ(marks(*journal), first(stored + 1));
  journal.reset();
  EXPECT_EQ(marks(*lead()), first(stored + 1));
}

}  // namespace
}  // namespace ontime::journal
