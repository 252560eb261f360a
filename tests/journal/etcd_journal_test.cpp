// The journal in etcd with members that are there: who leads, what is refused, what is too large, what is damaged.
#include "master/journal/etcd_journal.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/journal/etcd_records.h"
#include "tests/support/etcd_cluster.h"
#include "tests/support/temporary_directory.h"

namespace ontime::journal {
namespace {

using scheduler::JournalRecord;
using Opened = Result<std::unique_ptr<EtcdJournal>>;

void ignore_leader(const std::string&) {}

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
    Opened opened = EtcdJournal::open(address(), std::move(settings));
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
    Opened opened = EtcdJournal::open(address(), std::move(settings));
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
  auto one = lead();
  ASSERT_TRUE(one);
  append_marks(*one, 0, 2);
  erase(layout_.leader());
  auto other = lead();
  ASSERT_TRUE(other);
  append_marks(*other, 2, 4);
  const std::vector<JournalRecord> batch{large_record(7, 3 * kEtcdPartBytes)}, small{record_of({1, 9})};
  EXPECT_FALSE(one->append(batch));
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

TEST_F(EtcdJournalTest, RefusesAnotherFormat) {
  start();
  put(layout_.meta(), std::to_string(kJournalFormat + 1) + " cluster");
  EXPECT_NE(refusal().find("it has format 9 and this ontime-master knows formats up to 8"), std::string::npos);
  put(layout_.meta(), "7 cluster");
  EXPECT_NE(refusal().find("let the ontime-master that wrote it finish its jobs"), std::string::npos);
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

TEST_F(EtcdJournalTest, NamesAnEtcdThatTakesOnlySmallRequests) {
  start(1, {"--max-request-bytes", "100000"});
  auto journal = lead();
  ASSERT_TRUE(journal);
  const std::vector<JournalRecord> batch{large_record(3, 200'000)};
  const Status status = journal->append(batch);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::Failed);
  EXPECT_NE(status.error().message.find("--max-request-bytes"), std::string::npos) << status.error().message;
}

TEST_F(EtcdJournalTest, WaitsWithoutSpaceAndStoresTheBatchOnceWhenThereIsSome) {
  start(1, {"--quota-backend-bytes", std::to_string(16 << 20)});
  auto journal = lead({.quota_bytes = 16 << 20});
  ASSERT_TRUE(journal);
  EXPECT_TRUE(journal->has_room_for(1 << 20));
  const Status room = journal->has_room_for(5 << 20);
  ASSERT_FALSE(room);
  EXPECT_NE(room.error().message.find("has no room for 5.0 MiB more"), std::string::npos) << room.error().message;
  for (int i = 0; i < 20; ++i) {  // somebody else's
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
  const std::int64_t revision =
      transact({.then = {{.kind = EtcdOperation::Kind::Erase, .key = "other/", .end = "other0"}}}).revision;
  EXPECT_EQ(etcd_->control({"compact", std::to_string(revision)}).status, 0);
  EXPECT_EQ(etcd_->control({"defrag"}).status, 0);
  EXPECT_EQ(etcd_->control({"alarm", "disarm"}).status, 0);
  EXPECT_TRUE(test::eventually([&] { return bool(status = journal->append_again(batch)); })) << status.error().message;
  EXPECT_EQ(marks(*journal), first(stored + 1));
  journal.reset();
  EXPECT_EQ(marks(*lead()), first(stored + 1));
}

TEST_F(EtcdJournalTest, TakesAUserAndItsPasswordAndNamesAWrongOne) {
  start();
  for (const test::Arguments& one :
       std::vector<test::Arguments>{{"user", "add", "root:secret"},
                                    {"user", "grant-role", "root", "root"},
                                    {"user", "add", "master:pa/ss:word"},
                                    {"role", "add", "journal"},
                                    {"role", "grant-permission", "journal", "--prefix=true", "readwrite", "ontime/"},
                                    {"user", "grant-role", "master", "journal"},
                                    {"auth", "enable"}}) {
    const test::Finished done = etcd_->control(one);
    ASSERT_EQ(done.status, 0) << done.err;
  }
  EXPECT_NE(refusal().find("user name is empty"), std::string::npos) << refusal();
  EXPECT_NE(refusal({.user = "master", .password = "wrong"}).find("the user 'master' is not let in: etcd says"),
            std::string::npos);
  const auto elsewhere = parse_etcd_address("etcd://master:pa%2Fss%3Aword@" + etcd_->hosts() + "/elsewhere");
  ASSERT_TRUE(elsewhere);
  const Opened opened = EtcdJournal::open(*elsewhere, {});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("permission denied"), std::string::npos) << opened.error().message;
  EXPECT_EQ(opened.error().message.find("word"), std::string::npos) << opened.error().message;
  auto journal = lead({.lease = std::chrono::seconds(60), .user = "master", .password = "pa/ss:word"});
  ASSERT_TRUE(journal);
  append_marks(*journal, 0, 1);
  etcd_->kill(0);  // which knows no token then
  etcd_->start(0);
  const std::vector<JournalRecord> batch{record_of({1, 1})};
  Status status = journal->append(batch);
  EXPECT_TRUE(status || test::eventually([&] { return bool(status = journal->append_again(batch)); }));
  EXPECT_EQ(marks(*journal), first(2));
}

TEST_F(EtcdJournalTest, SaysWhoCannotBeReachedAndWhoIsNoEtcd) {
  const auto nobody = parse_etcd_address("etcd://127.0.0.1:" + test::free_port() + "/ontime");
  ASSERT_TRUE(nobody);
  const Opened opened = EtcdJournal::open(*nobody, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::Unavailable);
  EXPECT_EQ(opened.error().message, "Cannot open the journal in " + nobody->text() + ": the server at http://" +
                                        nobody->hosts[0] + " cannot be reached.");
}

}  // namespace
}  // namespace ontime::journal
