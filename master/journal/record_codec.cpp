#include "master/journal/record_codec.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "common/base/check.h"
#include "common/base/crc32c.h"
#include "master/journal/stored_parts.h"

namespace ontime::journal {
namespace {

namespace fact = scheduler::fact;
using scheduler::Fact;

constexpr std::size_t kHeaderBytes = 5;

// ---- to bytes ----

void put_decision(const scheduler::DecisionNote& from, stored::PolicyDecided* to) {
  to->set_what(static_cast<std::uint32_t>(from.what));
  if (from.task) to->set_task(*from.task);
  if (from.attempt) to->set_attempt(*from.attempt);
  to->set_reason(from.reason);
  to->set_segment(from.segment);
  if (from.resume_at) to->set_resume_at(*from.resume_at);
  to->set_pieces(from.pieces);
  to->set_copies(from.copies);
  to->set_release(from.release);
  to->set_when_ready(from.when_ready);
  to->set_completion(from.completion);
  to->set_pocd_before(from.pocd_before);
  to->set_pocd_after(from.pocd_after);
  to->set_text(from.text);
}

// One overload per fact: fills the alternative of the same name.
struct FactWriter {
  stored::Record& to;

  void operator()(const fact::MasterStarted& fact) { to.mutable_master_started()->set_epoch(fact.epoch); }

  void operator()(const fact::NodeAdded& fact) {
    stored::NodeAdded* out = to.mutable_node_added();
    out->set_node(fact.node.value);
    out->set_incarnation(fact.incarnation);
    out->set_name(fact.name);
    out->set_host(fact.host);
    out->set_slots(fact.slots);
  }

  void operator()(const fact::DutyChanged& fact) {
    to.mutable_duty_changed()->set_node(fact.node.value);
    to.mutable_duty_changed()->set_duty(static_cast<std::uint32_t>(fact.duty));
  }

  void operator()(const fact::JobAccepted& fact) {
    to.mutable_job_accepted()->set_job(fact.job.value);
    put(fact.spec, to.mutable_job_accepted()->mutable_spec());
  }

  void operator()(const fact::AttemptLaunched& fact) {
    stored::AttemptLaunched* out = to.mutable_attempt_launched();
    put(fact.attempt, out->mutable_attempt());
    out->set_node(fact.node.value);
    put(fact.range, out->mutable_range());
    out->set_speculative(fact.speculative);
    out->set_standby(fact.standby);
  }

  void operator()(const fact::StandbyBegun& fact) {
    put(fact.attempt, to.mutable_standby_begun()->mutable_attempt());
    put(fact.range, to.mutable_standby_begun()->mutable_range());
  }

  void operator()(const fact::SegmentDivided& fact) {
    stored::SegmentDivided* out = to.mutable_segment_divided();
    out->set_job(fact.task.job.value);
    out->set_task(fact.task.index);
    out->set_begin(fact.begin);
    out->set_at(fact.at);
  }

  void operator()(const fact::PolicyDecided& fact) {
    to.mutable_policy_decided()->set_job(fact.job.value);
    put_decision(fact.decision, to.mutable_policy_decided());
  }

  void operator()(const fact::ProfileUpdated& fact) {
    stored::ProfileUpdated* out = to.mutable_profile_updated();
    out->set_key(fact.key);
    out->mutable_finished()->Add(fact.sample.finished().begin(), fact.sample.finished().end());
    out->mutable_censored()->Add(fact.sample.censored().begin(), fact.sample.censored().end());
    out->mutable_launches()->Add(fact.sample.launches().begin(), fact.sample.launches().end());
  }

  void operator()(const fact::ProfileForgotten& fact) { to.mutable_profile_forgotten()->set_key(fact.key); }

  void operator()(const fact::NodeForgotten& fact) { to.mutable_node_forgotten()->set_node(fact.node.value); }

  void operator()(const fact::SegmentCut& fact) {
    stored::SegmentCut* out = to.mutable_segment_cut();
    put(fact.attempt, out->mutable_attempt());
    out->set_begin(fact.begin);
    out->set_at(fact.at);
    out->set_release(fact.release);
  }

  void operator()(const fact::SegmentSealed& fact) {
    stored::SegmentSealed* out = to.mutable_segment_sealed();
    put(fact.attempt, out->mutable_attempt());
    put(fact.range, out->mutable_range());
    out->set_input_end(fact.input_end);
    put(fact.output, out->mutable_output());
    put(fact.counters, out->mutable_counters());
  }

