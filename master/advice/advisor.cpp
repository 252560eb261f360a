#include "master/advice/advisor.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "common/log/fields.h"
#include "master/advice/advice.h"
#include "master/base/text.h"
#include "master/submissions/submission.h"

namespace ontime::master {
namespace {

namespace event = scheduler::event;

const std::string kContainer = "container-";
constexpr Duration kBeat = std::chrono::seconds(5);
constexpr Duration kAwayMax = std::chrono::minutes(10);  // time for YARN to start another application master

const scheduler::Job* find_by_id(const scheduler::Cluster& cluster, const std::string& id) {
  const scheduler::Job* found = nullptr;
  for (const auto& [number, job] : cluster.jobs()) {
    if (job.spec.advised && job.spec.claim == id) found = &job;  // the latest
  }
  return found;
}

}  // namespace

Advisor::Advisor(Parts parts, std::uint32_t containers, PolicyChoice policy, std::vector<std::string> notices)
    : parts_(parts),
      containers_(containers),
      policy_(std::move(policy)),
      notices_(std::move(notices)),
      beat_(parts.control.executor()) {}

void Advisor::start() {
  const scheduler::Cluster& cluster = parts_.control.cluster();
  std::vector<std::string> known;
  std::size_t count = 0;
  for (const auto& [id, node] : cluster.nodes()) {
    if (!node.name.starts_with(kContainer) || (count >= containers_ && node.live.empty())) continue;
    known.push_back(node.name);
    ++count;
  }
  for (const std::string& name : known) take_inventory(register_container(name));
  for (; count < containers_; ++count) take_inventory(add_container());
  for (const auto& [id, job] : cluster.jobs()) {
    if (job.spec.advised && !is_final(job.state)) on_gone(id);
  }
  beat();
}

NodeId Advisor::register_container(const std::string& name) {
  parts_.control.step(event::NodeRegistered{name, name, "YARN", 1});
  return parts_.control.cluster().node_of(name);
}

NodeId Advisor::add_container() {
  return register_container(kContainer + std::to_string(parts_.control.cluster().next_node().value));
}

// What the scheduler believes to run there counts as running until its application master has said what does.
void Advisor::take_inventory(NodeId container) {
  event::NodeInventory inventory{container, {}};
  for (const AttemptId attempt : parts_.control.cluster().find_node(container)->live) {
    const scheduler::Attempt& known = *parts_.control.cluster().find_attempt(attempt);
    inventory.running.push_back({attempt, known.offset, known.records, 0});
  }
  parts_.control.step(inventory);
}

// A new container takes its inventory last: before that the scheduler gives it to no copy.
std::optional<AttemptId> Advisor::launch(TaskId task, std::uint64_t begin, Duration age) {
  const scheduler::Cluster& cluster = parts_.control.cluster();
  std::optional<NodeId> container = parts_.control.scheduler().resources().choose({});
  const bool is_new = !container;
  if (is_new && cluster.nodes().size() >= kContainersMax) return std::nullopt;
  if (is_new) container = add_container();
  const std::size_t before = cluster.find_task(task)->attempts.size();
  parts_.control.step(event::LaunchedElsewhere{*container, task, begin, age});
  if (is_new) take_inventory(*container);
  const scheduler::Task* launched = cluster.find_task(task);  // none if its deadline was due, and it is forgotten
  if (launched == nullptr || launched->attempts.size() == before) return std::nullopt;
  return AttemptId{task, static_cast<std::uint32_t>(before)};
}

Result<JobId> Advisor::admit(const wire::ToAdvisor::Job& message, const std::string& owner) {
  ControlLoop& control = parts_.control;
  Result<scheduler::JobSpec> spec = advised_job(message, policy_);
  if (!spec) return spec.error();
  spec->owner = owner.empty() ? readable(message.user().substr(0, kNameBytesMax)) : owner;
  if (const scheduler::Job* job = find_by_id(control.cluster(), spec->claim)) {
    if (job->spec.owner != spec->owner) return bad_input("The job " + spec->claim + " belongs to somebody else.");
    if (job->spec.inputs != spec->inputs) return bad_input("The job " + spec->claim + " had other map tasks before.");
    const auto& jobs = control.cluster().jobs();
    return std::find_if(jobs.begin(), jobs.end(), [job](const auto& entry) { return &entry.second == job; })->first;
  }
  spec->notify = notices_;
  if (const auto room = parts_.room.reserve(*spec); !room) return room.error();
  const JobId id = control.cluster().next_job();
  control.step(event::JobSubmitted{0, std::move(*spec)});
  spdlog::info("job_advised {} hadoop={} tasks={}", id, log::Quoted{message.id()}, message.tasks_size());
  return id;
}

void Advisor::on_gone(JobId id) {
  const scheduler::Job* job = parts_.control.cluster().find_job(id);
  if (job == nullptr || is_final(job->state)) return;
  auto& timer = away_[id];
  timer = std::make_unique<asio::steady_timer>(parts_.control.executor(), kAwayMax);
  timer->async_wait([this, id](const asio::error_code& error) {
    if (!error) give_up(id);
  });
}

void Advisor::give_up(JobId id) {
  static constexpr const char* kWhy = "its application master has been away for ten minutes";
  away_.erase(id);
  parts_.control.step(event::JobKillRequested{id, kWhy});
  parts_.control.step(event::CommitFinished{id, kWhy});  // of a job whose maps are all done
}

void Advisor::beat() {
  parts_.links.beat();
  beat_.expires_after(kBeat);
  beat_.async_wait([this](const asio::error_code& error) {
    if (!error) beat();
  });
}

}  // namespace ontime::master
