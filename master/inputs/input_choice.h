#pragma once
// Which of the files that the arguments of a job name are read: what its client leaves out, and what may be skipped.

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/app/record_format.h"
#include "common/base/result.h"
#include "common/http/connection.h"
#include "master/inputs/input_pattern.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

// How directories are read.
enum class Directories { WithThoseBelow, TopLevelOnly };

// Whether a plain file may be appended to while the job runs: the job reads what it has at submission.
enum class Changes { Refused, MayGrow };

// Why an input cannot be read, as --skip names it. That one is corrupt shows only where it is mapped.
enum class Flaw { Unreadable, Vanished, Archived, Corrupt };

// What is wrong with one input; no flaw: with more than that, or with its place, and nothing may be skipped.
struct Refusal {
  Refusal() = default;
  Refusal(Error problem) : error(std::move(problem)) {}  // NOLINT: implicit by intent
  Refusal(Flaw one, Error problem) : error(std::move(problem)), flaw(one) {}
  Error error;
  std::optional<Flaw> flaw;
};
Flaw flaw_of(int problem);  // an errno
// None if it may pass, or if the server is to blame for it.
std::optional<Flaw> flaw_of(const http::Failure& failure);

class InputChoice {
 public:
  InputChoice(Directories directories = Directories::WithThoseBelow) : directories_(directories) {}  // NOLINT: likewise
  // BadInput, with one sentence, for patterns or kinds that make no sense.
  static Result<InputChoice> of(Directories directories, const std::vector<std::string>& excluded,
                                const std::string& skipped, Changes changes = Changes::Refused);

  Directories directories() const { return directories_; }
  Changes changes() const { return changes_; }
  // What the job reads, if files are to be looked through for where its records begin; else null.
  const app::RecordFormat* records() const { return records_.get(); }
  void set_records(std::shared_ptr<const app::RecordFormat> records) { records_ = std::move(records); }
  // The first file with content shows what records are, by plain_records().
  void set_records_by_content() { by_content_ = true; }
  // Whether that chooses them, and the file is to be looked through for where they begin.
  bool chooses_records_by(const scheduler::InputFile& file);
  bool has_yet_to_choose_records() const { return by_content_ && !chosen_; }
  std::string chosen_records() const { return chosen_.value_or(""); }
  // A path, or an address, or a directory above it, matches a pattern of --exclude.
  bool excludes(const std::string& path) const;
  // The job's output will be below the directory (stat() has shown it), or the address, where listing it would find it.
  void set_output(const std::string& output);
  bool would_write_below(const struct stat& directory) const;
  bool would_write_below(const std::string& address) const;
  bool skips(const Refusal& refusal) const { return refusal.flaw && skipped_.contains(*refusal.flaw); }

 private:
  Directories directories_;
  Changes changes_ = Changes::Refused;
  std::shared_ptr<const app::RecordFormat> records_{};
  bool by_content_ = false;
  std::optional<std::string> chosen_{};
  std::vector<PathPattern> excluded_{};
  std::set<Flaw> skipped_{};
  std::string output_{};  // empty: none, or it is excluded
};

// The kinds of "unreadable,vanished". BadInput, with the begin of a sentence.
Result<std::set<Flaw>> read_flaws(const std::string& kinds);

}  // namespace ontime::master
