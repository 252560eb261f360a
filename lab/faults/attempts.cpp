// The attempts of the workers: how they map, what they write, what they answer to a cut.
#include <algorithm>
#include <utility>

#include "common/base/crc32c.h"
#include "lab/faults/workers.h"
#include "lab/scenario/random.h"
#include "lab/simulator/pool.h"

namespace ontime::lab::faults {

namespace action = scheduler::action;
namespace event = scheduler::event;
using scheduler::FailureKind;

namespace {

constexpr double kDurationMax = 40;  // seconds: a job that does not end is not just slow

// The first record that begins at or behind `offset`.
std::uint64_t first_record(std::uint64_t offset, std::uint64_t record_bytes) {
  return (offset + record_bytes - 1) / record_bytes;
}

std::uint32_t checksum(const OutputFile& file, std::size_t from) {
  return crc32c(0, file.records.data() + from, (file.records.size() - from) * sizeof file.records[0]);
}

}  // namespace

void Workers::on_attempt(const Upcoming& due) {
  Attempt& attempt = attempts_[due.subject];
  if (attempt.is_stopped && (due.due == Due::Border ? attempt.border : attempt.life) == due.generation) return;
  if (due.due == Due::Border) {
    if (attempt.border == due.generation) on_border(attempt);
    return;
  }
  if (attempt.life != due.generation) return;
  const Node& node = nodes_[attempt.node];
  if (is_stopped(node) && node.do_attempts_stop) {
    return world_.agenda.put(node.stopped_until, due.due, due.subject, due.generation);
  }
  if (due.due == Due::Launched && node.hangs_until > world_.now) {
    return world_.agenda.put(node.hangs_until, due.due, due.subject, due.generation);
  }
  if (due.due == Due::Launched) on_launched(attempt);
  if (due.due == Due::Cut) cut(attempt);
  if (due.due == Due::SpeedChange) change_speed(attempt);
  if (due.due == Due::AttemptDies) exit(attempt, "it crashed");
}

void Workers::hold(Attempt& attempt, ByteRange range) {
  attempt.open_end.reset();
  if (range.is_open_ended()) attempt.open_end = std::max(input_end(*attempt.job), range.begin + 1);
  attempt.motion = Motion({range.begin, attempt.open_end.value_or(range.end)}, attempt.job->job.record_bytes);
  attempt.next_record = first_record(range.begin, attempt.job->job.record_bytes);
}

std::uint64_t Workers::told_end(const Attempt& attempt, std::uint64_t end) const {
  return attempt.open_end == end ? kUnknownEnd : end;
}

bool Workers::launch(std::uint32_t index, const action::LaunchAttempt& order, std::uint32_t directory) {
  Node& node = nodes_[index];
  if (find(index, order.attempt) != nullptr) return true;  // the order came twice
  if (node.attempts.size() >= 2 * std::size_t{world_.plan.slots[index]}) return false;
  const std::uint32_t slot = take_slot(attempts_, free_);
  Attempt& attempt = attempts_[slot];
  attempt.id = order.attempt;
  attempt.node = index;
  attempt.phase = Phase::Launching;
  attempt.is_stopped = false;
  attempt.standby = order.standby;
  attempt.launched = order.range;
  attempt.begin.reset();
  attempt.job = &world_.plan.submissions[world_.submission_of[directory]];
  attempt.directory = directory;
  attempt.cuts.clear();
  hold(attempt, order.range);
  attempt.random =
      Random(world_.plan.seed, Purpose::Duration, directory, order.attempt.task.index, order.attempt.number);
  const double pause = world_.plan.launch * (0.1 + 0.9 * attempt.random.uniform());
  world_.agenda.put(world_.now + from_seconds(pause), Due::Launched, slot, attempt.life);
  node.attempts.push_back(slot);
  return true;
}

// The order may come twice. False if it does not fit.
bool Workers::begin(Attempt& attempt, ByteRange range) {
  if (attempt.begin == range) return true;
  const bool is_inside = attempt.launched.begin <= range.begin && range.end <= attempt.launched.end;
  if (!attempt.standby || attempt.begin || !is_inside || range.begin >= range.end) return false;
  attempt.begin = range;
  if (attempt.phase == Phase::StandingBy) start_mapping(attempt);
  return true;
}

void Workers::on_launched(Attempt& attempt) {
  if (const auto kind = nodes_[attempt.node].fails) return exit(attempt, "this node fails everything", *kind);
  if (attempt.standby) {
    attempt.phase = Phase::StandingBy;
    report(attempt.node, event::AttemptReady{{}, attempt.id});
    if (!attempt.begin) return;
  }
  start_mapping(attempt);
}

void Workers::start_mapping(Attempt& attempt) {
  OutputDirectory& directory = world_.store.directory(attempt.directory);
  if (!directory.has_attempts) return exit(attempt, "it cannot create its output file", FailureKind::Storage);
  if (nodes_[attempt.node].is_disk_full) return exit(attempt, "no space left on device", FailureKind::Storage);
  attempt.file = world_.store.create();
  directory.attempts[attempt_file_name(attempt.id)] = attempt.file;
  attempt.phase = Phase::Mapping;
  if (attempt.begin) hold(attempt, *attempt.begin);
  report(attempt.node, event::AttemptStarted{{}, attempt.id});
  change_speed(attempt);
  if (!attempt.cuts.empty()) expect_cut(attempt);
  if (attempt.random.uniform() < world_.plan.crash_probability) {
    const double left = seconds(attempt.motion.border_at(world_.now) - world_.now);
    world_.agenda.put(world_.now + from_seconds(left * attempt.random.uniform()), Due::AttemptDies, slot_of(attempt),
                      attempt.life);
  }
}

void Workers::change_speed(Attempt& attempt) {
  const JobGroup& job = attempt.job->job;
  const double duration =
      std::min(kDurationMax, job.duration.sample(attempt.random)) * world_.plan.slowness[attempt.node];
  attempt.speed = static_cast<double>(job.split_bytes) / duration;
  attempt.motion.set_speed(attempt.speed, world_.now);
  expect_border(attempt);
  if (const double every = world_.plan.speed_changes_every; every > 0) {
    const double pause = -every * natural_log(attempt.random.uniform());
    world_.agenda.put(world_.now + from_seconds(pause), Due::SpeedChange, slot_of(attempt), attempt.life);
  }
}

void Workers::expect_border(Attempt& attempt) {
  world_.agenda.put(attempt.motion.border_at(world_.now), Due::Border, slot_of(attempt), ++attempt.border);
}

// A cut is answered when the attempt next looks, one at a time; one that launches looks when it maps.
void Workers::expect_cut(const Attempt& attempt) {
  const Duration pause = from_seconds(world_.plan.runner_delay * random_.uniform());
  world_.agenda.put(world_.now + pause, Due::Cut, slot_of(attempt), attempt.life);
}

void Workers::cut(Attempt& attempt) {
  if (attempt.cuts.empty() || attempt.phase == Phase::Launching) return;
  const action::CutAttempt asked = attempt.cuts.front();
  attempt.cuts.pop_front();
  if (attempt.phase != Phase::Mapping) return;  // a standby is not asked
  const std::uint64_t at = attempt.motion.cut(asked.at, asked.release, world_.now);
  report(attempt.node, event::CutAnswered{{}, attempt.id, told_end(attempt, at), asked.release});
  if (attempt.motion.is_over())
    end(attempt);
  else if (nodes_[attempt.node].do_attempts_stop)
    ++attempt.border;
  else
    expect_border(attempt);
}

// Its segment is mapped: what it has become is written and synced before anybody hears of it.
void Workers::on_border(Attempt& attempt) {
  if (nodes_[attempt.node].is_disk_full) return exit(attempt, "no space left on device", FailureKind::Storage);
  const ByteRange segment = attempt.motion.segment();
  OutputFile& file = world_.store.file(attempt.file);
  const std::size_t offset = file.records.size();
  const std::uint64_t first = attempt.next_record;
  attempt.motion.seal(world_.now);
  write(attempt, segment.end);
  file.synced = file.records.size();
  const ByteRange told{segment.begin, told_end(attempt, segment.end)};
  event::SegmentSealed sealed{{}, attempt.id, told, segment.end, {}, {}};
  if (told.is_open_ended()) sealed.input_end = std::max(segment.begin, input_end(*attempt.job));
  sealed.output = {offset, file.records.size() - offset, attempt.next_record - std::min(first, attempt.next_record),
                   checksum(file, offset)};
  report(attempt.node, std::move(sealed));
  if (attempt.motion.is_over())
    end(attempt);
  else
    expect_border(attempt);
}

// The output of all records that begin below `end`.
void Workers::write(Attempt& attempt, std::uint64_t end) {
  std::vector<std::uint32_t>& records = world_.store.file(attempt.file).records;
  const std::uint64_t stop = first_record(std::min(end, input_end(*attempt.job)), attempt.job->job.record_bytes);
  for (; attempt.next_record < stop; ++attempt.next_record) {
    if (attempt.next_record % attempt.job->output_every != 0) continue;
    records.push_back(static_cast<std::uint32_t>(attempt.next_record));
  }
}

void Workers::exit(Attempt& attempt, const char* why, FailureKind kind) {
  report(attempt.node, event::AttemptExited{{}, attempt.id, kind, why});
  kill(attempt);
}

// What it has mapped so far may be in its file already.
void Workers::kill(Attempt& attempt) {
  if (attempt.phase == Phase::Mapping && !nodes_[attempt.node].is_disk_full) {
    const std::uint64_t place = attempt.motion.offset(world_.now);
    write(attempt, place / attempt.job->job.record_bytes * attempt.job->job.record_bytes);
  }
  end(attempt);
}

void Workers::end(Attempt& attempt) {
  const std::uint32_t slot = slot_of(attempt);
  std::erase(nodes_[attempt.node].attempts, slot);
  ++attempt.life;
  ++attempt.border;
  free_.push_back(slot);
}

Workers::Attempt* Workers::find(std::uint32_t node, AttemptId id) {
  for (const std::uint32_t slot : nodes_[node].attempts) {
    if (attempts_[slot].id == id) return &attempts_[slot];
  }
  return nullptr;
}

std::uint32_t Workers::slot_of(const Attempt& attempt) const {
  const auto& slots = nodes_[attempt.node].attempts;
  const auto found =
      std::find_if(slots.begin(), slots.end(), [&](std::uint32_t slot) { return &attempts_[slot] == &attempt; });
  return *found;
}

}  // namespace ontime::lab::faults
