#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/cluster/interrupt.h"
#include "cli/text_file.h"
#include "common/base/program_path.h"
#include "common/base/wording.h"
#include "common/files/file_system.h"
#include "common/files/temporary_directory.h"
#include "common/hash/sha256.h"
#include "lab/study/study.h"
#include "lab/study/study_result.h"
#include "lab/verbs/command.h"
#include "lab/verbs/parallel_runs.h"
#include "lab/verbs/python.h"
#include "lab/verbs/run_journal.h"

namespace ontime::lab {

using namespace cli;
namespace {

constexpr std::size_t kBlock = 1 << 20;

void add_file(hash::Sha256& digest, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string block(kBlock, '\0');
  while (file.read(block.data(), kBlock), file.gcount() > 0)
    digest.add({block.data(), static_cast<std::size_t>(file.gcount())});
}

RunJournal::Origin origin_of(const Study& study) {
  static const std::string own = [] {
    hash::Sha256 digest;
    add_file(digest, program_path());
    return hex_digits(digest.digest());
  }();
  return {hex_digits(hash::sha256(text_of_runs(study))), own};
}

// Files that begin with `base`, which python/ontime/lab/table.py reads; the jobs are for people.
Status write_rows(const std::string& base, const Study& study, const StudyResult& result) {
  const std::pair<const char*, std::string> tables[]{
      {"-runs.csv", runs_csv(result)},
      {"-measured.csv", measured_csv(result)},
      {"-times.csv", study.curves == Curves::Times ? times_csv(result) : ""},
      {"-samples.csv", study.curves == Curves::Samples ? samples_csv(result) : ""},
      {"-jobs.csv", jobs_csv(result)},
  };
  for (const auto& [ending, text] : tables) {
    if (text.empty()) continue;
    if (auto written = files::write_file(base + ending, text); !written) return written;
  }
  return {};
}

// One study: its runs, and what is written about them.
class StudyCommand {
 public:
  StudyCommand(const SimulateCommand& command, std::string path, Study study)
      : command_(command),
        path_(std::move(path)),
        study_(std::move(study)),
        stem_(std::filesystem::path(path_).stem().string()) {}

  Result<ExitCode> run();

 private:
  bool is_kept() const { return !command_.out.empty(); }
  std::vector<std::string> only() const;
  Status open_rows();
  Result<ExitCode> interrupted(std::uint64_t runs) const;
  Result<ExitCode> tell(const StudyResult& result) const;

  const SimulateCommand& command_;
  const std::string path_;
  const Study study_;
  const std::string stem_;
  std::unique_ptr<files::TemporaryDirectory> scratch_;  // instead of DIR/rows
  std::string rows_;                                    // a directory
  std::unique_ptr<RunJournal> journal_;
};

Status StudyCommand::open_rows() {
  if (!is_kept()) {
    auto scratch = files::TemporaryDirectory::make();
    if (!scratch) return scratch.error();
    scratch_ = std::move(*scratch);
    rows_ = scratch_->path();
    return {};
  }
  rows_ = command_.out + "/rows";
  if (auto made = make_directory(rows_); !made) return made;
  auto journal = RunJournal::open(rows_ + "/" + stem_ + ".jsonl", origin_of(study_));
  if (!journal) return journal.error();
  journal_ = std::move(*journal);
  return {};
}

// What is a name as it stands is one, whatever it has in it.
std::vector<std::string> StudyCommand::only() const {
  const auto names = names_of(study_.policies);
  std::vector<std::string> chosen;
  for (const std::string& text : command_.only) {
    const bool is_name = std::ranges::find(names, text) != names.end();
    for (const std::string& name : is_name ? std::vector{text} : separated({text})) chosen.push_back(name);
  }
  return chosen;
}

Result<ExitCode> StudyCommand::interrupted(std::uint64_t runs) const {
  if (is_kept())
    std::fprintf(stderr, "ontime: interrupted; %s of the points in %s so far; the same command goes on\n",
                 counted(runs, "run").c_str(), rows_.c_str());
  return ExitCode::Interrupted;
}

Result<ExitCode> StudyCommand::tell(const StudyResult& result) const {
  if (auto written = write_rows(rows_ + "/" + stem_, study_, result); !written) return written.error();
  if (is_kept() && !study_.forecasts.empty()) {
    const std::string file = command_.out + "/" + stem_ + "-forecasts.csv";
    if (auto written = files::write_file(file, forecasts_csv(result)); !written) return written.error();
  }
  if (result.missing > 0) return interrupted(result.rows.empty() ? 0 : result.jobs.size());
  std::vector<std::string> arguments{"study", path_, rows_ + "/" + stem_};
  if (is_kept()) arguments.push_back(command_.out);
  if (command_.json) arguments.emplace_back("--csv");
  auto done = run_python(arguments);
  if (!done && is_kept()) return failed("the rows are in " + rows_ + ", but " + done.error().message);
  return done;
}

Result<ExitCode> StudyCommand::run() {
  // Before runs that may take long. What Python lacks is said afterwards, unless nothing would be left then.
  auto checked = run_python({"check", path_});
  if (!checked && !is_kept()) return checked.error();
  if (checked && *checked != ExitCode::Done) return checked;
  install_interrupt_handlers();
  if (auto opened = open_rows(); !opened) return opened.error();
  const StudyOptions options{command_.runs.value_or(0), only(), command_.seed};
  const auto result = run_study(study_, options, parallel_runs(command_.threads, path_, journal_.get()));
  if (!result && interrupts() > 0) return interrupted(0);
  if (!result) return Error{result.error().kind, "study " + path_ + ": " + result.error().message};
  return tell(*result);
}

}  // namespace

Result<ExitCode> simulate_study(const SimulateCommand& command, const std::string& path, const std::string& text) {
  const std::string flag = !command.policies.empty()   ? "--policy"
                           : !command.report.empty()   ? "--report"
                           : command.event_log.empty() ? ""
                                                       : "--event-log";
  if (!flag.empty())
    return bad_input(flag + " is for scenarios, and '" + path + "' is a study; --only NAME runs one policy of a study");
  auto study = read_study(text, beside(path));
  if (!study) return bad_input("study " + path + ": " + study.error().message);
  if (command.points > 0) {
    const auto all = static_cast<std::uint32_t>(places_of(*study).size() * study->policies.size());
    study->every = std::max(study->every, (all + command.points - 1) / command.points);
  }
  return StudyCommand(command, path, std::move(*study)).run();
}

}  // namespace ontime::lab
