#pragma once
// The public interface for people who write applications: derive a Mapper and an Application, name the latter in
// ONTIME_APPLICATION, build a shared object (see docs/write-applications.md).
//
//   setup -> { begin_segment -> map* -> flush }*        per runner process, on one thread
//
// A segment is a byte range of one input file. It may end earlier than planned (a cut): flush() is then called sooner,
// and the mapper must write everything that the records mapped since the last flush() amount to, because they will
// never be shown to it again. What an exception's what() says becomes the attempt's failure message.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/app/batch.h"
#include "common/app/context.h"
#include "common/app/output.h"

namespace ontime::app {

class Mapper {
 public:
  virtual ~Mapper() = default;
  // Once, before anything else. Throw std::invalid_argument for a parameter value that cannot be used.
  virtual void setup(Context& context) { static_cast<void>(context); }
  // A segment begins at `offset` of context.input_path(). Tables may be kept from the segment before, emptied.
  virtual void begin_segment(std::uint64_t offset) { static_cast<void>(offset); }
  // Whole records, in input order, each exactly once.
  virtual void map(const Batch& batch, Output& out) = 0;
  // The segment is about to be sealed.
  virtual void flush(Output& out) { static_cast<void>(out); }
};

// Folds the values of one key from all part files into the final answer (`ontime result`). The operation must be
// associative and commutative: values arrive in any order and grouping.
class Merger {
 public:
  virtual ~Merger() = default;
  virtual void setup(const Parameters& parameters) { static_cast<void>(parameters); }
  // Combines two or more values of `key` into `merged` (empty at entry). Throw std::runtime_error on a value that
  // this application cannot have written.
  virtual void merge(std::string_view key, std::span<const std::string_view> values, std::string& merged) = 0;
  // Called once for each key, in byte order of the keys: writes the line(s) of the answer.
  virtual void finish(std::string_view key, std::string_view value, Output& answer) { answer.record(key, value); }
  // The shell command that finish() runs, if any: the parameters of a result are not its reader's, so `ontime result`
  // asks him first.
  virtual std::string command() const { return {}; }
  // After the last key: lines that need all keys (a mean).
  virtual void finish_all(Output& answer) { static_cast<void>(answer); }
};

// How input is divided into records. Zero means text lines; otherwise every record has that many bytes.
using RecordBytes = std::uint32_t;

// For applications that sort instead of folding: how the records of all part files become one ordered answer
// (`ontime result`). A part file may hold them in any order; it is read fastest when each segment wrote long ascending
// runs, as apps/sorting does.
class Order {
 public:
  virtual ~Order() = default;
  virtual void setup(const Parameters& parameters) { static_cast<void>(parameters); }
  // How part files are divided into records. Lines come without their line feed, but with a carriage return.
  virtual RecordBytes record_bytes() const { return 0; }
  // Decides most comparisons: a record of lower rank stands before one of higher rank. Throw std::runtime_error on a
  // record that this application cannot have written.
  virtual std::uint64_t rank(std::string_view record) const = 0;
  // The same between records of equal rank, as far as a number can tell; only quicker than is_before, which has to
  // agree.
  virtual std::uint64_t tie_rank(std::string_view record) const { return static_cast<void>(record), 0; }
  // For records of equal rank: whether `a` stands before `b`. Where neither stands before the other, their bytes must
  // be the same, or the answer would depend on where the input was cut.
  virtual bool is_before(std::string_view a, std::string_view b) const = 0;
  // Called for each record, in order: writes what the answer says of it.
  virtual void finish(std::string_view record, Output& answer) {
    answer.write(record);
    if (record_bytes() == 0) answer.write("\n");
  }
  // After the last record.
  virtual void finish_all(Output& answer) { static_cast<void>(answer); }
};

struct Parameter {
  std::string name;
  std::string default_value;
  std::string help;  // one line; says the unit or the choices
};

class Application {
 public:
  virtual ~Application() = default;
  virtual std::string description() const = 0;  // one line
  virtual std::vector<Parameter> parameters() const { return {}; }
  virtual RecordBytes record_bytes(const Parameters&) const { return 0; }
  // Throw std::invalid_argument with one clear sentence for values that cannot be used. Called before a job is
  // submitted and again in every runner.
  virtual void validate(const Parameters&) const {}
  virtual std::unique_ptr<Mapper> make_mapper() const = 0;
  // What makes the answer of the part files: a merger, an order, or neither: then `ontime result` prints the part files
  // one after another. Never both.
  virtual std::unique_ptr<Merger> make_merger() const { return nullptr; }
  virtual std::unique_ptr<Order> make_order() const { return nullptr; }
  // The merger, where the parameters of the job decide which one, or whether there is one.
  virtual std::unique_ptr<Merger> merger_for(const Parameters&) const { return make_merger(); }
};

// Grows when the interface changes; an application built for another number is refused with a clear message.
inline constexpr std::uint32_t kApplicationInterface = 4;

}  // namespace ontime::app

// Makes `Type` (an Application with a default constructor) what this shared object offers.
#define ONTIME_APPLICATION(Type)                                                                           \
  extern "C" __attribute__((visibility("default"))) const std::uint32_t ontime_application_interface =     \
      ontime::app::kApplicationInterface;                                                                  \
  extern "C" __attribute__((visibility("default"))) const ontime::app::Application* ontime_application() { \
    static const Type application;                                                                         \
    return &application;                                                                                   \
  }
