#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/text_file.h"
#include "lab/experiment/report.h"
#include "lab/experiment/result_directory.h"
#include "lab/experiment/rows.h"
#include "lab/experiment/summary.h"
#include "lab/results/chart.h"
#include "lab/verbs/study_files.h"

namespace ontime::lab::experiment {

using namespace cli;
namespace {

// What a browser needs of the file that gnuplot has written.
std::string svg_element(const std::string& file) {
  const auto begin = file.find("<svg");
  return begin == std::string::npos ? std::string() : file.substr(begin);
}

Result<std::vector<DrawnFigure>> draw_all(const std::string& directory, const std::vector<Figure>& figures) {
  std::vector<DrawnFigure> drawn;
  const std::string svg = directory + "/.figure.svg";
  for (const auto& figure : figures) {
    const std::string script = plot_head(figure.width, figure.height, svg) + figure.script;
    if (auto done = draw(script, directory + "/.figure.gnuplot"); !done) return done.error();
    const auto file = read_text_file(svg);
    if (!file) return file.error();
    drawn.push_back({figure, svg_element(*file)});
  }
  std::error_code ignored;
  std::filesystem::remove(svg, ignored);
  return drawn;
}

std::vector<std::pair<std::string, std::string>> facts_of(const std::string& json) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto document = nlohmann::ordered_json::parse(json, nullptr, false);
  if (!document.is_object()) return facts;
  for (const auto& [key, value] : document.items()) {
    facts.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return facts;
}

Status write_report(const ResultDirectory& directory, const Scenario& scenario, const Results& results,
                    std::uint32_t slots) {
  Report report;
  report.title = scenario.title.empty() ? "Experiment" : scenario.title;
  report.summaries = summarise(results, slots);
  report.groups = summarise_groups(results, slots);
  report.printed = scenario.printed;
  const auto text = read_text_file(directory.path() + "/scenario.yaml");
  const auto facts = read_text_file(directory.path() + "/experiment.json");
  if (text) report.scenario_text = *text;
  if (facts) report.facts = facts_of(*facts);
  if (has_gnuplot()) {
    auto drawn = draw_all(directory.path(), figures_of(results, report.summaries, scenario, slots));
    if (!drawn) return drawn.error();
    report.figures = std::move(*drawn);
  } else {
    report.remark = "There are no figures, because gnuplot is not installed (Debian: gnuplot-nox).";
  }
  return directory.write("report.html", document_of(report).html());
}

}  // namespace

Status write_results(const ResultDirectory& directory, const Scenario& scenario, const Results& results,
                     std::uint32_t slots) {
  auto summaries = summarise(results, slots);
  const auto groups = summarise_groups(results, slots);
  Status status;
  const auto write = [&](const char* name, const std::string& text) {
    if (status) status = directory.write(name, text);
  };
  Results::tables(results, [&](const char* name, const auto& rows) { write(name, csv_of(rows, Digits::Millionths)); });
  write("utilisation.csv", csv_of(use_of(results, slots)));
  write("summary.json", summary_json(summaries));
  summaries.insert(summaries.end(), groups.begin(), groups.end());
  write("summary.csv", csv_of(summaries));
  if (!status) return status;
  return write_report(directory, scenario, results, slots);
}

}  // namespace ontime::lab::experiment
