#include "tests/policy/paced_world.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace ontime::scheduler::test {
namespace {

std::string pieces_of(const Speculate& decision) {
  if (const auto* shared = std::get_if<SharedTail>(&decision.work)) return std::to_string(shared->begin);
  std::string text;
  if (const auto* given = std::get_if<GivenTail>(&decision.work)) {
    for (const TailPiece& piece : given->pieces)
      text += std::to_string(piece.begin) + '*' + std::to_string(piece.copies) + ' ';
  }
  return text;
}

struct InWords {
  std::string operator()(const Speculate& what) const {
    std::ostringstream text;
    text << std::hexfloat << "speculate " << to_string(what.task) << ' ' << what.segment << ' ' << pieces_of(what)
         << ' ' << what.work.index() << ' ' << code_of(what.reason) << ' ' << what.completion << ' ' << what.pocd_before
         << ' ' << what.pocd_after;
    text << ' ' << copies_of(what);
    return text.str();
  }
  std::string operator()(const Divide& what) const {
    std::string text = "divide " + to_string(what.task);
    for (const std::uint64_t border : what.borders) text += ' ' + std::to_string(border);
    return text;
  }
  std::string operator()(const CloneTasks& what) const {
    return "clone " + to_string(what.job) + ' ' + std::to_string(what.copies);
  }
  std::string operator()(const EndAttempt& what) const { return "end " + to_string(what.attempt); }
  std::string operator()(const Decline& what) const {
    return "decline " + to_string(what.task) + ' ' + std::string(code_of(what.reason));
  }
  std::string operator()(const Note& what) const { return "note " + to_string(what.job) + ' ' + what.text; }
};

}  // namespace

std::string in_words(const Plan& plan) {
  std::string text = plan.next_check ? std::to_string(to_unix_ns(*plan.next_check)) : "never";
  for (const Decision& decision : plan.decisions) text += '\n' + std::visit(InWords{}, decision);
  return text;
}

void PacedWorld::add_nodes(std::uint32_t count, std::uint32_t slots) {
  const std::size_t known = cluster().nodes().size();
  for (std::uint32_t i = 0; i < count; ++i) world_.register_node("node-" + std::to_string(known + i), slots);
}

JobId PacedWorld::submit(std::uint32_t tasks, JobSpec spec) {
  return world_.submit(tasks * std::uint64_t{1000}, 1000, std::move(spec));
}

std::size_t PacedWorld::copies(JobId job) const {
  return static_cast<std::size_t>(std::count_if(launches_.begin(), launches_.end(), [&](const Launch& launch) {
    return launch.attempt.task.job == job && launch.attempt.number > 0;
  }));
}

std::optional<Reason> PacedWorld::declined(JobId job, std::uint32_t task) const {
  const auto& all = cluster().find_job(job)->declined;
  const auto found = all.find(task);
  return found == all.end() ? std::nullopt : std::optional(found->second.reason);
}

void PacedWorld::run(Duration duration) {
  for (const TimePoint until = world_.now() + duration; world_.now() < until;) {
    obey();
    world_.pass(std::min(step_, until - world_.now()));
    std::vector<AttemptId> ids;
    for (const auto& [id, attempt] : running_) ids.push_back(id);
    for (const AttemptId id : ids) advance(id, seconds(step_));
    for (const auto& [id, node] : cluster().nodes()) world_.heartbeat(id);
  }
  obey();
}

void PacedWorld::restart() {
  std::map<NodeId, std::pair<std::string, std::uint32_t>> nodes;
  for (const auto& [id, node] : cluster().nodes()) nodes[id] = {node.name, node.slots};
  world_.restart();
  for (const auto& [id, node] : nodes) {
    std::vector<AttemptProgress> running;
    for (const auto& [attempt, state] : running_) {
      if (world_.attempt(attempt).node != id) continue;
      running.push_back({.attempt = attempt, .offset = static_cast<std::uint64_t>(state.offset)});
    }
    world_.register_node(node.first, node.second, std::move(running));
    for (auto& [attempt, state] : running_) {
      if (world_.attempt(attempt).node == id) state.has_started = false;  // the worker reports it again
    }
  }
}

