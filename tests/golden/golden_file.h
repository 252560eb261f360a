#pragma once
// Reads the golden files and compares computed values with them, remembering the worst relative error of each column.

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ontime::golden {

// $ONTIME_GOLDEN, or this folder in the source tree.
std::string folder();

// One line of a CSV file by its column names.
class Row {
 public:
  Row(std::map<std::string, std::string> cells, std::string place)
      : cells_(std::move(cells)), place_(std::move(place)) {}

  double operator[](const std::string& column) const;  // inf, -inf and nan are spelled so
  unsigned whole(const std::string& column) const;
  const std::string& text(const std::string& column) const;
  const std::string& place() const { return place_; }  // file and line

 private:
  std::map<std::string, std::string> cells_;
  std::string place_;
};

// Both throw, and so fail the test, when the file is missing or has no rows.
std::vector<Row> csv(const std::string& name);
std::vector<nlohmann::json> json_lines(const std::string& name);

// A number of a JSON file, which spells infinity as a string.
double number(const nlohmann::json& value);

// Collects comparisons of one file; prints the rows and the worst relative error at its end.
class Checker {
 public:
  Checker(std::string file, std::size_t rows) : file_(std::move(file)), rows_(rows) {}
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // |actual - expected| <= tolerance |expected|; infinities and NaN must agree. Below 1e-300 an absolute 1e-300 counts.
  void near(const Row& row, const std::string& column, double actual, double tolerance = 1e-10);
  void near(const std::string& place, const std::string& column, double expected, double actual, double tolerance);

 private:
  std::string file_;
  std::size_t rows_;
  std::size_t values_ = 0;
  double worst_ = 0;
  std::string worst_at_ = "nowhere";
};

}  // namespace ontime::golden
