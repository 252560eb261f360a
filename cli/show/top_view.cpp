#include "cli/show/top_view.h"

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/show/job_text.h"
#include "common/base/ids.h"
#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kChangesKept = 100;
constexpr std::size_t kChangesShown = 8;
constexpr std::size_t kRowsIfUnlimited = 20;

// Jobs that run come first: those that are late or will be, then by their PoCD and by what is left, then those without
// a deadline. Of others, the one that ended last.
auto urgency(const wire::JobSummary& job) {
  const bool has_ended = protocol::has_ended(job);
  const bool has_deadline = job.settings().deadline() > 0;
  const double pocd = job.forecast().has_pocd() ? job.forecast().pocd() : 1;
  const std::int64_t left = job.settings().deadline() - job.elapsed_ns();
  return std::tuple(has_ended, has_ended ? -job.ended_unix_ns() : 0, !has_deadline, left >= 0, pocd, left, job.job());
}

std::string title_of(const wire::JobSummary& job) {
  const std::string& name = job.settings().name();
  return printable(to_string(JobId{job.job()}) + (name.empty() ? "" : " (" + name + ")"));
}

std::string expected_end(const wire::JobSummary& job) {
  if (protocol::has_ended(job)) return local_time(job.ended_unix_ns());
  return local_time(expected_end_unix_ns(job).value_or(0));
}

std::vector<Table::Cell> row_of(const wire::JobSummary& job) {
  const int percent = static_cast<int>(fraction_done(progress_of(job)) * 100);
  return {to_string(JobId{job.job()}),
          job.settings().name(),
          job.application(),
          settings_text(job),
          protocol::name_of(job.state()),
          std::to_string(percent) + "%",
          std::to_string(job.attempts_running()),
          format_duration(Duration(job.elapsed_ns())),
          {lateness_text(job), colour_of(lateness_of(job))},
          expected_end(job)};
}

// A line of its own is not worth a break of the view.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

void TopView::update(const wire::Reply::Jobs& jobs, const wire::Reply::Nodes& nodes, std::int64_t now_unix_ns) {
  now_ = now_unix_ns;
  note_jobs(jobs);
  note_nodes(nodes);
  has_seen_ = true;
  jobs_ = jobs;
  nodes_ = nodes;
  std::sort(jobs_.mutable_jobs()->begin(), jobs_.mutable_jobs()->end(),
            [](const auto& a, const auto& b) { return urgency(a) < urgency(b); });
}

void TopView::note(const std::string& what) {
  if (!has_seen_) return;                 // how things stand is no change
  constexpr std::size_t kTimeOfDay = 11;  // where it begins behind the date
  changes_.push_front(local_time(now_).substr(kTimeOfDay) + "  " + what);
  if (changes_.size() > kChangesKept) changes_.pop_back();
}

void TopView::note_jobs(const wire::Reply::Jobs& jobs) {
  std::map<std::uint32_t, JobSeen> seen;
  for (const wire::JobSummary& job : jobs.jobs()) {
    const JobSeen now{job.state(), lateness_of(job)};
    seen.emplace(job.job(), now);
    const auto before = jobs_seen_.find(job.job());
    const std::string standing = lateness_text(job);
    const std::string state = protocol::name_of(job.state());
    if (before == jobs_seen_.end()) {
      note(title_of(job) + " was submitted, " + state);
    } else if (before->second.state != now.state) {
      const bool tells_more = protocol::has_ended(job) && !standing.empty();
      note(title_of(job) + ": " + state + (tells_more ? ", " + standing : ""));
    } else if (before->second.lateness != now.lateness) {
      note(title_of(job) + " is " + name_of(now.lateness) + ": " + standing);
    }
  }
  jobs_seen_ = std::move(seen);
}

void TopView::note_nodes(const wire::Reply::Nodes& nodes) {
  std::map<std::string, std::string> seen;
  for (const wire::NodeSummary& node : nodes.nodes()) {
    const std::string title = printable(to_string(NodeId{node.node()}) + " (" + node.name() + ")");
    const auto before = nodes_seen_.find(title);
    seen.emplace(title, node.state());
    if (before == nodes_seen_.end() || before->second != node.state()) note(title + ": " + node.state());
  }
  nodes_seen_ = std::move(seen);
}

std::string TopView::head() const {
  std::uint32_t live = 0;
  std::uint32_t slots = 0;
  std::uint32_t busy = 0;
  for (const wire::NodeSummary& node : nodes_.nodes()) {
    if (node.state() != "live") continue;
    ++live;
    slots += node.slots();
    busy += node.busy();
  }
  std::size_t open = 0;
  std::size_t late = 0;
  for (const wire::JobSummary& job : jobs_.jobs()) {
    if (protocol::has_ended(job)) continue;
    ++open;
    late += is_late(job) ? 1 : 0;
  }
  return local_time(now_) + "  " + counted(live, "worker") + ", " + std::to_string(busy) + " of " +
         counted(slots, "slot") + " busy, " + counted(open, "job") + " not ended, " + std::to_string(late) +
         " late or at risk";
}

std::string TopView::table(Look look, std::size_t rows_max) const {
  Table table({{"JOB"},
               {"NAME", Align::Left, Table::Cut::End, 4},
               {"APPLICATION", Align::Left, Table::Cut::End, 3},
               {"PARAMETERS", Align::Left, Table::Cut::End, 6},
               {"STATE"},
               {"DONE", Align::Right},
               {"RUN", Align::Right, Table::Cut::No, 2},
               {"ELAPSED", Align::Right, Table::Cut::No, 1},
               {"DEADLINE"},
               {"ENDS", Align::Left, Table::Cut::No, 5}});
  std::size_t rows = 0;
  for (const wire::JobSummary& job : jobs_.jobs())
    if (rows++ < rows_max) table.add_row(row_of(job));
  return table.empty() ? "no jobs\n" : table.to_string(look);
}

std::string TopView::text(Size size, const std::string& trouble) const {
  const std::size_t changes = std::min(kChangesShown, changes_.size());
  const std::size_t around = 4 + (changes == 0 ? 0 : changes + 2);  // head, blank lines, titles
  const std::size_t rows = size.height == 0 ? kRowsIfUnlimited : size.height > around ? size.height - around : 1;
  std::string text = head() + "\n" + (trouble.empty() ? "" : first_line(trouble)) + "\n" + table(size.look, rows);
  if (changes > 0) text += "\nWhat has changed, the latest first\n";
  for (std::size_t i = 0; i < changes; ++i) text += changes_[i] + "\n";
  if (size.height == 0) return text;
  std::istringstream lines(text);
  std::string fitting;
  std::size_t count = 0;
  for (std::string line; count + 1 < size.height && std::getline(lines, line); ++count)
    fitting += (line.find('\033') == line.npos ? shortened_to(line, size.look.width) : line) + "\n";
  return fitting;
}

}  // namespace ontime::cli
