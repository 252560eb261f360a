#pragma once
// What an application may know and say while it maps: its parameters, the input it reads, counters, a status line.
// Owned by the runner, alive as long as the mapper. One thread at a time.

#include <cstdint>
#include <string>
#include <string_view>

namespace ontime::app {

// Parameters of the job (`--set key=value`), completed with the application's defaults. Every declared name has a
// value; an undeclared one is a programming error and aborts.
class Parameters {
 public:
  virtual ~Parameters() = default;
  virtual const std::string& get(std::string_view name) const = 0;
};

class Context : public Parameters {
 public:
  // Path of the file that is being read. Between two segments it may change.
  virtual const std::string& input_path() const = 0;

  // A counter by group and name, created at 0. The reference stays valid for the mapper's life: look it up once, add
  // often. What was added is reported with the segment that is sealed next, so work done twice is not counted twice.
  // At most 128 counters with names of at most 64 bytes each; more throw std::length_error.
  virtual std::uint64_t& counter(std::string_view group, std::string_view name) = 0;

  // A short text for people, shown with the attempt.
  virtual void set_status(std::string_view text) = 0;

  // For a mapper that hands its records on, to another process, say: everything of the input below `offset` has really
  // been taken. Said in map() and flush(), as it goes on; it then stands for the attempt's progress, which otherwise is
  // what was given to map(). An attempt whose progress stands still for long is ended.
  virtual void set_taken(std::uint64_t offset) { static_cast<void>(offset); }
};

}  // namespace ontime::app
