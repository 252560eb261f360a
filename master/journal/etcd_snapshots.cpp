#include "master/journal/etcd_snapshots.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

#include "common/base/check.h"
#include "common/base/crc32c.h"
#include "common/log/fields.h"

namespace ontime::journal {
namespace {

constexpr std::uint64_t kBatchesMax = 50'000;    // in the log: etcd holds all keys in memory
constexpr std::uint64_t kBatchesRemoved = 1000;  // at once: etcd does nothing else meanwhile
constexpr Duration kSnapshotSilence = std::chrono::seconds(5);
constexpr Duration kSnapshotPause = std::chrono::milliseconds(500);

}  // namespace

EtcdSnapshots::EtcdSnapshots(const EtcdAccess& access, const EtcdLayout& layout, RecordStore& store, const Start& start)
    : layout_(layout),
      leadership_(start.leadership),
      log_bytes_min_(start.log_bytes_min),
      bytes_(store.bytes()),
      client_(access, kSnapshotSilence, &is_ending_),
      current_(start.current),
      log_bytes_(start.log_bytes),
      store_(store),
      chain_(start.chain),
      thread_([this] { run(); }) {}

EtcdSnapshots::~EtcdSnapshots() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void EtcdSnapshots::add(std::string batch, const Chain& chain) {
  {
    const std::lock_guard lock(mutex_);
    added_.emplace_back(std::move(batch), chain);
  }
  changed_.notify_all();
}

Status EtcdSnapshots::read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) {
  const std::lock_guard lock(store_mutex_);
  apply_added();
  return store_.read_all(visit);
}

void EtcdSnapshots::apply_added() {
  std::vector<std::pair<std::string, Chain>> added;
  {
    const std::lock_guard lock(mutex_);
    added.swap(added_);
  }
  for (const auto& [batch, chain] : added) {
    const Result<std::size_t> applied = store_.apply(batch);
    ONTIME_CHECK(applied && *applied == batch.size(), "a batch that was encoded here is one");
    chain_ = chain;
    log_bytes_ += batch.size();
  }
  bytes_ = store_.bytes();
}

void EtcdSnapshots::run() {
  while (!is_ending_) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_ending_ || !added_.empty(); });
    }
    const std::lock_guard lock(store_mutex_);
    apply_added();
    if (is_due()) write_snapshot();
  }
}

bool EtcdSnapshots::is_due() const {
  return leads_ && (log_bytes_ >= std::max(log_bytes_min_, store_.bytes()) ||
                    chain_.batches - current_.chain.batches >= kBatchesMax);
}

void EtcdSnapshots::write_snapshot() {
  EtcdSnapshot snapshot{.chain = chain_};
  std::string waiting;
  const auto put = [&](std::string_view bytes) {
    snapshot.bytes += bytes.size();
    snapshot.checksum = crc32c(snapshot.checksum, bytes.data(), bytes.size());
    return put_part(snapshot.parts++, bytes);
  };
  store_.write([&](std::string_view piece) {
    waiting += piece;
    std::string_view rest(waiting);
    for (; rest.size() >= kEtcdPartBytes; rest.remove_prefix(kEtcdPartBytes))
      if (!put(rest.substr(0, kEtcdPartBytes))) return false;
    waiting.erase(0, waiting.size() - rest.size());
    return true;
  });
  if (!leads_ || (!waiting.empty() && !put(waiting))) return;
  if (!make_current(snapshot)) return;
  const EtcdSnapshot before = std::exchange(current_, snapshot);
  log_bytes_ = 0;
  remove_before(before);
}

bool EtcdSnapshots::put_part(std::uint64_t part, std::string_view bytes) {
  return insist({{.kind = EtcdOperation::Kind::Put,
                  .key = layout_.snapshot_part(chain_.batches, part),
                  .value = std::string(bytes)}});
}

void EtcdSnapshots::remove_before(const EtcdSnapshot& before) {
  constexpr auto kErase = EtcdOperation::Kind::Erase;
  const std::uint64_t last = current_.chain.batches;
  for (std::uint64_t first = before.chain.batches + 1; first <= last; first += kBatchesRemoved) {
    const std::uint64_t end = std::min(first + kBatchesRemoved, last + 1);
    if (!insist({{.kind = kErase, .key = layout_.log_from(0), .end = layout_.log_from(end)}})) return;
  }
  if (!insist({{.kind = kErase, .key = layout_.snapshot_from(0), .end = layout_.snapshot_from(last)}})) return;
  static_cast<void>(client_.compact(revision_));  // is done by others otherwise
}

// Only instead of the one before: a try that is carried out late must not bring back what is removed by then.
bool EtcdSnapshots::make_current(const EtcdSnapshot& snapshot) {
  const std::string value = encode_snapshot(snapshot);
  EtcdTransaction put;
  put.compares = {layout_.leads(leadership_), {.key = layout_.current()}};
  if (current_ != EtcdSnapshot()) put.compares.back().value = encode_snapshot(current_);
  put.then = {{.kind = EtcdOperation::Kind::Put, .key = layout_.current(), .value = value}};
  put.otherwise = {{.key = layout_.leader()}, {.key = layout_.current()}};
  return insist(put, [&](const EtcdAnswer& answer) {
    const auto& got = answer.got;
    return got.size() == 2 && !got[0].empty() && got[0].front().created == leadership_ && !got[1].empty() &&
           got[1].front().value == value;
  });
}

bool EtcdSnapshots::insist(std::vector<EtcdOperation> operations) {
  return insist({.compares = {layout_.leads(leadership_)}, .then = std::move(operations)},
                [](const EtcdAnswer&) { return false; });
}

bool EtcdSnapshots::insist(const EtcdTransaction& transaction, const std::function<bool(const EtcdAnswer&)>& is_done) {
  while (!is_ending_) {
    const EtcdResult<EtcdAnswer> answer = client_.transact(transaction);
    if (answer && (answer->has_held || is_done(*answer))) {
      revision_ = answer->revision;
      return true;
    }
    leads_ = !answer && answer.error().kind != EtcdError::Kind::Refused;
    if (!answer && !leads_) spdlog::warn("journal_not_shortened message={}", log::Quoted{answer.error().message});
    if (!leads_) return false;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kSnapshotPause, [this] { return is_ending_.load(); });
  }
  leads_ = false;
  return false;
}

}  // namespace ontime::journal