bool PacedWorld::run_job(JobId job, Duration limit) {
  const TimePoint until = world_.now() + limit;
  while (cluster().find_job(job)->state == JobState::Running && world_.now() < until) run(step_);
  if (cluster().find_job(job)->state == JobState::Committing) world_.commit(job);
  return cluster().find_job(job)->state == JobState::Succeeded;
}

void PacedWorld::obey() {
  for (const auto& order : world_.take<action::LaunchAttempt>()) {
    launches_.push_back({order.attempt, order.range, now()});
    running_[order.attempt] = {static_cast<double>(order.range.begin),
                               rate_(order.attempt),
                               order.range.begin,
                               order.range.end,
                               {},
                               world_.now() + launch_,
                               order.standby};
  }
  for (const auto& order : world_.take<action::BeginAttempt>()) {
    Running& attempt = running_.at(order.attempt);
    attempt.standby = false;
    attempt.offset = static_cast<double>(order.range.begin);
    attempt.begin = order.range.begin;
    attempt.end = order.range.end;
  }
  for (const auto& order : world_.take<action::CutAttempt>()) {
    unanswered_.emplace_back(world_.now() + answer_delay_, order);
  }
  while (!unanswered_.empty() && unanswered_.front().first <= world_.now()) {
    const action::CutAttempt order = unanswered_.front().second;
    unanswered_.erase(unanswered_.begin());
    cut(order);
  }
  for (const auto& order : world_.take<action::KillAttempt>()) running_.erase(order.attempt);
}

void PacedWorld::cut(const action::CutAttempt& order) {
  const auto found = running_.find(order.attempt);
  if (found == running_.end() || cluster().find_live(order.attempt) == nullptr) return;
  Running& attempt = found->second;
  if (attempt.is_stopped) return;
  const auto position = static_cast<std::uint64_t>(std::ceil(attempt.offset));
  const std::uint64_t at = std::min(std::max(order.at, position), attempt.end);
  if (at > attempt.begin && at < attempt.end) {
    cuts_[order.attempt.task].push_back(at);
    attempt.seal_points.insert(at);
    if (order.release) attempt.end = at;
  }
  world_.answer_cut(order.attempt, at, order.release);
}

void PacedWorld::advance(AttemptId id, double time) {
  if (cluster().find_live(id) == nullptr) {
    running_.erase(id);
    return;
  }
  Running& attempt = running_.at(id);
  if (world_.now() < attempt.starts) return world_.heartbeat(id, static_cast<std::uint64_t>(attempt.offset));
  if (attempt.standby) return world_.make_ready(id);
  if (!attempt.has_started) {
    attempt.has_started = true;
    attempt.offset += first_record_;
    return world_.start_attempt(id);
  }
  const double rate = attempt.is_stopped ? 0 : attempt.rate;
  attempt.offset = std::min(static_cast<double>(attempt.end), attempt.offset + rate * time);
  if (world_.now() >= silence_.first && world_.now() < silence_.second) return;
  world_.heartbeat(id, static_cast<std::uint64_t>(attempt.offset));
  attempt.seal_points.insert(attempt.end);
  while (!attempt.seal_points.empty() && static_cast<double>(*attempt.seal_points.begin()) <= attempt.offset) {
    const std::uint64_t point = *attempt.seal_points.begin();
    attempt.seal_points.erase(attempt.seal_points.begin());
    world_.seal(id, {attempt.begin, point});
    attempt.begin = point;
  }
  const bool is_done = attempt.begin >= attempt.end;
  if (is_done) running_.erase(id);
}

std::vector<PacedWorld::Launch> PacedWorld::launches_of(TaskId task) const {
  std::vector<Launch> of_task;
  for (const Launch& launch : launches_) {
    if (launch.attempt.task == task) of_task.push_back(launch);
  }
  return of_task;
}

std::vector<std::string> PacedWorld::notes(JobId job) const {
  std::vector<std::string> notes;
  for (const DecisionAt& decision : cluster().find_job(job)->decisions) {
    if (!decision.decision.text.empty()) notes.push_back(decision.decision.text);
  }
  return notes;
}

std::uint32_t PacedWorld::live_attempts(TaskId task) const {
  std::uint32_t live = 0;
  for (const Attempt& attempt : cluster().find_task(task)->attempts) live += is_live(attempt.state) ? 1 : 0;
  return live;
}

}  // namespace ontime::scheduler::test
