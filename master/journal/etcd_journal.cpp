#include "master/journal/etcd_journal.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "common/base/check.h"
#include "common/base/kill_point.h"
#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/log/fields.h"
#include "master/journal/journal_identity.h"

namespace ontime::journal {
namespace {

using Kind = EtcdError::Kind;

constexpr Duration kLook = std::chrono::milliseconds(100);            // between two looks at a leader
constexpr Duration kOpening = std::chrono::seconds(10);               // is tried for so long
constexpr Duration kMemberSilence = std::chrono::milliseconds(1500);  // of one member
constexpr std::uint64_t kCopies = 4;  // of the records that etcd holds at most: see has_room_for()

EtcdAccess access_of(const EtcdAddress& address, const EtcdSettings& settings) {
  EtcdAccess access{{}, address.user, address.password, settings.tls};
  if (!settings.user.empty()) {
    access.user = settings.user;
    access.password = settings.password;
  }
  const bool is_encrypted =
      address.is_encrypted || !settings.tls.authority.empty() || !settings.tls.certificate.empty();
  for (const std::string& host : address.hosts)
    access.origins.push_back((is_encrypted ? "https://" : "http://") + host);
  return access;
}

}  // namespace

EtcdJournal::EtcdJournal(const EtcdAddress& address, EtcdSettings settings)
    : text_(address.text()),
      settings_(std::move(settings)),
      access_(access_of(address, settings_)),
      layout_(address.prefix),
      follower_(layout_, records_),
      following_(access_, kMemberSilence, &is_stopped_),
      writing_(access_, kMemberSilence, &never_),
      lease_(access_, settings_.lease, [this](const std::string& why) { lose(why); }) {}

EtcdJournal::~EtcdJournal() = default;

Error EtcdJournal::error_about(const char* what, const EtcdError& error) const {
  const std::string message = std::string("Cannot ") + what + " the journal in " + text_ + ": " + error.message + ".";
  const bool may_pass = error.kind == Kind::Passing || error.kind == Kind::NoSpace;
  return may_pass ? unavailable(message) : failed(message);
}

Result<std::unique_ptr<EtcdJournal>> EtcdJournal::open(const EtcdAddress& address, EtcdSettings settings) {
  auto journal = std::unique_ptr<EtcdJournal>(new EtcdJournal(address, std::move(settings)));
  if (Status status = journal->make_or_check(); !status) return status.error();
  return journal;
}

EtcdResult<EtcdAnswer> EtcdJournal::make_or_read() {
  EtcdTransaction make;
  constexpr auto kPut = EtcdOperation::Kind::Put;
  make.compares = {{.key = layout_.meta()}};
  make.then = {{.kind = kPut, .key = layout_.meta(), .value = std::to_string(kJournalFormat) + " " + make_cluster_id()},
               {.kind = kPut, .key = layout_.head(), .value = encode_chain({})}};
  EtcdTransaction read;  // first: a full etcd takes nothing that could write
  read.then = {{.key = layout_.meta()}};
  const auto begun = std::chrono::steady_clock::now();
  for (bool is_made = false;;) {
    EtcdResult<EtcdAnswer> answer = following_.transact(read);
    const bool is_there = answer && !answer->got.empty() && !answer->got[0].empty();
    if (is_there || (answer && is_made)) return answer;
    if (answer) answer = following_.transact(make);
    is_made = answer.has_value();
    const bool may_pass = !answer && answer.error().kind == Kind::Passing;
    if (may_pass && std::chrono::steady_clock::now() - begun < kOpening) {
      pause();
    } else if (!answer) {
      return answer;
    }
  }
}

// What is there was made by an earlier master, or just now.
Status EtcdJournal::make_or_check() {
  const EtcdResult<EtcdAnswer> answer = make_or_read();
  if (!answer) return error_about("open", answer.error());
  const auto& got = answer->got;
  return check_meta(got.empty() || got[0].empty() ? std::string() : got[0].front().value);
}

Status EtcdJournal::check_meta(const std::string& meta) {
  const std::size_t space = std::min(meta.find(' '), meta.size());
  const std::string format = meta.substr(0, space);
  if (const std::string wrong = wrong_format(format); !wrong.empty())
    return error_about("read", {Kind::Refused, wrong});
  cluster_ = meta.substr(std::min(space + 1, meta.size()));
  return cluster_.empty() ? Status(error_about("read", {Kind::Refused, "the id of its cluster is missing"})) : Status();
}

void EtcdJournal::pause() const {
  if (!is_stopped_) std::this_thread::sleep_for(kLook);
}

Status EtcdJournal::lead(const std::function<void(const std::string&)>& on_leader) {
  std::optional<std::string> told, trouble;
  while (!is_stopped_) {
    EtcdResult<void> done;
    const EtcdResult<EtcdFollower::Seen> seen = follower_.look(following_);
    const bool is_ours = seen && seen->lease != 0 && seen->lease == lease_.id();
    if (!seen) {
      done = seen.error();
    } else if (!seen->is_all) {
      continue;
    } else if (is_ours) {
      const EtcdResult<bool> leads = begin_leading(*seen);
      if (leads && *leads) return {};
      if (!leads) done = leads.error();
    } else {
      if (told != seen->leader) on_leader(*(told = seen->leader));
      if (seen->leadership == 0) done = campaign();
      if (seen->leadership == 0 && done) continue;
    }
    if (!done && done.error().kind == Kind::Refused) return error_about("follow", done.error());
    if (!done && trouble != done.error().message)
      spdlog::warn("journal_waits message={}", log::Quoted{error_about("follow", done.error()).message});
    trouble = done ? std::nullopt : std::optional(done.error().message);
    pause();
  }
  return unavailable("Waiting to lead the journal in " + text_ + " was stopped.");
}

// The next look shows whether this one leads now, also if no answer comes. A request without an answer may be carried
// out later: so its lease stays this master's, or ends.
EtcdResult<void> EtcdJournal::campaign() {
  if (lease_.id() == 0) {
    if (const EtcdResult<void> begun = lease_.begin(following_); !begun) return begun.error();
  }
  const std::int64_t lease = lease_.id();
  if (lease == 0) return EtcdError{Kind::Passing, "etcd is too slow to lead with a lease"};
  EtcdTransaction take;
  take.compares = {layout_.leads(0)};
  take.then = {{.kind = EtcdOperation::Kind::Put, .key = layout_.leader(), .value = settings_.name, .lease = lease}};
  take.otherwise = {{.key = layout_.leader()}};
  const EtcdResult<EtcdAnswer> answer = following_.transact(take);
  if (!answer) {
    if (answer.error().kind == Kind::NotFound) lease_.give_up(answer.error().message);
    return answer.error();
  }
  const auto& got = answer->got;
  const bool leads = answer->has_held || (!got.empty() && !got[0].empty() && got[0].front().lease == lease);
  if (leads) return {};
  lease_.give_up("another master leads");
  static_cast<void>(following_.revoke_lease(lease));
  return {};
}

// All that is stored has been read, since the leader's key was there. What lies behind was never stored. The leader's
// key is written anew, so that this is done but once: later it would remove what this leader stores.
EtcdResult<bool> EtcdJournal::begin_leading(const EtcdFollower::Seen& seen) {
  constexpr auto kErase = EtcdOperation::Kind::Erase, kPut = EtcdOperation::Kind::Put;
  const std::uint64_t current = follower_.snapshot().chain.batches;
  const std::int64_t leadership = seen.leadership;
  EtcdTransaction clean;
  clean.compares = {layout_.leads(leadership), {.key = layout_.leader(), .modified = leadership}};
  clean.then = {{.kind = kErase, .key = layout_.log_from(follower_.chain().batches + 1), .end = layout_.log_end()},
                {.kind = kErase, .key = layout_.snapshot_from(0), .end = layout_.snapshot_from(current)},
                {.kind = kErase, .key = layout_.snapshot_from(current + 1), .end = layout_.snapshot_end()},
                {.kind = kPut, .key = layout_.leader(), .value = settings_.name, .lease = seen.lease}};
  clean.otherwise = {{.key = layout_.leader()}};
  const EtcdResult<EtcdAnswer> cleaned = following_.transact(clean);
  if (!cleaned) return cleaned.error();
  const auto& got = cleaned->got;
  const bool was_clean = !cleaned->has_held && !got.empty() && !got[0].empty() &&
                         got[0].front().created == leadership && got[0].front().modified != leadership;
  if ((!cleaned->has_held && !was_clean) || !note_leading()) return false;
  leadership_ = leadership;
  chain_ = latest_ = follower_.chain();
  snapshots_ = std::make_unique<EtcdSnapshots>(
      access_, layout_, records_,
      EtcdSnapshots::Start{leadership, chain_, follower_.snapshot(), follower_.log_bytes(), settings_.log_bytes_min});
  return true;
}

bool EtcdJournal::note_leading() {
  const std::lock_guard lock(mutex_);
  leads_ = lease_.id() != 0;
  return leads_;
}

// A lease that ends before it leads is nothing to anybody.
void EtcdJournal::lose(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!leads_ || lost_) return;
    lost_ = why;
  }
  if (on_lost_) on_lost_("This master leads no more: " + why + ".");
}

