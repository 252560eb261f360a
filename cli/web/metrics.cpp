#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <vector>

#include "cli/show/job_json.h"
#include "cli/show/job_text.h"
#include "cli/web/cluster_view.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

using Labels = std::map<std::string, std::string>;

// One page of metrics. What is summed over jobs is a gauge: the master forgets jobs that ended long ago, so it may
// fall.
class Sheet {
 public:
  void set(const std::string& name, const std::string& help, const Labels& labels, double value) {
    prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels).Set(value);
  }
  // Since the master has started.
  void count(const std::string& name, const std::string& help, const Labels& labels, std::uint64_t value) {
    prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add(labels).Increment(
        static_cast<double>(value));
  }
  void set(const std::string& name, const std::string& help, const wire::Histogram& histogram) {
    if (histogram.counts_size() != histogram.bounds_ns_size() + 1) return;
    prometheus::Histogram::BucketBoundaries bounds;
    for (const std::int64_t bound : histogram.bounds_ns()) bounds.push_back(seconds(Duration(bound)));
    const std::vector<double> counts(histogram.counts().begin(), histogram.counts().end());
    prometheus::BuildHistogram()
        .Name(name)
        .Help(help)
        .Register(registry_)
        .Add({}, bounds)
        .ObserveMultiple(counts, seconds(Duration(histogram.sum_ns())));
  }
  std::string text() const { return prometheus::TextSerializer().Serialize(registry_.Collect()); }

 private:
  prometheus::Registry registry_{prometheus::Registry::InsertBehavior::Merge};
};

void add_machine(const wire::MachineUse& use, const Labels& labels, Sheet& sheet) {
  sheet.set("ontime_node_cores", "Processors that the worker may use", labels, use.cores());
  sheet.set("ontime_node_busy_cores", "Those of them that are busy, with whatever", labels, use.busy_cores());
  sheet.set("ontime_node_memory_bytes", "Memory that the worker may use", labels, double(use.memory_bytes()));
  sheet.set("ontime_node_memory_used_bytes", "Memory of that in use, by whatever", labels, double(use.used_bytes()));
}

void add_nodes(const wire::Reply::Nodes& nodes, Sheet& sheet) {
  std::map<std::string, double> by_state{{"live", 0},   {"draining", 0}, {"drained", 0},
                                         {"silent", 0}, {"lost", 0},     {"left", 0}};
  std::map<std::string, double> held{{"slow", 0}, {"failing", 0}};
  double busy = 0;
  double free = 0;
  for (const wire::NodeSummary& node : nodes.nodes()) {
    by_state[node.state()] += 1;
    if (node.has_hold()) held[node.hold().cause()] += 1;
    if (node.state() != "live") continue;
    busy += node.busy();
    free += node.slots() - node.busy();
    const Labels labels{{"node", node.name()}, {"id", to_string(NodeId{node.node()})}};  // names may be alike
    sheet.set("ontime_node_silent_seconds", "Time since the last heartbeat", labels,
              seconds(Duration(node.silent_ns())));
    sheet.set("ontime_node_attempts_failed", "Attempts that have failed on the node", labels, node.attempts_failed());
    if (node.has_machine()) add_machine(node.machine(), labels, sheet);
  }
  for (const auto& [state, count] : by_state) sheet.set("ontime_nodes", "Workers by state", {{"state", state}}, count);
  for (const auto& [cause, count] : held) {
    sheet.set("ontime_nodes_held_back", "Workers that get no new work for a time, by cause", {{"cause", cause}}, count);
  }
  sheet.set("ontime_slots", "Slots of live workers", {{"state", "busy"}}, busy);
  sheet.set("ontime_slots", "Slots of live workers", {{"state", "free"}}, free);
  sheet.set("ontime_slots_wanted", "Slots that the deadlines of running jobs need", {}, nodes.slots_wanted());
}

