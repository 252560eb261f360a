#include "lab/simulator/workers.h"

#include <algorithm>
#include <cmath>

#include "common/base/portable_math.h"

namespace ontime::lab {

namespace action = scheduler::action;
namespace event = scheduler::event;

namespace {

constexpr double kDurationMin = 1e-6;  // seconds

// What a disk says.
constexpr const char* kFull = "No space left on device";
constexpr const char* kFailing = "Input/output error";

}  // namespace

Workers::Workers(const Scenario& scenario, std::uint64_t seed, EventQueue& queue)
    : scenario_(scenario),
      seed_(seed),
      queue_(queue),
      wire_(scenario, seed),
      beat_every_(from_seconds(heartbeat_of(scenario))),
      idle_beat_every_(std::max(beat_every_, from_seconds(node_timeout_of(scenario) / 3))),
      keeps_reports_(!scenario.outages.empty() || !wire_.is_steady()) {
  add_nodes(seed);
}

void Workers::add_nodes(std::uint64_t seed) {
  std::uint32_t slots = 0;
  for (const NodeGroup& group : scenario_.nodes) {
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const auto index = static_cast<std::uint32_t>(nodes_.size());
      Random slowness(seed, Purpose::NodeSlowness, index);
      Random score(seed, Purpose::NodeScore, index);
      Node node;
      node.slots = group.slots;
      node.name = group.name.empty() ? "node-" + std::to_string(index) : group.name + "-" + std::to_string(i + 1);
      node.group = &group;
      node.disk = &group.disk;
      node.slowness = group.slowness.sample(slowness);
      if (scenario_.node_correlation > 0) node.score = normal_score(score.uniform());
      node.is_alive = !scenario_.elastic || slots < scenario_.elastic->least;
      slots += group.slots;
      if (node.is_alive) queue_.push(TimePoint{}, Due::Registration, index, 0);
      nodes_.push_back(std::move(node));
      expect_slowness(index, 0, TimePoint{});
    }
  }
}

void Workers::on(const Upcoming& due) {
  if (due.due == Due::Heartbeat) {
    if (nodes_[due.subject].pulse == due.generation) beat(due.subject, due.at);
    return;
  }
  if (due.due == Due::Order) {
    const Order order = orders_.take(due.subject);
    if (nodes_[order.node].is_connected && nodes_[order.node].connection == order.connection) obey(order, due.at);
    return;
  }
  if (due.due == Due::Break) return give_up(due);
  if (due.due == Due::Slowness) return change_slowness(due.subject, due.generation, due.at);
  Attempt& attempt = attempts_[due.subject];
  if (due.due == Due::Border) {
    if (attempt.border == due.generation) on_border(attempt, due.at);
  } else if (due.due == Due::Answer) {
    if (attempt.border == due.generation) answer(attempt, due.at);
  } else if (due.due == Due::Skew) {
    if (attempt.skew == due.generation) set_speed(attempt, due.at);
  } else if (attempt.life == due.generation) {
    if (due.due == Due::Launched) {
      on_launched(attempt, due.at);
    } else if (due.due == Due::SpeedChange) {
      change_speed(attempt, due.at);
    } else if (due.due == Due::Crash) {
      exit(attempt, "simulated crash", due.at);
    } else if (due.due == Due::Sealed) {
      seal(attempt, due.at);
    } else if (due.due == Due::Mishap) {
      on_mishap(attempt, due.at);
    } else if (due.due == Due::GoOn) {
      go_on(attempt, due.at);
    }
  }
}

// Orders --------------------------------------------------------------------------------------------------------------

void Workers::order(NodeId id, scheduler::Action what, TimePoint now) {
  const std::uint32_t index = index_of_[id.value - 1];
  const Node& node = nodes_[index];
  if (!node.is_connected || node.id != id) return;
  const auto arrives = arrival(index, Direction::ToNode, now);
  if (arrives) deliver(*arrives, Due::Order, orders_.put({index, node.connection, std::move(what)}));
}

void Workers::obey(const Order& order, TimePoint now) {
  if (const auto* launched = std::get_if<action::LaunchAttempt>(&order.what)) {
    launch(order.node, *launched, now);
  } else if (const auto* begun = std::get_if<action::BeginAttempt>(&order.what)) {
    if (Attempt* attempt = find(order.node, begun->attempt)) begin(*attempt, begun->range, now);
  } else if (const auto* asked = std::get_if<action::CutAttempt>(&order.what)) {
    if (Attempt* attempt = find(order.node, asked->attempt)) cut(*attempt, *asked, now);
  } else if (const auto* killed = std::get_if<action::KillAttempt>(&order.what)) {
    if (const Attempt* attempt = find(order.node, killed->attempt)) end(slot_of(*attempt), now);
  } else if (std::holds_alternative<action::ReleaseNode>(order.what)) {
    if (nodes_[order.node].is_leaving) end_node(nodes_[order.node], now);
  } else if (const auto* welcome = std::get_if<action::WelcomeNode>(&order.what)) {
    for (const AttemptId fenced : welcome->fenced) {
      if (const Attempt* attempt = find(order.node, fenced)) end(slot_of(*attempt), now);
    }
  }
}

