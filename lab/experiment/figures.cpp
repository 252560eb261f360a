#include <algorithm>
#include <map>

#include "lab/experiment/report.h"
#include "lab/results/chart.h"
#include "lab/results/interval.h"

namespace ontime::lab::experiment {
namespace {

bool has_pocd(const PolicySummary& summary) { return std::isfinite(summary.pocd.value); }

Figure pocd_figure(const std::vector<PolicySummary>& summaries, const Scenario& scenario) {
  if (std::ranges::none_of(summaries, has_pocd)) return {};
  Chart chart;
  std::vector<std::pair<std::string, double>> ticks;
  std::string lines;
  bool has_printed = false;
  for (const PolicySummary& s : summaries) {
    const auto place = static_cast<double>(ticks.size());
    ticks.emplace_back(s.policy, place);
    const auto printed = scenario.printed.find(s.policy);
    const bool is_printed = printed != scenario.printed.end();
    has_printed = has_printed || is_printed;
    const double middle = is_printed ? (printed->second.low + printed->second.high) / 2 : kNan;
    lines += plot_line({place, s.pocd.value, s.pocd.low, s.pocd.high, middle});
  }
  chart.set_ticks('x', ticks);
  chart.set("set xrange [-0.6:" + std::to_string(ticks.size()) +
            "-0.4]\nset yrange [0:1.02]\nset ylabel 'share of the jobs in time'\nset key off");
  const std::string data = chart.add_data(lines);
  chart.draw(data + " using 1:2:(0.6) with boxes fs solid 0.8" + plot_colour(0));
  chart.draw(data + " using 1:2:3:4 with yerrorbars pt -1 lw 1.5 lc rgb '#222222'");
  if (has_printed) chart.draw(data + " using 1:5 with points pt 6 ps 1.2 lw 2" + plot_colour(4));
  return {"Jobs in time (PoCD)",
          std::string("Share of the jobs that met their deadline, with Wilson's 95 % interval.") +
              (has_printed ? " Circles: the number that was printed." : ""),
          chart.script()};
}

// Of the jobs that succeeded.
std::vector<double> times_of(const Results& results, const std::string& policy) {
  std::vector<double> times;
  for (const JobRow& row : results.jobs) {
    if (row.is_counted() && row.state == "succeeded" && row.policy == policy) times.push_back(row.time);
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

// How the curve of a policy is drawn.
std::string curve(const std::string& data, const char* with, std::size_t index, const std::string& policy) {
  return data + " using 1:2 with " + with + " dt " + std::to_string(index % 5 + 1) + plot_colour(index) + " title " +
         plot_text(policy);
}

Figure cdf_figure(const Results& results, const std::vector<PolicySummary>& summaries) {
  Chart chart;
  double least = kForEver;
  double greatest = 0;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const auto times = times_of(results, summaries[i].policy);
    if (times.empty()) continue;
    least = std::min(least, times.front());
    greatest = std::max(greatest, times.back());
    std::string lines = plot_line({times.front(), 0});
    for (std::size_t j = 0; j < times.size(); ++j) {
      lines += plot_line({times[j], static_cast<double>(j + 1) / static_cast<double>(summaries[i].jobs)});
    }
    chart.draw(curve(chart.add_data(lines), "steps lw 2", i, summaries[i].policy));
  }
  if (chart.is_empty()) return {};
  chart.set("set xlabel 'time of a job (s)'\nset ylabel 'share of the jobs'\nset yrange [0:1]\nset key outside right");
  if (greatest > 8 * least) chart.set("set logscale x");
  const auto deadlines = deadlines_of(results);
  for (std::size_t i = 0; i < deadlines.size() && deadlines.size() <= 6; ++i) {
    const std::string at = plot_number(deadlines[i]);
    chart.set("set arrow from " + at + ", graph 0 to " + at + ", graph 1 nohead lw 1 lc rgb '#888888'");
  }
  return {"Times of the jobs",
          "Share of the jobs that were done after so many seconds: with a deadline of so many seconds, their PoCD. A "
          "curve ends at the share that succeeded. Grey lines: the deadlines that they had.",
          chart.script()};
}

// The first run of each policy, in the order of the summaries.
std::vector<RunRows> first_runs(const Results& results, const std::vector<PolicySummary>& summaries) {
  const std::vector<RunRows> runs = runs_of(results);
  std::vector<RunRows> first;
  for (const PolicySummary& summary : summaries) {
    const RunRows* chosen = nullptr;
    for (const RunRows& run : runs) {
      if (run.policy == summary.policy && (chosen == nullptr || run.repetition < chosen->repetition)) chosen = &run;
    }
    if (chosen != nullptr) first.push_back(*chosen);
  }
  return first;
}

Figure use_figure(const std::vector<RunRows>& runs, std::uint32_t slots) {
  Chart chart;
  chart.set("set xlabel 'time (s)'\nset ylabel 'share of the slots'\nset yrange [0:1.02]\nset key outside right");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Span span = span_of(runs[i].jobs);
    std::string lines;
    for (const UsePoint& point : use_over_time(runs[i].attempts, span.begin, span.end)) {
      lines += plot_line({point.at - span.begin, point.busy / slots});
    }
    chart.draw(curve(chart.add_data(lines), "lines lw 1.5", i, runs[i].policy));
  }
  return {"Slots in use", "Share of the slots that attempts occupied, in the first repetition.", chart.script()};
}

// What in-time jobs cost under each policy.
Figure cost_figure(const std::vector<PolicySummary>& summaries) {
  if (summaries.size() < 2) return {};
  Chart chart;
  chart.set(
      "set xlabel 'machine time of a job (slot-seconds)'\nset ylabel 'share of the jobs in time'\n"
      "set yrange [0:1.02]\nset offsets graph 0.05, graph 0.05, 0, 0\nset key outside right");
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    const PolicySummary& s = summaries[i];
    if (s.machine.runs == 0 || !has_pocd(s)) continue;
    const double low = s.machine.has_interval() ? s.machine.low : s.machine.value;
    const double high = s.machine.has_interval() ? s.machine.high : s.machine.value;
    const std::string data =
        chart.add_data(plot_line({s.machine.value, s.pocd.value, low, high, s.pocd.low, s.pocd.high}));
    chart.draw(data + " using 1:2:3:4:5:6 with xyerrorbars lw 1.5 ps 1.2 pt " + std::to_string(i % 8 + 4) +
               plot_colour(i) + " title " + plot_text(s.policy));
  }
  if (chart.is_empty()) return {};
  return {"PoCD against machine time",
          "Share of the jobs that met their deadline, with Wilson's 95 % interval, against the mean slot-seconds of a "
          "job, with Student's. Up and to the left is better.",
          chart.script()};
}

using Pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, const JobRow*>;  // by repetition and job

Pairs jobs_under(const Results& results, const std::string& policy) {
  Pairs jobs;
  for (const JobRow& row : results.jobs) {
    if (row.is_counted() && row.policy == policy) jobs[{row.repetition, row.job}] = &row;
  }
  return jobs;
}

// A policy's jobs less the same jobs under the first one. A pair of which one has no value, NaN, does not count.
std::vector<double> paired_differences(const Pairs& first, const Pairs& other, double (*value)(const JobRow&)) {
  std::vector<double> differences;
  for (const auto& [key, row] : other) {
    const auto pair = first.find(key);
    if (pair != first.end()) differences.push_back(value(*row) - value(*pair->second));
  }
  return differences;
}

// Each is 1, 0 or -1.
Estimate estimate_of_shares(std::span<const double> differences) {
  const auto gained = std::count_if(differences.begin(), differences.end(), [](double d) { return d > 0; });
  const auto lost = std::count_if(differences.begin(), differences.end(), [](double d) { return d < 0; });
  return paired_difference_of(static_cast<std::uint64_t>(gained), static_cast<std::uint64_t>(lost), differences.size());
}

struct PairedValue {
  std::string title;
  std::string unit;      // of the axis
  std::string which;     // jobs count; starts with a comma unless all do
  std::string interval;  // its name
  double (*of)(const JobRow&);
  Estimate (*estimate)(std::span<const double> differences);
};

Figure paired_figure(const Results& results, const std::vector<PolicySummary>& summaries, const PairedValue& value) {
  if (summaries.size() < 2) return {};
  const std::string& base = summaries.front().policy;
  const Pairs first = jobs_under(results, base);
  Chart chart;
  std::vector<std::pair<std::string, double>> ticks;
  std::string lines;
  bool has_any = false;
  for (std::size_t i = 1; i < summaries.size(); ++i) {
    const Estimate difference =
        value.estimate(paired_differences(first, jobs_under(results, summaries[i].policy), value.of));
    has_any = has_any || difference.runs > 0;
    const auto place = static_cast<double>(ticks.size());
    ticks.emplace_back(summaries[i].policy, place);
    const double low = difference.has_interval() ? difference.low : difference.value;
    const double high = difference.has_interval() ? difference.high : difference.value;
    lines += plot_line({place, difference.value, low, high});
  }
  if (!has_any) return {};
  chart.set_ticks('x', ticks);
  chart.set("set xrange [-0.6:" + std::to_string(ticks.size()) + "-0.4]\nset ylabel " +
            plot_text(value.unit + " less the one of " + base) +
            "\nset key off\nset xzeroaxis lw 1.5 lc rgb '#888888'\nset offsets 0, 0, graph 0.1, graph 0.1");
  const std::string data = chart.add_data(lines);
  chart.draw(data + " using 1:2:3:4 with yerrorbars pt 7 ps 1 lw 1.5" + plot_colour(0));
  return {value.title,
          "Each job less the same job, with the same stragglers, under '" + base + "'" + value.which +
              ": the mean with its 95 % interval (" + value.interval + "). An interval that leaves out 0 is clear.",
          chart.script()};
}

double in_time(const JobRow& row) {
  if (row.deadline <= 0) return kNan;
  return row.met ? 1 : 0;
}

// Predictions of all policies that said something, pooled.
Figure calibration_figure(const Results& results) {
  lab::Calibration all;
  for (const ForecastRow& row : results.forecasts) all.add(row.pocd, row.met);
  if (all.count() == 0) return {};
  std::string lines;
  for (const auto& bin : all.bins()) {
    if (bin.count == 0) continue;
    const auto share = share_of(bin.happened, bin.count);
    lines += plot_line({bin.mean_forecast(), share.value, share.low, share.high, static_cast<double>(bin.count)});
  }
  Chart chart;
  chart.set("set xlabel 'predicted'\nset ylabel 'came true'\nset xrange [0:1.02]\nset yrange [0:1.05]\nset key off");
  const std::string data = chart.add_data(lines);
  chart.draw("x with lines lc rgb '#888888'");
  chart.draw(data + " using 1:2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.5" + plot_colour(0));
  chart.draw(data + " using 1:2:5 with labels offset 0,1 font ',9'");
  return {"Were the predictions right?",
          "Predicted PoCD of running jobs, in tenths, against the share that met the deadline, with Wilson's 95 % "
          "interval and the number of predictions; on the diagonal they were right. " +
              std::to_string(all.count()) + " predictions, Brier score " + plot_number(all.brier()) + ".",
          chart.script(), 480, 420};
}

}  // namespace

std::vector<Figure> figures_of(const Results& results, const std::vector<PolicySummary>& summaries,
                               const Scenario& scenario, std::uint32_t slots) {
  const std::vector<RunRows> runs = first_runs(results, summaries);
  std::vector<Figure> figures{pocd_figure(summaries, scenario), cost_figure(summaries)};
  figures.push_back(paired_figure(
      results, summaries,
      {"Paired differences of PoCD", "share in time", "", "Tango's score interval", in_time, estimate_of_shares}));
  figures.push_back(paired_figure(
      results, summaries,
      {"Paired differences of machine time", "slot-seconds of a job", ", if both have ended", "Student's t over jobs",
       [](const JobRow& row) { return row.has_ended() ? row.machine : kNan; }, estimate_of}));
  figures.push_back(cdf_figure(results, summaries));
  figures.push_back(use_figure(runs, slots));
  figures.push_back(timeline_figure(runs));
  figures.push_back(calibration_figure(results));
  std::erase_if(figures, [](const Figure& figure) { return figure.script.empty(); });
  return figures;
}

}  // namespace ontime::lab::experiment
