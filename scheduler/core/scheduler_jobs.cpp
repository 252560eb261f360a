// Jobs from submission to their end, their policies, and who gets a slot.
#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "common/base/wording.h"
#include "scheduler/core/scheduler_impl.h"

namespace ontime::scheduler {
namespace {

// A policy that asks to be asked at once, again and again, must not stop the world.
constexpr Duration kCheckPauseMin = std::chrono::milliseconds(1);
constexpr std::size_t kJobsLookedAt = 256;  // to tell how much work waits
// Seconds from one look at deadlines to the next.
constexpr double kLookPause = 0.1;
constexpr double kLookPausePerJob = 1e-4;
// A policy is asked at each submission, unless it plans for more jobs than this and no slot is free for the new one
// anyway: then after a pause, in seconds, for each of them. A question costs a pass over all of them.
constexpr std::size_t kJobsAskedAtOnce = 256;
constexpr double kAskPausePerJob = 1e-4;
// Jobs take so many times the slot time that their bytes should: launches, replaced attempts and races are not in the
// mean, and a job's last pieces leave slots idle. Measured (docs/research/split-resume.md): with more, jobs that would
// be in time are put behind at usual loads; with less, too many are begun at loads above 1.
constexpr double kWorkShared = 1.25;

}  // namespace

void Scheduler::Impl::on(StepBuilder& step, const event::JobSubmitted& event) {
  const JobId job = cluster_.next_job();
  step.record(fact::JobAccepted{job, event.spec});
  step.act(action::AnswerSubmit{event.request, job, cluster_.find_job(job)->tasks.size()});
  manage(step, job);
  commit_if_done(step, job);
}

void Scheduler::Impl::manage(StepBuilder& step, JobId id) {
  const Job& job = *cluster_.find_job(id);
  if (masters_.try_emplace(id, id, cluster_).first->second.has_standbys()) changed_.insert(id);
  const std::uint32_t group = policies_.join(id, job.spec);
  if (policies_.wants_submission(group)) ask_at_submission(group, step.now);
  if (job.spec.kill_on_miss && job.spec.deadline > Duration::zero()) {
    timers_.arm(deadline_of(id), job.submitted_at + job.spec.deadline);
  }
  tell_policy_problem(step, id, policies_.problem(group));
  wait(id);
}

// Once for each master that finds it so: a job never runs without its policy in silence.
void Scheduler::Impl::tell_policy_problem(StepBuilder& step, JobId id, const std::string& problem) {
  const Job& job = *cluster_.find_job(id);
  if (job.policy_problem == problem) return;
  DecisionNote note;
  note.reason = problem.empty() ? kPolicyBack : kPolicyMissing;
  note.text = problem.empty() ? "The policy '" + job.spec.policy + "' plans for this job again." : problem;
  step.record(fact::PolicyDecided{id, std::move(note)});
}

// The job runs no longer.
void Scheduler::Impl::stop_managing(StepBuilder& step, JobId id) {
  const auto group = policies_.leave(id);
  if (group) step.timers.disarm(policy_check(*group));
  timers_.disarm(deadline_of(id));
  waiting_.erase(id);
  behind_.erase(id);
  masters_.erase(id);
}

void Scheduler::Impl::wait(JobId id) {
  const Job& job = *cluster_.find_job(id);
  waiting_.insert(id, job.spec.owner, rank_of(job, order_of(id), behind_.contains(id)));
}

JobOrder Scheduler::Impl::order_of(JobId id) const { return settings_.job_order.value_or(policies_.of(id).order()); }

// Jobs in the order of deadlines that cannot all be in time: some are to come behind the others. Not at every step,
// since it takes a look at all of them.
void Scheduler::Impl::look_at_deadlines(TimePoint now) {
  if (now < next_look_ || resources_.slots_there() == 0) return;
  std::vector<Demand> demands;
  for (const auto& [id, master] : masters_) {
    const Job& job = *cluster_.find_job(id);
    if (job.spec.deadline <= Duration::zero() || order_of(id) != JobOrder::EarliestDeadline) continue;
    const double cost = kWorkShared * mean_cost(cluster_, job, master.outlook());
    const double work = cost * master.outlook().bytes_left(job);
    demands.push_back({id, job.spec.priority, work, seconds(job.submitted_at + job.spec.deadline - now)});
  }
  std::set<JobId> behind = jobs_left_behind(demands, resources_.slots_there());
  std::vector<JobId> moved;
  std::ranges::set_symmetric_difference(behind, behind_, std::back_inserter(moved));
  behind_ = std::move(behind);
  for (const JobId id : moved) {
    if (waiting_.contains(id)) wait(id);
  }
  next_look_ = now + from_seconds(std::max(kLookPause, kLookPausePerJob * static_cast<double>(demands.size())));
}

void Scheduler::Impl::on_deadline(StepBuilder& step, JobId id) {
  const Job* job = cluster_.find_job(id);
  if (job != nullptr && job->state == JobState::Running) {
    end_job(step, id, JobState::Killed, "it missed its deadline (--on-miss kill)", true);
  }
}

const Outlook* Scheduler::Impl::outlook(JobId job) const {
  const auto master = masters_.find(job);
  return master == masters_.end() ? nullptr : &master->second.outlook();
}

std::vector<Claim> Scheduler::Impl::claims() const {
  std::vector<Claim> claims;
  for (const auto& [rank, id] : waiting_.in_order()) {
    if (const std::uint32_t waiting = masters_.at(id).waiting(); waiting > 0) claims.push_back({id, waiting});
  }
  return claims;
}

// Policies ------------------------------------------------------------------------------------------------------------

void Scheduler::Impl::ask_at_submission(std::uint32_t number, TimePoint now) {
  PolicyGroup& group = *policies_.find(number);
  TimePoint at = now;
  const bool has_room = resources_.has_room() || resources_.has_slow_free();
  if (group.jobs.size() > kJobsAskedAtOnce && !has_room && group.policy->may_plan_behind_submission()) {
    const double pause = kAskPausePerJob * static_cast<double>(group.jobs.size());
    at = std::max(now, group.planned_at + from_seconds(pause));
    if (group.next_check && *group.next_check <= at) return;
  }
  group.next_check = at;
  timers_.arm(policy_check(number), at);
}

void Scheduler::Impl::plan(StepBuilder& step, std::uint32_t number) {
  PolicyGroup* group = policies_.find(number);
  if (group == nullptr) return;
  std::vector<JobView> jobs;
  for (const JobId id : group->jobs) {
    const ApplicationMaster& master = masters_.at(id);
    jobs.push_back({id, cluster_.find_job(id), &master.outlook(), master.pending(), master.waiting(),
                    behind_.contains(id), order_of(id), &master.unheld()});
  }
  std::uint32_t waiting = 0;
  for (const auto& [rank, id] : waiting_.in_order()) waiting += masters_.at(id).waiting();
  const Plan plan = group->policy->plan({cluster_, resources_, jobs, step.now, waiting});
  group->planned_at = step.now;
  group->next_check = plan.next_check;
  if (plan.next_check) group->next_check = std::max(*plan.next_check, step.now + kCheckPauseMin);
  if (group->next_check) timers_.arm(policy_check(number), *group->next_check);
  for (const Decision& decision : plan.decisions) carry_out(step, decision);
}

void Scheduler::Impl::carry_out(StepBuilder& step, const Decision& decision) {
  const auto for_master = [&](JobId id, const auto& what) {
    const auto master = masters_.find(id);
    if (master == masters_.end()) return;
    master->second.carry_out(step, what);
    wait(id);
  };
  if (const auto* speculate = std::get_if<Speculate>(&decision)) for_master(speculate->task.job, *speculate);
  if (const auto* divide = std::get_if<Divide>(&decision)) for_master(divide->task.job, *divide);
  if (const auto* clone = std::get_if<CloneTasks>(&decision)) for_master(clone->job, *clone);
  if (const auto* end = std::get_if<EndAttempt>(&decision)) for_master(end->attempt.task.job, *end);
  if (const auto* decline = std::get_if<Decline>(&decision)) {
    const Job* job = cluster_.find_job(decline->task.job);  // its tasks are not made for this
    if (job != nullptr && decline->task.index < job->tasks.size())
      cluster_.observe_declined(decline->task, decline->reason, step.now);
  }
  if (const auto* text = std::get_if<Note>(&decision)) {
    DecisionNote note;
    note.text = text->text;
    note.number = text->number;
    note.policy = text->policy;
    if (cluster_.find_job(text->job) != nullptr) step.decide(text->job, std::move(note));
  }
}

void Scheduler::Impl::on(StepBuilder& step, const event::JobKillRequested& event) {
  const Job* job = cluster_.find_job(event.job);
  // What is being committed is past recall: its parts may be in place already.
  if (job == nullptr || job->state != JobState::Running) return;
  end_job(step, event.job, JobState::Killed, event.reason, event.wanted);
}

void Scheduler::Impl::on(StepBuilder& step, const event::JobNotified& event) {
  const Job* job = cluster_.find_job(event.job);
  if (job == nullptr || event.number >= job->spec.notify.size() || job->told.contains(event.number)) return;
  step.record(fact::JobNotified{event.job, event.number, event.problem});
}

void Scheduler::Impl::commit_if_done(StepBuilder& step, JobId id) {
  const Job* job = cluster_.find_job(id);
  if (job->state != JobState::Running || job->tasks_done < job->tasks.size()) return;
  step.record(fact::CommitStarted{id});
  step.act(commit_of(cluster_, id));
  update_profile(step, id);
  stop_managing(step, id);
}

// What the job's attempts have shown is kept for later jobs of the same application.
void Scheduler::Impl::update_profile(StepBuilder& step, JobId id) {
  const Job& job = *cluster_.find_job(id);
  const math::DurationSample& seen = masters_.at(id).outlook().sample();
  if (seen.finished().empty() || job.profile_key.empty()) return;
  math::DurationSample sample;
  if (const math::DurationSample* known = cluster_.find_profile(job)) sample = *known;
  sample.follow(seen);
  step.record(fact::ProfileUpdated{job.profile_key, std::move(sample)});
  forget_profiles(step);
}

void Scheduler::Impl::forget_profiles(StepBuilder& step) {
  while (std::optional<std::string> key = cluster_.profiles().surplus(settings_.history.profiles)) {
    step.record(fact::ProfileForgotten{std::move(*key)});
  }
}

void Scheduler::Impl::on(StepBuilder& step, const event::CommitFinished& event) {
  const Job* job = cluster_.find_job(event.job);
  if (job == nullptr || job->state != JobState::Committing) return;
  if (!event.lost.empty()) return map_again(step, event);
  const bool ok = event.error.empty();
  end_job(step, event.job, ok ? JobState::Succeeded : JobState::Failed, event.error);
}

// What a job has stored may be removed again and again, so a loss counts as a failure of the task.
void Scheduler::Impl::map_again(StepBuilder& step, const event::CommitFinished& event) {
  const Job& job = *cluster_.find_job(event.job);
  std::set<TaskId> lost;
  for (const std::uint32_t index : event.lost) {
    const TaskId id{event.job, index};
    const Task* task = cluster_.find_task(id);
    const std::uint32_t failures = task == nullptr ? job.spec.attempts_max : task->ledger.most_failures() + 1u;
    if (failures >= job.spec.attempts_max) {
      const std::string times = to_string(id) + " failed " + counted(failures, "time");
      return end_job(step, event.job, JobState::Failed, times + "; its output was lost: " + event.error);
    }
    lost.insert(id);
  }
  for (const TaskId id : lost) step.record(fact::TaskReopened{id});
  manage(step, event.job);
}

void Scheduler::Impl::end_job(StepBuilder& step, JobId id, JobState state, const std::string& message, bool wanted) {
  if (const auto master = masters_.find(id); master != masters_.end()) {
    const std::set<AttemptId> live = cluster_.find_job(id)->live;
    for (const AttemptId attempt : live) end_attempt(step, attempt, AttemptEnd::Killed, "its job has ended");
    stop_managing(step, id);
  }
  step.record(fact::JobEnded{id, state, message, wanted});
  if (state != JobState::Succeeded) step.act(discard_of(cluster_, id));
  for (const NodeId node : cluster_.find_job(id)->nodes) step.act(action::ForgetJob{node, id});
  history_.add(id, *cluster_.find_job(id));
  forget_oldest(step);
}

void Scheduler::Impl::forget_oldest(StepBuilder& step) {
  if (cluster_.jobs().empty()) return;
  const JobId newest = cluster_.jobs().rbegin()->first;
  while (const std::optional<JobId> job = history_.take_surplus(step.now, newest)) {
    step.record(fact::JobForgotten{*job});
  }
  if (const auto at = history_.next_expiry(newest)) timers_.arm(history_expiry(), *at);
}

// What is settled may change further attempts of the same job.
void Scheduler::Impl::settle_standbys(StepBuilder& step) {
  while (!changed_.empty()) {
    const JobId job = *changed_.begin();
    changed_.erase(changed_.begin());
    if (const auto master = masters_.find(job); master != masters_.end()) master->second.settle_standbys(step);
  }
}

// If very many jobs wait, each of the later ones counts as one attempt, because this runs at every step.
std::uint32_t Scheduler::Impl::waiting_attempts() const {
  std::size_t unseen = waiting_.in_order().size();
  std::size_t waiting = 0;
  for (const auto& [rank, id] : waiting_.in_order()) {
    if (waiting_.in_order().size() - unseen == kJobsLookedAt) break;
    waiting += masters_.at(id).waiting();
    --unseen;
  }
  return static_cast<std::uint32_t>(waiting + unseen);
}

// At least one: somebody has to get on.
std::size_t Scheduler::Impl::slots_of_an_owner() const {
  return std::max<std::size_t>(1, share_of(resources_.slots_there(), settings_.owner_share));
}

// Slots go to owners in turn, and to the jobs of each in order of their rank, until there is no slot or nothing that
// waits; jobs below the share that their policy gives them come first.
void Scheduler::Impl::assign_slots(StepBuilder& step) {
  resources_.offer_slow(resources_.has_slow_free() ? waiting_attempts() : 0);
  if (policies_.have_shares()) assign_slots(step, true);
  assign_slots(step, false);
}

void Scheduler::Impl::assign_slots(StepBuilder& step, bool within_shares) {
  if (!resources_.has_room()) return;
  OwnerTurns turns(waiting_, cluster_, slots_of_an_owner());
  while (resources_.has_room()) {
    const std::optional<JobId> job = turns.next();
    if (!job) return;
    ApplicationMaster& master = masters_.at(*job);
    const bool is_entitled = !within_shares || cluster_.find_job(*job)->live.size() < policies_.of(*job).share(*job);
    const bool took_slot = is_entitled && master.launch_one(step, resources_);
    turns.settle(took_slot, took_slot && master.has_waiting());
    if (!master.has_waiting()) waiting_.erase(*job);
  }
}

// Groups of jobs ------------------------------------------------------------------------------------------------------

PolicyGroup PolicyGroups::make(const Key& key) const {
  std::string why = "this master has no such policy";
  try {
    if (auto policy = make_(key.first, key.second)) return {std::move(policy), {}, {}};
  } catch (const std::invalid_argument& wrong) {
    why = wrong.what();
  }
  std::string problem =
      "The policy '" + key.first + "' cannot be made: " + why + ". The job goes on under 'none', without speculation.";
  return {make_policy("none", {}), std::move(problem), {}};
}

std::uint32_t PolicyGroups::join(JobId job, const JobSpec& spec) {
  const Key key{spec.policy, spec.policy_parameters};
  auto [number, is_new] = numbers_.try_emplace(key, last_ + 1);
  if (is_new) groups_.emplace(++last_, make(key));
  groups_[number->second].jobs.insert(job);
  group_of_[job] = number->second;
  return number->second;
}

std::optional<std::uint32_t> PolicyGroups::leave(JobId job) {
  const auto member = group_of_.find(job);
  if (member == group_of_.end()) return std::nullopt;
  const std::uint32_t number = member->second;
  group_of_.erase(member);
  PolicyGroup& group = groups_.at(number);
  group.jobs.erase(job);
  if (!group.jobs.empty()) return std::nullopt;
  groups_.erase(number);
  std::erase_if(numbers_, [number](const auto& entry) { return entry.second == number; });
  return number;
}

bool PolicyGroups::wants_submission(std::uint32_t number) const {
  const PolicyGroup& group = groups_.at(number);
  return group.jobs.size() == 1 || group.policy->plans_at_submission();
}

PolicyGroup* PolicyGroups::find(std::uint32_t number) {
  const auto found = groups_.find(number);
  return found == groups_.end() ? nullptr : &found->second;
}

bool PolicyGroups::have_shares() const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [](const auto& group) { return group.second.policy->has_shares(); });
}

const Policy& PolicyGroups::of(JobId job) const { return *groups_.at(group_of_.at(job)).policy; }

}  // namespace ontime::scheduler
