#pragma once
// The record formats that `--records` names.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/app/record_format.h"
#include "common/base/result.h"

namespace ontime::records {

using app::BadRecord;
using app::Search;
using app::WholeRecords;
using app::Window;

// NAME or NAME:ARGUMENT, as docs/run-jobs.md lists them; empty: lines. The error is a sentence for who wrote it.
Result<std::unique_ptr<app::RecordFormat>> make_format(std::string_view text);

const app::RecordFormat& lines();

// Bits of AccessPoint::state: a record of that format begins there too. For formats that are told from the begin only,
// and say in a record's head how long it is.
inline constexpr std::uint64_t kWarcBegins = 16;
inline constexpr std::uint64_t kMarks = kWarcBegins;  // all of them
// 0: the format has none.
std::uint64_t mark_of(const app::RecordFormat& format);
// How long a record of such a format is that begins with these bytes; nothing if they do not tell.
std::optional<std::uint64_t> length_of(const app::RecordFormat& format, std::string_view head);

// How many lines begin in `bytes`, which begins at the start of one; the last may lack its end. As fast as memory when
// the processor has AVX2.
std::uint64_t count_lines(std::string_view bytes);
// The portable way, for processors without AVX2: of line feeds.
std::uint64_t count_feeds_portable(std::string_view bytes);

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
