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

Status write_rows(const ResultDirectory& directory, const Results& results) {
  Status status;
  Results::tables(results, [&](const char* name, const auto& rows) {
    if (status) status = directory.write(name, csv_of(rows, Digits::Millionths));
  });
  return status;
}

}  // namespace ontime::lab::experiment
