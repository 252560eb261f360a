#include <algorithm>
#include <cmath>
#include <map>

#include "lab/experiment/report.h"
#include "lab/results/interval.h"
#include "lab/results/writing.h"

namespace ontime::lab::experiment {
namespace {

constexpr const char* kAxes =
    "set grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror\nset pointintervalbox 0\n";

std::string ticks(const std::vector<PolicySummary>& summaries) {
  std::string text = "set xtics (";
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    text += (i > 0 ? ", " : "") + plot_text(summaries[i].policy) + " " + std::to_string(i);
  }
  return text + ")\nset xrange [-0.6:" + std::to_string(summaries.size()) + "-0.4]\n";
}

Figure pocd_figure(const std::vector<PolicySummary>& summaries, const Scenario& scenario) {
  std::string script = std::string(kAxes) + ticks(summaries) +
                       "set yrange [0:1.02]\nset ylabel 'share of the jobs in time'\nset key off\n$data << END\n";
  bool has_printed = false;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const PolicySummary& s = summaries[i];
    const auto printed = scenario.printed.find(s.policy);
    const bool is_printed = printed != scenario.printed.end();
    has_printed = has_printed || is_printed;
    script += std::to_string(i) + " " + plot_number(s.pocd.value) + " " + plot_number(s.pocd.low) + " " +
              plot_number(s.pocd.high) + " " +
              (is_printed ? plot_number((printed->second.low + printed->second.high) / 2) : "NaN") + "\n";
  }
  script += "END\nplot $data using 1:2:(0.6) with boxes fs solid 0.8" + plot_colour(0) +
            ", $data using 1:2:3:4 with yerrorbars pt -1 lw 1.5 lc rgb '#222222'";
  if (has_printed) script += ", $data using 1:5 with points pt 6 ps 1.2 lw 2" + plot_colour(4);
  return {"Jobs in time (PoCD)",
          std::string("Share of the jobs that met their deadline, with Wilson's 95 % interval.") +
              (has_printed ? " Circles: the number that was printed." : ""),
          script + "\n"};
}

std::vector<double> times_of(const Results& results, const std::string& policy) {
  std::vector<double> times;
  for (const JobRow& row : results.jobs) {
    if (row.is_counted() && row.has_ended() && row.policy == policy) times.push_back(row.time);
  }
  std::sort(times.begin(), times.end());
  return times;
}

// The deadlines that there are, each once.
std::vector<double> deadlines_of(const Results& results) {
  std::vector<double> deadlines;
  for (const JobRow& row : results.jobs) {
    if (row.is_counted() && row.deadline > 0) deadlines.push_back(row.deadline);
  }
  std::sort(deadlines.begin(), deadlines.end());
  deadlines.erase(std::unique(deadlines.begin(), deadlines.end()), deadlines.end());
  return deadlines;
}

Figure cdf_figure(const Results& results, const std::vector<PolicySummary>& summaries) {
  std::string data;
  std::string plots;
  double least = kForEver;
  double greatest = 0;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const auto times = times_of(results, summaries[i].policy);
    if (times.empty()) continue;
    least = std::min(least, times.front());
    greatest = std::max(greatest, times.back());
    const std::string name = "$t" + std::to_string(i);
    data += name + " << END\n" + plot_number(times.front()) + " 0\n";
    for (std::size_t j = 0; j < times.size(); ++j) {
      const double share = static_cast<double>(j + 1) / static_cast<double>(times.size());
      data += plot_number(times[j]) + " " + plot_number(share) + "\n";
    }
    data += "END\n";
    plots += (plots.empty() ? "plot " : ", ") + name + " using 1:2 with steps lw 2 dt " + std::to_string(i % 5 + 1) +
             plot_colour(i) + " title " + plot_text(summaries[i].policy);
  }
  std::string script = std::string(kAxes) + "set xlabel 'time of a job (s)'\nset ylabel 'share of the jobs'\n" +
                       "set yrange [0:1]\nset key outside right\n";
  if (greatest > 8 * least) script += "set logscale x\n";
  const auto deadlines = deadlines_of(results);
  for (std::size_t i = 0; i < deadlines.size() && deadlines.size() <= 6; ++i) {
    script += "set arrow from " + plot_number(deadlines[i]) + ", graph 0 to " + plot_number(deadlines[i]) +
              ", graph 1 nohead lw 1 lc rgb '#888888'\n";
  }
  return {"Times of the jobs", "Share of the jobs that were done after so many seconds. Grey lines: deadlines.",
          script + data + plots + "\n"};
}