void Workers::launch(std::uint32_t index, const action::LaunchAttempt& order, TimePoint now) {
  const JobLoad& job = jobs_[order.attempt.task.job.value - 1];
  const std::uint32_t slot = take_slot(attempts_, free_);
  Attempt& attempt = attempts_[slot];
  attempt.id = order.attempt;
  attempt.node = index;
  attempt.phase = Phase::Launching;
  attempt.standby = order.standby;
  attempt.begin.reset();
  attempt.seals = 0;
  attempt.begun = 0;
  attempt.cuts.clear();
  attempt.answers.clear();
  attempt.arrived_at = now;
  attempt.split = order.split.range;
  attempt.random = Random(seed_, Purpose::Duration, job.planned, order.attempt.task.index, order.attempt.number);
  Random launch(seed_, Purpose::Launch, job.planned, order.attempt.task.index, order.attempt.number);
  disturb(attempt, order.range);
  attempt.motion = motion_on(attempt, order.range);
  Node& node = nodes_[index];
  attempt.is_warm =
      scheduler::take_idle_runner(node.idle_runners, order.attempt.task.job, node.attempts.size(), node.slots);
  const double loading = attempt.is_warm ? 0 : scenario_.launch.sample(launch);
  queue_.push(now + from_seconds(loading) + attempt.disturbance.launch, Due::Launched, slot, attempt.life);
  node.attempts.push_back(slot);
  node.launched_at = now;
  if (node.beats_slowly) expect_beat(index, now);
}

void Workers::begin(Attempt& attempt, ByteRange range, TimePoint now) {
  if (!attempt.standby || attempt.begin) return;
  attempt.begin = range;
  if (attempt.phase == Phase::StandingBy) start_mapping(attempt, now);
}

// A standby that has not begun is not asked; an attempt looks between two records, and when it has sealed. Its worker
// may answer before, as what is behind the record is free in any case.
void Workers::cut(Attempt& attempt, const action::CutAttempt& order, TimePoint now) {
  if ((attempt.standby && attempt.phase < Phase::Mapping) || attempt.is_stalled) return;
  if (attempt.phase == Phase::Sealing) return attempt.cuts.push_back(order);
  if (attempt.answers.empty()) {
    attempt.answers_at = attempt.motion.next_look(now);
    attempt.answers_by = answers_by(attempt, now);
  }
  const std::uint64_t at = attempt.motion.cut(order.at, order.release, now);
  attempt.answers.push_back(event::CutAnswered{nodes_[attempt.node].id, attempt.id, at, order.release});
  const bool is_busy =
      attempt.motion.is_starting(now) || attempt.motion.place(now) < static_cast<double>(attempt.answers_at);
  if (attempt.phase == Phase::Mapping && is_busy) return expect_border(attempt, now);
  answer(attempt, now);
}

void Workers::answer(Attempt& attempt, TimePoint now) {
  for (scheduler::Event& one : std::exchange(attempt.answers, {})) report(attempt.node, std::move(one), now);
  if (attempt.motion.is_over())
    end_done(attempt, now);
  else if (attempt.phase == Phase::Mapping)
    expect_border(attempt, now);
}

// Attempts ------------------------------------------------------------------------------------------------------------

void Workers::on_launched(Attempt& attempt, TimePoint now) {
  if (attempt.standby) {
    attempt.phase = Phase::StandingBy;
    report(attempt.node, event::AttemptReady{nodes_[attempt.node].id, attempt.id}, now);
    if (!attempt.begin) return;
  }
  start_mapping(attempt, now);
}

