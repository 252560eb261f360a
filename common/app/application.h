#pragma once
// The public interface for people who write applications: derive a Mapper and an Application, name the latter in
// ONTIME_APPLICATION, build a shared object (see docs/write-applications.md).
//
//   setup -> { begin_segment -> map* -> flush }*        per runner process, on one thread
//
// A segment is a byte range of one input file. It may end earlier than planned (a cut): flush() is then called sooner,
// and the mapper must write everything that the records mapped since the last flush() amount to, because they will
// never be shown to it again. What an exception's what() says becomes the attempt's failure message.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/app/record_format.h"

namespace ontime::app {

// One line without its end: neither the line feed nor a carriage return directly before it.
struct Line {
  std::string_view text;
  std::uint64_t offset = 0;  // of its first byte in the (uncompressed) input
};

// A range over the lines of a stretch of text whose last line may lack its end.
class Lines {
 public:
  Lines(std::string_view bytes, std::uint64_t offset) : bytes_(bytes), offset_(offset) {}

  class Iterator {
   public:
    Iterator(const char* at, const char* end, std::uint64_t offset) : at_(at), end_(end), offset_(offset) {
      find_end();
    }
    Line operator*() const {
      const bool has_return = text_end_ > at_ && text_end_ < next_ && text_end_[-1] == '\r';
      return {std::string_view(at_, static_cast<std::size_t>(text_end_ - at_) - (has_return ? 1 : 0)), offset_};
    }
    Iterator& operator++() {
      offset_ += static_cast<std::uint64_t>(next_ - at_);
      at_ = next_;
      find_end();
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void find_end() {
      if (at_ == end_) return;
      const void* feed = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
      text_end_ = feed != nullptr ? static_cast<const char*>(feed) : end_;
      next_ = feed != nullptr ? text_end_ + 1 : end_;
    }
    const char* at_;
    const char* end_;
    const char* text_end_ = nullptr;
    const char* next_ = nullptr;  // start of the next line
    std::uint64_t offset_;
  };

  Iterator begin() const { return {bytes_.data(), bytes_.data() + bytes_.size(), offset_}; }
  Iterator end() const {
    const char* last = bytes_.data() + bytes_.size();
    return {last, last, offset_ + bytes_.size()};
  }

 private:
  std::string_view bytes_;
  std::uint64_t offset_;
};

// One record without what only ends it.
struct Record {
  std::string_view text;
  std::uint64_t offset = 0;  // of its first byte in the (uncompressed) input
};

// A range over whole records.
class Records {
 public:
  Records(std::string_view bytes, std::uint64_t offset, const RecordFormat& format)
      : bytes_(bytes), offset_(offset), format_(&format) {}

  class Iterator {
   public:
    Iterator(std::string_view bytes, std::uint64_t offset, const RecordFormat* format)
        : bytes_(bytes), offset_(offset), format_(format) {
      find_end();
    }
    Record operator*() const { return {format_->text(bytes_.substr(0, size_)), offset_}; }
    std::size_t size() const { return size_; }  // with what ends it
    Iterator& operator++() {
      bytes_.remove_prefix(size_);
      offset_ += size_;
      find_end();
      return *this;
    }
    bool operator==(const Iterator& other) const { return bytes_.size() == other.bytes_.size(); }

   private:
    void find_end() {
      if (!bytes_.empty()) size_ = format_->find_end({bytes_, offset_}).value_or(bytes_.size());
    }
    std::string_view bytes_;
    std::uint64_t offset_;
    const RecordFormat* format_;
    std::size_t size_ = 0;
  };

  Iterator begin() const { return {bytes_, offset_, format_}; }
  Iterator end() const { return {bytes_.substr(bytes_.size()), offset_ + bytes_.size(), format_}; }

 private:
  std::string_view bytes_;
  std::uint64_t offset_;
  const RecordFormat* format_;
};

// What a mapper sees: whole records, back to back, as they stand in the input. Applications that only look at bytes
// (word counts) work on `bytes` at once; those that need lines iterate over lines(), and those for which a record may
// be anything that `--records` says over records().
struct Batch {
  std::string_view bytes;    // whole records with their ends; never empty; valid during map() only
  std::uint64_t offset = 0;  // of bytes.data() in the (uncompressed) input
  const RecordFormat* format = nullptr;

