#pragma once
// What of the inputs of a job is not read, and why.

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "common/base/result.h"
#include "common/base/wording.h"
#include "master/base/settings.h"
#include "master/inputs/input_file.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

class LeftOut {
 public:
  void add(const std::string& path, std::string why) {
    if (names_.size() < kFilesMax) names_.emplace(path, std::move(why));
  }

  // As --skip asks for it. BadInput if they are too many to keep.
  Status skip(const std::string& path, std::string why) {
    text_ += path.size() + why.size();
    skipped_.emplace(path, std::move(why));
    if (skipped_.size() <= scheduler::kLeftOutMax && text_ <= scheduler::kLeftOutTextMax) return {};
    return bad_input("--skip would leave out more than " + std::to_string(skipped_.size() - 1) +
                     " inputs, the first with this: " + skipped_.begin()->second +
                     " See what has become of them, or name them with --exclude.");
  }

  // For people; empty: nothing was left out.
  std::string text() const {
    std::string text;
    if (!names_.empty()) {
      const auto& [path, why] = *names_.begin();
      const std::size_t count = names_.size();
      const std::string several =
          (count == kFilesMax ? "at least " : "") + std::to_string(count) + " names, the first is ";
      text = "left out of the input: " + (count == 1 ? "" : several) + shown(path) + ", as " + why;
    }
    if (skipped_.empty()) return text;
    return text + (text.empty() ? "" : "; ") + "skipped: " + counted(skipped_.size(), "input") +
           ", the first with this: " + skipped_.begin()->second;
  }

  const std::map<std::string, std::string, std::less<>>& skipped() const { return skipped_; }

 private:
  std::map<std::string, std::string> names_;                 // path -> why
  std::map<std::string, std::string, std::less<>> skipped_;  // likewise
  std::size_t text_ = 0;                                     // bytes of those
};

}  // namespace ontime::master
