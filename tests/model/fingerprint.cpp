// When two histories count as one: everything that can be seen of the scheduler, its workers and wires is equal, with
// times as ages. The numbers of epochs and what only people look at are left out.
#include <bit>
#include <cstdint>

#include "tests/model/modelled_cluster.h"

namespace ontime::model {

namespace {

class Hash {
 public:
  explicit Hash(TimePoint now) : now_(now) {}
  std::uint64_t value() const { return value_; }

  // splitmix64, https://prng.di.unimi.it/splitmix64.c
  template <class... Numbers>
  void add(Numbers... numbers) {
    (mix(static_cast<std::uint64_t>(numbers)), ...);
  }
  void add(ByteRange range) { add(range.begin, range.end); }
  void age(TimePoint at) { mix(at == TimePoint{} ? ~0ull : static_cast<std::uint64_t>((now_ - at).count())); }
  void time(Duration time) { mix(static_cast<std::uint64_t>(time.count())); }
  void number(double number) { mix(std::bit_cast<std::uint64_t>(number)); }

 private:
  void mix(std::uint64_t number) {
    value_ += number + 0x9e3779b97f4a7c15ull;
    value_ = (value_ ^ (value_ >> 30)) * 0xbf58476d1ce4e5b9ull;
    value_ = (value_ ^ (value_ >> 27)) * 0x94d049bb133111ebull;
    value_ ^= value_ >> 31;
  }
  TimePoint now_;
  std::uint64_t value_ = 0;
};

// What workers send.
void add_report(Hash& hash, const scheduler::Event& event) {
  namespace event_of = scheduler::event;
  hash.add(event.index());
  if (const auto* answer = std::get_if<event_of::CutAnswered>(&event)) {
    hash.add(answer->node.value, answer->attempt.number, answer->at, answer->release);
  } else if (const auto* sealed = std::get_if<event_of::SegmentSealed>(&event)) {
    hash.add(sealed->node.value, sealed->attempt.number);
    hash.add(sealed->range);
  } else if (const auto* started = std::get_if<event_of::AttemptStarted>(&event)) {
    hash.add(started->node.value, started->attempt.number);
  } else if (const auto* ready = std::get_if<event_of::AttemptReady>(&event)) {
    hash.add(ready->node.value, ready->attempt.number);
  } else if (const auto* exited = std::get_if<event_of::AttemptExited>(&event)) {
    hash.add(exited->node.value, exited->attempt.number);
  } else if (const auto* inventory = std::get_if<event_of::NodeInventory>(&event)) {
    for (const auto& running : inventory->running) hash.add(running.attempt.number, running.offset);
  }
}

void add_attempt(Hash& hash, const scheduler::Cluster& cluster, const scheduler::Attempt& attempt) {
  hash.add(attempt.node.value, attempt.state, attempt.speculative, attempt.standby, attempt.was_standby,
           attempt.is_warm, attempt.adopted, attempt.start_offset, attempt.launch_end, attempt.offset, attempt.records,
           cluster.has_seen_launch_of(attempt));
  hash.add(attempt.held);
  for (const TimePoint at :
       {attempt.launched_at, attempt.ready_at, attempt.started_at, attempt.reported_at, attempt.progressed_at,
        attempt.ended_at, attempt.segment_at, attempt.idle_until, attempt.earlier.at, attempt.later.at}) {
    hash.age(at);
  }
  hash.time(attempt.longest_gap);
  hash.add(attempt.earlier.offset, attempt.later.offset, attempt.cut.has_value());
  if (!attempt.cut) return;
  hash.add(attempt.cut->at, attempt.cut->release, attempt.cut->why);
  hash.age(attempt.cut->asked_at);
}

void add_job(Hash& hash, const scheduler::Cluster& cluster, const scheduler::Job& job) {
  hash.add(job.state, job.tasks_done, job.sealed_bytes, job.attempts_failed, job.is_divided_more);
  hash.time(job.usual_gap);
  hash.time(job.usual_seal);
  hash.time(job.usual_launch);
  hash.time(job.longest_way);
  hash.time(job.between_offsets.longest());
  hash.time(job.to_seal.longest());
  hash.number(job.between_offsets.get().value_or(0));
  hash.number(job.to_seal.get().value_or(0));
  hash.number(job.spent);
  // What is planned cannot be seen; it follows from what was decided and from what has happened since.
  for (const auto& [at, decision] : job.decisions) {
    hash.age(at);
    hash.add(decision.what, decision.attempt.value_or(0), decision.segment, decision.resume_at.value_or(0));
  }
  for (const scheduler::Task& task : job.tasks.all()) {
    hash.add(task.is_counted, task.ledger.segments().size(), task.attempts.size());
    for (const scheduler::Segment& segment : task.ledger.segments()) {
      hash.add(segment.range);
      hash.add(segment.sealed, segment.failures, segment.silences, segment.stalls, segment.attempt);
    }
    for (const scheduler::Attempt& attempt : task.attempts) add_attempt(hash, cluster, attempt);
  }
}

void add_scheduler(Hash& hash, const scheduler::Scheduler& scheduler) {
  const scheduler::Cluster& cluster = scheduler.cluster();
  hash.age(cluster.taken_over_at().value_or(TimePoint{}));
  for (const auto& [id, node] : cluster.nodes()) {
    hash.add(id.value, node.state, node.duty, node.synchronised, node.failures, node.idle_runners.size());
    hash.age(node.heard_at);
    hash.age(node.lost_at);
    for (const AttemptId live : node.live) hash.add(live.number);
    const scheduler::Hold* hold = scheduler.resources().hold_of(id);
    hash.add(hold != nullptr ? static_cast<int>(hold->cause) : -1);
    if (hold != nullptr) hash.age(hold->until);
    hash.number(scheduler.resources().speed(id));
  }
  for (const auto& [id, job] : cluster.jobs()) {
    add_job(hash, cluster, job);
    const scheduler::Outlook* outlook = scheduler.outlook(id);
    if (outlook == nullptr) continue;
    for (const auto durations : {outlook->sample().finished(), outlook->sample().censored(),
                                 outlook->sample().launches(), outlook->sample().warm_launches()}) {
      hash.add(durations.size());
      for (const double duration : durations) hash.number(duration);
    }
  }
  for (const scheduler::Claim& claim : scheduler.claims()) hash.add(claim.job.value, claim.waiting);
  hash.age(scheduler.next_wake_up().value_or(TimePoint{}));
}

}  // namespace

std::uint64_t ModelledCluster::fingerprint() const {
  Hash hash(now_);
  add_scheduler(hash, *scheduler_);
  for (const Worker& worker : workers_) {
    hash.add(node_of(worker).value, worker.is_linked, worker.leaves, worker.wire.size(),
             worker.unconfirmed.has_value());
    for (const scheduler::Event& event : worker.wire) add_report(hash, event);
    if (worker.unconfirmed) add_report(hash, *worker.unconfirmed);
    for (const auto& [number, attempt] : worker.running) {
      hash.add(number, attempt.offset, attempt.has_started, attempt.is_standby);
      for (worker::CutPoints points = attempt.points; !points.is_over(); points.on_sealed()) hash.add(points.segment());
    }
  }
  hash.add(processes_, is_committing_);
  for (const auto& [attempt, segments] : mapped_) {
    hash.add(attempt, segments.size());
    for (const ByteRange& segment : segments) hash.add(segment);
  }
  return hash.value();
}

}  // namespace ontime::model
