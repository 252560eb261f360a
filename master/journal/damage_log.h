#pragma once
// What RocksDB tells only its log: in which file records were dropped because they are damaged.

#include <rocksdb/env.h>

#include <cstdarg>
#include <mutex>
#include <string>

namespace ontime::journal {

// The first such file counts. Any thread: a compaction may log while the database is opened.
class DamageLog : public rocksdb::Logger {
 public:
  DamageLog() : Logger(rocksdb::WARN_LEVEL) {}
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override;
  // "'FILE', "; empty if none was named.
  std::string place() const;

 private:
  mutable std::mutex mutex_;
  std::string file_;
};

}  // namespace ontime::journal
