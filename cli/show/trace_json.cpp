#include "cli/show/trace_json.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/show/job_text.h"
#include "common/base/ids.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kScheduler = 0;  // its process; nodes are numbered from 1

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

class Trace {
 public:
  explicit Trace(const wire::JobSummary& job) : job_(job) {}

  void add_tasks(const wire::Reply::Job& job) {
    std::vector<std::pair<const wire::TaskDetail*, const wire::AttemptDetail*>> attempts;
    for (const auto& task : job.tasks())
      for (const auto& attempt : task.attempts()) attempts.emplace_back(&task, &attempt);
    std::ranges::stable_sort(attempts, {}, [](const auto& pair) { return pair.second->launched_unix_ns(); });
    for (const auto& [task, attempt] : attempts) add_attempt(*task, *attempt);
    add_running();
  }

  void add_decisions(const wire::Reply::Explained& explained) {
    name_process(kScheduler, "scheduler of " + to_string(JobId{job_.job()}));
    for (const auto& decision : explained.decisions()) add_instant(decision, "the whole job");
    for (const auto& task : explained.tasks())
      for (const auto& decision : task.decisions()) add_instant(decision, task_name(task.index()));
  }

  void add_deadline() {
    const std::int64_t deadline = job_.settings().deadline();
    if (deadline > 0) add("i", kScheduler, 0, deadline, {{"name", "deadline"}, {"s", "g"}});
  }

  // Names are bytes from elsewhere: what is no UTF-8 is replaced.
  std::string text() const {
    const Json document = {{"displayTimeUnit", "ms"}, {"traceEvents", events_}};
    return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  struct Node {
    int process = 0;
    std::vector<std::int64_t> busy_until{};  // of each slot
  };

  void add(const char* phase, int process, int thread, std::int64_t at_ns, Json more) {
    Json event = {{"ph", phase}, {"pid", process}, {"tid", thread}, {"ts", microseconds(at_ns)}};
    event.update(more);
    events_.push_back(std::move(event));
  }

  void name_process(int process, const std::string& name) {
    add("M", process, 0, 0, {{"name", "process_name"}, {"args", {{"name", name}}}});
    add("M", process, 0, 0, {{"name", "process_sort_index"}, {"args", {{"sort_index", process}}}});
  }

  Node& node_of(const wire::AttemptDetail& attempt) {
    auto [place, is_new] = nodes_.try_emplace(attempt.node());
    if (is_new) {
      place->second.process = static_cast<int>(nodes_.size());
      name_process(place->second.process, attempt.node_name());
    }
    return place->second;
  }

  // Which of the node's slots it had is not recorded: the first that was free then.
  int slot_of(Node& node, std::int64_t from, std::int64_t to) {
    auto& slots = node.busy_until;
    const auto found = std::ranges::find_if(slots, [&](std::int64_t until) { return until <= from; });
    const auto slot = static_cast<std::size_t>(found - slots.begin());
    if (found == slots.end()) {
      slots.push_back(0);
      add("M", node.process, static_cast<int>(slot), 0,
          {{"name", "thread_name"}, {"args", {{"name", "slot " + std::to_string(slot + 1)}}}});
    }
    slots[slot] = to;
    return static_cast<int>(slot);
  }

  void add_attempt(const wire::TaskDetail& task, const wire::AttemptDetail& attempt) {
    const std::int64_t from = attempt.launched_unix_ns() - job_.submitted_unix_ns();
    const std::int64_t to = attempt.ended_unix_ns() == 0 ? std::max(job_.elapsed_ns(), from)
                                                         : attempt.ended_unix_ns() - job_.submitted_unix_ns();
    Node& node = node_of(attempt);
    const int slot = slot_of(node, from, to);
    Json told = {{"state", attempt.state()},
                 {"speculative", attempt.speculative()},
                 {"from_byte", attempt.start_offset()},
                 {"reached_byte", attempt.offset()}};
    if (!attempt.message().empty()) told["message"] = attempt.message();
    add("X", node.process, slot, from,
        {{"name", task_name(task.index()) + " a" + std::to_string(attempt.number())},
         {"cat", attempt.speculative() ? "copy" : "original"},
         {"dur", microseconds(to - from)},
         {"args", std::move(told)}});
    if (attempt.started_unix_ns() != 0)
      add("X", node.process, slot, from,
          {{"name", "launch"},
           {"cat", "launch"},
           {"dur", microseconds(attempt.started_unix_ns() - attempt.launched_unix_ns())}});
    ++changes_[from];
    --changes_[to];
  }

  void add_running() {
    int running = 0;
    for (const auto& [at, change] : changes_)
      add("C", kScheduler, 0, at, {{"name", "attempts running"}, {"args", {{"attempts", running += change}}}});
  }

  void add_instant(const wire::DecisionDetail& decision, const std::string& about) {
    add("i", kScheduler, 0, decision.at_ns(),
        {{"name", about + ": " + (decision.reason().empty() ? decision.what() : decision.reason())},
         {"s", "t"},
         {"args", {{"text", decision_sentence(decision)}}}});
  }

  const wire::JobSummary& job_;
  std::map<std::uint32_t, Node> nodes_;
  std::map<std::int64_t, int> changes_;  // in the number of attempts that run
  Json events_ = Json::array();
};

}  // namespace

std::string trace_json(const wire::Reply::Job& job, const wire::Reply::Explained& explained) {
  Trace trace(job.summary());
  trace.add_decisions(explained);
  trace.add_tasks(job);
  trace.add_deadline();
  return trace.text();
}

}  // namespace ontime::cli
