// What may happen next.
#include <array>

#include "tests/model/modelled_cluster.h"

namespace ontime::model {
namespace {

constexpr std::uint32_t kProcessesMax = 4;

}  // namespace

std::string name_of(const Choice& choice) {
  static constexpr std::array kNames{"deliver w",
                                     "deliver, then the master dies, w",
                                     "break w",
                                     "rejoin w",
                                     "rejoin and repeat w",
                                     "die w",
                                     "start a",
                                     "map a",
                                     "seal a",
                                     "fail a",
                                     "restart ",
                                     "wait ",
                                     "copy a",
                                     "share a",
                                     "give a",
                                     "end a",
                                     "drain w",
                                     "leave w",
                                     "commit ",
                                     "commit, lost ",
                                     "kill "};
  return kNames.at(static_cast<std::size_t>(choice.what)) + std::to_string(choice.who);
}

std::vector<Choice> ModelledCluster::choices() const {
  std::vector<Choice> all;
  const auto add = [&](What what) {
    if (may(what)) all.push_back({what, 0});
  };
  const scheduler::Job& job = *cluster().find_job(JobId{1});
  for (std::uint8_t who = 0; who < workers_.size(); ++who) add_choices(who, all);
  if (job.state == scheduler::JobState::Running) add_policy_choices(all);
  if (is_committing_) add(What::Commit);
  if (is_committing_) add(What::CommitLost);
  add(What::Kill);
  add(What::Restart);
  add(What::Wait);
  return all;
}

void ModelledCluster::add_choices(std::uint8_t who, std::vector<Choice>& to) const {
  const Worker& worker = workers_[who];
  const auto add = [&](What what, std::uint32_t subject) {
    if (may(what)) to.push_back({what, static_cast<std::uint8_t>(subject)});
  };
  if (worker.is_linked) {
    if (!worker.wire.empty()) add(What::Deliver, who);
    if (!worker.wire.empty()) add(What::DeliverCrash, who);
    add(What::Break, who);
    const scheduler::Node* node = cluster().find_node(worker.incarnation);
    if (node->duty == scheduler::Duty::Serves) add(What::Drain, who);
    if (!worker.leaves) add(What::Leave, who);
  } else {
    add(What::Rejoin, who);
    if (worker.unconfirmed) add(What::RejoinRepeat, who);
  }
  if (processes_ < kProcessesMax) add(What::Die, who);
  for (const auto& [number, attempt] : worker.running) {
    if (!attempt.has_started) add(What::Start, number);
    if (!attempt.is_standby && attempt.has_started) {
      const bool has_mapped = attempt.offset >= attempt.points.segment().end;
      add(has_mapped ? What::Seal : What::Map, number);
    }
    add(What::Fail, number);
  }
}

void ModelledCluster::add_policy_choices(std::vector<Choice>& to) const {
  for (const AttemptId live : cluster().find_job(JobId{1})->live) {
    for (const What what : {What::Copy, What::Share, What::Give, What::End}) {
      if (may(what)) to.push_back({what, static_cast<std::uint8_t>(live.number)});
    }
  }
}

}  // namespace ontime::model
