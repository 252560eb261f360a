#include "tests/scheduler/random_history.h"

#include <rapidcheck.h>

#include <algorithm>

namespace ontime::scheduler::test {
namespace {

using namespace std::chrono_literals;

// Speculates at random places whenever asked: restarts, resumes at once or when ready, divides, clones, ends attempts.
class Erratic final : public Policy {
 public:
  explicit Erratic(std::uint32_t seed) : state_(seed | 1u) {}
  Plan plan(const View& view) override {
    Plan plan;
    plan.next_check = view.now + 700ms;
    for (const JobView& job : view.jobs) {
      if (next() % 8 == 0) plan.add(CloneTasks{job.id, next() % 3, Reason::Clone});
      for (std::uint32_t index = 0; index < job.job->tasks.size(); ++index) divide(job, index, plan);
      for (const AttemptId live : job.job->live) {
        if (next() % 6 == 0)
          plan.add(EndAttempt{live, Reason::SlowerCopy});
        else if (next() % 3 == 0)
          speculate(live, *view.cluster.find_attempt(live), plan);
      }
    }
    return plan;
  }

 private:
  void speculate(AttemptId live, const Attempt& attempt, Plan& plan) {
    Speculate decision;
    decision.task = live.task;
    decision.segment = attempt.held.begin;
    const std::uint32_t copies = 1 + next() % 2;
    const std::uint64_t begin = attempt.offset + next() % 5;
    const Handover handover = next() % 2 == 0 ? Handover::Ready : Handover::Predicted;
    const std::uint32_t kind = next() % 3;
    if (kind == 0) decision.work = WholeSegment{copies};
    if (kind == 1) decision.work = SharedTail{begin, copies, handover};
    if (kind == 2) {
      GivenTail tail{{{begin, copies}}, handover};
      for (std::uint64_t border = begin + 1 + next() % 20; next() % 2 == 0; border += 1 + next() % 20) {
        tail.pieces.push_back({border, next() % 3});
      }
      decision.work = std::move(tail);
    }
    plan.add(decision);
  }
  void divide(const JobView& job, std::uint32_t index, Plan& plan) {
    if (next() % 5 != 0) return;
    const std::vector<Segment>& segments = job.job->tasks[index].ledger.segments();
    const Segment& segment = segments[next() % segments.size()];
    plan.add(
        Divide{{job.id, index}, segment.range.begin, {segment.range.begin + 1 + next() % 30}, Reason::DivideAtStart});
  }
  std::uint32_t next() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 16;
  }
  std::uint32_t state_;
};

Settings settings(std::uint32_t seed) {
  Settings settings;
  settings.make_policy = [seed](std::string_view, const StringMap&) { return std::make_unique<Erratic>(seed); };
  return settings;
}

}  // namespace

RandomHistory::RandomHistory(std::uint32_t seed) : RandomHistory(settings(seed)) {}
RandomHistory::RandomHistory(Settings settings) : world_(std::move(settings)) {}

template <class Do>
void RandomHistory::with_any(Do what) {  // also attempts that have ended long ago
  if (all_.empty()) return;
  const AttemptId id = all_[*rc::gen::inRange<std::size_t>(0, all_.size())];
  if (world_.cluster().find_attempt(id) != nullptr) what(id);
}

void RandomHistory::step() {
  look();
  switch (*rc::gen::inRange(0, 16)) {
    case 0:
      register_some();
      break;
    case 1:
      if (jobs_ < 4) submit();
      break;
    case 15:
      world_.send(event::JobNotified{JobId{*rc::gen::inRange(0u, 5u)}, *rc::gen::inRange(0u, 4u), "x"});
      break;
    case 2:
      world_.pass(std::chrono::milliseconds(*rc::gen::inRange(1, 3000)));
      break;
    case 3:
      world_.pass(6s);
      break;  // everyone silent
    case 4:
      world_.restart();
      break;
    case 5:
      heartbeat_all();
      break;
    case 6:
      with_any([&](AttemptId id) { world_.fail(id, "x", static_cast<FailureKind>(*rc::gen::inRange(0, 8))); });
      break;
    case 7:
      with_any([&](AttemptId id) { world_.seal(id, {0, *rc::gen::inRange<std::uint64_t>(0, 40)}); });
      break;
    case 8:
      with_any([&](AttemptId id) {
        world_.answer_cut(id, *rc::gen::inRange<std::uint64_t>(0, 60), *rc::gen::arbitrary<bool>());
      });
      break;
    case 10:
      drain_some();
      break;
    case 9:
      for (const auto& commit : world_.take<action::CommitOutput>()) end_commit(commit);
      break;
    default:
      with_any([&](AttemptId id) { work(id); });
      break;
  }
  look();
}

