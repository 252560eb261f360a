#pragma once
// Directories that files have to lie in, and URLs that the addresses of remote ones have to begin with. A file is
// judged by where it really is, not by the name it was asked for by. A value; any thread.

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace ontime::files {

class Roots {
 public:
  // Everything may be used.
  Roots() = default;
  // BadInput unless each is a URL, or a directory that is there, by its absolute path. None: everything may be used.
  static Result<Roots> make(const std::vector<std::string>& directories);
  // From the resolved() of others.
  static Roots of_resolved(std::vector<std::string> directories);

  bool are_everywhere() const { return resolved_.empty(); }
  // Whether `path`, absolute and free of links and dots, or the URL that http::parse_url() takes, is one of them or
  // lies in one.
  bool hold(std::string_view path) const;
  // Whether `path` looks so by its name alone.
  bool seem_to_hold(std::string_view path) const;
  // Whether it lies in one of them, and is none itself.
  bool hold_inside(std::string_view path) const;

  // Without links and dots, in the order given.
  const std::vector<std::string>& resolved() const { return resolved_; }
  std::string text() const;  // as given: "/data, /srv/in"

 private:
  std::vector<std::string> given_;
  std::vector<std::string> resolved_;
};

// Where jobs may read and write.
struct JobRoots {
  // BadInput, with the flag that they were given by, where Roots cannot be made of them.
  static Result<JobRoots> make(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

  Roots input;
  Roots output;
};

// Opening files of roots. There is no moment between check and use that a link put in its place could slip into: what
// is checked is what was opened. Needs /proc.

struct Opened {
  int descriptor = -1;      // the caller's to close
  int problem = 0;          // errno, if it could not be opened
  bool is_outside = false;  // not opened because it lies outside
};

// Where the file behind a descriptor lies now, without links and dots; nothing if it has no name any more.
std::optional<std::string> place_of(int descriptor);

// Opens `path` (absolute) as ::open does, following links, if it lies in `roots`. It reveals nothing of a path outside,
// not even whether it exists. `flags` must not have O_CREAT or O_NOFOLLOW.
Opened open_within(const Roots& roots, const std::string& path, int flags);

// What tells the contents of a file apart beside its size: when it was modified, in nanoseconds since the Unix epoch.
std::string version_of(const struct stat& status);
// Of a file of which only what it has now counts, whatever is appended later; version_of() is never such a text.
std::string growing_version_of(const struct stat& status);
bool is_growing(const std::string& version);

// Opens the regular file of that name in the directory for reading. Neither follows a link nor waits, whatever lies
// there. The descriptor is the caller's to close; an error is the rest of a sentence that begins with the file's name.
Result<int> open_regular(int directory, const std::string& name);

}  // namespace ontime::files
