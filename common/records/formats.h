#pragma once
// The record formats that `--records` names.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/app/record_format.h"
#include "common/base/byte_range.h"
#include "common/base/result.h"

namespace ontime::records {

using app::BadRecord;
using app::Search;
using app::WholeRecords;
using app::Window;

// NAME or NAME:ARGUMENT, as docs/run-jobs.md lists them; empty: lines. The error is a sentence for who wrote it.
Result<std::unique_ptr<app::RecordFormat>> make_format(std::string_view text);

const app::RecordFormat& lines();

// What `--records` names where a job is to read as its first file plainly asks for.
inline constexpr std::string_view kByContent = "auto";

// Marks in AccessPoint::state, for formats that are told from the begin only: a bit of the format, and how far behind
// the point the first record begins there.
inline constexpr std::uint64_t kWarcBegins = 16;
inline constexpr std::uint64_t kElementBegins = 32;  // of an array
inline constexpr unsigned kDistanceAt = 16;          // the bit
inline constexpr std::uint64_t kDistanceMost = 0xffff;
inline constexpr std::uint64_t kMarks = kWarcBegins | kElementBegins | kDistanceMost << kDistanceAt;
// 0: the format has none.
std::uint64_t mark_of(const app::RecordFormat& format);
// As make_format() reads it; 0 also if it does not.
std::uint64_t mark_of(std::string_view text);
// Where the marked record begins; nothing if the point has no such mark.
std::optional<std::uint64_t> marked_at(const AccessPoint& point, std::uint64_t mark = kWarcBegins | kElementBegins);
// Unless that is too far from the point.
void put_mark(AccessPoint& point, std::uint64_t mark, std::uint64_t at);
// How long a record is that begins with these bytes, of a format whose records say so; nothing if they do not tell.
std::optional<std::uint64_t> length_of(const app::RecordFormat& format, std::string_view head);

// How many lines begin in `bytes`, which begins at the start of one; the last may lack its end. As fast as memory when
// the processor has AVX2.
std::uint64_t count_lines(std::string_view bytes);
// The portable way, for processors without AVX2: of line feeds.
std::uint64_t count_feeds_portable(std::string_view bytes);

// A format that has marks.
struct Marked {
  explicit Marked(std::uint64_t bit) : mark(bit) {}
  virtual ~Marked() = default;
  const std::uint64_t mark;  // 0: not with this argument
};

// What a text of the command line stands for, in which \n, \r, \t, \0, \\ and \xHH are one byte; nothing if it is
// broken.
std::optional<std::string> unescaped(std::string_view text);

// One for each of the formats that takes its argument from behind the colon.
using Made = Result<std::unique_ptr<app::RecordFormat>>;
template <class Format, class... Arguments>
Made make(Arguments&&... arguments) {
  return std::unique_ptr<app::RecordFormat>(std::make_unique<Format>(std::forward<Arguments>(arguments)...));
}
Made make_lines(std::string_view argument);
Made make_fixed(std::string_view argument);
Made make_delimited(std::string_view argument);
Made make_paragraphs(std::string_view argument);
Made make_csv(std::string_view argument);
Made make_json(std::string_view argument);
Made make_fastq(std::string_view argument);
Made make_warc(std::string_view argument);
Made make_xml(std::string_view argument);

}  // namespace ontime::records
