// Runs as lines of JSON. Numbers that JSON lacks are texts.
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/study/study_result.h"

namespace ontime::lab {
namespace {

using Json = nlohmann::json;

Json json_of(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double number_of(const Json& cell) {
  if (!cell.is_string()) return cell.get<double>();
  const auto& text = cell.get_ref<const std::string&>();
  return text == "nan" ? kNan : (text == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
}

Json json_of(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(json_of(value));
  return list;
}

std::vector<double> numbers_of(const Json& list) {
  std::vector<double> values;
  for (const Json& cell : list) values.push_back(number_of(cell));
  return values;
}

// What the members of a row are, in one order for writing and reading.
template <class Row, class Visit>
void members(Row& row, Visit&& visit) {
  using Plain = std::remove_const_t<Row>;
  if constexpr (std::is_same_v<Plain, Sample>) {
    visit(row.at), visit(row.busy), visit(row.jobs);
  } else if constexpr (std::is_same_v<Plain, JobForecast>) {
    visit(row.job), visit(row.group), visit(row.tasks), visit(row.of_life), visit(row.share), visit(row.seen.number);
    visit(row.seen.share), visit(row.seen.pocd), visit(row.seen.low), visit(row.seen.median), visit(row.seen.high);
    visit(row.end), visit(row.deadline), visit(row.met);
  } else {
    Plain::fields(row, [&](const char*, auto& value) { visit(value); });
  }
}

template <class Row>
Json list_of(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    Json& cells = list.emplace_back(Json::array());
    members(row, [&](const auto& value) {
      if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(value)>>)
        cells.push_back(json_of(value));
      else
        cells.push_back(value);
    });
  }
  return list;
}

template <class Row>
std::vector<Row> rows_of(const Json& list) {
  std::vector<Row> rows;
  for (const Json& cells : list) {
    std::size_t next = 0;
    members(rows.emplace_back(), [&](auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      const Json& cell = cells.at(next++);
      if constexpr (std::is_floating_point_v<Value>)
        value = number_of(cell);
      else
        value = cell.get<Value>();
    });
  }
  return rows;
}

}  // namespace

std::string line_of(const std::string& key, const RunResult& run) {
  Json groups = Json::array();
  for (const GroupResult& group : run.groups) {
    groups.push_back({{"name", group.name},
                      {"values", json_of(group.values)},
                      {"jobs", group.jobs},
                      {"met", group.met},
                      {"tasks", json_of(group.tasks)},
                      {"flow_times", json_of(group.flow_times)}});
  }
  const Json line = {{"run", key},
                     {"groups", groups},
                     {"samples", list_of(run.samples)},
                     {"forecasts", list_of(run.forecasts)},
                     {"jobs", list_of(run.jobs)},
                     {"slots", run.slots},
                     {"unfinished", run.unfinished}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::pair<std::string, RunResult>> read_run(const std::string& text) {
  try {
    const Json line = Json::parse(text);
    RunResult run;
    for (const Json& group : line.at("groups")) {
      run.groups.push_back({group.at("name"), numbers_of(group.at("values")), group.at("jobs"), group.at("met"),
                            number_of(group.at("tasks")), numbers_of(group.at("flow_times"))});
    }
    run.samples = rows_of<Sample>(line.at("samples"));
    run.forecasts = rows_of<JobForecast>(line.at("forecasts"));
    run.jobs = rows_of<SimulatedJob>(line.at("jobs"));
    run.slots = line.at("slots");
    run.unfinished = line.at("unfinished");
    return std::pair(line.at("run").get<std::string>(), std::move(run));
  } catch (const Json::exception&) {
    return bad_input("a run of a study is written in another way");
  }
}

}  // namespace ontime::lab
