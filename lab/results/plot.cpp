#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "common/base/median.h"
#include "lab/results/chart.h"
#include "lab/results/page.h"

namespace ontime::lab {
namespace {

// Pixels. The names of the policies stand once, in a strip above all panels.
constexpr std::size_t kPanelWidth = 420;
constexpr std::size_t kPanelHeight = 320;
constexpr std::size_t kKeyLine = 24;
constexpr std::size_t kKeysInALine = 3;
constexpr std::size_t kPanelsInALine = 3;
constexpr std::size_t kLettersBelowAPanel = 36;

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789.-e") == std::string::npos; }

class Plot {
 public:
  Plot(const Study& study, const StudyResult& result) : result_(result), figure_(study.figure) {
    if (!figure_.x.empty()) x_ = result.axis(figure_.x);
    for (const Row& row : result.rows) {
      add(policies_, row.policy);
      if (x_) add(ticks_, row.labels[*x_]);
      add(panel_names_, panel_of(row));
    }
    in_order_ = x_ && !std::all_of(ticks_.begin(), ticks_.end(), is_number);
  }

  std::string script(const std::string& svg) const;

 private:
  static void add(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  // Rows that differ in neither x nor policy must be told apart: each such row its own panel. Curves over time would
  // hide each other: each policy its own.
  std::string panel_of(const Row& row) const {
    std::string name;
    for (std::size_t i = 0; i < row.labels.size(); ++i) {
      if (!x_ || i != *x_) name += (name.empty() ? "" : ", ") + result_.axes[i] + " " + row.labels[i];
    }
    return figure_.kind == Figure::Kind::OverTime ? name + (name.empty() ? "" : ": ") + row.policy : name;
  }
  double place(const Row& row) const;
  std::string data(const std::string& panel, const std::string& policy) const;
  void add_points(std::string& text, const Row& row) const;
  void set_ticks(Chart& chart) const;
  void set_axes(Chart& chart) const;
  double end_of_times() const;
  std::string scale_of_times(const std::string& panel) const;
  double aside(std::size_t policy) const;
  std::string style(std::size_t policy) const;
  std::string key(double height) const;
  Chart panel(std::size_t index) const;
  bool has_marks(const std::string& panel, const std::string& policy) const;

  const StudyResult& result_;
  const Figure& figure_;
  std::optional<std::size_t> x_;
  std::vector<std::string> policies_;
  std::vector<std::string> ticks_;
  std::vector<std::string> panel_names_;
  bool in_order_ = false;  // x is not a number: labels one after another
};

double Plot::place(const Row& row) const {
  const std::string& label = row.labels[*x_];
  if (!in_order_ && figure_.kind == Figure::Kind::Lines) return std::stod(label);
  return static_cast<double>(std::find(ticks_.begin(), ticks_.end(), label) - ticks_.begin());
}

void Plot::add_points(std::string& text, const Row& row) const {
  if (figure_.kind == Figure::Kind::Cdf) {
    for (std::size_t i = 0; i <= kCurvePoints && !row.flow_times.empty(); ++i) {
      const double share = static_cast<double>(i) / kCurvePoints;
      text += plot_line({quantile_of(row.flow_times, share), share});
    }
    return;
  }
  if (figure_.kind == Figure::Kind::OverTime) {
    const double end = end_of_times();
    const auto shown = static_cast<std::size_t>(
        std::count_if(row.samples.begin(), row.samples.end(), [&](const Sample& sample) { return sample.at <= end; }));
    const std::size_t step = std::max<std::size_t>(1, shown / kCurvePoints);
    for (std::size_t i = 0; i < shown; i += step) {
      const Sample& sample = row.samples[i];
      const double busy = static_cast<double>(sample.busy) / row.slots;
      text += plot_line({sample.at, figure_.y == "busy" ? busy : sample.jobs});
    }
    return;
  }
  const std::size_t measure = result_.measure(figure_.y);
  const Estimate& value = row.values[measure];
  if (!std::isfinite(value.value)) return;
  const double low = value.has_interval() ? value.low : value.value;
  const double high = value.has_interval() ? value.high : value.value;
  const auto& printed = row.printed[measure];
  text += plot_line({place(row), value.value, low, high, printed ? (printed->low + printed->high) / 2 : kNan});
}

std::string Plot::data(const std::string& panel, const std::string& policy) const {
  std::string text;
  for (const Row& row : result_.rows) {
    if (row.policy == policy && panel_of(row) == panel) add_points(text, row);
  }
  return text;
}

bool Plot::has_marks(const std::string& panel, const std::string& policy) const {
  if (!x_) return false;
  const std::size_t measure = result_.measure(figure_.y);
  return std::any_of(result_.rows.begin(), result_.rows.end(), [&](const Row& row) {
    return row.policy == policy && panel_of(row) == panel && row.printed[measure];
  });
}

void Plot::set_ticks(Chart& chart) const {
  const bool in_places = in_order_ || figure_.kind == Figure::Kind::Bars;
  std::size_t letters = 0;
  std::vector<std::pair<std::string, double>> ticks;
  for (const std::string& tick : ticks_) {
    ticks.emplace_back(tick, in_places ? static_cast<double>(ticks.size()) : std::stod(tick));
    letters += tick.size();
  }
  chart.set_ticks('x', ticks, letters > kLettersBelowAPanel ? " rotate by -25" : "");
  if (in_places)
    chart.set("set xrange [-0.5:" + std::to_string(ticks.size()) + "-0.5]");
  else if (!figure_.log_x)
    chart.set("set offsets graph 0.05, graph 0.05, 0, 0");
}

void Plot::set_axes(Chart& chart) const {
  if (figure_.log_x) chart.set("set logscale x");
  if (figure_.log_y) chart.set("set logscale y");
  if (figure_.kind == Figure::Kind::Cdf) {
    return chart.set("set xlabel 'time of a job (s)'\nset ylabel 'share of the jobs'\nset yrange [0:1]");
  }
  if (figure_.kind == Figure::Kind::OverTime) {
    chart.set("set xlabel 'time (s)'\nset xrange [0:" + number(end_of_times()) + "]");
    return chart.set(figure_.y == "busy" ? "set ylabel 'share of the slots that are busy'\nset yrange [0:1]"
                                         : "set ylabel 'jobs in the cluster'\nset yrange [0:*]");
  }
  const Measure& measure = *result_.measures[result_.measure(figure_.y)];
  chart.set("set xlabel " + plot_text(figure_.x) + "\nset ylabel " + plot_text(std::string(measure.title)));
  if (measure.is_share)
    chart.set("set yrange [0:1.02]");
  else if (figure_.kind == Figure::Kind::Bars && !figure_.log_y)
    chart.set("set yrange [0:*]");
  set_ticks(chart);
}

// All panels show the same time: until well after most policies are done, as one straggler may never end.
double Plot::end_of_times() const {
  std::vector<double> ends;
  for (const Row& row : result_.rows) {
    if (!row.samples.empty()) ends.push_back(row.samples.back().at);
  }
  return ends.empty() ? 1 : 1.25 * median_of(std::move(ends));
}

// The times of one panel's curves, if some are so long that a linear axis would show nothing else.
std::string Plot::scale_of_times(const std::string& panel) const {
  double least = std::numeric_limits<double>::infinity();
  double greatest = 0;
  for (const Row& row : result_.rows) {
    if (panel_of(row) != panel || row.flow_times.empty()) continue;
    least = std::min(least, quantile_of(row.flow_times, 0));
    greatest = std::max(greatest, quantile_of(row.flow_times, 1));
  }
  const bool in_decades = least > 0 && greatest > 10 * least;
  return in_decades || figure_.log_x ? "set logscale x" : "unset logscale x";
}

// How far a policy's line is moved, so that the intervals of several do not hide each other.
double Plot::aside(std::size_t policy) const {
  if (figure_.log_x || ticks_.size() < 2) return 0;
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (std::size_t i = 0; i < ticks_.size(); ++i) {
    const double at = in_order_ ? static_cast<double>(i) : std::stod(ticks_[i]);
    least = std::min(least, at);
    greatest = std::max(greatest, at);
  }
  const double middle = static_cast<double>(policies_.size() - 1) / 2;
  return (greatest - least) * 0.008 * (static_cast<double>(policy) - middle);
}

// How a policy is drawn, in its panels and in the key alike.
std::string Plot::style(std::size_t policy) const {
  const std::string colour = plot_colour(policy);
  switch (figure_.kind) {
    case Figure::Kind::Bars:
      return "boxes fs pattern " + std::to_string(1 + policy % 7) + " border" + colour;  // hatched, each in its way
    case Figure::Kind::Lines:
      return "linespoints lw 2 ps 0.7 pt " + std::to_string(policy % 8 + 4) + colour;
    default:
      return "lines lw 2" + colour;
  }
}

std::string Plot::key(double height) const {
  std::string text = "set size 1," + number(height) + "\nset origin 0,1-" + number(height) +
                     "\nunset border\nunset tics\nunset title\nset key center center horizontal maxcols " +
                     std::to_string(kKeysInALine) + "\nplot [0:1][0:1] ";
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    text += (i > 0 ? ", \\\n  " : "") + std::string("NaN with ") + style(i) + " title " + plot_text(policies_[i]);
  }
  const bool any_printed = std::any_of(panel_names_.begin(), panel_names_.end(), [&](const std::string& panel) {
    return std::any_of(policies_.begin(), policies_.end(),
                       [&](const std::string& policy) { return has_marks(panel, policy); });
  });
  if (any_printed) text += ", \\\n  NaN with points pt 6 ps 1.2 lc rgb '#000000' title 'printed in the paper'";
  return text + "\nunset key\n";
}

Chart Plot::panel(std::size_t index) const {
  const std::string& name = panel_names_[index];
  Chart chart("p" + std::to_string(index) + "_");
  set_axes(chart);
  chart.set("set title " + plot_text(name));
  if (figure_.kind == Figure::Kind::Cdf) chart.set(scale_of_times(name));
  const std::string interval_bar = ":3:(0):($4-$3) with vectors nohead";
  const double width = 0.8 / static_cast<double>(policies_.size());
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    const std::string lines = data(name, policies_[i]);
    if (lines.empty()) continue;
    const std::string from = chart.add_data(lines) + " using ";
    const std::string colour = plot_colour(i);
    if (figure_.kind == Figure::Kind::Bars) {
      const std::string at = from + "($1+" + number(-0.4 + width * (static_cast<double>(i) + 0.5)) + ")";
      chart.draw(at + ":2:(" + number(width) + ") with " + style(i));
      chart.draw(at + interval_bar + " lc rgb '#444444'");
      if (has_marks(name, policies_[i])) chart.draw(at + ":5 with points pt 6 ps 0.8 lc rgb '#000000'");
    } else if (figure_.kind == Figure::Kind::Lines) {
      const std::string at = from + "($1+" + number(aside(i)) + ")";
      chart.draw(at + interval_bar + colour);
      chart.draw(at + ":2 with " + style(i));
      if (has_marks(name, policies_[i])) chart.draw(at + ":5 with points pt 6 ps 1.4 lw 1.5" + colour);
    } else {
      chart.draw(from + "1:2 with " + style(i));
    }
  }
  return chart;
}

std::string Plot::script(const std::string& svg) const {
  const std::size_t columns = std::min(kPanelsInALine, panel_names_.size());
  const std::size_t lines = (panel_names_.size() + columns - 1) / columns;
  const std::size_t key_height = kKeyLine * (1 + policies_.size() / kKeysInALine) + kKeyLine;
  const std::size_t height = key_height + kPanelHeight * lines;
  const double key_share = static_cast<double>(key_height) / static_cast<double>(height);
  // A single panel still leaves room for three names in a line.
  const std::size_t width = std::max<std::size_t>(kPanelWidth * columns, 760);
  std::vector<Chart> panels;
  for (std::size_t p = 0; p < panel_names_.size(); ++p) panels.push_back(panel(p));
  std::string text = plot_head(width, height, svg);
  for (const Chart& panel : panels) text += panel.data();
  text += "set multiplot\n" + key(key_share);
  const double panel_width = 1.0 / static_cast<double>(columns);
  const double panel_height = (1 - key_share) / static_cast<double>(lines);
  text += "set size " + number(panel_width) + "," + number(panel_height) + "\n";
  for (std::size_t p = 0; p < panel_names_.size(); ++p) {
    const auto column = static_cast<double>(p % columns);
    const auto line = static_cast<double>(p / columns);
    text +=
        "set origin " + number(column * panel_width) + "," + number(1 - key_share - (line + 1) * panel_height) + "\n";
    text += panels[p].plot();
  }
  return text + "unset multiplot\n";
}

}  // namespace

std::string plot_of(const Study& study, const StudyResult& result, const std::string& svg) {
  if (study.figure.kind == Figure::Kind::None || result.rows.empty()) return "";
  return Plot(study, result).script(svg);
}

}  // namespace ontime::lab
