#include "master/journal/etcd_follower.h"

#include <algorithm>
#include <utility>

#include "common/base/crc32c.h"

namespace ontime::journal {
namespace {

using Operation = EtcdOperation;

constexpr std::size_t kLookBytes = 2u << 20;  // about as much is read at a time
constexpr std::int64_t kLimitMax = 4096;

EtcdError damaged(const std::string& how) {
  return {EtcdError::Kind::Refused, how +
                                        "; it is damaged, and going on without its records could repeat or lose work: "
                                        "restore etcd from a copy or start with another --journal"};
}

std::string value_of(const std::vector<EtcdEntry>& got) { return got.empty() ? std::string() : got.front().value; }

}  // namespace

EtcdResult<EtcdFollower::Seen> EtcdFollower::look(EtcdClient& client) {
  EtcdTransaction look;
  look.then = {{.key = layout_.leader()},
               {.key = layout_.head()},
               {.key = layout_.current()},
               {.key = layout_.log_part(chain_.batches + 1, next_part_, 0), .end = layout_.log_end(), .limit = limit_}};
  EtcdResult<EtcdAnswer> answer = client.transact(look);
  if (!answer) {
    limit_ = std::max<std::int64_t>(1, limit_ / 2);  // it may have been too much at a time
    return answer.error();
  }
  auto& got = answer->got;
  if (got.size() != look.then.size()) return EtcdError{EtcdError::Kind::Refused, "etcd answers less than was asked"};
  const std::optional<Chain> head = decode_chain(value_of(got[1]));
  if (!head) return damaged("the count of its batches is missing or damaged");
  const std::optional<EtcdSnapshot> current = got[2].empty() ? EtcdSnapshot() : decode_snapshot(got[2].front().value);
  if (!current) return damaged("what it says of its snapshot is damaged");
  bool has_gap = false;
  if (*current != snapshot_) {
    has_gap = chain_.batches == 0;  // nothing is read yet, and that is the faster way
    snapshot_ = *current;
    log_bytes_ = 0;
  }
  if (!has_gap) {
    adapt_limit(got[3]);
    if (const EtcdResult<void> taken = take_log(got[3], head->batches, has_gap); !taken) return taken.error();
  }
  if (has_gap) {
    if (const EtcdResult<void> loaded = load_snapshot(client); !loaded) return loaded.error();
  }
  if (chain_.batches > head->batches && !has_gap) return damaged("it has fewer batches than were read before");
  Seen seen;
  if (!got[0].empty()) seen = {got[0].front().value, got[0].front().created, got[0].front().lease, false};
  seen.is_all = chain_.batches == head->batches;
  if (seen.is_all && chain_ != *head) return damaged("its batches are not those that were written");
  return seen;
}

void EtcdFollower::adapt_limit(const std::vector<EtcdEntry>& log) {
  std::size_t bytes = 0;
  for (const EtcdEntry& entry : log) bytes += entry.value.size();
  if (bytes > kLookBytes) {
    limit_ = std::max<std::int64_t>(1, limit_ / 2);
  } else if (bytes < kLookBytes / 4) {
    limit_ = std::min(kLimitMax, 2 * limit_);
  }
}

// What lies behind the head is not stored yet.
EtcdResult<void> EtcdFollower::take_log(const std::vector<EtcdEntry>& log, std::uint64_t batches, bool& has_gap) {
  has_gap = log.empty() && batches > chain_.batches;
  for (const EtcdEntry& entry : log) {
    const auto place = layout_.log_place(entry.key);
    if (!place) return damaged("its log holds a key that is no batch's");
    if (place->batch > batches && chain_.batches == batches) break;
    // The batches in between are in the snapshot.
    has_gap = place->batch != chain_.batches + 1 || place->part != next_part_;
    if (has_gap) break;
    batch_ += entry.value;
    if (++next_part_ < place->parts) continue;
    if (const EtcdResult<void> taken = take_batch(); !taken) return taken.error();
  }
  return {};
}

EtcdResult<void> EtcdFollower::take_batch() {
  const Result<std::size_t> applied = store_.apply(batch_);
  if (!applied || *applied != batch_.size())
    return damaged("batch " + std::to_string(chain_.batches + 1) + " of its log is none");
  chain_ = chain_.with(batch_);
  log_bytes_ += batch_.size();
  batch_.clear();
  next_part_ = 0;
  return {};
}

EtcdResult<void> EtcdFollower::load_snapshot(EtcdClient& client) {
  constexpr std::int64_t kPartsAtOnce = kLookBytes / kEtcdPartBytes;
  const std::uint64_t batch = snapshot_.chain.batches;
  if (batch <= chain_.batches) return damaged("batches of its log are missing");
  RecordStore loaded;
  std::string rest;  // that is not whole yet
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;
  for (std::uint64_t part = 0; part < snapshot_.parts;) {
    EtcdTransaction get;
    get.then = {
        {.key = layout_.snapshot_part(batch, part), .end = layout_.snapshot_from(batch + 1), .limit = kPartsAtOnce}};
    const EtcdResult<EtcdAnswer> answer = client.transact(get);
    if (!answer) return answer.error();
    if (answer->got.empty() || answer->got[0].empty()) return explain_missing_part(client);
    for (const EtcdEntry& entry : answer->got[0]) {
      if (entry.key != layout_.snapshot_part(batch, part++)) return explain_missing_part(client);
      checksum = crc32c(checksum, entry.value.data(), entry.value.size());
      bytes += entry.value.size();
      rest += entry.value;
      const Result<std::size_t> applied = loaded.apply(rest);
      if (!applied) return damaged("its snapshot is none");
      rest.erase(0, *applied);
    }
  }
  if (!rest.empty() || bytes != snapshot_.bytes || checksum != snapshot_.checksum)
    return damaged("its snapshot is not the one that was written");
  store_ = std::move(loaded);
  chain_ = snapshot_.chain;
  batch_.clear();
  next_part_ = 0;
  return {};
}

// The leader removes a snapshot once there is another one.
EtcdResult<void> EtcdFollower::explain_missing_part(EtcdClient& client) const {
  EtcdTransaction get;
  get.then = {{.key = layout_.current()}};
  const EtcdResult<EtcdAnswer> answer = client.transact(get);
  if (!answer) return answer.error();
  const bool is_same = !answer->got.empty() && value_of(answer->got[0]) == encode_snapshot(snapshot_);
  if (is_same) return damaged("parts of its snapshot are missing");
  return EtcdError{EtcdError::Kind::Passing, "its snapshot is just being replaced"};
}

}  // namespace ontime::journal
