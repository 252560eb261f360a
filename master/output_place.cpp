#include "master/output_place.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "common/files/roots.h"
#include "master/text.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;

constexpr int kPlace = O_PATH | O_DIRECTORY | O_CLOEXEC;

// What is there of the way to a directory, opened, and the names that are missing.
struct Way {
  Descriptor last;
  std::vector<std::string> missing;  // the innermost first
  int problem = 0;
};

Way explore(const std::string& directory) {
  Way way;
  for (fs::path at = directory;; at = at.parent_path()) {
    way.last = Descriptor(::open(at.c_str(), kPlace));
    way.problem = way.last.is_open() ? 0 : errno;
    if (way.problem != ENOENT || !at.has_relative_path()) return way;
    way.missing.push_back(at.filename().string());
  }
}

// Nobody can put a link where a directory has just been made without being refused.
Result<Descriptor> make_missing(Way way, const std::string& directory) {
  for (; !way.missing.empty(); way.missing.pop_back()) {
    const std::string& name = way.missing.back();
    if (::mkdirat(way.last.get(), name.c_str(), 0777) != 0 && errno != EEXIST) {
      return cannot_make_output(directory, errno);
    }
    Descriptor next(::openat(way.last.get(), name.c_str(), kPlace | O_NOFOLLOW));
    if (!next.is_open()) return cannot_make_output(directory, errno);
    way.last = std::move(next);
  }
  return std::move(way.last);
}

}  // namespace

Error outside_of_outputs(const std::string& directory, const files::Roots& roots) {
  return bad_input("The output directory '" + readable(directory) +
                   "' lies outside of the directories that this cluster writes to (" + roots.text() +
                   "); name one inside of them, or let the operator add it with --output-root.");
}

Error cannot_make_output(const std::string& directory, int problem) {
  if (problem == ENOSPC || problem == EDQUOT || problem == EIO) return system_error("create", directory, problem);
  if (problem == ENOTDIR) {
    return bad_input("The output directory '" + readable(directory) +
                     "' is a file, or would lie in one; name a directory that does not exist yet.");
  }
  return bad_input("The output directory '" + readable(directory) + "' cannot be created: " + std::strerror(problem) +
                   ".");
}

OutputPlace::OutputPlace(std::string directory, Descriptor held)
    : directory_(std::move(directory)), path_("/proc/self/fd/" + std::to_string(held.get())), held_(std::move(held)) {}

Result<OutputPlace> OutputPlace::find(const std::string& directory, const files::Roots& roots) {
  const files::Opened opened = files::open_within(roots, directory, kPlace);
  Descriptor held(opened.descriptor);
  if (opened.is_outside) return outside_of_outputs(directory, roots);
  if (!held.is_open()) return system_error("open the directory", directory, opened.problem);
  return OutputPlace(directory, std::move(held));
}

Result<OutputPlace> OutputPlace::make(const std::string& directory, const files::Roots& roots) {
  Way way = explore(directory);
  const auto place = way.last.is_open() ? files::place_of(way.last.get()) : std::nullopt;
  const bool is_inside = way.missing.empty() ? place && roots.hold_inside(*place) : place && roots.hold(*place);
  if (way.problem != 0 && roots.seem_to_hold(directory)) return cannot_make_output(directory, way.problem);
  if (!roots.are_everywhere() && !is_inside) return outside_of_outputs(directory, roots);
  Result<Descriptor> held = make_missing(std::move(way), directory);
  if (!held) return std::move(held).error();
  return OutputPlace(directory, std::move(*held));
}

bool OutputPlace::is_in_place() const {
  struct stat named {};
  struct stat held {};
  return ::stat(directory_.c_str(), &named) == 0 && ::fstat(held_.get(), &held) == 0 && named.st_dev == held.st_dev &&
         named.st_ino == held.st_ino;
}

Status OutputPlace::in_words(Status status) const {
  if (status) return status;
  Error error = std::move(status).error();
  for (std::size_t at = 0; (at = error.message.find(path_, at)) != error.message.npos; at += directory_.size()) {
    error.message.replace(at, path_.size(), directory_);
  }
  return error;
}

}  // namespace ontime::master
