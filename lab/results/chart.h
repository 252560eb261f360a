#pragma once
// What figures are drawn with: scripts for gnuplot, data included.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace ontime::lab {

std::string plot_text(const std::string& text);               // in quotes
std::string plot_number(double value);                        // "NaN" where nothing is to be drawn
std::string plot_line(std::initializer_list<double> values);  // a line of data
std::string plot_colour(std::size_t index);  // " lc rgb '#0072B2'": colours that also people who see few can tell apart
// The settings that all figures begin with. They are drawn to the file `svg`; width and height in pixels.
std::string plot_head(std::size_t width, std::size_t height, const std::string& svg);

// One pair of axes. `name` tells the data of several charts of a figure apart.
class Chart {
 public:
  explicit Chart(std::string name = "d");

  void set(const std::string& settings) { settings_ += settings + "\n"; }
  // Names at these places of the axis x or y.
  void set_ticks(char axis, const std::vector<std::pair<std::string, double>>& ticks, const std::string& style = "");
  // What the data is called in draw().
  std::string add_data(const std::string& lines);
  void draw(const std::string& what) { plots_ += (plots_.empty() ? "plot " : ", \\\n  ") + what; }

  bool is_empty() const { return plots_.empty(); }
  const std::string& data() const { return data_; }
  std::string plot() const { return settings_ + plots_ + "\n"; }
  std::string script() const { return data_ + plot(); }

 private:
  std::string name_;
  std::size_t blocks_ = 0;
  std::string settings_;
  std::string data_;
  std::string plots_;
};

}  // namespace ontime::lab