  void operator()(const fact::AttemptEnded& fact) {
    stored::AttemptEnded* out = to.mutable_attempt_ended();
    put(fact.attempt, out->mutable_attempt());
    out->set_end(static_cast<std::uint32_t>(fact.end));
    out->set_message(fact.message);
  }

  void operator()(const fact::CommitStarted& fact) { to.mutable_commit_started()->set_job(fact.job.value); }

  void operator()(const fact::JobEnded& fact) {
    stored::JobEnded* out = to.mutable_job_ended();
    out->set_job(fact.job.value);
    out->set_state(static_cast<std::uint32_t>(fact.state));
    out->set_message(fact.message);
  }

  void operator()(const fact::JobForgotten& fact) { to.mutable_job_forgotten()->set_job(fact.job.value); }
};

// ---- from bytes ----

// Reads one fact; the first thing that cannot be right is kept and makes the whole record an error.
class FactReader : private PartReader {
 public:
  using PartReader::wrong;

  Fact read(const stored::Record& from) {
    switch (from.fact_case()) {
      case stored::Record::kMasterStarted:
        return fact::MasterStarted{from.master_started().epoch()};
      case stored::Record::kNodeAdded:
        return read(from.node_added());
      case stored::Record::kDutyChanged:
        return read(from.duty_changed());
      case stored::Record::kJobAccepted:
        return fact::JobAccepted{job(from.job_accepted().job()), read(from.job_accepted().spec())};
      case stored::Record::kAttemptLaunched:
        return read(from.attempt_launched());
      case stored::Record::kStandbyBegun:
        return fact::StandbyBegun{read(from.standby_begun().attempt()), read(from.standby_begun().range())};
      case stored::Record::kSegmentDivided:
        return read(from.segment_divided());
      case stored::Record::kPolicyDecided:
        return read(from.policy_decided());
      case stored::Record::kProfileUpdated:
        return read(from.profile_updated());
      case stored::Record::kProfileForgotten:
        return fact::ProfileForgotten{from.profile_forgotten().key()};
      case stored::Record::kNodeForgotten:
        require(from.node_forgotten().node() != 0, "its node number is 0");
        return fact::NodeForgotten{NodeId{from.node_forgotten().node()}};
      case stored::Record::kSegmentCut:
        return read(from.segment_cut());
      case stored::Record::kSegmentSealed:
        return read(from.segment_sealed());
      case stored::Record::kAttemptEnded:
        return read(from.attempt_ended());
      case stored::Record::kCommitStarted:
        return fact::CommitStarted{job(from.commit_started().job())};
      case stored::Record::kJobEnded:
        return read(from.job_ended());
      case stored::Record::kJobForgotten:
        return fact::JobForgotten{job(from.job_forgotten().job())};
      case stored::Record::FACT_NOT_SET:
        break;
    }
    require(false, "it holds no fact that this version knows");
    return fact::MasterStarted{};
  }

 private:
  using PartReader::read;

  Fact read(const stored::NodeAdded& from) {
    require(from.node() != 0, "its node number is 0");
    return fact::NodeAdded{NodeId{from.node()}, from.incarnation(), from.name(), from.host(), from.slots()};
  }

  Fact read(const stored::DutyChanged& from) {
    require(from.node() != 0, "its node number is 0");
    return fact::DutyChanged{NodeId{from.node()},
                             enumerator(from.duty(), scheduler::Duty::Left, "its node's duty is of an unknown kind")};
  }

  Fact read(const stored::AttemptLaunched& from) {
    require(from.node() != 0, "its node number is 0");
    return fact::AttemptLaunched{read(from.attempt()), NodeId{from.node()}, read(from.range()), from.speculative(),
                                 from.standby()};
  }

  Fact read(const stored::SegmentDivided& from) {
    require(from.begin() < from.at(), "it divides a segment before its begin");
    return fact::SegmentDivided{{job(from.job()), from.task()}, from.begin(), from.at()};
  }

