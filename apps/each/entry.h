#pragma once
// A line of the answer: the result of a record's command, in the columns of GNU parallel's --joblog and some more.

#include <cstdint>
#include <string>
#include <string_view>

namespace ontime::apps {

struct Entry {
  std::uint64_t place = 0;  // offset of the record in its file
  std::string host;
  double started = 0;  // seconds since 1970
  double seconds = 0;
  std::uint64_t received = 0;  // bytes of stdout
  int status = 0;              // -1: none, as a signal has ended it
  int signal = 0;
  std::string command;
  std::string outcome;  // ok, failed, timeout
  std::uint32_t tries = 0;
  std::string argument;  // as the record has it; empty if the record is the command
  std::string input;     // file of the record
  std::string errors;    // last lines of stderr
  std::string output;    // of stdout, as much as is kept

  bool is_ok() const { return outcome == "ok"; }
};

// Names of the columns, and a line feed.
std::string_view header_of_entries();
// With a line feed. Texts have tabs, line feeds, backslashes and what cannot be printed as \t, \n, \\ and \xHH.
std::string line_of(const Entry& entry);
// Throws std::runtime_error for what is no such line.
Entry entry_of(std::string_view line);

// Where the record stood.
struct Place {
  std::string_view input;
  std::uint64_t offset = 0;
  auto operator<=>(const Place&) const = default;
};
Place place_of(std::string_view line);

}  // namespace ontime::apps
