#include "tests/model/modelled_cluster.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scheduler/policies/policy.h"

namespace ontime::model {

using namespace std::chrono_literals;
namespace action = scheduler::action;
namespace event = scheduler::event;
namespace fact = scheduler::fact;
using scheduler::describe;
using scheduler::JobState;

namespace {

constexpr JobId kJob{1};
constexpr TaskId kTask{kJob, 0};
constexpr Duration kBetweenPlans = 1s;

// What is confirmed by the master, and sent again until it is.
bool is_report(const scheduler::Event& event) {
  return !std::holds_alternative<event::NodeInventory>(event) && !std::holds_alternative<event::NodeLeaving>(event);
}

}  // namespace

// Its plan is what the search has chosen.
class ModelledCluster::Puppet final : public scheduler::Policy {
 public:
  explicit Puppet(std::vector<scheduler::Decision>& orders) : orders_(orders) {}
  scheduler::Plan plan(const scheduler::View& view) override {
    return {std::exchange(orders_, {}), view.now + kBetweenPlans};
  }

 private:
  std::vector<scheduler::Decision>& orders_;
};

ModelledCluster::ModelledCluster(const Rules& rules) : rules_(rules), workers_(2) {
  start_master();
  for (Worker& worker : workers_) {
    worker.incarnation = "w" + std::to_string(++processes_);
    rejoin(worker, false);
    deliver(worker, true);
  }
  scheduler::JobSpec spec;
  spec.application = "wordcount";
  spec.output = "/out";
  spec.policy_parameters = {{"as_written", "true"}};
  spec.attempts_max = rules_.failures_max;
  if (!rules_.has_checkpoints) spec.checkpoint_interval = Duration(0);
  spec.inputs = {{"/input", rules_.bytes, "1", Codec::Plain}};
  send(event::JobSubmitted{1, std::move(spec)});
}

// ---- events
// ----------------------------------------------------------------------------------------------------------

void ModelledCluster::take(const Choice& choice) {
  switch (choice.what) {
    case What::Deliver:
    case What::DeliverCrash:
      return deliver(workers_[choice.who], choice.what == What::Deliver);
    case What::Break:
      return unlink(workers_[choice.who]);
    case What::Rejoin:
    case What::RejoinRepeat:
      return rejoin(workers_[choice.who], choice.what == What::RejoinRepeat);
    case What::Die:
      return die(workers_[choice.who]);
    case What::Start:
    case What::Map:
    case What::Seal:
    case What::Fail:
      return work(choice);
    case What::Restart:
      return start_master();
    case What::Wait:
      return pass(6s);
    case What::Copy:
    case What::Share:
    case What::Give:
    case What::End:
      return plan(choice);
    case What::Drain:
      return send(event::DrainRequested{node_of(workers_[choice.who]), true});
    case What::Leave:
      workers_[choice.who].leaves = true;
      return report(workers_[choice.who], event::NodeLeaving{node_of(workers_[choice.who])});
    case What::Commit:
    case What::CommitLost:
      is_committing_ = false;
      return send(choice.what == What::Commit ? event::CommitFinished{kJob, ""}
                                              : event::CommitFinished{kJob, "gone", {0}});
    case What::Kill:
      return send(event::JobKillRequested{kJob, "asked to"});
  }
}

// ---- the master -----------------------------------------------------------------------------------------------------

void ModelledCluster::start_master() {
  scheduler::Settings settings;
  settings.make_policy = [this](std::string_view, const scheduler::StringMap&) {
    return std::make_unique<Puppet>(orders_);
  };
  for (Worker& worker : workers_) unlink(worker);
  is_committing_ = false;
  scheduler_ = std::make_unique<scheduler::Scheduler>(std::move(settings));
  for (const scheduler::JournalRecord& record : journal_) scheduler_->replay(record);
  check(nullptr, scheduler_->start(now_), true);
}

void ModelledCluster::send(const scheduler::Event& event, bool acts) {
  check(&event, scheduler_->step(event, now_), acts);
}

void ModelledCluster::check(const scheduler::Event* event, const scheduler::Step& step, bool acts) {
  journal_.insert(journal_.end(), step.records.begin(), step.records.end());
  const std::uint64_t epoch = model_.epoch();
  model_.step(event, now_, step.records);
  if (looks_) {
    require(event != nullptr || model_.epoch() > epoch, "a new master has an epoch of its own");
    if (!model_.broken().empty()) require(false, model_.broken());
    for (const scheduler::JournalRecord& record : step.records) check_record(event, record);
    std::vector<std::string> broken = violations(cluster());
    if (!broken.empty()) require(false, broken.front());
    for (const scheduler::Action& action : step.actions) check_order(action);
  }
  if (!acts) return start_master();
  for (const scheduler::Action& action : step.actions) obey(action);
}

// Against what was truly done.
void ModelledCluster::check_record(const scheduler::Event* event, const scheduler::JournalRecord& record) {
  if (const auto* sealed = std::get_if<fact::SegmentSealed>(&record.fact)) {
    require(mapped_[sealed->attempt.number].contains(sealed->range), "what is sealed was mapped, all of it and once");
  } else if (const auto* ended = std::get_if<fact::AttemptEnded>(&record.fact)) {
    const bool is_blamed = ended->end == scheduler::AttemptEnd::Failed || ended->end == scheduler::AttemptEnd::Fatal;
    const bool has_failed = event != nullptr && std::holds_alternative<event::AttemptExited>(*event);
    require(!is_blamed || has_failed, "an attempt that seals what it was given is not blamed");
  }
}

// Orders say what is durable.
void ModelledCluster::check_order(const scheduler::Action& action) {
  if (const auto* launch = std::get_if<action::LaunchAttempt>(&action)) {
    const FactModel::Attempt* attempt = model_.find_attempt(launch->attempt);
    const bool is_durable =
        attempt != nullptr && attempt->node == launch->node && attempt->held.begin == launch->range.begin;
    require(is_durable, describe(action) + ": it was not recorded like this");
  } else if (const auto* begin = std::get_if<action::BeginAttempt>(&action)) {
    const FactModel::Attempt* attempt = model_.find_attempt(begin->attempt);
    const bool is_durable =
        attempt != nullptr && attempt->node == begin->node && attempt->held.begin == begin->range.begin;
    require(is_durable, describe(action) + ": it was not recorded like this");
  } else if (const auto* kill = std::get_if<action::KillAttempt>(&action)) {
    const FactModel::Attempt* attempt = model_.find_attempt(kill->attempt);
    require(attempt == nullptr || !attempt->is_live, describe(action) + ": the attempt counts still");
  } else if (const auto* released = std::get_if<action::ReleaseNode>(&action)) {
    require(!model_.runs_something(released->node), describe(action) + ": attempts of it count still");
  } else if (const auto* commit = std::get_if<action::CommitOutput>(&action)) {
    check_output(*commit);
  }
}

// No byte twice and none lost, as it was truly mapped.
void ModelledCluster::check_output(const action::CommitOutput& commit) {
  const FactModel::Job* job = model_.find_job(kJob);
  require(job->state == JobState::Committing, "only a job that is being committed is committed");
  std::uint64_t position = 0;
  for (const scheduler::Segment& segment : commit.tasks.list.front().ledger.segments()) {
    require(segment.sealed && segment.range.begin == position, "an output has every byte once");
    require(mapped_[segment.attempt].contains(segment.range), "an output holds what was mapped");
    position = segment.range.end;
  }
  require(position == rules_.bytes, "an output has every byte once");
}

void ModelledCluster::obey(const scheduler::Action& action) {
  if (const auto* launch = std::get_if<action::LaunchAttempt>(&action)) {
    Worker* worker = worker_at(launch->node);
    if (worker == nullptr) return;
    Attempt attempt{worker::CutPoints(launch->range), launch->range.begin, false, launch->standby};
    worker->running.emplace(launch->attempt.number, std::move(attempt));
  } else if (const auto* begin = std::get_if<action::BeginAttempt>(&action)) {
    Worker* worker = worker_at(begin->node);
    const auto attempt =
        worker == nullptr ? std::map<std::uint32_t, Attempt>::iterator() : worker->running.find(begin->attempt.number);
    if (worker == nullptr || attempt == worker->running.end() || !attempt->second.is_standby) return;
    attempt->second = {worker::CutPoints(begin->range), begin->range.begin, false, false};
  } else if (const auto* order = std::get_if<action::CutAttempt>(&action)) {
    cut(*order);
  } else if (const auto* kill = std::get_if<action::KillAttempt>(&action)) {
    if (Worker* worker = worker_at(kill->node)) worker->running.erase(kill->attempt.number);
  } else if (const auto* welcome = std::get_if<action::WelcomeNode>(&action)) {
    Worker* worker = worker_at(welcome->node);
    if (worker == nullptr) return;
    for (const AttemptId fenced : welcome->fenced) worker->running.erase(fenced.number);
  } else if (const auto* drop = std::get_if<action::DropNode>(&action)) {
    if (Worker* worker = worker_at(drop->node)) unlink(*worker);
  } else if (const auto* released = std::get_if<action::ReleaseNode>(&action)) {
    if (Worker* worker = worker_at(released->node)) die(*worker);
  } else if (std::holds_alternative<action::CommitOutput>(action)) {
    is_committing_ = true;
  }
}

void ModelledCluster::plan(const Choice& choice) {
  const AttemptId live{kTask, choice.who};
  const scheduler::Attempt* attempt = cluster().find_live(live);
  if (attempt == nullptr) return;
  scheduler::Speculate decision;
  decision.task = kTask;
  decision.segment = attempt->held.begin;
  const std::uint64_t begin = attempt->offset + 1;
  if (choice.what == What::Copy) decision.work = scheduler::WholeSegment{1};
  if (choice.what == What::Share) decision.work = scheduler::SharedTail{begin, 1, scheduler::Handover::Predicted};
  if (choice.what == What::Give)
    decision.work = scheduler::GivenTail{{{begin, 1}, {begin + 1, 1}}, scheduler::Handover::Ready};
  if (choice.what == What::End)
    orders_.emplace_back(scheduler::EndAttempt{live, scheduler::Reason::SlowerCopy});
  else
    orders_.emplace_back(decision);
  pass(kBetweenPlans);
}

// A worker that has nothing else on its wire says how far it has got.
void ModelledCluster::pass(Duration time) {
  const TimePoint until = now_ + time;
  for (auto next = scheduler_->next_wake_up(); next && *next <= until; next = scheduler_->next_wake_up()) {
    now_ = std::max(now_, *next);
    for (const Worker& worker : workers_) {
      if (!worker.is_linked || !worker.wire.empty()) continue;
      event::Heartbeat heartbeat{node_of(worker), positions(worker)};
      send(heartbeat);
    }
    send(event::TimePassed{});
  }
  now_ = until;
}

// ---- workers --------------------------------------------------------------------------------------------------------

std::vector<scheduler::AttemptProgress> ModelledCluster::positions(const Worker& worker) {
  std::vector<scheduler::AttemptProgress> all;
  for (const auto& [number, attempt] : worker.running) {
    all.push_back({.attempt = {kTask, number}, .offset = attempt.offset, .records = attempt.offset});
  }
  return all;
}

ModelledCluster::Worker* ModelledCluster::worker_at(NodeId node) {
  const auto found = std::find_if(workers_.begin(), workers_.end(),
                                  [&](const Worker& worker) { return worker.is_linked && node_of(worker) == node; });
  return found == workers_.end() ? nullptr : &*found;
}

ModelledCluster::Worker* ModelledCluster::worker_of(std::uint32_t attempt) {
  const auto found = std::find_if(workers_.begin(), workers_.end(),
                                  [&](const Worker& worker) { return worker.running.contains(attempt); });
  return found == workers_.end() ? nullptr : &*found;
}

void ModelledCluster::unlink(Worker& worker) {
  worker.is_linked = false;
  std::erase_if(worker.wire, [](const scheduler::Event& event) { return !is_report(event); });
}

void ModelledCluster::deliver(Worker& worker, bool acts) {
  const scheduler::Event oldest = std::move(worker.wire.front());
  worker.wire.pop_front();
  if (is_report(oldest)) worker.unconfirmed = oldest;
  send(oldest, acts);
}

void ModelledCluster::rejoin(Worker& worker, bool repeats) {
  if (repeats) worker.wire.push_front(*worker.unconfirmed);
  worker.unconfirmed.reset();
  worker.is_linked = true;
  send(event::NodeRegistered{worker.incarnation, worker.incarnation, "host", 1});
  if (worker.leaves) report(worker, event::NodeLeaving{node_of(worker)});
  report(worker, event::NodeInventory{node_of(worker), positions(worker)});
}

void ModelledCluster::die(Worker& worker) {
  worker = {};
  worker.incarnation = "w" + std::to_string(++processes_);
}

void ModelledCluster::work(const Choice& choice) {
  Worker& worker = *worker_of(choice.who);
  Attempt& attempt = worker.running.at(choice.who);
  const AttemptId id{kTask, choice.who};
  if (choice.what == What::Start) {
    attempt.has_started = true;
    if (attempt.is_standby)
      report(worker, event::AttemptReady{node_of(worker), id});
    else
      report(worker, event::AttemptStarted{node_of(worker), id});
  } else if (choice.what == What::Map) {
    ++attempt.offset;
  } else if (choice.what == What::Fail) {
    worker.running.erase(choice.who);
    report(worker, event::AttemptExited{node_of(worker), id, scheduler::FailureKind::Attempt, "boom"});
  } else {
    seal(worker, choice.who, attempt);
  }
}

void ModelledCluster::seal(Worker& worker, std::uint32_t number, Attempt& attempt) {
  const ByteRange range = attempt.points.segment();
  mapped_[number].insert(range);
  scheduler::SealedOutput output;
  output.length = output.records = range.size();
  report(worker, event::SegmentSealed{node_of(worker), {kTask, number}, range, range.end, output, {}});
  attempt.points.on_sealed();
  if (attempt.points.is_over()) worker.running.erase(number);
}

// As the shipped runner answers; one that gives back all ends without a word.
void ModelledCluster::cut(const action::CutAttempt& order) {
  Worker* worker = worker_at(order.node);
  if (worker == nullptr) return;
  const auto found = worker->running.find(order.attempt.number);
  if (found == worker->running.end() || found->second.is_standby) return;
  Attempt& attempt = found->second;
  const bool has_mapped = attempt.offset > attempt.points.segment().begin;
  const std::uint64_t at = attempt.points.cut(attempt.offset, has_mapped, order.at, order.release);
  report(*worker, event::CutAnswered{order.node, order.attempt, at, order.release});
  if (attempt.points.is_over()) worker->running.erase(found);
}

// ---- what must be possible ------------------------------------------------------------------------------------------

bool ModelledCluster::end_well() {
  workers_.emplace_back();  // that nobody drains
  workers_.back().incarnation = "w" + std::to_string(++processes_);
  for (int round = 0; round < 100 && broken_.empty(); ++round) {
    for (Worker& worker : workers_) {
      if (!worker.is_linked) rejoin(worker, false);
      while (worker.is_linked && !worker.wire.empty()) deliver(worker, true);
      if (worker.running.empty()) continue;
      const auto& [number, attempt] = *worker.running.begin();
      const auto who = static_cast<std::uint8_t>(number);
      if (!attempt.has_started)
        work({What::Start, who});
      else if (!attempt.is_standby)
        work({attempt.offset < attempt.points.segment().end ? What::Map : What::Seal, who});
    }
    if (is_committing_) take({What::Commit, 0});
    if (is_final(cluster().find_job(kJob)->state)) return true;
    pass(2s);
  }
  return false;
}

}  // namespace ontime::model
