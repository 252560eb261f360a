// Lines as RocksDB writes them.
#include "master/journal/damage_log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace ontime::journal {
namespace {

void drop(DamageLog& log, const std::string& before, const std::string& file) {
  rocksdb::Warn(&log, "[db/db_impl/db_impl_open.cc:885] %s%s: dropping %d bytes; %s", before.c_str(), file.c_str(), 12,
                "Corruption: checksum mismatch");
}

TEST(DamageLog, NamesTheFirstFileThatRecordsWereDroppedFrom) {
  DamageLog log;
  EXPECT_EQ(log.place(), "");
  rocksdb::Warn(&log, "[db/db_impl/db_impl.cc:1] /journal/000001.log is %d bytes long", 7);
  EXPECT_EQ(log.place(), "");
  drop(log, "", "/journal/000004.log");
  drop(log, "", "/journal/000005.log");
  EXPECT_EQ(log.place(), "'/journal/000004.log', ");
}

TEST(DamageLog, NamesAFileWhoseErrorIsIgnored) {
  DamageLog log;
  drop(log, "(ignoring error) ", "/journal/000004.log");
  EXPECT_EQ(log.place(), "'/journal/000004.log', ");
}

TEST(DamageLog, NamesAFileByItsWholePath) {
  for (const std::string& directory : {std::string("/my journal [1] of/all"), std::string(4000, 'd')}) {
    DamageLog log;
    drop(log, "", directory + "/000004.log");
    EXPECT_EQ(log.place(), "'" + directory + "/000004.log', ");
  }
}

// The race detector sees an access without the lock.
TEST(DamageLog, IsWrittenAndReadByThreadsAtOnce) {
  DamageLog log;
  std::thread writer([&] { drop(log, "", "/journal/000004.log"); });
  const std::string place = log.place();
  writer.join();
  EXPECT_TRUE(place.empty() || place == log.place()) << place;
  EXPECT_EQ(log.place(), "'/journal/000004.log', ");
}

}  // namespace
}  // namespace ontime::journal
