#include <algorithm>
#include <charconv>
#include <sstream>

#include "lab/scenario/yaml_parts.h"

namespace ontime::lab {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  if (!cells.empty() && cells.back().ends_with('\r')) cells.back().pop_back();
  return cells;
}

template <class Number>
bool read(const std::vector<std::string>& cells, std::size_t column, Number& into) {
  if (column >= cells.size()) return false;
  const char* end = cells[column].data() + cells[column].size();
  const auto [stop, fault] = std::from_chars(cells[column].data(), end, into);
  return fault == std::errc() && stop == end;
}

}  // namespace

Result<std::vector<TraceJob>> read_trace_csv(const std::string& text) {
  std::istringstream lines(text);
  std::vector<TraceJob> jobs;
  std::vector<std::string> header;
  std::size_t at_column = 0;
  std::size_t tasks_column = 0;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> cells = cells_of(line);
    if (header.empty()) {
      header = cells;
      const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
      };
      at_column = column("submit_s");
      tasks_column = column("tasks");
      continue;
    }
    TraceJob job;
    const bool good = read(cells, at_column, job.at) && read(cells, tasks_column, job.tasks);
    if (!good || !(job.at >= 0 && job.at < 1e9) || job.tasks == 0 || job.tasks > 10'000'000) {
      return bad_input("line " + std::to_string(number) + ": a job has submit_s from 0 on and 1 or more tasks");
    }
    if (!jobs.empty() && job.at < jobs.back().at) {
      return bad_input("line " + std::to_string(number) + ": jobs come in order of submit_s");
    }
    jobs.push_back(job);
  }
  if (jobs.empty()) return bad_input("there is no job in it; the first line names the columns submit_s and tasks");
  return jobs;
}

}  // namespace ontime::lab
