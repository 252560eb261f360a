#pragma once
// Whether jobs have given the right answer: the output is whole, every record of the input is in it once, and jobs that
// ask the same get the same answer, whatever was done about their stragglers.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "lab/scenario/scenario.h"

namespace ontime::lab::experiment {

class Answers {
 public:
  Answers(std::string scratch, std::vector<std::string> application_directories)
      : scratch_(std::move(scratch)), application_directories_(std::move(application_directories)) {}

  // Failed, with what is wrong, for an answer that is not right.
  Status check(const std::string& output, const JobGroup& group, const std::vector<std::string>& inputs);
  std::uint64_t checked() const { return checked_; }

 private:
  struct Known {
    std::uint64_t records = 0;
    std::uint32_t checksum = 0;
  };
  Result<std::uint32_t> checksum_of(const std::string& output) const;

  std::string scratch_;  // a file for merged answers
  std::vector<std::string> application_directories_;
  std::map<std::string, Known> known_;  // by question: application, parameters, inputs
  std::uint64_t checked_ = 0;
};

}  // namespace ontime::lab::experiment