Status EtcdJournal::append(std::span<const scheduler::JournalRecord> batch) {
  pending_ = encode_batch(batch);
  latest_ = chain_.with(pending_);
  pass_kill_point("journal-before-write");
  Status status = store();
  if (status) pass_kill_point("journal-written");
  return status;
}

Status EtcdJournal::append_again(std::span<const scheduler::JournalRecord>) {
  return chain_ == latest_ ? Status() : store();
}

Status EtcdJournal::set_back(TimePoint latest) {
  pending_ = encode_set_back(latest);
  latest_ = chain_.with(pending_);
  return store();
}

// Not of the journal until the head says so. All may be repeated.
EtcdResult<EtcdAnswer> EtcdJournal::store_parts() {
  const std::uint64_t parts = std::max<std::uint64_t>(1, (pending_.size() + kEtcdPartBytes - 1) / kEtcdPartBytes);
  constexpr auto kPut = EtcdOperation::Kind::Put;
  for (std::uint64_t part = 0;; ++part) {
    EtcdTransaction put;
    put.compares = {layout_.leads(leadership_)};
    put.then = {{.kind = kPut,
                 .key = layout_.log_part(latest_.batches, part, parts),
                 .value = pending_.substr(part * kEtcdPartBytes, kEtcdPartBytes)}};
    put.otherwise = {{.key = layout_.leader()}, {.key = layout_.head()}};
    const bool is_last = part + 1 == parts;
    if (is_last) {
      put.compares.push_back({.key = layout_.head(), .value = encode_chain(chain_)});
      put.then.push_back({.kind = kPut, .key = layout_.head(), .value = encode_chain(latest_)});
    }
    EtcdResult<EtcdAnswer> answer = writing_.transact(put);
    if (is_last || !answer || !answer->has_held) return answer;
  }
}

