// The master's loop: start, steps, journal, death. Sessions and actions are in master_sessions.cpp.
#include "lab/faults/master_process.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "lab/faults/chaos_policy.h"
#include "lab/simulator/simulator.h"
#include "master/journal/record_codec.h"

namespace ontime::lab::faults {

namespace event = scheduler::event;
namespace fact = scheduler::fact;

namespace {

constexpr Duration kWakeUpDelayMin = std::chrono::milliseconds(1);

}  // namespace

MasterProcess::MasterProcess(World& world) : world_(world), random_(world.plan.seed, Purpose::Faults, 3) {}

// Life and death ------------------------------------------------------------------------------------------------------

void MasterProcess::start() {
  if (is_up()) return;
  ++life_;
  recover();
  if (!world_.audit.broken().empty()) return;
  world_.master_life = life_;
  world_.master_listens = true;
  discard_left_output();
  gather(scheduler_->start(clock_.now(world_.now)), nullptr);
  end_turn();
}

void MasterProcess::recover() {
  scheduler::Settings settings;
  settings.node_timeout = from_seconds(world_.plan.node_timeout);
  settings.cut_timeout = from_seconds(world_.plan.cut_timeout);
  settings.history.jobs = world_.plan.jobs_kept;
  settings.history.gone_nodes = 1;
  settings.history.profiles = 1;
  settings.make_policy = [this](std::string_view name, const scheduler::StringMap& parameters) {
    if (name == kChaosPolicy) return std::unique_ptr<scheduler::Policy>(new ChaosPolicy(world_.plan.seed, life_));
    return scheduler::make_policy(name, parameters);
  };
  JournalContent content;
  if (!journal_.recover(content)) return world_.audit.complain("the journal can be read");
  scheduler_ = std::make_unique<scheduler::Scheduler>(settings);
  std::vector<scheduler::JournalRecord> records;
  const auto replay = [&](const std::string& encoded) { records.push_back(*journal::decode_record(encoded)); };
  for (const auto& [key, encoded] : content.cluster) replay(encoded);
  for (const auto& [job, all] : content.records) std::for_each(all.begin(), all.end(), replay);
  TimePoint last{};
  for (const scheduler::JournalRecord& one : records) {
    scheduler_->replay(one);
    last = std::max(last, one.at);
  }
  const double error = life_ == 1 ? 0 : world_.plan.clock_error * (2 * random_.uniform() - 1);
  const TimePoint wall = world_.now + from_seconds(world_.plan.wall_clock + error);
  clock_ = MasterClock(wall, last, world_.now, world_.plan.clock_rate);
  world_.audit.on_recovered(content, records, scheduler_->cluster(), world_.store);
  world_.tell([&] { return "= a master starts, " + std::to_string(records.size()) + " records"; });
}

void MasterProcess::discard_left_output() {
  std::set<std::string> in_use;
  const auto& jobs = scheduler_->cluster().jobs();
  for (const auto& [id, job] : jobs) {
    if (!is_final(job.state)) in_use.insert(job.spec.output);
  }
  for (const auto& [id, job] : jobs) {
    const bool has_failed = is_final(job.state) && job.state != scheduler::JobState::Succeeded;
    if (has_failed && in_use.insert(job.spec.output).second) on(discard_of(scheduler_->cluster(), id));
  }
}

void MasterProcess::die(double share, bool is_silent) {
  if (!is_up()) return;
  world_.tell([&] { return is_writing_ ? "= the master dies while it writes" : "= the master dies"; });
  world_.audit.on_death(is_settled() ? &scheduler_->cluster() : nullptr);
  if (is_writing_) journal_.tear(share);
  world_.master_listens = false;
  world_.master_stopped_until = {};
  for (ConnectionId id = 0; id < world_.network.size(); ++id) {
    Connection& connection = world_.network[id];
    if (connection.master_life != life_ || !connection.is_open_at_master) continue;
    connection.is_open_at_master = false;
    const double later = is_silent ? world_.plan.reply_timeout * random_.uniform() : 0;
    world_.network.send(id, MessageToWorker(Closed{}), world_.now, from_seconds(later));
  }
  scheduler_.reset();
  open_ = {};
  writing_ = {};
  is_writing_ = has_failed_to_write_ = false;
  armed_for_.reset();
  outputs_.clear();
  sessions_.clear();
  announced_.clear();
  attached_.clear();
  commits_.clear();
}

// Steps ---------------------------------------------------------------------------------------------------------------

void MasterProcess::step(const scheduler::Event& event) {
  const TimePoint now = clock_.now(world_.now);
  world_.tell([&] { return line_of(now, event); });
  gather(scheduler_->step(event, now), &event);
}

void MasterProcess::gather(scheduler::Step step, const scheduler::Event* cause) {
  ++steps_;
  world_.audit.on_facts(step.records, cause);
  world_.audit.on_step(scheduler_->cluster());
  if (const auto* inventory = cause != nullptr ? std::get_if<scheduler::event::NodeInventory>(cause) : nullptr) {
    world_.audit.on_inventory(*inventory, step.records, scheduler_->cluster());
  }
  std::move(step.records.begin(), step.records.end(), std::back_inserter(open_.records));
  std::move(step.actions.begin(), step.actions.end(), std::back_inserter(open_.effects));
}

void MasterProcess::end_turn() {
  arm_timer();
  hand_over();
}

void MasterProcess::hand_over() {
  if (is_writing_ || open_.empty()) return;
  writing_ = std::exchange(open_, {});
  if (writing_.records.empty()) return perform(std::exchange(writing_, {}));
  std::vector<std::string> encoded;
  encoded.reserve(writing_.records.size());
  for (const scheduler::JournalRecord& one : writing_.records) encoded.push_back(journal::encode_record(one));
  world_.audit.on_batch(writing_.records, encoded);
  journal_.begin(encoded);
  is_writing_ = true;
  has_failed_to_write_ = is_journal_full_;
  const double luck = random_.uniform();
  const Duration takes = from_seconds(world_.plan.journal_delay * luck * luck);
  for (std::uint32_t index = 0; index < world_.plan.faults.size(); ++index) {
    const Fault& fault = world_.plan.faults[index];
    if (fault.trigger != Trigger::Batch || fault.at != journal_.batches()) continue;
    world_.agenda.put(world_.now + from_seconds(seconds(takes) * random_.uniform()), Due::FaultBegins, index);
  }
  world_.agenda.put(world_.now + takes, Due::BatchWritten, 0, life_);
}

void MasterProcess::on_written() {
  if (has_failed_to_write_) {  // it never goes on without its journal, but is started again
    world_.tell([] { return "= the journal cannot be written"; });
    die(full_share_, false);
    world_.agenda.put(world_.now + std::chrono::milliseconds(700), Due::MasterStarts);
    return;
  }
  journal_.finish();
  world_.audit.on_durable();
  is_writing_ = false;
  perform(std::exchange(writing_, {}));
  hand_over();
}

void MasterProcess::perform(const Batch& batch) {
  for (const scheduler::JournalRecord& one : batch.records) {
    if (const auto* ended = std::get_if<fact::JobEnded>(&one.fact)) {
      world_.tell([&] { return "= " + to_string(ended->job) + " " + name_of(ended->state) + " " + ended->message; });
      world_.audit.on_reported(ended->job, ended->state, world_.store);
    }
  }
  for (const Effect& effect : batch.effects) perform(effect);
  flush();
}

void MasterProcess::set_journal_full(bool is_full, double share) {
  is_journal_full_ = is_full;
  full_share_ = share;
}

// Time ----------------------------------------------------------------------------------------------------------------

void MasterProcess::arm_timer() {
  const std::optional<TimePoint> next = scheduler_->next_wake_up();
  if (next == armed_for_) return;
  armed_for_ = next;
  if (!next) return;
  const Duration pause = std::max<Duration>(*next - clock_.now(world_.now), kWakeUpDelayMin);
  wakes_at_ = world_.now + clock_.true_duration(pause);
}

std::optional<TimePoint> MasterProcess::wake_up() const {
  if (!is_up() || !armed_for_) return std::nullopt;
  return std::max(wakes_at_, world_.master_stopped_until);
}

void MasterProcess::wake() {
  armed_for_.reset();
  step(event::TimePassed{});
  end_turn();
}

void MasterProcess::jump_clock(Duration ahead) {
  if (!is_up()) return;
  clock_.jump(ahead);
  armed_for_.reset();
  arm_timer();
}

void MasterProcess::on(const Upcoming& due) {
  if (!is_up() || due.generation != life_) return;
  if (world_.master_stopped_until > world_.now) {
    return world_.agenda.put(world_.master_stopped_until, due.due, due.subject, due.generation);
  }
  if (due.due == Due::BatchWritten) on_written();
  if (due.due == Due::CommitStep) on_commit_step(JobId{due.subject});
}

// Clients -------------------------------------------------------------------------------------------------------------

void MasterProcess::submit(std::uint32_t submission, std::uint32_t directory) {
  scheduler::JobSpec spec = spec_of(world_.plan.submissions[submission], directory);
  outputs_[submission] = spec.output;
  step(event::JobSubmitted{submission, std::move(spec)});
  end_turn();
}

void MasterProcess::request_kill(JobId job) {
  step(event::JobKillRequested{job, "its client asked for it"});
  end_turn();
}

bool MasterProcess::request_drain(const std::string& incarnation, bool drain) {
  const scheduler::Node* node = scheduler_->cluster().find_node(incarnation);
  if (node == nullptr) return is_settled();
  const bool is_done = (node->duty == scheduler::Duty::Serves) != drain;
  if (is_done && is_settled()) return true;
  step(event::DrainRequested{scheduler_->cluster().node_of(incarnation), drain});
  end_turn();
  return false;
}

std::optional<JobId> MasterProcess::job_of(std::uint32_t submission) const {
  const auto found = answered_.find(submission);
  return found == answered_.end() ? std::nullopt : std::optional(found->second);
}

bool MasterProcess::knows_only_ended_jobs() const {
  const auto& jobs = scheduler_->cluster().jobs();
  return std::all_of(jobs.begin(), jobs.end(),
                     [&](const auto& entry) { return world_.audit.is_reported(entry.first); });
}

}  // namespace ontime::lab::faults
