#include <string>
#include <utility>
#include <vector>

#include "master/journal/stored_parts.h"
#include "master/recording/entry_codec.h"

namespace ontime::recording {
namespace {

namespace event = scheduler::event;
using journal::PartReader;
using journal::put;
using scheduler::AttemptProgress;

void put_progress(const std::vector<AttemptProgress>& from, google::protobuf::RepeatedPtrField<stored::Progress>* to) {
  for (const AttemptProgress& progress : from) {
    stored::Progress* out = to->Add();
    put(progress.attempt, out->mutable_attempt());
    out->set_offset(progress.offset);
    out->set_records(progress.records);
    out->set_output_bytes(progress.output_bytes);
  }
}

// One overload per event: fills the alternative of the same name.
struct EventWriter {
  stored::Event& to;

  void operator()(const event::NodeRegistered& e) {
    stored::NodeRegistered* out = to.mutable_node_registered();
    out->set_incarnation(e.incarnation);
    out->set_name(e.name);
    out->set_host(e.host);
    out->set_slots(e.slots);
  }
  void operator()(const event::NodeInventory& e) {
    to.mutable_node_inventory()->set_node(e.node.value);
    put_progress(e.running, to.mutable_node_inventory()->mutable_attempts());
  }
  void operator()(const event::Heartbeat& e) {
    to.mutable_heartbeat()->set_node(e.node.value);
    put_progress(e.attempts, to.mutable_heartbeat()->mutable_attempts());
  }
  void operator()(const event::AttemptStarted& e) {
    to.mutable_attempt_started()->set_node(e.node.value);
    put(e.attempt, to.mutable_attempt_started()->mutable_attempt());
  }
  void operator()(const event::AttemptReady& e) {
    to.mutable_attempt_ready()->set_node(e.node.value);
    put(e.attempt, to.mutable_attempt_ready()->mutable_attempt());
  }
  void operator()(const event::CutAnswered& e) {
    stored::CutAnswered* out = to.mutable_cut_answered();
    out->set_node(e.node.value);
    put(e.attempt, out->mutable_attempt());
    out->set_at(e.at);
    out->set_release(e.release);
  }
  void operator()(const event::SegmentSealed& e) {
    stored::SegmentSealed* out = to.mutable_segment_sealed();
    out->set_node(e.node.value);
    put(e.attempt, out->mutable_attempt());
    out->set_begin(e.range.begin);
    out->set_end(e.range.end);
    out->set_input_end(e.input_end);
    put(e.output, out->mutable_output());
    put(e.counters, out->mutable_counters());
  }
  void operator()(const event::AttemptExited& e) {
    stored::AttemptExited* out = to.mutable_attempt_exited();
    out->set_node(e.node.value);
    put(e.attempt, out->mutable_attempt());
    out->set_kind(static_cast<std::uint32_t>(e.kind));
    out->set_message(e.message);
  }
  void operator()(const event::JobSubmitted& e) {
    to.mutable_job_submitted()->set_request(e.request);
    put(e.spec, to.mutable_job_submitted()->mutable_spec());
  }
  void operator()(const event::JobKillRequested& e) {
    to.mutable_job_kill_requested()->set_job(e.job.value);
    to.mutable_job_kill_requested()->set_text(e.reason);
  }
  void operator()(const event::CommitFinished& e) {
    to.mutable_commit_finished()->set_job(e.job.value);
    to.mutable_commit_finished()->set_text(e.error);
  }
  void operator()(const event::NodeLeaving& e) {
    to.mutable_node_leaving()->set_node(e.node.value);
    to.mutable_node_leaving()->set_at_once(e.at_once);
  }
  void operator()(const event::DrainRequested& e) {
    to.mutable_drain_requested()->set_node(e.node.value);
    to.mutable_drain_requested()->set_drain(e.drain);
  }
  void operator()(const event::TimePassed&) { to.mutable_time_passed(); }
};

// Events may name what there is not: the scheduler can bear it, and so must the codec.
AttemptId attempt_of(const journal::stored::Attempt& from) { return {{JobId{from.job()}, from.task()}, from.number()}; }

std::vector<AttemptProgress> progress_of(const google::protobuf::RepeatedPtrField<stored::Progress>& from) {
  std::vector<AttemptProgress> all;
  all.reserve(static_cast<std::size_t>(from.size()));
  for (const stored::Progress& progress : from) {
    all.push_back({attempt_of(progress.attempt()), progress.offset(), progress.records(), progress.output_bytes()});
  }
  return all;
}

scheduler::Event read_sealed(const stored::SegmentSealed& from, PartReader& reader) {
  event::SegmentSealed sealed;
  sealed.node = NodeId{from.node()};
  sealed.attempt = attempt_of(from.attempt());
  sealed.range = {from.begin(), from.end()};
  sealed.input_end = from.input_end();
  sealed.output = reader.read(from.output());
  sealed.counters = reader.read(from.counters());
  return sealed;
}

scheduler::Event read(const stored::Event& from, PartReader& reader) {
  switch (from.what_case()) {
    case stored::Event::kNodeRegistered: {
      const stored::NodeRegistered& e = from.node_registered();
      return event::NodeRegistered{e.incarnation(), e.name(), e.host(), e.slots()};
    }
    case stored::Event::kNodeInventory:
      return event::NodeInventory{NodeId{from.node_inventory().node()}, progress_of(from.node_inventory().attempts())};
    case stored::Event::kHeartbeat:
      return event::Heartbeat{NodeId{from.heartbeat().node()}, progress_of(from.heartbeat().attempts())};
    case stored::Event::kAttemptStarted:
      return event::AttemptStarted{NodeId{from.attempt_started().node()}, attempt_of(from.attempt_started().attempt())};
    case stored::Event::kAttemptReady:
      return event::AttemptReady{NodeId{from.attempt_ready().node()}, attempt_of(from.attempt_ready().attempt())};
    case stored::Event::kCutAnswered: {
      const stored::CutAnswered& e = from.cut_answered();
      return event::CutAnswered{NodeId{e.node()}, attempt_of(e.attempt()), e.at(), e.release()};
    }
    case stored::Event::kSegmentSealed:
      return read_sealed(from.segment_sealed(), reader);
    case stored::Event::kAttemptExited: {
      const stored::AttemptExited& e = from.attempt_exited();
      const auto kind = reader.enumerator(e.kind(), scheduler::FailureKind::Data, "an attempt failed in an unknown way");
      return event::AttemptExited{NodeId{e.node()}, attempt_of(e.attempt()), kind, e.message()};
    }
    case stored::Event::kJobSubmitted:
      return event::JobSubmitted{from.job_submitted().request(), reader.read(from.job_submitted().spec())};
    case stored::Event::kJobKillRequested:
      return event::JobKillRequested{JobId{from.job_kill_requested().job()}, from.job_kill_requested().text()};
    case stored::Event::kCommitFinished:
      return event::CommitFinished{JobId{from.commit_finished().job()}, from.commit_finished().text()};
    case stored::Event::kNodeLeaving:
      return event::NodeLeaving{NodeId{from.node_leaving().node()}, from.node_leaving().at_once()};
    case stored::Event::kDrainRequested:
      return event::DrainRequested{NodeId{from.drain_requested().node()}, from.drain_requested().drain()};
    case stored::Event::kTimePassed:
      return event::TimePassed{};
    case stored::Event::WHAT_NOT_SET:
      break;
  }
  reader.require(false, "it holds no event that this version knows");
  return event::TimePassed{};
}

}  // namespace

void put(const scheduler::Event& from, stored::Event* to) { std::visit(EventWriter{*to}, from); }

Result<scheduler::Event> read_event(const stored::Event& from) {
  PartReader reader;
  scheduler::Event result = read(from, reader);
  if (reader.wrong() != nullptr) return failed(std::string("the event makes no sense: ") + reader.wrong());
  return result;
}

}  // namespace ontime::recording