// What the master counts since it has started.
void add_measures(const wire::Measures& measures, Sheet& sheet) {
  sheet.set("ontime_journal_write_seconds", "Time until a batch of records was durable", measures.journal());
  sheet.set("ontime_heartbeat_lag_seconds", "By how much heartbeats came later than the interval",
            measures.heartbeat_lag());
  sheet.count("ontime_journal_records_total", "Records that became durable", {}, measures.records());
  sheet.count("ontime_log_lines_dropped_total", "Lines that the master's log could not take", {},
              measures.log_lines_dropped());
  const auto turned_away = [&](const char* why, std::uint64_t value) {
    sheet.count("ontime_turned_away_total", "Connections and requests that were turned away", {{"why", why}}, value);
  };
  turned_away("refused", measures.refused());
  turned_away("forbidden", measures.forbidden());
  turned_away("malformed", measures.malformed());
  turned_away("stuck", measures.stuck());
}

void add_jobs(const wire::Reply::Jobs& jobs, Sheet& sheet) {
  std::map<std::string, double> by_state;
  for (const std::string& state : protocol::names_of_job_states()) by_state[state] = 0;
  std::map<std::string, double> attempts{{"running", 0}, {"launched", 0}, {"failed", 0}};
  std::map<std::string, double> deadlines{{"met", 0}, {"missed", 0}};
  for (const wire::JobSummary& job : jobs.jobs()) {
    by_state[protocol::name_of(job.state())] += 1;
    attempts["running"] += job.attempts_running();
    attempts["launched"] += job.attempts_launched();
    attempts["failed"] += job.attempts_failed();
    if (job.settings().deadline() > 0 && protocol::has_ended(job))
      deadlines[missed_its_deadline(job) ? "missed" : "met"] += 1;
  }
  for (const auto& [state, count] : by_state) {
    sheet.set("ontime_jobs", "Jobs that the master remembers, by state", {{"state", state}}, count);
  }
  for (const auto& [state, count] : attempts) {
    sheet.set("ontime_attempts", "Attempts of these jobs: running now, ever launched, failed", {{"state", state}},
              count);
  }
  for (const auto& [end, count] : deadlines) {
    sheet.set("ontime_deadlines", "Deadlines of these jobs that have ended", {{"end", end}}, count);
  }
}

void add_account(const std::string& policy, const wire::Account& account, Sheet& sheet) {
  const auto bytes = [&](const char* kind, std::uint64_t value) {
    sheet.set("ontime_mapped_bytes", "Bytes mapped, by their use; resumed: not mapped again",
              {{"policy", policy}, {"kind", kind}}, static_cast<double>(value));
  };
  for (const AccountPart& part : kAccountParts) {
    if (part.bytes != nullptr) bytes(part.key, (account.*part.bytes)());
    sheet.set("ontime_machine_seconds", "Machine time, by what it was for", {{"policy", policy}, {"kind", part.key}},
              seconds(Duration((account.*part.nanoseconds)())));
  }
  bytes("resumed", account.saved_bytes());
}

void add_watched(const wire::Reply::Job& job, Sheet& sheet) {
  const wire::JobSummary& summary = job.summary();
  const Labels labels{{"job", to_string(JobId{summary.job()})}, {"policy", summary.settings().policy()}};
  if (summary.has_forecast() && summary.forecast().has_pocd()) {
    sheet.set("ontime_job_pocd", "Probability that a running job makes its deadline", labels,
              summary.forecast().pocd());
  }
  sheet.set("ontime_job_tasks", "Tasks of a running job", labels, summary.tasks());
  sheet.set("ontime_job_tasks_done", "Tasks of a running job that are done", labels, summary.tasks_done());
  for (const wire::Copies& copies : job.copies()) {
    Labels reason = labels;
    reason["reason"] = copies.reason();
    sheet.set("ontime_job_copies", "Speculative attempts of a running job, by reason", reason, copies.attempts());
  }
}

}  // namespace

std::string metrics_text(const ClusterView::Picture* picture) {
  Sheet sheet;
  sheet.set("ontime_up", "1 if the master answers", {}, picture != nullptr ? 1 : 0);
  if (picture == nullptr) return sheet.text();
  add_nodes(picture->nodes, sheet);
  add_measures(picture->nodes.measures(), sheet);
  add_jobs(picture->jobs, sheet);
  for (const auto& policy : picture->jobs.accounts()) add_account(policy.policy(), policy.account(), sheet);
  for (const wire::Reply::Job& job : picture->watched) add_watched(job, sheet);
  return sheet.text();
}

}  // namespace ontime::cli
