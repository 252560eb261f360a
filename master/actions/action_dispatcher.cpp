#include "master/actions/action_dispatcher.h"

#include <functional>
#include <utility>
#include <variant>

#include "common/protocol/convert.h"

namespace ontime::master {

ActionDispatcher::ActionDispatcher(wire::ToWorker::Welcome welcome, Parts parts)
    : welcome_(std::move(welcome)),
      parts_(parts),
      find_start_(std::bind_front(&IndexStore::find_start, &parts.indexes)) {}

void ActionDispatcher::announce(NodeId node, const std::shared_ptr<WorkerLink>& link) {
  const auto older = std::exchange(announced_[node], link);
  if (older && older != link) older->close();
}

void ActionDispatcher::attach(NodeId node, const std::shared_ptr<WorkerLink>& link) {
  if (link->is_open()) {
    attached_[node] = link;
  } else {
    attached_.erase(node);
  }
}

void ActionDispatcher::acknowledge(const std::shared_ptr<WorkerLink>& link, std::uint64_t sequence) {
  link->acknowledge(sequence);
  gather(link);
}

void ActionDispatcher::gather(const std::shared_ptr<WorkerLink>& link) {
  if (!std::exchange(link->is_gathered, true)) gathered_.push_back(link);
}

void ActionDispatcher::release(NodeId node, const std::shared_ptr<WorkerLink>& link) {
  for (auto* links : {&announced_, &attached_}) {
    const auto found = links->find(node);
    if (found != links->end() && found->second == link) links->erase(found);
  }
}

void ActionDispatcher::observe(const scheduler::JournalRecord& record) {
  if (parts_.applications != nullptr) parts_.applications->observe(record);
}

void ActionDispatcher::perform(const scheduler::Action& action) {
  if (parts_.applications != nullptr && parts_.applications->perform(action)) return;
  std::visit([this](const auto& one) { on(one); }, action);
}

void ActionDispatcher::flush() {
  for (const auto& link : std::exchange(gathered_, {})) {
    link->is_gathered = false;
    link->flush();
  }
  if (parts_.applications != nullptr) parts_.applications->flush();
}

WorkerLink* ActionDispatcher::link_to(NodeId node) {
  const auto found = attached_.find(node);
  if (found == attached_.end()) return nullptr;
  gather(found->second);
  return found->second.get();
}

// The output of an advised job is Hadoop's to commit or discard.
void ActionDispatcher::on(const scheduler::action::CommitOutput& action) {
  if (!action.spec->advised) parts_.committer.commit(action, parts_.logs.of(action.job));
}

void ActionDispatcher::on(const scheduler::action::DiscardOutput& action) {
  if (!action.output.empty()) parts_.committer.discard(action);
}

void ActionDispatcher::on(const scheduler::action::WelcomeNode& action) {
  WorkerLink* link = link_to(action.node);
  if (link == nullptr) return;
  wire::ToWorker::Welcome welcome = welcome_;
  welcome.set_node(action.node.value);
  for (const AttemptId& attempt : action.fenced) protocol::put(attempt, welcome.add_fenced());
  link->welcome(welcome);
}

void ActionDispatcher::on(const scheduler::action::DropNode& action) {
  if (WorkerLink* link = link_to(action.node)) link->close();
  attached_.erase(action.node);
}

}  // namespace ontime::master
