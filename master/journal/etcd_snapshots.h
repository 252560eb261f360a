#pragma once
// Keeps the journal of a leader in etcd short: has all records in memory, writes them as a snapshot in the background
// once the log has outgrown it, and then removes the log. What is appended meanwhile waits in memory.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "master/journal/directory.h"
#include "master/journal/etcd_client.h"
#include "master/journal/etcd_layout.h"
#include "master/journal/record_store.h"

namespace ontime::journal {

class EtcdSnapshots {
 public:
  struct Start {
    std::int64_t leadership = 0;
    Chain chain{};           // of what the store holds
    EtcdSnapshot current{};  // in etcd
    std::uint64_t log_bytes = 0;
    std::uint64_t log_bytes_min = 0;  // a shorter log is left alone
  };

  // The store is its alone until it ends; all outlive it.
  EtcdSnapshots(const EtcdAccess& access, const EtcdLayout& layout, RecordStore& store, const Start& start);
  ~EtcdSnapshots();
  EtcdSnapshots(const EtcdSnapshots&) = delete;

  // A batch that is stored, and the chain with it. One thread.
  void add(std::string batch, const Chain& chain);
  // With all batches that were added. Waits for a snapshot that is being written.
  Status read_all(const std::function<void(const scheduler::JournalRecord&)>& visit);
  // Of all records, as a batch; any thread.
  std::uint64_t bytes() const { return bytes_; }

 private:
  void run();  // a thread
  void apply_added();
  bool is_due() const;
  void write_snapshot();
  bool put_part(std::uint64_t part, std::string_view bytes);
  void remove_before(const EtcdSnapshot& before);
  bool make_current(const EtcdSnapshot& snapshot);
  // They may be carried out again, and later. False: this leads no more, or ends.
  bool insist(std::vector<EtcdOperation> operations);
  // `is_done`: whether what was got otherwise says that an earlier try has done it.
  bool insist(const EtcdTransaction& transaction, const std::function<bool(const EtcdAnswer&)>& is_done);

  const EtcdLayout& layout_;
  const std::int64_t leadership_;
  const std::uint64_t log_bytes_min_;
  std::atomic<bool> is_ending_{false};
  std::atomic<std::uint64_t> bytes_;
  EtcdClient client_;  // the thread's, and so is what follows
  EtcdSnapshot current_;
  std::uint64_t log_bytes_;
  std::int64_t revision_ = 0;  // of the latest write
  bool leads_ = true;
  std::mutex store_mutex_;  // is taken before mutex_
  RecordStore& store_;      // guarded by store_mutex_
  Chain chain_;             // of what the store holds; guarded by store_mutex_
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<std::string, Chain>> added_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace ontime::journal
