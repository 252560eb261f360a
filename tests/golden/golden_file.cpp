#include "tests/golden/golden_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ontime::golden {
namespace {

std::ifstream open(const std::string& name) {
  std::ifstream file(folder() + "/" + name);
  if (!file) throw std::runtime_error("The golden file " + folder() + "/" + name + " is missing.");
  return file;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

bool read_line(std::ifstream& file, std::string& line) {
  while (std::getline(file, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) return true;
  }
  return false;
}

}  // namespace

std::string folder() {
  const char* other = std::getenv("ONTIME_GOLDEN");
  return other != nullptr && *other != '\0' ? other : ONTIME_GOLDEN_DEFAULT;
}

double Row::operator[](const std::string& column) const {
  const std::string& cell = text(column);
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (cell.empty() || *end != '\0') throw std::runtime_error(place_ + ": '" + cell + "' is no number");
  return value;
}

unsigned Row::whole(const std::string& column) const { return static_cast<unsigned>((*this)[column]); }

const std::string& Row::text(const std::string& column) const {
  const auto cell = cells_.find(column);
  if (cell == cells_.end()) throw std::runtime_error(place_ + ": there is no column " + column);
  return cell->second;
}

std::vector<Row> csv(const std::string& name) {
  std::ifstream file = open(name);
  std::string line;
  read_line(file, line);
  const std::vector<std::string> columns = cells_of(line);
  std::vector<Row> rows;
  while (read_line(file, line)) {
    const std::string place = name + ":" + std::to_string(rows.size() + 2);
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != columns.size()) throw std::runtime_error(place + ": cells are missing or too many");
    std::map<std::string, std::string> named;
    for (std::size_t i = 0; i < columns.size(); ++i) named[columns[i]] = cells[i];
    rows.emplace_back(std::move(named), place);
  }
  if (rows.empty()) throw std::runtime_error("The golden file " + name + " has no rows.");
  return rows;
}

std::vector<nlohmann::json> json_lines(const std::string& name) {
  std::ifstream file = open(name);
  std::vector<nlohmann::json> rows;
  for (std::string line; read_line(file, line);) rows.push_back(nlohmann::json::parse(line));
  if (rows.empty()) throw std::runtime_error("The golden file " + name + " has no rows.");
  return rows;
}

double number(const nlohmann::json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

Checker::~Checker() {
  if (values_ == 0) ADD_FAILURE() << file_ << ": nothing was compared";
  std::printf("%s: %zu rows, %zu values, worst relative error %.2g at %s\n", file_.c_str(), rows_, values_, worst_,
              worst_at_.c_str());
}

void Checker::near(const Row& row, const std::string& column, double actual, double tolerance) {
  near(row.place(), column, row[column], actual, tolerance);
}

void Checker::near(const std::string& place, const std::string& column, double expected, double actual,
                   double tolerance) {
  ++values_;
  if (std::isnan(expected) || std::isinf(expected)) {
    EXPECT_TRUE(std::isnan(expected) ? std::isnan(actual) : actual == expected)
        << place << " " << column << ": expected " << expected << ", got " << actual;
    return;
  }
  const double difference = std::abs(actual - expected);
  const double error = difference <= 1e-300 ? 0 : difference / std::abs(expected);
  if (error > worst_) {
    worst_ = error;
    worst_at_ = place + " " + column;
  }
  EXPECT_LE(error, tolerance) << place << " " << column << ": expected " << expected << ", got " << actual;
}

}  // namespace ontime::golden
