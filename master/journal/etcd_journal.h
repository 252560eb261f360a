#pragma once
// The journal in a cluster of etcd, which several masters share. One of them leads, by a lease; the others follow what
// it writes. etcd_layout.h says what lies where.
//
// A batch is stored by one transaction that compares the leader's key, which the lease has made, and the chain of all
// batches before: a master that was thought dead can never write again, and what a new leader reads is a prefix with
// all batches that append() has returned for. An etcd that does not answer, has no quorum or no space is Unavailable:
// append_again() finds out whether the batch is stored.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "common/base/time.h"
#include "common/http/poster.h"
#include "master/journal/etcd_address.h"
#include "master/journal/etcd_client.h"
#include "master/journal/etcd_follower.h"
#include "master/journal/etcd_layout.h"
#include "master/journal/etcd_lease.h"
#include "master/journal/etcd_snapshots.h"
#include "master/journal/record_store.h"
#include "master/journal/shared_journal.h"

namespace ontime::journal {

struct EtcdSettings {
  // How long a master may be silent before another leads; at least etcd's own least, 2 s as it comes. An election
  // within etcd takes 1 to 2 s as it comes, and a leader that could not renew its lease meanwhile gives up.
  Duration lease = std::chrono::seconds(2);
  std::string name{};  // the address at which clients reach this master
  TlsFiles tls{};
  std::string user{};  // "": the address's user and password
  std::string password{};
  std::uint64_t log_bytes_min = 16u << 20;  // behind a snapshot, before there is another one
  std::uint64_t quota_bytes = 2ull << 30;   // etcd's --quota-backend-bytes, which it does not tell
};

class EtcdJournal : public SharedJournal {
 public:
  // Makes the journal if there is none. Tries for at most 10 s. An error names the address and the reason: what cannot
  // be reached is Unavailable; another format, no right, no trust and what is no etcd are not.
  static Result<std::unique_ptr<EtcdJournal>> open(const EtcdAddress& address, EtcdSettings settings);
  // Gives up leading, so that another master leads at once. REQUIRES: lead() has returned.
  ~EtcdJournal() override;

  Status lead(const std::function<void(const std::string&)>& on_leader) override;
  void stop() override { is_stopped_ = true; }
  // It counts as lost a tenth of the lease before another one can lead.
  void on_lost(std::function<void(const std::string& why)> lost) override { on_lost_ = std::move(lost); }

  const std::string& cluster() const override { return cluster_; }
  // REQUIRES for the rest: lead() has succeeded.
  Status append(std::span<const scheduler::JournalRecord> batch) override;
  Status append_again(std::span<const scheduler::JournalRecord> batch) override;
  Status set_back(TimePoint latest) override;
  Status read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) override;

  // An error says that so many more bytes of records would not fit into etcd: while a snapshot is written, it holds the
  // one before, the new one and a log of either's size. Any thread.
  Status has_room_for(std::uint64_t bytes) const override;

 private:
  EtcdJournal(const EtcdAddress& address, EtcdSettings settings);
  Status make_or_check();
  EtcdResult<EtcdAnswer> make_or_read();
  Status check_meta(const std::string& meta);
  EtcdResult<void> campaign();
  EtcdResult<bool> begin_leading(const EtcdFollower::Seen& seen);
  void lose(const std::string& why);
  bool note_leading();
  void pause() const;
  Status store();
  EtcdResult<EtcdAnswer> store_parts();
  Error error_about(const char* what, const EtcdError& error) const;

  const std::string text_;  // the address
  const EtcdSettings settings_;
  const EtcdAccess access_;
  const EtcdLayout layout_;
  std::string cluster_;
  std::atomic<bool> is_stopped_{false};
  const std::atomic<bool> never_{false};
  std::function<void(const std::string&)> on_lost_;
  mutable std::mutex mutex_;
  bool leads_ = false;               // guarded by mutex_
  std::optional<std::string> lost_;  // why; guarded by mutex_
  RecordStore records_;
  EtcdFollower follower_;
  EtcdClient following_;  // lead()'s
  EtcdClient writing_;
  std::int64_t leadership_ = 0;
  Chain chain_;                               // of all batches that are stored
  Chain latest_;                              // and of the latest, whether that is stored or not
  std::string pending_;                       // the latest batch, if it may not be stored
  std::unique_ptr<EtcdSnapshots> snapshots_;  // once this leads
  EtcdLease lease_;                           // its threads call what is above
};

}  // namespace ontime::journal