void Workers::start_mapping(Attempt& attempt, TimePoint now) {
  if (nodes_[attempt.node].does_disk_fail) {
    return exit(attempt, "cannot create the output file " + attempt_file_name(attempt.id) + ": " + kFailing, now);
  }
  const JobLoad& job = jobs_[attempt.id.task.job.value - 1];
  attempt.phase = Phase::Mapping;
  if (attempt.begin) attempt.motion = motion_on(attempt, *attempt.begin);
  report(attempt.node, event::AttemptStarted{nodes_[attempt.node].id, attempt.id}, now);
  begin_segment(attempt, now);
  change_speed(attempt, now);
  if (scenario_.injection) expect_mishap(attempt, now);
  if (scenario_.crash_probability <= 0) return;
  Random crash(seed_, Purpose::Crash, job.planned, attempt.id.task.index, attempt.id.number);
  if (crash.uniform() >= scenario_.crash_probability) return;
  const TimePoint last = attempt.motion.border_at(now);
  queue_.push(now + from_seconds(seconds(last - now) * crash.uniform()), Due::Crash, slot_of(attempt), attempt.life);
}

// Bytes per second. Without a rate the records that begin in its split take as long as drawn, however many they are.
double Workers::draw_speed(Attempt& attempt) {
  if (const double rate = attempt.disturbance.bytes_per_second; rate > 0) return rate;
  const JobGroup& group = *jobs_[attempt.id.task.job.value - 1].group;
  const double records = std::max(1.0, Motion(attempt.split, group.size.record_bytes).length());
  const double speed = static_cast<double>(group.size.split_bytes) / std::max(kDurationMin, draw_duration(attempt));
  return speed * records / static_cast<double>(attempt.split.size());
}

// Over a whole split. The first attempt of a task begins with the recorded one, if there is any.
double Workers::draw_duration(Attempt& attempt) {
  const JobGroup& group = *jobs_[attempt.id.task.job.value - 1].group;
  const Node& node = nodes_[attempt.node];
  double survival = attempt.random.uniform();
  const bool begins = attempt.motion.speed() <= 0;
  if (begins && attempt.id.number == 0 && attempt.id.task.index < group.times.first_durations.size()) {
    if (const double recorded = group.times.first_durations[attempt.id.task.index]; recorded > 0) return recorded;
  }
  if (const double shared = scenario_.node_correlation; shared > 0) {
    survival = normal_survival(std::sqrt(shared) * node.score + std::sqrt(1 - shared) * normal_score(survival));
  }
  return group.times.duration.at_survival(survival) * node.slowness * std::max(1.0, attempt.disturbance.slowdown);
}

void Workers::change_speed(Attempt& attempt, TimePoint now) {
  attempt.even_speed = draw_speed(attempt);
  set_speed(attempt, now);
  if (const double every = scenario_.speed_changes_every; every > 0) {
    const double pause = -every * natural_log(attempt.random.uniform());
    queue_.push(now + from_seconds(pause), Due::SpeedChange, slot_of(attempt), attempt.life);
  }
}

// As fast as the bytes allow that it maps now.
void Workers::set_speed(Attempt& attempt, TimePoint now) {
  const JobLoad& job = jobs_[attempt.id.task.job.value - 1];
  const JobGroup& group = *job.group;
  double speed = attempt.even_speed;
  std::optional<double> next;
  if (!group.times.skew.begins.is_constant() || group.times.skew.begins.median() < 1) {
    Random skew(seed_, Purpose::Skew, job.planned, attempt.id.task.index);
    const double slowness = group.times.skew.slowness.sample(skew);
    const double begins = std::clamp(group.times.skew.begins.sample(skew), 0.0, 1.0);
    const double share = std::clamp(group.times.skew.share.sample(skew), 0.0, 1 - begins);
    const auto split = static_cast<double>(attempt.split.size());
    const double from = static_cast<double>(attempt.split.begin) + split * begins;
    const double to = begins + share < 1 ? from + split * share : kForEver;
    const double place = attempt.motion.place(now);
    speed *= 1 - share + share * slowness;
    if (place >= from - 1 && place < to - 1) speed /= slowness;
    next = place < from - 1 ? from : to;
    if (place >= *next - 1 || *next == kForEver) next.reset();
  }
  attempt.motion.set_speed(speed, now);
  if (next) queue_.push(attempt.motion.comes_to(*next, now), Due::Skew, slot_of(attempt), ++attempt.skew);
  expect_border(attempt, now);
}

void Workers::expect_border(Attempt& attempt, TimePoint now) {
  if (attempt.phase == Phase::Sealing) return;
  ++attempt.border;
  if (!attempt.answers.empty()) {  // before it seals, if it does so at the same place
    const TimePoint at = std::min(attempt.motion.reaches(attempt.answers_at, now), std::max(now, attempt.answers_by));
    queue_.push(at, Due::Answer, slot_of(attempt), attempt.border);
  }
  queue_.push(attempt.motion.border_at(now), Due::Border, slot_of(attempt), attempt.border);
}

