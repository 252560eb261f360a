#pragma once
// How an input is divided into records. A range of an input owns the records that begin in it, so any place is good for
// a cut, if an attempt that begins there finds the first record behind it. That is what a format knows.
// docs/run-jobs.md has those that `--records` names; an application may bring its own.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ontime::app {

// A stretch of an (uncompressed) input.
struct Window {
  std::string_view bytes;
  std::uint64_t offset = 0;  // of bytes.data()
  bool is_end = false;       // nothing follows
  // No record has more bytes: one that had would fail the job wherever it is read.
  std::uint64_t longest = ~std::uint64_t{0};
};

// What a search for a record's begin has found, or which bytes it needs too. It may ask for Before only where the
// window does not begin with the input, and for Behind only where it does not end with it.
struct Search {
  enum class Result { Found, NeedsBefore, NeedsBehind };
  Result result = Result::NeedsBehind;
  std::uint64_t at = 0;  // if Found: an offset of the input

  static Search found(std::uint64_t at) { return {Result::Found, at}; }
  static Search needs_before() { return {Result::NeedsBefore}; }
  static Search needs_behind() { return {Result::NeedsBehind}; }
};

// What a window begins with: whole records with their ends; or, with no record, bytes that belong to none.
struct WholeRecords {
  std::size_t bytes = 0;
  std::uint64_t records = 0;
};

// The input is not what its format asks for: what() goes on after "the record at byte 17 of FILE ".
class BadRecord : public std::runtime_error {
 public:
  BadRecord(std::uint64_t offset, const std::string& what) : std::runtime_error(what), offset_(offset) {}
  std::uint64_t offset() const { return offset_; }

 private:
  std::uint64_t offset_;
};

// What records look like, for applications that can do more with some.
struct RecordShape {
  enum class Kind { Others, Lines, Csv, Json };
  Kind kind = Kind::Others;
  char separator = ',';  // of the fields, if Csv
};

// Without state; any thread.
class RecordFormat {
 public:
  // Of look_back(): only who knows a record's begin finds the next one.
  static constexpr std::size_t kFromTheBegin = ~std::size_t{0};

  virtual ~RecordFormat() = default;

  // So many bytes before a place tell in most cases whether a record begins there.
  virtual std::size_t look_back() const = 0;
  // The begin of the first record at or behind `from`, which lies in the window or at its end; the input's end if there
  // is none. May lie behind the window. Not called if look_back() is kFromTheBegin.
  virtual Search find_begin(const Window& window, std::uint64_t from) const = 0;
  // Where the record ends that the window begins with, and the next one begins; nothing if that lies behind the window.
  // The last record ends with the input. Throws BadRecord.
  virtual std::optional<std::size_t> find_end(const Window& window) const = 0;
  // The whole records that begin before `limit` > 0, in bytes from the window's begin, which is a record's: as many as
  // are quickly told, at least one if one is whole. Throws BadRecord.
  virtual WholeRecords take(const Window& window, std::size_t limit) const {
    WholeRecords taken;
    while (taken.bytes < limit && taken.bytes < window.bytes.size()) {
      const auto end =
          find_end({window.bytes.substr(taken.bytes), window.offset + taken.bytes, window.is_end, window.longest});
      if (!end) break;
      taken.bytes += *end;
      ++taken.records;
    }
    return taken;
  }
  // What a record may have at most, in bytes, where the job does not say.
  virtual std::uint64_t longest_by_default() const { return 64u << 20; }
  // What a mapper is shown of a whole record: without what only ends it.
  virtual std::string_view text(std::string_view record) const { return record; }
  virtual RecordShape shape() const { return {}; }
  // The first record of each input is no record but says what the others are: Context::header().
  virtual bool has_header() const { return false; }
};

// Records of so many bytes each, > 0.
class FixedRecords final : public RecordFormat {
 public:
  explicit FixedRecords(std::uint32_t bytes) : bytes_(bytes) {}

  std::size_t look_back() const override { return 0; }
  Search find_begin(const Window&, std::uint64_t from) const override {
    return Search::found((from + bytes_ - 1) / bytes_ * bytes_);
  }
  std::optional<std::size_t> find_end(const Window& window) const override {
    if (window.bytes.size() >= bytes_) return bytes_;
    if (!window.is_end) return std::nullopt;
    throw BadRecord(window.offset,
                    "has " + std::to_string(window.bytes.size()) + " bytes instead of " + std::to_string(bytes_));
  }
  WholeRecords take(const Window& window, std::size_t limit) const override {
    const std::size_t whole = window.bytes.size() / bytes_;
    const std::size_t begin_there = (limit - 1) / bytes_ + 1;
    if (whole == 0 && !window.bytes.empty()) find_end(window);
    const std::size_t records = whole < begin_there ? whole : begin_there;
    return {records * bytes_, records};
  }

 private:
  std::uint32_t bytes_;
};

}  // namespace ontime::app
