#pragma once
// The rules of etcd, as far as the journal uses them: what it answers to requests that come one after another, and what
// it holds then. Which member answers, and how they agree, is left out: a cluster of etcd is one that answers or not.
// EtcdRules.AreThoseOfEtcd compares them with the real one.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "master/journal/etcd_client.h"

namespace ontime::lab::machines {

using journal::EtcdAnswer;
using journal::EtcdCompare;
using journal::EtcdEntry;
using journal::EtcdError;
using journal::EtcdOperation;
using journal::EtcdResult;
using journal::EtcdTransaction;

class EtcdRules {
 public:
  static constexpr Duration kLeaseMin = std::chrono::seconds(2);  // as etcd comes
  using Entries = std::map<std::string, EtcdEntry>;

  // As EtcdClient. `now` is by a clock that never goes back; what has ended by then is gone before the request.
  EtcdResult<EtcdAnswer> transact(const EtcdTransaction& transaction, TimePoint now);
  EtcdResult<std::int64_t> grant_lease(Duration length, TimePoint now);
  EtcdResult<void> renew_lease(std::int64_t lease, TimePoint now);
  EtcdResult<void> revoke_lease(std::int64_t lease, TimePoint now);
  EtcdResult<void> compact(std::int64_t revision, TimePoint now);

  // Another member leads etcd: every lease begins anew.
  void prolong_leases(TimePoint now);
  void end_leases(TimePoint now);  // that are over

  // The alarm NOSPACE. How many bytes raise it depends on etcd's database, and is not simulated.
  bool is_full = false;
  const Entries& entries() const { return entries_; }
  // A transaction has changed something.
  std::function<void()> on_change = [] {};

 private:
  struct Lease {
    Duration length{};
    TimePoint end{};
  };
  const EtcdEntry* find(const std::string& key) const;
  bool holds(const EtcdCompare& compare) const;
  std::vector<EtcdEntry> carry_out(const EtcdOperation& operation, bool& has_changed);
  void put(const EtcdOperation& operation);
  void end_lease(std::int64_t lease);

  Entries entries_;
  std::map<std::int64_t, Lease> leases_;
  std::int64_t last_lease_ = 0;
  std::int64_t revision_ = 1;
  std::int64_t compacted_ = 0;
};

}  // namespace ontime::lab::machines
