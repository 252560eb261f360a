#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "lab/experiment/report.h"
#include "lab/results/chart.h"

namespace ontime::lab::experiment {
namespace {

constexpr std::size_t kNodesMost = 60;

const JobRow* interesting(const std::vector<JobRow>& jobs) {
  const JobRow* best = nullptr;
  for (const JobRow& job : jobs) {
    if (!job.is_counted() || !job.has_ended()) continue;
    const bool is_better =
        best == nullptr || job.copies > best->copies || (job.copies == best->copies && job.time > best->time);
    if (is_better) best = &job;
  }
  return best;
}

// "worker-10" stands behind "worker-9".
bool earlier_name(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// What becomes a colour, in the order of the legend.
enum Fate { kOriginalWon, kCopyWon, kInVain, kOther };
constexpr std::array<const char*, 4> kFateColours{"#0072B2", "#E69F00", "#999999", "#EEEEEE"};
constexpr std::array<const char*, 4> kFateNames{"original, in the answer", "copy, in the answer", "wasted",
                                                "other jobs"};

Fate fate_of(const AttemptRow& attempt, const JobRow& job) {
  if (attempt.job != job.job) return kOther;
  if (attempt.sealed == 0) return kInVain;
  return attempt.speculative ? kCopyWon : kOriginalWon;
}

class Timeline {
 public:
  Timeline(const JobRow& job, const std::vector<AttemptRow>& attempts) : job_(job) {
    for (const AttemptRow& attempt : attempts) {
      if (attempt.job == job.job) lines_[attempt.node] = 0;
    }
    std::vector<std::string> names;
    for (const auto& [name, line] : lines_) names.push_back(name);
    std::sort(names.begin(), names.end(), earlier_name);
    names.resize(std::min(names.size(), kNodesMost));
    lines_.clear();
    for (const std::string& name : names) lines_.emplace(name, lines_.size());
    for (const AttemptRow& attempt : attempts) add(attempt);
  }

  std::string script() const;
  unsigned height() const { return static_cast<unsigned>(140 + 16 * lines_.size()); }

 private:
  void add(const AttemptRow& attempt) {
    const auto line = lines_.find(attempt.node);
    const double from = attempt.launched - job_.submitted;
    const double to = (std::isnan(attempt.ended) ? job_.ended : attempt.ended) - job_.submitted;
    if (line == lines_.end() || to < 0 || from > job_.time) return;
    const auto y = static_cast<double>(line->second);
    const double left = std::max(0.0, from);
    const double right = std::min(job_.time, to);
    boxes_[fate_of(attempt, job_)] += plot_line({(left + right) / 2, y, left, right, y - 0.4, y + 0.4});
    if (attempt.job != job_.job) return;
    std::string label = "t" + std::to_string(attempt.task);
    if (attempt.from > 0) label += "@" + std::to_string(attempt.from / 1024) + "k";
    labels_ += plot_number(left) + " " + plot_number(y) + " " + plot_text(label) + "\n";
  }

  const JobRow& job_;
  std::map<std::string, std::size_t> lines_;
  std::array<std::string, 4> boxes_;
  std::string labels_;
};

std::string Timeline::script() const {
  Chart chart;
  std::vector<std::pair<std::string, double>> ticks;
  for (const auto& [name, line] : lines_) ticks.emplace_back(name, static_cast<double>(line));
  chart.set_ticks('y', ticks, " font ',9'");
  chart.set(
      "unset grid\nset xlabel 'seconds after the submission of the job'\nset key outside bottom center horizontal\n"
      "set style fill solid 0.85 border rgb '#ffffff'\nset xrange [0:" +
      plot_number(job_.time * 1.01) + "]\nset yrange [" + std::to_string(lines_.size()) + "-0.4:-0.6]");
  for (const Fate fate : {kOther, kOriginalWon, kCopyWon, kInVain}) {
    if (boxes_[fate].empty()) continue;
    chart.draw(chart.add_data(boxes_[fate]) + " using 1:2:3:4:5:6 with boxxyerror lc rgb '" + kFateColours[fate] +
               "' title '" + kFateNames[fate] + "'");
  }
  chart.draw(chart.add_data(labels_) + " using 1:2:3 with labels left offset 0.3,0 font ',8' notitle");
  return chart.script();
}

}  // namespace

Figure timeline_figure(const std::string& policy, const std::vector<JobRow>& jobs,
                       const std::vector<AttemptRow>& attempts) {
  const JobRow* job = interesting(jobs);
  if (job == nullptr) return {};
  const Timeline timeline(*job, attempts);
  Figure figure;
  figure.title = "Attempts of one job under " + policy;
  figure.caption = "Job " + std::to_string(job->job) + ", " + plot_number(std::round(job->time * 100) / 100) + " s" +
                   (job->deadline > 0 ? " of " + plot_number(std::round(job->deadline * 100) / 100) + " s" : "") +
                   ": a line for each of its nodes, a bar for each attempt with the number of its task and, behind @, "
                   "the offset in the split that it began at.";
  figure.script = timeline.script();
  figure.height = timeline.height();
  return figure;
}

}  // namespace ontime::lab::experiment
