#pragma once
// Opening files of roots. There is no moment between check and use that a link put in its place could slip into: what
// is checked is what was opened. Needs /proc.

#include <optional>
#include <string>

#include "common/files/roots.h"

namespace ontime::files {

// Where the file behind a descriptor lies now, without links and dots; nothing if it has no name any more.
std::optional<std::string> place_of(int descriptor);

struct Opened {
  int descriptor = -1;      // the caller's to close
  int problem = 0;          // errno, if it could not be opened
  bool is_outside = false;  // not opened because it lies outside
};

// Opens `path` (absolute) as ::open does, following links, if it lies in `roots`. It reveals nothing of a path outside,
// not even whether it exists. `flags` must not have O_CREAT or O_NOFOLLOW.
Opened open_within(const Roots& roots, const std::string& path, int flags);

// Opens the regular file of that name in the directory for reading. Neither follows a link nor waits, whatever lies
// there. The descriptor is the caller's to close; an error is the rest of a sentence that begins with the file's name.
Result<int> open_regular(int directory, const std::string& name);

}  // namespace ontime::files