  Lines lines() const { return {bytes, offset}; }
  // REQUIRES: `format`, which the runner sets.
  Records records() const { return {bytes, offset, *format}; }
};

// Parameters of the job (`--set key=value`), completed with the application's defaults. Every declared name has a
// value; an undeclared one is a programming error and aborts.
class Parameters {
 public:
  virtual ~Parameters() = default;
  virtual const std::string& get(std::string_view name) const = 0;
};

// Numbers of the attempt that maps: those that `ontime job` shows.
struct AttemptId {
  std::uint32_t job = 0;
  std::uint32_t task = 0;
  std::uint32_t number = 0;
};

// What an application may know and say while it maps: its parameters, the input it reads, counters, a status line.
// Owned by the runner, alive as long as the mapper. One thread at a time.
class Context : public Parameters {
 public:
  // Path of the file that is being read. Between two segments it may change.
  virtual const std::string& input_path() const = 0;
  // Its first record, where the format of the records has such a header: it is none of those that are mapped.
  virtual const std::string& header() const = 0;

  virtual AttemptId attempt() const { return {}; }

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

  // For such a mapper too: whether the records of the batch from the one at `offset` on are somebody else's now. Asked
  // in map() while it waits, of records of which it has handed on nothing. If so, map() hands on what lies before and
  // returns.
  virtual bool is_released(std::uint64_t offset) {
    static_cast<void>(offset);
    return false;
  }
};

// Where a mapper writes: a buffer in front of the attempt's output file. Text output is `key<TAB>value<LF>` lines.
// The buffer is plain memory, so a line costs no virtual call; only a full buffer does. One thread at a time.
class Output {
 public:
  virtual ~Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Room for `size` bytes in a row; say with commit() how many of them were written. Any size is served.
  char* reserve(std::size_t size) {
    if (static_cast<std::size_t>(end_ - next_) < size) make_room(size);
    return next_;
  }
  void commit(std::size_t size) { next_ += size; }

  void write(std::string_view bytes) {
    put(reserve(bytes.size()), bytes);
    commit(bytes.size());
  }

  // One line of output. Throws std::invalid_argument if the key holds a tab or a line end, or the value a line end: the
  // record would be read as another one.
  void record(std::string_view key, std::string_view value) {
    if (holds(key, '\t') || holds(key, '\n') || holds(value, '\n')) refuse(key);
    const std::size_t size = key.size() + value.size() + 2;
    char* to = reserve(size);
    put(to, key);
    to[key.size()] = '\t';
    put(to + key.size() + 1, value);
    to[size - 1] = '\n';
    commit(size);
  }

 protected:
  Output() = default;
  // Must leave at least `size` bytes between next_ and end_, keeping in order what was committed before.
  virtual void make_room(std::size_t size) = 0;

  static bool holds(std::string_view bytes, char byte) {
    return !bytes.empty() && std::memchr(bytes.data(), byte, bytes.size()) != nullptr;
  }
  [[noreturn]] static void refuse(std::string_view key) {
    throw std::invalid_argument(
        "a key of the output holds a tab or a line end, or its value a line end; the key begins '" +
        std::string(key.substr(0, 40)) + "'");
  }

  // An empty text may point nowhere, and so may a buffer that was never asked for anything.
  static void put(char* to, std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  }

  char* next_ = nullptr;  // first free byte
  char* end_ = nullptr;   // end of the buffer
};

class Mapper {
 public:
  virtual ~Mapper() = default;
  // Once, before anything else. Throw std::invalid_argument for a parameter value that cannot be used.
  virtual void setup(Context& context) { static_cast<void>(context); }
  // A segment begins at `offset` of context.input_path(). Tables may be kept from the segment before, emptied.
  virtual void begin_segment(std::uint64_t offset) { static_cast<void>(offset); }
  // Whole records, in input order, each exactly once. Throw BadRecord (common/app/record_format.h) on one that no
  // attempt can map: the job ends, while after anything else that is thrown the segment is tried again.
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

// How part files are divided into records. Zero means text lines; otherwise every record has that many bytes.
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
  // How its input is divided into records, if that is not for the job to say.
  virtual std::unique_ptr<RecordFormat> record_format(const Parameters&) const { return nullptr; }
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
inline constexpr std::uint32_t kApplicationInterface = 6;

}  // namespace ontime::app

// Makes `Type` (an Application with a default constructor) what this shared object offers.
#define ONTIME_APPLICATION(Type)                                                                           \
  extern "C" __attribute__((visibility("default"))) const std::uint32_t ontime_application_interface =     \
      ontime::app::kApplicationInterface;                                                                  \
  extern "C" __attribute__((visibility("default"))) const ontime::app::Application* ontime_application() { \
    static const Type application;                                                                         \
    return &application;                                                                                   \
  }
