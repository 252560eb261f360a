#pragma once
// Reads a journal in etcd as it grows: first its snapshot, then what the leader appends. Looks again and again rather
// than watch: a look is one transaction, so what it sees of the leader, the head and the log is of one moment, and that
// moment is the latest.

#include <cstdint>
#include <string>

#include "master/journal/directory.h"
#include "master/journal/etcd_client.h"
#include "master/journal/etcd_layout.h"
#include "master/journal/record_store.h"

namespace ontime::journal {

class EtcdFollower {
 public:
  struct Seen {
    std::string leader;           // its name
    std::int64_t leadership = 0;  // 0: nobody leads
    std::int64_t lease = 0;       // the leader's
    bool is_all = false;          // all that is stored has been read
  };

  // Both outlive it.
  EtcdFollower(const EtcdLayout& layout, RecordStore& store) : layout_(layout), store_(store) {}

  // Reads some of what is new. Refused: the journal is damaged.
  EtcdResult<Seen> look(EtcdClient& client);

  const Chain& chain() const { return chain_; }  // of what has been read
  const EtcdSnapshot& snapshot() const { return snapshot_; }
  std::uint64_t log_bytes() const { return log_bytes_; }  // behind the snapshot, as far as they were read

 private:
  EtcdResult<void> take_log(const std::vector<EtcdEntry>& log, std::uint64_t batches, bool& has_gap);
  EtcdResult<void> take_batch();
  EtcdResult<void> load_snapshot(EtcdClient& client);
  EtcdResult<void> explain_missing_part(EtcdClient& client) const;
  void adapt_limit(const std::vector<EtcdEntry>& log);

  const EtcdLayout& layout_;
  RecordStore& store_;
  Chain chain_;
  EtcdSnapshot snapshot_;
  std::uint64_t log_bytes_ = 0;
  std::string batch_;            // the parts so far of the next one
  std::uint64_t next_part_ = 0;  // of it
  std::int64_t limit_ = 16;      // keys in one look
};

}  // namespace ontime::journal