struct OneRun {
  std::vector<JobRow> jobs;
  std::vector<AttemptRow> attempts;
};

OneRun first_run(const Results& results, const std::string& policy) {
  OneRun run;
  std::uint32_t first = 0;
  for (const JobRow& row : results.jobs) {
    if (row.policy == policy && (first == 0 || row.repetition < first)) first = row.repetition;
  }
  const auto is_its = [&](const auto& row) { return row.policy == policy && row.repetition == first; };
  std::copy_if(results.jobs.begin(), results.jobs.end(), std::back_inserter(run.jobs), is_its);
  std::copy_if(results.attempts.begin(), results.attempts.end(), std::back_inserter(run.attempts), is_its);
  return run;
}

Figure use_figure(const Results& results, const std::vector<PolicySummary>& summaries, std::uint32_t slots) {
  std::string data;
  std::string plots;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const OneRun run = first_run(results, summaries[i].policy);
    const Span span = span_of(run.jobs);
    const std::string name = "$u" + std::to_string(i);
    data += name + " << END\n";
    for (const UsePoint& point : use_over_time(run.attempts, span.begin, span.end)) {
      data += plot_number(point.at - span.begin) + " " + plot_number(point.busy / slots) + "\n";
    }
    data += "END\n";
    plots += (plots.empty() ? "plot " : ", ") + name + " using 1:2 with lines lw 1.5 dt " + std::to_string(i % 5 + 1) +
             plot_colour(i) + " title " + plot_text(summaries[i].policy);
  }
  return {"Slots in use", "Share of the slots that attempts occupied, in the first repetition.",
          std::string(kAxes) + "set xlabel 'time (s)'\nset ylabel 'share of the slots'\nset yrange [0:1.02]\n" +
              "set key outside right\n" + data + plots + "\n"};
}

// Predictions of all policies that said something, pooled.
Figure calibration_figure(const Results& results) {
  lab::Calibration all;
  for (const ForecastRow& row : results.forecasts) all.add(row.pocd, row.met);
  if (all.count() == 0) return {};
  std::string data = "$bins << END\n";
  for (const auto& bin : all.bins()) {
    if (bin.count == 0) continue;
    const auto share = share_of(bin.happened, bin.count);
    data += plot_number(bin.mean_forecast()) + " " + plot_number(share.value) + " " + plot_number(share.low) + " " +
            plot_number(share.high) + " " + std::to_string(bin.count) + "\n";
  }
  data += "END\n";
  Figure figure;
  figure.title = "Were the predictions right?";
  figure.caption =
      "Predicted PoCD of running jobs, in tenths, against the share that met the deadline, with Wilson's "
      "95 % interval and the number of predictions; on the diagonal they were right. " +
      std::to_string(all.count()) + " predictions, Brier score " + plot_number(all.brier()) + ".";
  figure.width = 480;
  figure.height = 420;
  figure.script = std::string(kAxes) +
                  "set xlabel 'predicted'\nset ylabel 'came true'\nset xrange [0:1.02]\nset yrange [0:1.05]\n"
                  "set key off\n" +
                  data + "plot x with lines lc rgb '#888888', $bins using 1:2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.5" +
                  plot_colour(0) + ", $bins using 1:2:5 with labels offset 0,1 font ',9'\n";
  return figure;
}

}  // namespace

std::vector<Figure> figures_of(const Results& results, const std::vector<PolicySummary>& summaries,
                               const Scenario& scenario, std::uint32_t slots) {
  std::vector<Figure> figures{pocd_figure(summaries, scenario), cdf_figure(results, summaries),
                              use_figure(results, summaries, slots)};
  for (const PolicySummary& summary : summaries) {
    const OneRun run = first_run(results, summary.policy);
    figures.push_back(timeline_figure(summary.policy, run.jobs, run.attempts));
  }
  figures.push_back(calibration_figure(results));
  std::erase_if(figures, [](const Figure& figure) { return figure.script.empty(); });
  return figures;
}

}  // namespace ontime::lab::experiment