  Fact read(const stored::PolicyDecided& from) {
    scheduler::DecisionNote note;
    note.what = enumerator(from.what(), scheduler::DecisionNote::What::Note, "its decision is of an unknown kind");
    if (from.has_task()) note.task = from.task();
    if (from.has_attempt()) note.attempt = from.attempt();
    note.reason = from.reason();
    note.segment = from.segment();
    if (from.has_resume_at()) note.resume_at = from.resume_at();
    note.pieces = from.pieces();
    note.copies = from.copies();
    note.release = from.release();
    note.when_ready = from.when_ready();
    note.completion = from.completion();
    note.pocd_before = from.pocd_before();
    note.pocd_after = from.pocd_after();
    note.text = from.text();
    return fact::PolicyDecided{job(from.job()), std::move(note)};
  }

  Fact read(const stored::ProfileUpdated& from) {
    fact::ProfileUpdated fact{from.key(), {}};
    const auto is_duration = [](double seconds) { return std::isfinite(seconds) && seconds > 0; };
    for (const double duration : from.finished()) {
      require(is_duration(duration), "its profile holds a duration that is none");
      fact.sample.add_finished(duration);
    }
    for (const double duration : from.censored()) {
      require(is_duration(duration), "its profile holds a duration that is none");
      fact.sample.add_censored(duration);
    }
    for (const double duration : from.launches()) {
      require(is_duration(duration), "its profile holds a launch time that is none");
      fact.sample.add_launch(duration);
    }
    return fact;
  }

  Fact read(const stored::SegmentCut& from) {
    require(from.begin() <= from.at(), "it cuts a segment before its begin");
    return fact::SegmentCut{read(from.attempt()), from.begin(), from.at(), from.release()};
  }

  Fact read(const stored::SegmentSealed& from) {
    fact::SegmentSealed fact;
    fact.attempt = read(from.attempt());
    fact.range = read(from.range());
    fact.input_end = from.input_end();
    fact.output = read(from.output());
    fact.counters = read(from.counters());
    return fact;
  }

  Fact read(const stored::AttemptEnded& from) {
    const auto end = enumerator(from.end(), scheduler::AttemptEnd::Excused, "its attempt ended in an unknown way");
    return fact::AttemptEnded{read(from.attempt()), end, from.message()};
  }

  Fact read(const stored::JobEnded& from) {
    const auto state = enumerator(from.state(), scheduler::JobState::Killed, "its job is in an unknown state");
    return fact::JobEnded{job(from.job()), state, from.message()};
  }
};

std::uint32_t checksum_of(std::string_view bytes) {
  return crc32c(crc32c(bytes.substr(0, 1)), bytes.data() + kHeaderBytes, bytes.size() - kHeaderBytes);
}

}  // namespace

void put(const scheduler::JournalRecord& from, stored::Record* to) {
  to->set_at_unix_ns(to_unix_ns(from.at));
  std::visit(FactWriter{*to}, from.fact);
}

Result<scheduler::JournalRecord> read_record(const stored::Record& message) {
  FactReader reader;
  scheduler::JournalRecord result{from_unix_ns(message.at_unix_ns()), reader.read(message)};
  if (reader.wrong() != nullptr) return failed(std::string("the record makes no sense: ") + reader.wrong());
  return result;
}

std::string encode_record(const scheduler::JournalRecord& from) {
  stored::Record message;
  put(from, &message);
  std::string bytes(kHeaderBytes, '\0');
  bytes[0] = static_cast<char>(kRecordVersion);
  ONTIME_CHECK(message.AppendToString(&bytes), "a record is at most 2 GiB");
  const std::uint32_t checksum = checksum_of(bytes);
  for (unsigned i = 0; i < 4; ++i) bytes[1 + i] = static_cast<char>(checksum >> (8 * i) & 0xff);
  return bytes;
}

Result<scheduler::JournalRecord> decode_record(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes) return failed("the record is cut short");
  if (static_cast<std::uint8_t>(bytes[0]) != kRecordVersion) return failed("the record has an unknown version");
  std::uint32_t stored_checksum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    stored_checksum |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[1 + i])) << (8 * i);
  }
  if (stored_checksum != checksum_of(bytes)) return failed("the record's checksum does not match");
  const std::string_view body = bytes.substr(kHeaderBytes);
  stored::Record message;
  if (body.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !message.ParseFromArray(body.data(), static_cast<int>(body.size()))) {
    return failed("the record cannot be parsed");
  }
  return read_record(message);
}

}  // namespace ontime::journal
