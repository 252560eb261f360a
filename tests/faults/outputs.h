#pragma once
// What the jobs of a schedule read, on the shared disk or in the store, and whether what they wrote is what a single
// process would have written, byte for byte.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/protocol/client.pb.h"
#include "tests/faults/fault_plan.h"
#include "tests/machines/disk.h"
#include "tests/machines/object_store.h"

namespace ontime::lab::faults {

class Outputs {
 public:
  // Puts the inputs of all submissions onto the disk, which is mounted at kSharedMount, and into the store, if there is
  // one. Both outlive it.
  Outputs(machines::Disk& disk, machines::ObjectStore* store, const FaultPlan& plan);

  // What a client submits; each time with an output directory of its own, which it is from now on known by.
  wire::JobSpec request(std::uint32_t submission);
  std::vector<std::string> requested() const;  // all of these directories

  // Somebody writes other records over the first half of a submission's input, and then over all of it; or replaces it.
  void begin_change(std::uint32_t submission);
  void end_change(std::uint32_t submission, bool in_place);

  // Somebody removes what attempts of a submission have written, as far as it is not committed.
  void lose(std::uint32_t submission);

  // An object is there that was not. A segment of an output that is complete, or nobody's any more, is never removed: a
  // worker without a connection may store one (master/outputs/store_output.h).
  void on_created(const std::string& key);

  // Of a job whose output directory this is. What is wrong with it; empty: nothing.
  std::string check(const std::string& output) const;
  bool has_success(const std::string& output) const;
  // An empty directory is as good as none; so is what a store has got too late for anybody to remove it.
  bool holds_something(const std::string& output) const;
  bool has_leftovers(const std::string& output) const;
  bool holds_work_of(const std::string& output, AttemptId attempt) const;  // bytes that it wrote, as long as it runs
  bool uses_store(const std::string& output) const { return plan_.submissions[owners_.at(output)].uses_store(); }
  // The output that an object belongs to, and its name there; empty for what belongs to none.
  struct Location {
    std::string output;
    std::string name;
  };
  Location place_of(const std::string& key) const;
  // All files below all outputs, a line each.
  void list(const std::function<void(std::string_view)>& line) const;

 private:
  // What lies directly in a directory, or anywhere below a prefix.
  struct Entry {
    std::string_view bytes;
    bool may_stay = false;  // when the job is over
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  Entries look_at(const std::string& output) const;

  machines::Disk& disk_;
  machines::ObjectStore* const store_;  // null: there is none
  struct Input {
    std::string content;
    std::size_t version = 0;
    std::vector<std::string> answers;  // for each content it has ever had; a mixture of them is wrong
  };
  std::string next_content(std::uint32_t submission) const;
  void hold(std::uint32_t submission, std::string content);
  void replace(const std::string& name, const std::string& bytes, bool in_place);
  void put(const Submission& submission, const std::string& name, std::string bytes);

  const FaultPlan& plan_;
  std::vector<Input> inputs_;                    // by submission
  std::map<std::string, std::uint32_t> owners_;  // submissions, by output
  std::set<std::string> late_segments_;          // their keys in the store
};

}  // namespace ontime::lab::faults
