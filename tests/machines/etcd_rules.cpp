#include "tests/machines/etcd_rules.h"

#include <algorithm>
#include <utility>

namespace ontime::lab::machines {
namespace {

using Kind = EtcdOperation::Kind;

const EtcdError kNoSpace{EtcdError::Kind::NoSpace, "etcdserver: mvcc: database space exceeded"};
const EtcdError kNoLease{EtcdError::Kind::NotFound, "etcdserver: requested lease not found"};

bool covers(const EtcdOperation& range, const std::string& key) {
  return range.end.empty() ? key == range.key : range.key <= key && key < range.end;
}

// What is put is put once, and not erased by the same transaction.
bool puts_once(const std::vector<EtcdOperation>& operations) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].kind != Kind::Put) continue;
    for (std::size_t j = 0; j < operations.size(); ++j) {
      if (j != i && operations[j].kind != Kind::Get && covers(operations[j], operations[i].key)) return false;
    }
  }
  return true;
}

bool has_put(const std::vector<EtcdOperation>& operations) {
  return std::ranges::any_of(operations, [](const EtcdOperation& one) { return one.kind == Kind::Put; });
}

}  // namespace

const EtcdEntry* EtcdRules::find(const std::string& key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

bool EtcdRules::holds(const EtcdCompare& compare) const {
  const EtcdEntry* const entry = find(compare.key);
  if (compare.value) return entry != nullptr && entry->value == *compare.value;
  if (compare.modified) return (entry != nullptr ? entry->modified : 0) == *compare.modified;
  return (entry != nullptr ? entry->created : 0) == compare.created;
}

void EtcdRules::put(const EtcdOperation& operation) {
  EtcdEntry& entry = entries_[operation.key];
  if (entry.created == 0) entry.created = revision_ + 1;
  entry.key = operation.key;
  entry.value = operation.value;
  entry.modified = revision_ + 1;
  entry.lease = operation.lease;
}

std::vector<EtcdEntry> EtcdRules::carry_out(const EtcdOperation& operation, bool& has_changed) {
  if (operation.kind == Kind::Put) {
    put(operation);
    has_changed = true;
    return {};
  }
  std::vector<EtcdEntry> got;
  const auto begin = entries_.lower_bound(operation.key);
  auto end = begin;
  for (; end != entries_.end() && covers(operation, end->first); ++end) {
    if (operation.kind == Kind::Get && (operation.limit <= 0 || std::cmp_less(got.size(), operation.limit)))
      got.push_back(end->second);
  }
  if (operation.kind == Kind::Erase && begin != end) {
    entries_.erase(begin, end);
    has_changed = true;
  }
  return got;
}

EtcdResult<EtcdAnswer> EtcdRules::transact(const EtcdTransaction& transaction, TimePoint now) {
  end_leases(now);
  if (!puts_once(transaction.then) || !puts_once(transaction.otherwise))
    return EtcdError{EtcdError::Kind::Refused, "etcdserver: duplicate key given in txn request"};
  if (is_full && (has_put(transaction.then) || has_put(transaction.otherwise))) return kNoSpace;
  EtcdAnswer answer;
  answer.has_held = std::ranges::all_of(transaction.compares, [this](const EtcdCompare& one) { return holds(one); });
  const auto& operations = answer.has_held ? transaction.then : transaction.otherwise;
  for (const EtcdOperation& one : operations) {
    if (one.kind == Kind::Put && one.lease != 0 && !leases_.contains(one.lease)) return kNoLease;
  }
  bool has_changed = false;
  for (const EtcdOperation& one : operations) answer.got.push_back(carry_out(one, has_changed));
  if (has_changed) ++revision_;
  answer.revision = revision_;
  if (has_changed) on_change();
  return answer;
}

EtcdResult<std::int64_t> EtcdRules::grant_lease(Duration length, TimePoint now) {
  end_leases(now);
  if (is_full) return kNoSpace;
  const Duration granted = std::max<Duration>(std::chrono::ceil<std::chrono::seconds>(length), kLeaseMin);
  leases_[++last_lease_] = {granted, now + granted};
  return last_lease_;
}

EtcdResult<void> EtcdRules::renew_lease(std::int64_t lease, TimePoint now) {
  end_leases(now);
  const auto found = leases_.find(lease);
  if (found == leases_.end()) return kNoLease;
  found->second.end = now + found->second.length;
  return {};
}

EtcdResult<void> EtcdRules::revoke_lease(std::int64_t lease, TimePoint now) {
  end_leases(now);
  if (!leases_.contains(lease)) return kNoLease;
  end_lease(lease);
  return {};
}

// What was before is nothing that the journal asks for.
EtcdResult<void> EtcdRules::compact(std::int64_t revision, TimePoint now) {
  end_leases(now);
  if (revision <= compacted_)
    return EtcdError{EtcdError::Kind::Refused, "etcdserver: mvcc: required revision has been compacted"};
  if (revision > revision_)
    return EtcdError{EtcdError::Kind::Refused, "etcdserver: mvcc: required revision is a future revision"};
  compacted_ = revision;
  return {};
}

void EtcdRules::prolong_leases(TimePoint now) {
  for (auto& [id, lease] : leases_) lease.end = now + lease.length;
}

// Its keys go with it, all at one revision.
void EtcdRules::end_lease(std::int64_t lease) {
  leases_.erase(lease);
  if (std::erase_if(entries_, [lease](const auto& entry) { return entry.second.lease == lease; }) > 0) ++revision_;
}

void EtcdRules::end_leases(TimePoint now) {
  std::vector<std::int64_t> over;
  for (const auto& [id, lease] : leases_) {
    if (lease.end <= now) over.push_back(id);
  }
  for (const std::int64_t lease : over) end_lease(lease);
}

}  // namespace ontime::lab::machines
