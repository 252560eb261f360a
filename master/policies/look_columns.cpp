// What each table of a look holds: the only place that names its columns.
#include <concepts>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "master/policies/look.h"
#include "scheduler/policies/open_segments.h"

namespace ontime::master {
namespace {

using scheduler::View;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

template <class Number>
void put_number(Number number, char*& to) {
  static_assert(sizeof number == sizeof(std::uint64_t));
  std::memcpy(to, &number, sizeof number);
  to += sizeof number;
}

template <class Row>
class Column {
 public:
  // `Get`: of a row a whole number, a truth, a double or a text that the row does not hold itself.
  template <class Get>
  constexpr Column(std::string_view called, std::string_view what, Get) : name(called), holds(what) {
    if constexpr (std::floating_point<std::invoke_result_t<Get, const Row&>>)
      get_ = Real{[](const Row& row) { return static_cast<double>(Get{}(row)); }};
    else if constexpr (std::convertible_to<std::invoke_result_t<Get, const Row&>, std::string_view>)
      get_ = Text{[](const Row& row) { return std::string_view(Get{}(row)); }};
    else
      get_ = Whole{[](const Row& row) { return static_cast<std::int64_t>(Get{}(row)); }};
  }

  std::string_view name;
  std::string_view holds;

  const char* type() const {
    if (std::holds_alternative<Text>(get_)) return "s";
    return std::holds_alternative<Real>(get_) ? "d" : "q";
  }
  void put(const std::vector<Row>& rows, char*& to, std::string& texts) const {
    const auto put_all = [&](const auto get) {
      for (const Row& row : rows) put_number(as_number(get(row), texts), to);
    };
    std::visit(put_all, get_);
  }

 private:
  using Whole = std::int64_t (*)(const Row&);
  using Real = double (*)(const Row&);
  using Text = std::string_view (*)(const Row&);

  template <class Number>
  static Number as_number(Number number, std::string&) {
    return number;
  }
  static std::int64_t as_number(std::string_view text, std::string& texts) {
    const std::uint64_t place = std::uint64_t{texts.size()} << 32 | text.size();
    texts += text;
    return static_cast<std::int64_t>(place);
  }

  std::variant<Whole, Real, Text> get_;
};

// An unknown end is the largest number that there is.
std::int64_t offset(std::uint64_t at) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(at, std::numeric_limits<std::int64_t>::max()));
}

// Of an attempt, in seconds after its job's submission; NaN: it has not come to that.
double instant(const AttemptRow& row, TimePoint at) {
  return at == TimePoint{} ? kNotKnown : row.job->since_submission(at);
}

// Slot-seconds of its attempts.
double machine_seconds(const scheduler::Job& job) {
  double sum = 0;
  for (const scheduler::Task& task : job.tasks.made())
    for (const scheduler::Attempt& attempt : task.attempts) sum += seconds(attempt.ended_at - attempt.launched_at);
  return sum;
}

const Column<const View*> kView[]{
    {"now", "this instant, ns since 1970; there is no other clock", [](auto* v) { return to_unix_ns(v->now); }},
    {"slots", "of all nodes that are not held back", [](auto* v) { return v->slots(); }},
    {"free_slots", "of these, those that are free", [](auto* v) { return v->free_slots(); }},
    {"spare_slots", "free, and not for what waits", [](auto* v) { return v->spare_slots(); }},
    {"waiting", "attempts of any job that wait for a slot", [](auto* v) { return v->waiting; }},
};

const Column<JobRow> kJobs[]{
    {"id", "counts from 1", [](const JobRow& r) { return r.job->id.value; }},
    {"submitted_at", "ns since 1970", [](const JobRow& r) { return to_unix_ns(r.job->job->submitted_at); }},
    {"age", "s since its submission", [](const JobRow& r) { return r.job->since_submission(r.view->now); }},
    {"deadline", "s after its submission; infinite: none",
     [](const JobRow& r) { return r.job->has_deadline() ? r.job->deadline() : kInfinite; }},
    {"priority", "higher ones get slots first", [](const JobRow& r) { return r.job->job->spec.priority; }},
    {"tasks", "how many it has", [](const JobRow& r) { return r.job->job->tasks.size(); }},
    {"tasks_done", "how many of them are done", [](const JobRow& r) { return r.job->job->tasks_done; }},
    {"first_task", "row in tasks", [](const JobRow& r) { return r.first_task; }},
    {"open_tasks", "rows in tasks", [](const JobRow& r) { return r.open_tasks; }},
    {"waiting", "its attempts that wait for a slot", [](const JobRow& r) { return r.job->waiting; }},
    {"is_behind", "it comes after the others", [](const JobRow& r) { return r.job->is_behind; }},
    {"order", "0 fifo, 1 deadline, 2 workload", [](const JobRow& r) { return static_cast<int>(r.job->order); }},
    {"split_bytes", "of a task, in the mean", [](const JobRow& r) { return scheduler::mean_split_bytes(*r.job); }},
    {"bytes_left", "not mapped yet", [](const JobRow& r) { return r.job->outlook->bytes_left(*r.job->job); }},
    {"t_min", "least s of a task, of a Pareto tail; 0: not known",
     [](const JobRow& r) { return r.durations.t_min * scheduler::mean_split_bytes(*r.job); }},
    {"beta", "shape of that tail", [](const JobRow& r) { return r.durations.beta; }},
    {"launch", "s that a launch takes, in the mean", [](const JobRow& r) { return r.durations.launch; }},
    {"samples", "attempts that t_min and beta rest on", [](const JobRow& r) { return r.durations.samples; }},
    {"attempts_launched", "so far", [](const JobRow& r) { return r.job->job->attempts_launched; }},
    {"attempts_failed", "so far", [](const JobRow& r) { return r.job->job->attempts_failed; }},
    {"name", "that it was given; may be empty", [](const JobRow& r) -> auto& { return r.job->job->spec.name; }},
    {"application", "that maps it", [](const JobRow& r) -> auto& { return r.job->job->spec.application; }},
    {"owner", "who submitted it; empty: nobody in particular",
     [](const JobRow& r) -> auto& { return r.job->job->spec.owner; }},
};

