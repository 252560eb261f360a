#include "lab/verbs/run_journal.h"

#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/text_file.h"
#include "common/base/wording.h"
#include "common/files/disk.h"
#include "common/files/file_system.h"

namespace ontime::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kJournalFormat = 1;

std::string first_line(const RunJournal::Origin& origin) {
  return Json{{"format", kJournalFormat}, {"study", origin.study}, {"program", origin.program}}.dump() + "\n";
}

}  // namespace

Result<std::unique_ptr<RunJournal>> RunJournal::open(const std::string& path, const Origin& origin) {
  Descriptor file = files::open(path, O_RDWR | O_CREAT | O_APPEND | files::kPlainFile);
  if (!file) return files::system_error("open", path, errno);
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return bad_input("another process is at work on " + in_quotes(path) + "; wait until it is done");
  std::unique_ptr<RunJournal> journal(new RunJournal(path, std::move(file)));
  std::error_code error;
  std::string text;
  if (std::filesystem::file_size(path, error) > 0) {
    auto read = cli::read_text_file(path);
    if (!read) return read.error();
    text = std::move(*read);
  }
  if (auto done = journal->read(text, origin); !done) return done.error();
  return journal;
}

Status RunJournal::read(const std::string& text, const Origin& origin) {
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (const int problem = files::truncate(file_.get(), whole); problem != 0)
    return files::system_error("shorten", path_, problem);
  if (whole == 0) {
    const int problem = files::append(file_.get(), first_line(origin));
    return problem == 0 ? Status() : files::system_error("write", path_, problem);
  }
  const std::string file = in_quotes(path_);
  const std::string advice = "; choose another --output, or remove that file to begin anew";
  std::size_t number = 1;
  for (std::size_t at = 0; at < whole; ++number) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    if (number == 1) {
      const Json before = Json::parse(line, nullptr, false);
      if (!before.is_object() || before.value("format", 0) != kJournalFormat)
        return bad_input(file + " was not written by this version" + advice);
      if (before.value("study", "") != origin.study)
        return bad_input(file + " holds runs of another study of this name" + advice);
      if (before.value("program", "") != origin.program)
        return bad_input(file + " holds runs of another build of ontime-lab" + advice);
      continue;
    }
    auto run = read_run(line);
    if (!run) return bad_input(file + ", line " + std::to_string(number) + ": " + run.error().message + advice);
    before_.insert(*std::move(run));
  }
  return {};
}

const RunResult* RunJournal::find(const std::string& key) const {
  const auto found = before_.find(key);
  return found == before_.end() ? nullptr : &found->second;
}

Status RunJournal::keep(const std::string& key, const RunResult& run) {
  if (!run.broken.empty()) return {};
  const std::string line = line_of(key, run);
  const std::lock_guard lock(mutex_);
  const int problem = files::append(file_.get(), line);
  return problem == 0 ? Status() : files::system_error("write", path_, problem);
}

}  // namespace ontime::lab
