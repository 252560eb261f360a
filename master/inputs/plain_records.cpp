#include "master/inputs/plain_records.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "common/base/check.h"
#include "common/files/disk.h"
#include "master/inputs/input_file.h"

namespace ontime::master {
namespace {

constexpr std::size_t kReadBytes = 8 << 10;

std::string_view take_line(std::string_view& rest) {
  const std::size_t feed = rest.find('\n');
  std::string_view line = rest.substr(0, feed);
  rest.remove_prefix(feed == rest.npos ? rest.size() : feed + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// As pretty printers write it: a bracket alone on its line, and behind it what only JSON has there.
std::string_view json_records(std::string_view bytes) {
  const std::string_view first = without_blanks(take_line(bytes));
  const std::string_view second = without_blanks(take_line(bytes));
  if (first == "[" && (second.starts_with("{") || second.starts_with("["))) return "json:array";
  return first == "{" && second.starts_with('"') && second.find("\":") != second.npos ? "json" : "";
}

bool is_fastq(std::string_view bytes) {
  const std::string_view name = take_line(bytes), bases = take_line(bytes), plus = take_line(bytes),
                         quality = take_line(bytes);
  return name.starts_with('@') && plus.starts_with('+') && !bases.empty() && bases.size() == quality.size() &&
         bases.find_first_not_of("ACGTUNacgtun") == bases.npos;
}

// One record of CSV from the begin of `rest`.
struct Row {
  std::size_t fields = 0;
  bool is_whole = false;
  bool has_feed = false;   // in quotes
  bool is_broken = false;  // a quote stands where none may be
};
Row take_row(std::string_view& rest) {
  Row row{.fields = 1};
  bool is_quoted = false, begins = true;
  while (!rest.empty()) {
    const char byte = rest[0];
    rest.remove_prefix(1);
    if (is_quoted) {
      row.has_feed = row.has_feed || byte == '\n';
      if (byte != '"') continue;
      if (rest.starts_with('"')) {
        rest.remove_prefix(1);
        continue;
      }
      is_quoted = false;
      row.is_broken = row.is_broken || (!rest.empty() && std::string_view(",\r\n").find(rest[0]) == rest.npos);
    } else if (byte == '\n') {
      row.is_whole = true;
      return row;
    } else if (byte == '"') {
      row.is_broken = row.is_broken || !begins;
      is_quoted = true;
    }
    begins = byte == ',';
    if (begins) ++row.fields;
  }
  return row;
}

// Three rows with as many fields, at least two, and a line end in quotes.
bool is_csv_with_feeds(std::string_view bytes) {
  std::size_t rows = 0, fields = 0;
  bool has_feed = false;
  while (!bytes.empty()) {
    const Row row = take_row(bytes);
    if (!row.is_whole) break;
    if (row.is_broken || row.fields < 2 || (fields > 0 && row.fields != fields)) return false;
    fields = row.fields;
    has_feed = has_feed || row.has_feed;
    ++rows;
  }
  return rows >= 3 && has_feed;
}

// The begin of what a gzip file holds.
std::string inflated(std::string_view bytes) {
  z_stream stream{};
  ONTIME_CHECK(inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK, "zlib starts");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // only read
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string content(kReadBytes, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(content.size());
  inflate(&stream, Z_SYNC_FLUSH);
  content.resize(content.size() - stream.avail_out);
  inflateEnd(&stream);
  return content;
}

std::string first_content(const scheduler::InputFile& file) {
  const Descriptor opened = files::open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  std::string bytes(kReadBytes, '\0');
  const ssize_t got = opened ? ::pread(opened.get(), bytes.data(), bytes.size(), 0) : -1;
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return file.codec == Codec::Gzip ? inflated(bytes) : bytes;
}

}  // namespace

std::string_view plain_records(std::string_view first_bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (first_bytes.starts_with(kByteOrderMark)) first_bytes.remove_prefix(kByteOrderMark.size());
  if (first_bytes.starts_with("WARC/1.") && first_bytes.find("\nWARC-Type:") != first_bytes.npos) return "warc";
  if (is_fastq(first_bytes)) return "fastq";
  if (const std::string_view json = json_records(first_bytes); !json.empty()) return json;
  return is_csv_with_feeds(first_bytes) ? "csv" : "";
}

std::string plain_records_of(const scheduler::InputFile& file) {
  return std::string(plain_records(first_content(file)));
}

std::string advice_on_records(const std::vector<scheduler::InputFile>& inputs) {
  const auto file = std::find_if(inputs.begin(), inputs.end(), [](const scheduler::InputFile& one) {
    return one.path.starts_with('/') && one.size > 0 && (one.codec == Codec::Plain || one.codec == Codec::Gzip);
  });
  if (file == inputs.end()) return {};
  const std::string records = plain_records_of(*file);
  if (records.empty()) return {};
  return "lines are records; " + shown(file->path) + " holds others, which --records " + records + " reads";
}

}  // namespace ontime::master
