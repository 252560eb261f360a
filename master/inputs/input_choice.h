#pragma once
// Which of the files that the arguments of a job name are read: what its client leaves out, and what may be skipped.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/http/connection.h"
#include "master/inputs/input_pattern.h"

namespace ontime::master {

// How directories are read.
enum class Directories { WithThoseBelow, TopLevelOnly };

// Why an input cannot be read, as --skip names it.
enum class Flaw { Unreadable, Vanished, Archived };

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
                                const std::string& skipped);

  Directories directories() const { return directories_; }
  // A path, or an address, or a directory above it, matches a pattern of --exclude.
  bool excludes(const std::string& path) const;
  bool skips(const Refusal& refusal) const { return refusal.flaw && skipped_.contains(*refusal.flaw); }

 private:
  Directories directories_;
  std::vector<PathPattern> excluded_{};
  std::set<Flaw> skipped_{};
};

// The kinds of "unreadable,vanished". BadInput, with the begin of a sentence.
Result<std::set<Flaw>> read_flaws(const std::string& kinds);

}  // namespace ontime::master