Status EtcdJournal::store() {
  ONTIME_CHECK(snapshots_, "a journal is written by the master that leads");
  const auto lost = [this]() -> std::optional<Error> {
    const std::lock_guard lock(mutex_);
    if (!lost_) return std::nullopt;
    return error_about("write", {Kind::Refused, "this master leads no more: " + *lost_});
  };
  if (const auto error = lost()) return *error;
  const EtcdResult<EtcdAnswer> answer = store_parts();
  if (const auto error = lost()) return *error;
  if (!answer) return error_about("write", answer.error());
  if (!answer->has_held) {
    const auto& got = answer->got;
    const bool leads = got.size() == 2 && !got[0].empty() && got[0].front().created == leadership_;
    const bool is_stored = leads && !got[1].empty() && got[1].front().value == encode_chain(latest_);
    if (!leads) lease_.give_up("another master may lead now");
    if (!leads) return error_about("write", {Kind::Refused, "this master leads no more: another one may lead now"});
    if (!is_stored) return error_about("write", {Kind::Refused, "its head was changed by somebody else"});
  }
  chain_ = latest_;
  snapshots_->add(std::move(pending_), chain_);
  return {};
}

Status EtcdJournal::read_all(const std::function<void(const scheduler::JournalRecord&)>& visit) {
  Status status = snapshots_ ? snapshots_->read_all(visit) : records_.read_all(visit);
  return status ? Status() : Status(error_about("read", {Kind::Refused, status.error().message + "; it is damaged"}));
}

Status EtcdJournal::has_room_for(std::uint64_t bytes) const {
  const std::uint64_t held = snapshots_ ? snapshots_->bytes() : 0;
  if (bytes < settings_.quota_bytes && kCopies * (held + bytes) <= settings_.quota_bytes) return {};
  return failed("The journal in " + text_ + " has no room for " + format_size(bytes) +
                " more, which jobs that have not ended may come to write: it holds " + format_size(held) +
                ", and etcd's quota of " + format_size(settings_.quota_bytes) + " is enough for a quarter of that.");
}

}  // namespace ontime::journal