const Column<TaskRow> kTasks[]{
    {"job", "row in jobs", [](const TaskRow& r) { return r.job_row; }},
    {"index", "counts from 0 in the order of the input", [](const TaskRow& r) { return r.index; }},
    {"begin", "byte", [](const TaskRow& r) { return offset(r.task().ledger.split().begin); }},
    {"end", "byte; the largest number: not known",
     [](const TaskRow& r) { return offset(r.task().ledger.split().end); }},
    {"completion", "s after submission when it will be done; infinite: it stands still, NaN: not known",
     [](const TaskRow& r) { return r.job->outlook->completion()[r.index]; }},
    {"progress", "0 to 1", [](const TaskRow& r) { return r.job->outlook->progress()[r.index]; }},
    {"pending", "copies asked for and not launched",
     [](const TaskRow& r) { return r.job->pending.contains(r.index) ? r.job->pending.at(r.index) : 0; }},
    {"sealed_bytes", "done for good", [](const TaskRow& r) { return r.task().ledger.sealed_bytes(); }},
    {"first_segment", "row in segments", [](const TaskRow& r) { return r.first_segment; }},
    {"segments", "rows in segments", [](const TaskRow& r) { return r.segments; }},
    {"first_attempt", "row in attempts", [](const TaskRow& r) { return r.first_attempt; }},
    {"attempts", "rows in attempts", [](const TaskRow& r) { return r.attempts; }},
};

const Column<SegmentRow> kSegments[]{
    {"task", "row in tasks", [](const SegmentRow& r) { return r.task_row; }},
    {"begin", "byte", [](const SegmentRow& r) { return offset(r.segment->range.begin); }},
    {"end", "byte; the largest number: not known", [](const SegmentRow& r) { return offset(r.segment->range.end); }},
    {"completion", "as of tasks", [](const SegmentRow& r) { return r.completion; }},
    {"racers", "attempts that work on it, or will", [](const SegmentRow& r) { return r.racers; }},
    {"is_changing", "fresh attempts are on their way", [](const SegmentRow& r) { return r.is_changing; }},
    {"failures", "attempts at it that ended badly", [](const SegmentRow& r) { return r.segment->failures; }},
};

const Column<AttemptRow> kAttempts[]{
    {"task", "row in tasks", [](const AttemptRow& r) { return r.task_row; }},
    {"number", "counts from 0 within the task", [](const AttemptRow& r) { return r.id.number; }},
    {"node", "row in nodes; -1: it is gone",
     [](const AttemptRow& r) { return r.node_row ? static_cast<std::int64_t>(*r.node_row) : -1; }},
    {"is_running", "its launch is over",
     [](const AttemptRow& r) { return r.attempt->state == scheduler::AttemptState::Running; }},
    {"is_speculative", "it raced another from its launch on",
     [](const AttemptRow& r) { return r.attempt->speculative; }},
    {"is_standby", "it waits to be told where to begin", [](const AttemptRow& r) { return r.attempt->standby; }},
    {"is_changing", "it is being cut, or is a standby", [](const AttemptRow& r) { return r.attempt->is_changing(); }},
    {"begin", "byte: of what it holds", [](const AttemptRow& r) { return offset(r.attempt->held.begin); }},
    {"end", "byte; the largest number: not known", [](const AttemptRow& r) { return offset(r.attempt->held.end); }},
    {"offset", "byte: all it held below is mapped", [](const AttemptRow& r) { return offset(r.attempt->offset); }},
    {"records", "mapped", [](const AttemptRow& r) { return r.attempt->records; }},
    {"launched_at", "s after submission", [](const AttemptRow& r) { return instant(r, r.attempt->launched_at); }},
    {"started_at", "s after submission, of its first record; NaN: not yet",
     [](const AttemptRow& r) { return instant(r, r.attempt->started_at); }},
    {"reported_at", "s after submission, lately",
     [](const AttemptRow& r) { return instant(r, r.attempt->reported_at); }},
    {"rate", "bytes/s; 0: it stands, or has not begun; NaN: not known",
     [](const AttemptRow& r) { return r.pace.known ? r.pace.rate : kNotKnown; }},
    {"rate_error", "standard deviation of ln(rate)", [](const AttemptRow& r) { return r.pace.error; }},
    {"completion", "as of tasks, of all that it holds",
     [](const AttemptRow& r) { return r.pace.reaches(r.attempt->held.end); }},
};

