#include "lab/results/chart.h"

#include <array>
#include <cmath>

#include "lab/results/writing.h"

namespace ontime::lab {

std::string plot_text(const std::string& text) {
  std::string safe = "\"";
  for (const char c : text) safe += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return safe + "\"";
}

std::string plot_number(double value) { return std::isnan(value) ? "NaN" : number(value); }

std::string plot_line(std::initializer_list<double> values) {
  std::string line;
  for (const double value : values) line += (line.empty() ? "" : " ") + plot_number(value);
  return line + "\n";
}

std::string plot_colour(std::size_t index) {
  // Okabe and Ito's, with grey for their yellow, which is too pale for lines.
  static constexpr std::array<const char*, 8> kColours{"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                                                       "#D55E00", "#56B4E9", "#000000", "#777777"};
  return " lc rgb '" + std::string(kColours[index % kColours.size()]) + "'";
}

std::string plot_head(std::size_t width, std::size_t height, const std::string& svg) {
  return "set terminal svg size " + std::to_string(width) + "," + std::to_string(height) +
         " noenhanced font 'sans-serif,12' background '#ffffff'\nset output " + plot_text(svg) + "\n";
}

Chart::Chart(std::string name) : name_(std::move(name)) {
  set("set grid ytics lc rgb '#dddddd'\nset border 3\nset xtics nomirror\nset ytics nomirror");
}

void Chart::set_ticks(char axis, const std::vector<std::pair<std::string, double>>& ticks, const std::string& style) {
  std::string places;
  for (const auto& [name, place] : ticks) {
    std::string format;  // gnuplot takes the label of a tick for a format
    for (const char c : name) format += c == '%' ? std::string("%%") : std::string(1, c);
    places += (places.empty() ? "" : ", ") + plot_text(format) + " " + plot_number(place);
  }
  set(std::string("set ") + axis + "tics (" + places + ")" + style);
}

std::string Chart::add_data(const std::string& lines) {
  const std::string name = "$" + name_ + std::to_string(blocks_++);
  data_ += name + " << END\n" + lines + "END\n";
  return name;
}

}  // namespace ontime::lab
