#include "apps/each/entry.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

#include "common/base/units.h"
#include "common/base/utf8.h"

namespace ontime::apps {
namespace {

enum Column {
  kSeq,
  kHost,
  kStarted,
  kSeconds,
  kSend,
  kReceive,
  kStatus,
  kSignal,
  kCommand,
  kOutcome,
  kTries,
  kArgument,
  kInput,
  kErrors,
  kOutput,
  kColumns
};

void append_byte(std::string& to, char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  to += {'\\', 'x', kDigits[value >> 4], kDigits[value & 15]};
}

std::string escaped(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t size = utf8_character(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    const char first = character.front();
    if (first == '\\')
      line += "\\\\";
    else if (first == '\t')
      line += "\\t";
    else if (first == '\n')
      line += "\\n";
    else if (size > 0 && !is_control_character(character))
      line += character;
    else
      for (const char byte : character) append_byte(line, byte);
    text.remove_prefix(character.size());
  }
  return line;
}

[[noreturn]] void refuse(std::string_view line) {
  throw std::runtime_error("'" + escaped(line.substr(0, 80)) + "' is no line of an output of each");
}

std::string unescaped(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      bytes += text[at];
      continue;
    }
    const char kind = ++at < text.size() ? text[at] : '\0';
    if (kind == 'x') {
      const auto value = number_in<unsigned>(text.substr(at + 1, 2), 16);
      if (!value) refuse(text);
      bytes += static_cast<char>(*value);
      at += 2;
    } else if (kind == 't' || kind == 'n' || kind == '\\') {
      bytes += kind == 't' ? '\t' : kind == 'n' ? '\n' : '\\';
    } else {
      refuse(text);
    }
  }
  return bytes;
}

template <class Number>
Number number_of(std::string_view text, std::string_view line) {
  const auto number = number_in<Number>(text);
  if (!number) refuse(line);
  return *number;
}

std::string thousandths(double seconds) {
  std::array<char, 40> text{};
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.3f", seconds))};
}

std::array<std::string_view, kColumns> columns_of(std::string_view line) {
  std::array<std::string_view, kColumns> columns;
  std::string_view rest = line;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::size_t end = rest.find('\t');
    if ((end == rest.npos) != (i + 1 == kColumns)) refuse(line);
    columns[i] = rest.substr(0, end);
    if (end != rest.npos) rest.remove_prefix(end + 1);
  }
  return columns;
}

}  // namespace

std::string_view header_of_entries() {
  return "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\tOutcome\tTries\tArgument\tInput\t"
         "Stderr\tStdout\n";
}

std::string line_of(const Entry& entry) {
  std::string line = std::to_string(entry.place) + '\t' + escaped(entry.host) + '\t' + thousandths(entry.started) +
                     '\t' + thousandths(entry.seconds) + "\t0\t" + std::to_string(entry.received) + '\t' +
                     std::to_string(entry.status) + '\t' + std::to_string(entry.signal);
  line += '\t' + escaped(entry.command) + '\t' + entry.outcome + '\t' + std::to_string(entry.tries);
  for (const std::string* text : {&entry.argument, &entry.input, &entry.errors, &entry.output})
    line += '\t' + escaped(*text);
  return line + '\n';
}

Entry entry_of(std::string_view line) {
  const auto columns = columns_of(line);
  Entry entry;
  entry.place = number_of<std::uint64_t>(columns[kSeq], line);
  entry.host = unescaped(columns[kHost]);
  entry.started = number_of<double>(columns[kStarted], line);
  entry.seconds = number_of<double>(columns[kSeconds], line);
  entry.received = number_of<std::uint64_t>(columns[kReceive], line);
  entry.status = number_of<int>(columns[kStatus], line);
  entry.signal = number_of<int>(columns[kSignal], line);
  entry.command = unescaped(columns[kCommand]);
  entry.outcome = columns[kOutcome];
  entry.tries = number_of<std::uint32_t>(columns[kTries], line);
  entry.argument = unescaped(columns[kArgument]);
  entry.input = unescaped(columns[kInput]);
  entry.errors = unescaped(columns[kErrors]);
  entry.output = unescaped(columns[kOutput]);
  return entry;
}

Place place_of(std::string_view line) {
  const auto columns = columns_of(line);
  return {columns[kInput], number_of<std::uint64_t>(columns[kSeq], line)};
}

}  // namespace ontime::apps