void RandomHistory::settle() {
  for (int round = 0; round < 3000 && !all_ended(); ++round) {
    look();
    register_node("n0", world_.cluster());
    register_node("n1", world_.cluster());
    register_node("n-stays", world_.cluster());  // which nobody drains
    for (const auto& commit : world_.take<action::CommitOutput>()) world_.commit(commit.job);
    for (const AttemptId id : live()) work(id);
    world_.pass(500ms);
  }
}

bool RandomHistory::all_ended() const {
  for (const auto& [id, job] : world_.cluster().jobs()) {
    if (!is_final(job.state)) return false;
  }
  return true;
}

void RandomHistory::look() {
  for (const auto& launch : world_.take<action::LaunchAttempt>()) all_.push_back(launch.attempt);
  world_.take<action::KillAttempt>();
}

std::vector<AttemptId> RandomHistory::live() {
  std::vector<AttemptId> live;
  for (const AttemptId id : all_)
    if (world_.cluster().find_live(id) != nullptr) live.push_back(id);
  return live;
}

void RandomHistory::register_some() { register_node("n" + std::to_string(*rc::gen::inRange(0, 4)), world_.cluster()); }

// An operator takes it out or back, or its worker leaves.
void RandomHistory::drain_some() {
  const NodeId node = world_.cluster().node_of("n" + std::to_string(*rc::gen::inRange(0, 4)));
  if (node == NodeId{}) return;
  if (*rc::gen::inRange(0, 3) == 0)
    world_.send(event::NodeLeaving{node, *rc::gen::inRange(0, 4) == 0});
  else
    world_.send(event::DrainRequested{node, *rc::gen::arbitrary<bool>()});
}

void RandomHistory::register_node(const std::string& name, const Cluster& cluster) {
  std::vector<AttemptProgress> running;
  if (const Node* node = cluster.find_node(name)) {
    if (node->state == NodeState::Live && node->synchronised) {
      world_.heartbeat(cluster.node_of(name));
      return;
    }
    for (const AttemptId id : node->live) running.push_back({.attempt = id, .offset = world_.attempt(id).offset});
  }
  world_.register_node(name, 2, running);
}

void RandomHistory::submit() {
  JobSpec spec;
  spec.checkpoint_interval = 1s;
  spec.attempts_max = 50;
  spec.notify = {"ended:a", "late:b"};
  spec.owner = ++jobs_ % 2 == 0 ? "alice" : "bob";
  spec.split_bytes = *rc::gen::inRange<std::uint64_t>(10, 60);
  const int files = *rc::gen::inRange(1, 4);
  for (int i = 0; i < files; ++i)
    spec.inputs.push_back({"/in/" + std::to_string(i), *rc::gen::inRange<std::uint64_t>(0, 100), "v"});
  if (*rc::gen::arbitrary<bool>())
    spec.skip.kinds = *rc::gen::element<std::string>("vanished,corrupt", "unreadable", "corrupt");
  world_.submit(spec);
}

// It is over, or has not found what some tasks had stored.
void RandomHistory::end_commit(const action::CommitOutput& commit) {
  std::vector<std::uint32_t> lost;
  const auto tasks = static_cast<std::uint32_t>(commit.tasks.list.size());
  for (int left = std::max(0, *rc::gen::inRange(-2, 4)); left > 0 && tasks > 0; --left)
    lost.push_back(*rc::gen::inRange(0u, tasks));
  const std::string error = lost.empty() ? "" : "gone";
  world_.commit(commit.job, error, std::move(lost));
}

void RandomHistory::heartbeat_all() {
  for (const auto& [id, node] : world_.cluster().nodes()) world_.heartbeat(id);
}

// The attempt gets on: answers a cut where it stands, progresses, or seals its first segment.
void RandomHistory::work(AttemptId id) {
  const Attempt* attempt = world_.cluster().find_live(id);
  if (attempt == nullptr) return;
  const Segment* segment = world_.cluster().find_task(id.task)->ledger.find(attempt->held.begin);
  if (attempt->standby)
    world_.make_ready(id);
  else if (attempt->state == AttemptState::Launching && *rc::gen::inRange(0, 4) != 0)  // or the report was lost
    world_.start_attempt(id);
  else if (attempt->cut)
    world_.answer_cut(id, std::max(attempt->offset, attempt->held.begin + 1), attempt->cut->release);
  else if (attempt->offset < segment->range.end)
    world_.heartbeat(id, attempt->offset + 9);
  else
    world_.seal(id, segment->range);
}

}  // namespace ontime::scheduler::test
