// What the journal writes through to the disk. This program's own fsync and fdatasync count for RocksDB too.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "master/journal/rocksdb_journal.h"
#include "tests/support/temporary_directory.h"

namespace {
std::atomic<int> syncs{0};
}

extern "C" int fsync(int file) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fsync, file));
}

extern "C" int fdatasync(int file) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

namespace ontime::journal {
namespace {

struct Syncs {
  int of_open;
  int of_append;  // RocksDB's alone
};

Syncs syncs_of_a_journal(RocksdbSettings settings) {
  const test::TemporaryDirectory directory;
  syncs = 0;
  auto journal = RocksdbJournal::open(directory / "journal", settings);
  if (!journal || !(*journal)->read_all([](const scheduler::JournalRecord&) {})) {
    ADD_FAILURE() << "there is no journal";
    return {};
  }
  const int of_open = syncs.exchange(0);
  const scheduler::JournalRecord record{from_unix_ns(1), scheduler::fact::MasterStarted{1}};
  EXPECT_TRUE((*journal)->append({&record, 1}));
  return {of_open, syncs};
}

// A run of a second on one machine would wait for its disk for a tenth of it, for a journal that ends with the run.
TEST(UnsyncedJournal, WaitsForNoDisk) {
  const Syncs synced = syncs_of_a_journal({.sync = true});
  EXPECT_GT(synced.of_append, 0);  // so RocksDB's are counted
  const Syncs unsynced = syncs_of_a_journal({.sync = false});
  EXPECT_EQ(unsynced.of_append, 0);
  EXPECT_EQ(unsynced.of_open, 0);
}

}  // namespace
}  // namespace ontime::journal