// What it has mapped is written and synced before anybody hears of it.
void Workers::on_border(Attempt& attempt, TimePoint now) {
  const Node& node = nodes_[attempt.node];
  if (node.is_disk_full || node.does_disk_fail) {
    const char* error = node.is_disk_full ? kFull : kFailing;
    return exit(attempt, "cannot write the output file " + attempt_file_name(attempt.id) + ": " + error, now);
  }
  if (!node.disk->takes_time()) return seal(attempt, now);
  attempt.phase = Phase::Sealing;
  queue_.push(written_at(attempt, now), Due::Sealed, slot_of(attempt), attempt.life);
}

TimePoint Workers::written_at(Attempt& attempt, TimePoint now) {
  const JobLoad& job = jobs_[attempt.id.task.job.value - 1];
  Node& node = nodes_[attempt.node];
  const double bytes = static_cast<double>(attempt.motion.segment().size()) * job.group->size.output;
  const std::uint64_t name = std::uint64_t{attempt.id.number} << 32 | attempt.seals++;
  Random sync(seed_, Purpose::Sync, job.planned, attempt.id.task.index, name);
  const double takes = bytes / node.disk->bytes_per_second + node.disk->sync.sample(sync);
  node.disk_free_at = std::max(now, node.disk_free_at) + from_seconds(takes);
  return node.disk_free_at;
}

void Workers::seal(Attempt& attempt, TimePoint now) {
  if (nodes_[attempt.node].does_disk_fail) {
    const std::string file = attempt_file_name(attempt.id);
    return exit(attempt, "cannot make the output file " + file + " durable: " + kFailing, now);
  }
  const ByteRange segment = attempt.motion.segment();
  scheduler::SealedOutput output;
  output.length = segment.size();
  output.records = 1 + (segment.size() - 1) / jobs_[attempt.id.task.job.value - 1].group->size.record_bytes;
  report(attempt.node,
         event::SegmentSealed{
             nodes_[attempt.node].id, attempt.id, segment, segment.end, output, {}, attempt.motion.times(now)},
         now);
  attempt.motion.seal(now);
  if (attempt.motion.is_over()) return end_done(attempt, now);
  if (attempt.phase == Phase::Mapping) {
    begin_segment(attempt, now);
    return expect_border(attempt, now);
  }
  attempt.phase = Phase::Mapping;
  go_on_mapping(attempt, now);
  const std::uint32_t life = attempt.life;
  for (const action::CutAttempt& asked : std::exchange(attempt.cuts, {})) {
    if (attempt.life == life) cut(attempt, asked, now);
  }
  if (attempt.life != life) return;
  begin_segment(attempt, now);
  if (attempt.motion.is_starting(now)) expect_border(attempt, now);
}

// After a seal that has taken time: what was to happen at a place happens later.
void Workers::go_on_mapping(Attempt& attempt, TimePoint now) {
  if (!scenario_.injection) return set_speed(attempt, now);
  expect_border(attempt, now);
  expect_mishap(attempt, now);
}

void Workers::exit(Attempt& attempt, const std::string& why, TimePoint now) {
  report(attempt.node, event::AttemptExited{nodes_[attempt.node].id, attempt.id, scheduler::FailureKind::Attempt, why},
         now);
  end(slot_of(attempt), now);
}

void Workers::end_done(Attempt& attempt, TimePoint now) {
  if (scenario_.keeps_runners) nodes_[attempt.node].idle_runners.push_back(attempt.id.task.job);
  end(slot_of(attempt), now);
}

void Workers::end(std::uint32_t slot, TimePoint now) {
  Attempt& attempt = attempts_[slot];
  JobLoad& job = jobs_[attempt.id.task.job.value - 1];
  job.machine_time += seconds(now - attempt.arrived_at);
  job.mapped_bytes += attempt.motion.mapped(now);
  std::erase(nodes_[attempt.node].attempts, slot);
  ++attempt.life;
  ++attempt.border;
  ++attempt.skew;
  free_.push_back(slot);
}

void Workers::end_all(Node& node, TimePoint now) {
  while (!node.attempts.empty()) end(node.attempts.back(), now);
}

void Workers::settle(TimePoint now) {
  for (Node& node : nodes_) end_all(node, now);
}

Workers::Attempt* Workers::find(std::uint32_t node, AttemptId id) {
  for (const std::uint32_t slot : nodes_[node].attempts) {
    if (attempts_[slot].id == id) return &attempts_[slot];
  }
  return nullptr;
}

std::uint32_t Workers::slot_of(const Attempt& attempt) const {
  return static_cast<std::uint32_t>(&attempt - attempts_.data());
}

}  // namespace ontime::lab