const Column<DoneRow> kDone[]{
    {"job", "row in jobs", [](const DoneRow& r) { return r.job_row; }},
    {"index", "as of tasks", [](const DoneRow& r) { return r.index; }},
    {"bytes", "of its split; the largest number: not known",
     [](const DoneRow& r) { return offset(r.task().ledger.split().size()); }},
    {"seconds", "from its first launch until it was done",
     [](const DoneRow& r) { return seconds(r.done_at - r.task().attempts.front().launched_at); }},
    {"done_at", "s after submission", [](const DoneRow& r) { return r.job->since_submission(r.done_at); }},
    {"attempts", "launched for it", [](const DoneRow& r) { return r.task().attempts.size(); }},
};

const Column<NodeRow> kNodes[]{
    {"id", "counts from 1", [](const NodeRow& r) { return r.id.value; }},
    {"name", "of the worker", [](const NodeRow& r) -> auto& { return r.node->name; }},
    {"host", "that it runs on", [](const NodeRow& r) -> auto& { return r.node->host; }},
    {"slots", "that it has", [](const NodeRow& r) { return r.node->slots; }},
    {"attempts", "that it runs", [](const NodeRow& r) { return r.node->live.size(); }},
    {"speed", "of its attempts: 1 as usual, 0.5 half as fast",
     [](const NodeRow& r) { return r.view->resources.speed(r.id); }},
    {"is_usable", "it serves, and is heard of", [](const NodeRow& r) { return r.view->resources.is_usable(r.id); }},
    {"is_held", "it gets no new work for a while", [](const NodeRow& r) { return r.view->resources.is_held(r.id); }},
    {"leaves_in", "s; infinite: it stays",
     [](const NodeRow& r) {
       return r.node->leaves_at == TimePoint::max() ? kInfinite : seconds(r.node->leaves_at - r.view->now);
     }},
};

const Column<EndedRow> kEnded[]{
    {"id", "of the job", [](const EndedRow& r) { return r.id.value; }},
    {"is_met", "it succeeded, within its deadline if it had one",
     [](const EndedRow& r) {
       return r.job->state == scheduler::JobState::Succeeded && !r.job->missed_deadline(r.job->ended_at);
     }},
    {"seconds", "that it took", [](const EndedRow& r) { return seconds(r.job->ended_at - r.job->submitted_at); }},
    {"machine_seconds", "of slots that its attempts held", [](const EndedRow& r) { return machine_seconds(*r.job); }},
};

// Of each table: its name, its columns and its rows.
template <class Visit>
void for_each_table(const Look& look, Visit&& visit) {
  visit("view", std::span(kView), look.views);
  visit("jobs", std::span(kJobs), look.jobs);
  visit("tasks", std::span(kTasks), look.tasks);
  visit("segments", std::span(kSegments), look.segments);
  visit("attempts", std::span(kAttempts), look.attempts);
  visit("done", std::span(kDone), look.done);
  visit("nodes", std::span(kNodes), look.nodes);
  visit("ended", std::span(kEnded), look.ended);
}

}  // namespace

nlohmann::json tables_of_looks() {
  auto tables = nlohmann::json::array();
  for_each_table({}, [&](const char* name, auto columns, const auto&) {
    auto& table = tables.emplace_back(nlohmann::json{{"name", name}, {"columns", nlohmann::json::array()}});
    for (const auto& column : columns) table["columns"].push_back({column.name, column.type(), column.holds});
  });
  return tables;
}

std::string encode(const Look& look) {
  std::size_t numbers = 0;
  for_each_table(look, [&](auto, auto columns, const auto& rows) { numbers += 1 + columns.size() * rows.size(); });
  std::string bytes(numbers * sizeof(std::uint64_t), '\0');
  char* to = bytes.data();
  std::string texts;
  for_each_table(look, [&](auto, auto columns, const auto& rows) {
    put_number(rows.size(), to);
    for (const auto& column : columns) column.put(rows, to, texts);
  });
  return bytes += texts;
}

}  // namespace ontime::master
