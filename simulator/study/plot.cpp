#include "simulator/study/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "simulator/study/page_numbers.h"

namespace ontime::simulator {
namespace {

// Okabe and Ito's colours, which people who see few colours can tell apart.
constexpr std::array<const char*, 8> kColours{"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                                              "#D55E00", "#56B4E9", "#000000", "#F0E442"};
constexpr std::size_t kCurvePoints = 200;

std::string quoted(const std::string& text) {
  std::string safe = "\"";
  for (const char c : text) safe += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return safe + "\"";
}

// gnuplot takes the label of a tick for a format.
std::string tick(const std::string& text) {
  std::string format;
  for (const char c : text) format += c == '%' ? std::string("%%") : std::string(1, c);
  return quoted(format);
}

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789.-e") == std::string::npos; }

class Plot {
 public:
  Plot(const Study& study, const StudyResult& result) : study_(study), result_(result), figure_(study.figure) {
    if (!figure_.x.empty()) x_ = result.axis(figure_.x);
    if (!figure_.panels.empty()) panels_ = result.axis(figure_.panels);
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
  // Rows that differ in neither x nor policy must be told apart: each such row its own panel.
  std::string panel_of(const Row& row) const {
    if (panels_) return row.labels[*panels_];
    std::string name;
    for (std::size_t i = 0; i < row.labels.size(); ++i) {
      if (!x_ || i != *x_) name += (name.empty() ? "" : ", ") + result_.axes[i] + " " + row.labels[i];
    }
    return name;
  }
  std::string place(const Row& row) const;
  std::string data(const std::string& panel, const std::string& policy) const;
  void add_points(std::string& text, const Row& row) const;
  std::string axes() const;
  std::string panel(std::size_t index) const;
  bool has_marks(const std::string& panel, const std::string& policy) const;
  std::string name_of(std::size_t panel, std::size_t policy) const {
    return "$p" + std::to_string(panel) + "_" + std::to_string(policy);
  }

  const Study& study_;
  const StudyResult& result_;
  const Figure& figure_;
  std::optional<std::size_t> x_;
  std::optional<std::size_t> panels_;
  std::vector<std::string> policies_;
  std::vector<std::string> ticks_;
  std::vector<std::string> panel_names_;
  bool in_order_ = false;  // x is not a number: labels one after another
};

std::string Plot::place(const Row& row) const {
  const std::string& label = row.labels[*x_];
  if (!in_order_ && figure_.kind == Figure::Kind::Lines) return label;
  return std::to_string(std::find(ticks_.begin(), ticks_.end(), label) - ticks_.begin());
}

void Plot::add_points(std::string& text, const Row& row) const {
  if (figure_.kind == Figure::Kind::Cdf) {
    for (std::size_t i = 0; i <= kCurvePoints && !row.flow_times.empty(); ++i) {
      const double share = static_cast<double>(i) / kCurvePoints;
      text += number(quantile_of(row.flow_times, share)) + " " + number(share) + "\n";
    }
    return;
  }
  if (figure_.kind == Figure::Kind::OverTime) {
    const std::size_t step = std::max<std::size_t>(1, row.samples.size() / kCurvePoints);
    for (std::size_t i = 0; i < row.samples.size(); i += step) {
      const Sample& sample = row.samples[i];
      const double busy = static_cast<double>(sample.busy) / row.slots;
      text += number(sample.at) + " " + (figure_.y == "busy" ? number(busy) : std::to_string(sample.jobs)) + "\n";
    }
    return;
  }
  const std::size_t measure = result_.measure(figure_.y);
  const Estimate& value = row.values[measure];
  if (!std::isfinite(value.value)) return;
  const double low = value.has_interval() ? value.low : value.value;
  const double high = value.has_interval() ? value.high : value.value;
  const auto& printed = row.printed[measure];
  text += place(row) + " " + number(value.value) + " " + number(low) + " " + number(high) + " " +
          (printed ? number((printed->low + printed->high) / 2) : "NaN") + "\n";
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

std::string Plot::axes() const {
  std::string text = "set grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror\n";
  if (figure_.log_x) text += "set logscale x\n";
  if (figure_.log_y) text += "set logscale y\n";
  if (figure_.kind == Figure::Kind::Cdf) {
    return text + "set xlabel 'time of a job (s)'\nset ylabel 'share of the jobs'\nset yrange [0:1]\n";
  }
  if (figure_.kind == Figure::Kind::OverTime) {
    return text + "set xlabel 'time (s)'\n" +
           (figure_.y == "busy" ? "set ylabel 'share of the slots that are busy'\nset yrange [0:1]\n"
                                : "set ylabel 'jobs in the cluster'\nset yrange [0:*]\n");
  }
  const Measure& measure = *result_.measures[result_.measure(figure_.y)];
  text += "set xlabel " + quoted(figure_.x) + "\nset ylabel " + quoted(std::string(measure.title)) + "\n";
  if (measure.is_share) {
    text += "set yrange [0:1.02]\n";
  } else if (figure_.kind == Figure::Kind::Bars && !figure_.log_y) {
    text += "set yrange [0:*]\n";
  }
  if (in_order_ || figure_.kind == Figure::Kind::Bars) {
    text += "set xtics (";
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
      text += (i > 0 ? ", " : "") + tick(ticks_[i]) + " " + std::to_string(i);
    }
    text += ")\nset xrange [-0.5:" + std::to_string(ticks_.size()) + "-0.5]\n";
  }
  return text;
}

std::string Plot::panel(std::size_t index) const {
  const std::string& name = panel_names_[index];
  std::string text = "set title " + quoted(panels_ ? figure_.panels + " " + name : name) + "\nplot ";
  const double width = 0.8 / static_cast<double>(policies_.size());
  bool is_first = true;
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    if (data(name, policies_[i]).empty()) continue;
    const std::string colour = " lc rgb '" + std::string(kColours[i % kColours.size()]) + "'";
    const std::string title = " title " + quoted(policies_[i]);
    const std::string from = name_of(index, i);
    const std::string offset = number(-0.4 + width * (static_cast<double>(i) + 0.5));
    if (!is_first) text += ", \\\n  ";
    is_first = false;
    if (figure_.kind == Figure::Kind::Bars) {
      text += from + " using ($1+" + offset + "):2:(" + number(width) + ") with boxes fs solid 0.8" + colour + title;
      text += ", \\\n  " + from + " using ($1+" + offset + "):2:3:4 with yerrorbars pt -1 lc rgb '#444444' notitle";
      if (has_marks(name, policies_[i]))
        text += ", \\\n  " + from + " using ($1+" + offset + "):5 with points pt 6 ps 0.8 lc rgb '#000000' notitle";
    } else if (figure_.kind == Figure::Kind::Lines) {
      text += from + " using 1:2 with linespoints lw 2 pt " + std::to_string(i % 8 + 4) + " ps 0.6" + colour + title;
      text += ", \\\n  " + from + " using 1:2:3:4 with yerrorbars pt -1" + colour + " notitle";
      if (has_marks(name, policies_[i]))
        text += ", \\\n  " + from + " using 1:5 with points pt 6 ps 1.2" + colour + " notitle";
    } else {
      text += from + " using 1:2 with lines lw 2" + colour + title;
    }
  }
  return text + "\n";
}

std::string Plot::script(const std::string& svg) const {
  const std::size_t columns = std::min<std::size_t>(3, panel_names_.size());
  const std::size_t lines = (panel_names_.size() + columns - 1) / columns;
  std::string text = "set terminal svg size " + std::to_string(120 + 400 * columns) + "," +
                     std::to_string(40 + 340 * lines) + " noenhanced font 'sans-serif,12' background '#ffffff'\n";
  text += "set output " + quoted(svg) + "\n" + axes() + "set key below vertical maxrows 3\n";
  for (std::size_t p = 0; p < panel_names_.size(); ++p) {
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      text += name_of(p, i) + " << END\n" + data(panel_names_[p], policies_[i]) + "END\n";
    }
  }
  text += "set multiplot layout " + std::to_string(lines) + "," + std::to_string(columns) + "\n";
  for (std::size_t p = 0; p < panel_names_.size(); ++p) text += panel(p);
  return text + "unset multiplot\n";
}

}  // namespace

std::string plot_of(const Study& study, const StudyResult& result, const std::string& svg) {
  if (study.figure.kind == Figure::Kind::None || result.rows.empty()) return "";
  return Plot(study, result).script(svg);
}

}  // namespace ontime::simulator
