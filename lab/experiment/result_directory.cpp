#include "lab/experiment/result_directory.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/text_file.h"
#include "common/files/file_system.h"
#include "common/injection/injection.h"
#include "lab/experiment/report.h"
#include "lab/results/chart.h"
#include "lab/verbs/study_files.h"

namespace ontime::lab::experiment {

using namespace cli;
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

std::string now_text() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string facts_json(const std::string& on) {
  utsname host{};
  uname(&host);
  const Json json = {{"format", kFormat},
                     {"version", ONTIME_VERSION},
                     {"compiler", "gcc " __VERSION__},
                     {"on", on},
                     {"host", host.nodename},
                     {"system", std::string(host.sysname) + " " + host.release + " " + host.machine},
                     {"cores", std::thread::hardware_concurrency()},
                     {"begun", now_text()}};
  return json.dump(2) + "\n";
}

// Letters, digits and a few more stay; a hash of the whole distinguishes names that this changes.
std::string file_name_of(const std::string& name) {
  std::string safe;
  for (const char c : name) safe += std::isalnum(static_cast<unsigned char>(c)) || strchr("+-_.", c) ? c : '_';
  if (safe == name && safe[0] != '.') return safe;
  return fmt::format("p{}-{:08x}", safe.substr(0, 80), static_cast<unsigned>(injection::hash(name)));
}

Status check_same(const std::string& path, const std::string& scenario, const std::string& on) {
  const auto before = read_text_file(path + "/scenario.yaml");
  const auto facts = read_text_file(path + "/experiment.json");
  if (!before || !facts)
    return bad_input("'" + path + "' is not empty and holds no experiment; choose another --output");
  if (*before != scenario) {
    return bad_input("'" + path +
                     "' holds results of another scenario (see scenario.yaml there); choose another --output");
  }
  const Json json = Json::parse(*facts, nullptr, false);
  const std::string was_on = json.is_object() ? json.value("on", "") : "";
  if (was_on != on) {
    return bad_input("'" + path + "' holds results that were measured --on " + was_on + "; choose another --output");
  }
  return {};
}

bool is_new(const std::string& path) {
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename() != ".lock") return false;
  }
  return true;
}

// What a browser needs of the file that gnuplot has written.
std::string svg_element(const std::string& file) {
  const auto begin = file.find("<svg");
  return begin == std::string::npos ? std::string() : file.substr(begin);
}

// "attempts-of-one-job"
std::string slug_of(const std::string& title) {
  std::string slug;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0)
      slug += static_cast<char>(std::tolower(byte));
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

Result<std::vector<DrawnFigure>> draw_all(const std::string& directory, const std::vector<Figure>& figures) {
  if (auto made = make_directory(directory); !made) return made.error();
  std::vector<DrawnFigure> drawn;
  for (const auto& figure : figures) {
    const std::string svg = directory + "/" + slug_of(figure.title) + ".svg";
    const std::string script = plot_head(figure.width, figure.height, svg) + figure.script;
    if (auto done = draw(script, directory + "/.figure.gnuplot"); !done) return done.error();
    const auto file = read_text_file(svg);
    if (!file) return file.error();
    drawn.push_back({figure, svg_element(*file)});
  }
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
    auto drawn = draw_all(directory.path() + "/figures", figures_of(results, report.summaries, scenario, slots));
    if (!drawn) return drawn.error();
    report.figures = std::move(*drawn);
  } else {
    report.remark = "There are no figures, because gnuplot is not installed (Debian: gnuplot-nox).";
  }
  return directory.write("report.html", document_of(report).html());
}

}  // namespace

Result<ResultDirectory> ResultDirectory::open(const std::string& path, const std::string& scenario,
                                              const std::string& on) {
  if (auto made = make_directory(path); !made) return made.error();
  const int lock = ::open((path + "/.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return failed("cannot write to '" + path + "': " + std::strerror(errno));
  ResultDirectory directory(fs::absolute(path).lexically_normal().string(), lock);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) return bad_input("another process is at work in '" + path + "'");
  if (!is_new(path)) {
    if (auto same = check_same(path, scenario, on); !same) return same.error();
    return directory;
  }
  // The scenario last: what lacks it has not begun.
  if (auto done = directory.write("experiment.json", facts_json(on)); !done) return done.error();
  if (auto done = directory.write("scenario.yaml", scenario); !done) return done.error();
  return directory;
}

std::string ResultDirectory::name_of(const Run& run) {
  return run.policy.name + (run.is_measurement ? ", baseline " : ", ") + std::to_string(run.repetition);
}

std::string ResultDirectory::directory_of(const Run& run) const {
  return path_ + (run.is_measurement ? "/measured/" : "/runs/") + file_name_of(run.policy.name) + "/" +
         std::to_string(run.repetition);
}

Result<std::optional<Results>> ResultDirectory::load(const Run& run) const {
  const std::string directory = directory_of(run);
  std::error_code error;
  if (!fs::is_directory(directory, error)) return std::optional<Results>();
  Results results;
  Status status;
  Results::tables(results, [&]<class Row>(const char* name, std::vector<Row>& rows) {
    if (!status) return;
    const auto text = read_text_file(directory + "/" + name);
    if (!text) {
      status = text.error();
      return;
    }
    auto read = read_csv<Row>(name, *text);
    if (read)
      rows = std::move(*read);
    else
      status = bad_input(directory + "/" + read.error().message + "; remove that directory to repeat the run");
  });
  if (!status) return status.error();
  return std::optional(std::move(results));
}

Status ResultDirectory::save(const Run& run, const Results& results) const {
  const std::string directory = directory_of(run);
  const std::string unfinished = directory + ".unfinished";
  std::error_code error;
  fs::remove_all(unfinished, error);
  if (auto made = make_directory(unfinished); !made) return made;
  Status status;
  Results::tables(results, [&](const char* name, const auto& rows) {
    if (status) status = files::write_file(unfinished + "/" + name, csv_of(rows, Digits::Millionths));
  });
  if (!status) return status;
  fs::rename(unfinished, directory, error);
  if (error) return failed("cannot make " + directory + ": " + error.message());
  return {};
}

Status ResultDirectory::write(const std::string& name, const std::string& text) const {
  const std::string unfinished = path_ + "/." + name + ".unfinished";
  if (auto written = files::write_file(unfinished, text); !written) return written;
  std::error_code error;
  fs::rename(unfinished, path_ + "/" + name, error);
  if (error) return failed("cannot write " + path_ + "/" + name + ": " + error.message());
  return {};
}

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
