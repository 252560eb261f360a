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

// The attempts of one job: a panel of the figure.
class Timeline {
 public:
  Timeline(const std::string& policy, const JobRow& job, const std::vector<AttemptRow>& attempts)
      : policy_(policy), job_(job) {
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

  double time() const { return job_.time; }
  bool has(Fate fate) const { return !boxes_[fate].empty(); }
  unsigned height() const { return static_cast<unsigned>(60 + 20 * lines_.size()); }
  // `name`: of its data. `until`: the end of the axis of time.
  Chart chart(const std::string& name, double until) const;

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

  const std::string policy_;
  const JobRow& job_;
  std::map<std::string, std::size_t> lines_;
  std::array<std::string, 4> boxes_;
  std::string labels_;
};

std::string colour_of(Fate fate) { return std::string(" lc rgb '") + kFateColours[fate] + "'"; }

std::string rounded(double seconds) { return plot_number(std::round(seconds * 100) / 100); }

Chart Timeline::chart(const std::string& name, double until) const {
  Chart chart(name);
  std::vector<std::pair<std::string, double>> ticks;
  for (const auto& [node, line] : lines_) ticks.emplace_back(node, static_cast<double>(line));
  chart.set_ticks('y', ticks, " font ',9'");
  const std::string limit = job_.deadline > 0 ? ", deadline " + rounded(job_.deadline) + " s" : "";
  chart.set("unset grid\nset key off\nset style fill solid 0.85 border rgb '#ffffff'\nset xrange [0:" +
            plot_number(until * 1.01) + "]\nset yrange [" + std::to_string(lines_.size()) +
            "-0.4:-0.6]\nset title " + plot_text(policy_ + ": done after " + rounded(job_.time) + " s" + limit) +
            " offset 0,-0.5");
  for (const Fate fate : {kOther, kOriginalWon, kCopyWon, kInVain}) {
    if (!has(fate)) continue;
    chart.draw(chart.add_data(boxes_[fate]) + " using 1:2:3:4:5:6 with boxxyerror" + colour_of(fate) + " notitle");
  }
  chart.draw(chart.add_data(labels_) + " using 1:2:3 with labels left offset 0.3,0 font ',8' tc rgb '#ffffff' notitle");
  chart.set("unset arrow");
  if (job_.deadline > 0 && job_.deadline <= until) {
    const std::string at = plot_number(job_.deadline);
    chart.set("set arrow from " + at + ", graph 0 to " + at + ", graph 1 nohead dt 2 lw 1.5 front");
  }
  return chart;
}

// The panels one below the other, with the meaning of the colours below the last one.
std::string script_of(const std::vector<Timeline>& panels, double until, unsigned height) {
  constexpr double kBelow = 44;  // pixels of the last panel for the axis' name and the key
  std::string data;
  std::string plots = "set multiplot\nset lmargin 12\nset rmargin 3\nset tmargin 2\nset bmargin 2\n";
  double top = 1;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const bool is_last = i + 1 == panels.size();
    Chart chart = panels[i].chart("t" + std::to_string(i) + "_", until);
    if (is_last) {
      chart.set("set bmargin 5\nset xlabel 'seconds after the submission of the job'\n"
                "set key outside bottom center horizontal");
      for (const Fate fate : {kOriginalWon, kCopyWon, kInVain, kOther}) {
        const auto has = [&](const Timeline& panel) { return panel.has(fate); };
        if (std::any_of(panels.begin(), panels.end(), has)) {
          chart.draw("NaN with boxes" + colour_of(fate) + " title '" + kFateNames[fate] + "'");
        }
      }
    }
    const double share = (panels[i].height() + (is_last ? kBelow : 0)) / height;
    top -= share;
    data += chart.data();
    plots += "set size 1," + plot_number(share) + "\nset origin 0," + plot_number(std::max(0.0, top)) + "\n";
    plots += chart.plot();
  }
  return data + plots + "unset multiplot\n";
}

}  // namespace

Figure timeline_figure(const std::vector<RunRows>& runs) {
  std::vector<Timeline> panels;
  double until = 0;
  unsigned height = 44;
  for (const RunRows& run : runs) {
    const JobRow* job = interesting(run.jobs);
    if (job == nullptr) continue;
    panels.emplace_back(run.policy, *job, run.attempts);
    until = std::max(until, job->time);
    height += panels.back().height();
  }
  if (panels.empty()) return {};
  Figure figure;
  figure.title = "Attempts of one job";
  figure.caption =
      "Under each policy the job with most copies, or else the longest: a line for each of its nodes, a bar for each "
      "attempt with the number of its task and, behind @, the offset in the split that it began at. Dashed: the "
      "deadline.";
  figure.script = script_of(panels, until, height);
  figure.height = height;
  return figure;
}

}  // namespace ontime::lab::experiment
