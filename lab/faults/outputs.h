#pragma once
// What the jobs of a schedule read, and whether what they wrote is what a single process would have written, byte for
// byte.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/protocol/client.pb.h"
#include "lab/faults/fault_plan.h"
#include "lab/machines/disk.h"

namespace ontime::lab::faults {

class Outputs {
 public:
  // Puts the inputs of all submissions onto the disk, which is mounted at kSharedMount and outlives it.
  Outputs(machines::Disk& disk, const FaultPlan& plan);

  // What a client submits; each time with an output directory of its own, which it is from now on known by.
  wire::JobSpec request(std::uint32_t submission);

  // Somebody writes other records over the first half of a submission's input, and then over all of it; or replaces it.
  void begin_change(std::uint32_t submission);
  void end_change(std::uint32_t submission, bool in_place);

  // Of a job whose output directory this is. What is wrong with it; empty: nothing.
  std::string check(const std::string& output) const;
  bool has_success(const std::string& output) const;
  bool holds_something(const std::string& output) const;  // an empty directory is as good as none
  bool has_leftovers(const std::string& output) const;
  bool holds_work_of(const std::string& output, AttemptId attempt) const;  // bytes that it wrote, as long as it runs
  // All files below all outputs, a line each.
  void list(const std::function<void(std::string_view)>& line) const;

 private:
  machines::InodePointer find(const std::string& output) const;

  machines::Disk& disk_;
  struct Input {
    std::string content;
    std::size_t version = 0;
    std::vector<std::string> answers;  // for each content it has ever had; a mixture of them is wrong
  };
  std::string next_content(std::uint32_t submission) const;
  void hold(std::uint32_t submission, std::string content);
  void replace(const std::string& name, const std::string& bytes, bool in_place);

  const FaultPlan& plan_;
  std::vector<Input> inputs_;                    // by submission
  std::map<std::string, std::uint32_t> owners_;  // submissions, by output
};

}  // namespace ontime::lab::faults
