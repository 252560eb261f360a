#pragma once
// Rows as comma-separated text with a line of titles, and back.

#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/experiment/rows.h"

namespace ontime::lab::experiment {

std::string csv_of(std::vector<JobRow> rows);
std::string csv_of(std::vector<TaskRow> rows);
std::string csv_of(std::vector<AttemptRow> rows);
std::string csv_of(std::vector<CopyRow> rows);
std::string csv_of(std::vector<ForecastRow> rows);

// One table by its file name: "jobs.csv" and so on.
struct NamedTable {
  std::string name;
  std::string text;
};
std::vector<NamedTable> tables_of(const Results& results);
// BadInput, with table and line, for what tables_of() has not written.
Result<Results> results_of(const std::vector<NamedTable>& tables);
const std::vector<std::string>& table_names();

}  // namespace ontime::lab::experiment
