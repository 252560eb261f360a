#include "master/advice/application_session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <utility>

#include "common/log/fields.h"
#include "master/advice/advice.h"
#include "master/base/text.h"

namespace ontime::master {

namespace event = scheduler::event;

ApplicationSession::ApplicationSession(std::shared_ptr<net::Connection> connection, Advisor& advisor, std::string owner,
                                       SessionCounters& counters)
    : connection_(std::move(connection)),
      link_(std::make_shared<ApplicationLink>(connection_)),
      advisor_(advisor),
      control_(advisor.control()),
      owner_(std::move(owner)),
      counters_(counters),
      job_limit_(connection_->executor(), kHandshakeMax) {}

void ApplicationSession::limit_wait() {
  job_limit_.async_wait([connection = connection_, &counters = counters_](const asio::error_code& error) {
    if (error) return;
    ++counters.refused;
    spdlog::warn("connection_refused peer={} reason=\"an application master that names no job\"", connection->peer());
    connection->close();
  });
}

asio::awaitable<void> ApplicationSession::run() {
  limit_wait();
  while (!is_over_) {
    const Result<std::string_view> payload = co_await connection_->receive();
    if (!payload) {
      spdlog::debug("application_disconnected {} peer={} reason={}", job_, connection_->peer(),
                    log::Quoted{payload.error().message});
      break;
    }
    if (Status status = on_frame(*payload); !status) {
      ++counters_.malformed;
      spdlog::warn("application_malformed {} peer={} reason={}", job_, connection_->peer(),
                   log::Quoted{status.error().message});
      break;
    }
    if (is_over_ || control_.is_congested()) co_await control_.durable();
  }
  if (is_over_) co_await connection_->flush();
  connection_->close();
  if (job_.value != 0 && advisor_.links().release(job_, link_)) advisor_.on_gone(job_);
}

Status ApplicationSession::on_frame(std::string_view payload) {
  wire::ToAdvisor message;
  if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return failed("not a message");
  if (message.has_job()) return job_.value == 0 ? on_job(message.job()) : failed("a second job");
  if (message.has_alive()) return {};
  if (job_.value == 0) return failed("a message before the job");
  if (!is_unfinished()) return {};  // it receives the order to end the job
  switch (message.what_case()) {
    case wire::ToAdvisor::kEvents:
      return on_events(message.events());
    case wire::ToAdvisor::kSynchronised:
      on_synchronised();
      return {};
    case wire::ToAdvisor::kJobEnded:
      on_job_ended(message.job_ended());
      return {};
    default:
      return failed("a message that says nothing");
  }
}

// The answer waits until the job is durable. A job whose end was wanted ends on Hadoop too; where only the daemon has
// dropped it, it may be in the best of health.
Status ApplicationSession::on_job(const wire::ToAdvisor::Job& message) {
  if (job_limit_.cancel() == 0) return failed("a job that comes too late");
  const Result<JobId> admitted = advisor_.admit(message, owner_);
  const scheduler::Job* known = admitted ? control_.cluster().find_job(*admitted) : nullptr;
  if (known == nullptr || (is_final(known->state) && !known->end_wanted)) {
    std::string why = admitted ? "The job has ended already" : admitted.error().message;
    if (known != nullptr) why += known->message.empty() ? "." : ": " + known->message + ".";
    spdlog::warn("job_refused peer={} reason={}", connection_->peer(), log::Quoted{why});
    link_->refuse(why);
    is_over_ = true;
    return {};
  }
  job_ = *admitted;
  hadoop_id_ = message.id();
  advisor_.links().attach(job_, link_);
  advisor_.on_connected(job_);
  control_.defer([link = link_, id = job_, policy = job().spec.policy] { link->accept(id, policy); });
  if (is_unfinished()) return {};
  link_->end_job(job().message);
  control_.defer([link = link_] { link->flush(); });
  return {};
}

Status ApplicationSession::on_events(const wire::ToAdvisor::Events& events) {
  if (events.events_size() > kAdviceEventsMax) return failed("too many events in one message");
  const std::uint32_t tasks = job().tasks.size();
  for (const wire::AttemptEvent& event : events.events()) {
    if (Status status = check_event(event, tasks); !status) return status;
    if (is_running()) on_event(event);
  }
  return {};
}

void ApplicationSession::on_event(const wire::AttemptEvent& event) {
  const Key key{event.task(), event.attempt()};
  if (event.has_started()) return on_started(key, event.started());
  std::optional<AttemptId> attempt;
  if (const auto known = attempts_.find(key); known != attempts_.end()) attempt = known->second;
  if (event.has_ended()) {
    if (event.ended().order() != 0) attempt = ordered(event.task(), event.ended().order());
    return on_ended(event.task(), attempt, event.ended());
  }
  const scheduler::Attempt* live = attempt ? find_live(*attempt) : nullptr;
  if (live == nullptr) return;
  if (event.has_progress()) on_progress(*attempt, event.progress());
  if (event.has_cut()) control_.step(event::CutAnswered{live->node, *attempt, event.cut().at(), true});
  if (event.has_sealed()) on_sealed(*attempt, event.sealed());
}

// What YARN has started on its own begins where the application master says, or where the first open segment does.
void ApplicationSession::on_started(Key key, const wire::AttemptEvent::Started& started) {
  if (attempts_.contains(key)) return;
  std::optional<AttemptId> attempt = ordered(key.first, started.order());
  const bool is_new = !attempt;
  if (is_new) attempt = launch(key.first, started.begin(), Duration(started.age_ns()));
  if (!attempt) return;
  attempts_[key] = *attempt;
  link_->bind(*attempt, key.second);
  if (is_new) {
    link_->tell_number(*attempt, key.second);
    write_log(*attempt, key, started.node());
  } else if (const scheduler::Attempt* live = find_live(*attempt)) {
    if (live->state == scheduler::AttemptState::Launching) write_log(*attempt, key, started.node());
  } else if (control_.cluster().find_attempt(*attempt)->state != scheduler::AttemptState::Succeeded) {
    link_->end(*attempt, "it is not live any more");
  }
}

std::optional<AttemptId> ApplicationSession::launch(std::uint32_t task, std::uint64_t begin, Duration age) {
  std::optional<std::uint64_t> first;
  job().tasks[task].ledger.for_each_open_from_back([&](const scheduler::Segment& segment) {
    if (segment.range.begin >= begin) first = segment.range.begin;
  });
  return first ? advisor_.launch({job_, task}, *first, age) : std::nullopt;
}

// What it says of the past is an inventory: an attempt that has got somewhere began with its launch, not now.
void ApplicationSession::on_progress(AttemptId attempt, const wire::AttemptEvent::Progress& progress) {
  const scheduler::Attempt* live = find_live(attempt);
  const NodeId container = live->node;
  const scheduler::AttemptProgress reached{attempt, progress.offset(), progress.records(), 0};
  if (!is_synchronised_) return control_.step(event::NodeInventory{container, {reached}});
  // Hadoop's attempts report every few seconds. By the first report they may have mapped for as long.
  const Duration mapping(progress.mapping_ns());
  if (live->state == scheduler::AttemptState::Launching)
    control_.step(event::AttemptStarted{container, attempt, mapping});
  control_.step(event::Heartbeat{container, {reached}});
}

void ApplicationSession::on_sealed(AttemptId attempt, const wire::AttemptEvent::Sealed& sealed) {
  const scheduler::Attempt* live = find_live(attempt);
  if (sealed.at() < live->held.end) control_.step(event::CutAnswered{live->node, attempt, sealed.at(), true});
  std::uint64_t records = sealed.records();
  for (std::uint64_t last = kUnknownEnd; (live = find_live(attempt)) != nullptr && live->held.begin != last;) {
    last = live->held.begin;
    seal(attempt, job().tasks[attempt.task.index].ledger.find(last)->range, std::exchange(records, 0));
  }
}

void ApplicationSession::on_ended(std::uint32_t task, std::optional<AttemptId> attempt,
                                  const wire::AttemptEvent::Ended& ended) {
  if (ended.outcome() == wire::AttemptEvent::SUCCEEDED) return complete(task, attempt, ended.records());
  const scheduler::Attempt* live = attempt ? find_live(*attempt) : nullptr;
  if (live == nullptr) return;
  if (ended.outcome() == wire::AttemptEvent::FAILED) {
    std::string why = readable(ended.message().substr(0, kMessageBytesMax));
    if (why.empty()) why = "The attempt failed without saying why.";
    control_.step(event::AttemptExited{live->node, *attempt, scheduler::FailureKind::Attempt, std::move(why)});
  } else {
    lose(*attempt);
  }
  end_what_lacks_its_begin(task);
}

// Whatever the scheduler believes of the task, it is done: each open segment is sealed by the attempt that succeeded,
// or, where that does not hold it, by one that stands for it. Without a winner by one that is at it.
void ApplicationSession::complete(std::uint32_t index, std::optional<AttemptId> winner, std::uint64_t records) {
  for (std::uint64_t begin = 0; is_running();) {
    const scheduler::Segment* open = job().tasks[index].ledger.containing(begin);
    if (open == nullptr) return;
    const ByteRange range = open->range;
    begin = range.end;
    if (open->sealed) continue;
    std::optional<AttemptId> sealing;
    for (const AttemptId at_it : control_.cluster().racing({job_, index}, range.begin)) {
      const bool may_seal = find_live(at_it)->held.begin == range.begin && (!winner || at_it == *winner);
      if (may_seal && !sealing) sealing = at_it;
    }
    if (!sealing) sealing = launch(index, range.begin, Duration(0));
    if (!sealing) return;
    seal(*sealing, range, records);
    records = 0;
  }
}

void ApplicationSession::seal(AttemptId attempt, ByteRange segment, std::uint64_t records) {
  const scheduler::Attempt* live = find_live(attempt);
  if (live == nullptr) return;  // the step before this one has ended the job, at its deadline
  event::SegmentSealed sealed{live->node, attempt, segment, segment.end, {}, {}};
  sealed.output.records = records;
  control_.step(sealed);
}

// Its container runs nothing any more. Nobody failed: YARN or Hadoop has ended it.
void ApplicationSession::lose(AttemptId attempt) { control_.step(event::NodeInventory{find_live(attempt)->node, {}}); }

// A resumed attempt adds what was sealed before its begin to its own output. If nobody will seal that, it is of no use,
// and while it runs, Hadoop does not start the task again.
void ApplicationSession::end_what_lacks_its_begin(std::uint32_t index) {
  if (!is_running()) return;
  const TaskId id{job_, index};
  const scheduler::Task& task = job().tasks[index];
  std::optional<std::uint64_t> lacking;
  task.ledger.for_each_open_from_back([&](const scheduler::Segment& segment) {
    if (control_.cluster().racing(id, segment.range.begin).empty()) lacking = segment.range.begin;
  });
  if (!lacking) return;
  for (std::uint32_t number = 0; number < task.attempts.size(); ++number) {
    const scheduler::Attempt& attempt = task.attempts[number];
    if (is_live(attempt.state) && attempt.held.begin > *lacking)
      link_->end({id, number}, "what lies before its begin was not sealed");
  }
}

void ApplicationSession::on_synchronised() {
  is_synchronised_ = true;
  control_.defer([link = link_] { link->begin_orders(); });
  if (!is_running()) return;
  std::set<AttemptId> mentioned;
  for (const auto& [key, attempt] : attempts_) mentioned.insert(attempt);
  const std::set<AttemptId> live = job().live;
  for (const AttemptId id : live) {
    const scheduler::Attempt* attempt = find_live(id);
    if (attempt == nullptr || mentioned.contains(id)) continue;
    if (attempt->state == scheduler::AttemptState::Launching && attempt->speculative)
      link_->add(id, attempt->held.begin);  // the order may have been lost
    else
      lose(id);
  }
  for (std::uint32_t task = 0; task < job().tasks.size(); ++task) end_what_lacks_its_begin(task);
}

void ApplicationSession::on_job_ended(const wire::ToAdvisor::JobEnded& ended) {
  std::string why = readable(ended.message().substr(0, kMessageBytesMax));
  if (why.empty()) why = "Hadoop says that it failed.";
  if (ended.succeeded()) why.clear();
  advisor_.links().release(job_, link_);  // it needs no orders any more
  const std::uint32_t tasks = job().tasks.size();
  for (std::uint32_t task = 0; ended.succeeded() && task < tasks; ++task) complete(task, {}, 0);
  control_.step(event::JobKillRequested{job_, why});  // does nothing if all its maps are done
  control_.step(event::CommitFinished{job_, why});
  is_over_ = true;
}

// Where an attempt runs and what it is called there, for `ontime logs`.
void ApplicationSession::write_log(AttemptId attempt, Key key, const std::string& host) {
  const scheduler::Attempt* known = control_.cluster().find_attempt(attempt);
  const scheduler::Node* container = known == nullptr ? nullptr : control_.cluster().find_node(known->node);
  if (container == nullptr) return;  // the step before this one has ended the job, and it is forgotten
  const std::string text = "task " + std::to_string(key.first) + " of " + hadoop_id_ + ", attempt " +
                           std::to_string(key.second) + ", on " +
                           (host.empty() ? "a node without a name" : readable(host)) + "\n";
  advisor_.logs().append(attempt, container->name, 0, text);
}

bool ApplicationSession::is_running() const { return is_unfinished() && job().state == scheduler::JobState::Running; }

bool ApplicationSession::is_unfinished() const {
  const scheduler::Job* known = control_.cluster().find_job(job_);
  return known != nullptr && !is_final(known->state);
}

// REQUIRES: it is known, as every job is that is unfinished.
const scheduler::Job& ApplicationSession::job() const { return *control_.cluster().find_job(job_); }

const scheduler::Attempt* ApplicationSession::find_live(AttemptId attempt) const {
  return is_running() ? control_.cluster().find_live(attempt) : nullptr;
}

// The scheduler's attempt behind an order, if there is one.
std::optional<AttemptId> ApplicationSession::ordered(std::uint32_t task, std::uint32_t order) const {
  const AttemptId attempt{{job_, task}, ApplicationLink::number_of(order)};
  if (order == 0 || control_.cluster().find_attempt(attempt) == nullptr) return std::nullopt;
  return attempt;
}

}  // namespace ontime::master
