#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/kill_point.h"
#include "common/files/disk.h"
#include "common/files/roots.h"
#include "common/files/sync.h"
#include "common/output/manifest.h"
#include "master/base/text.h"
#include "master/mounts/file_system.h"
#include "master/outputs/output_directory.h"

namespace ontime::master {

namespace {

namespace fs = std::filesystem;

constexpr int kPlace = O_PATH | O_DIRECTORY | O_CLOEXEC;

Descriptor open_below(int directory, const std::string& name) {
  return files::open({directory, name}, files::kDirectory | O_NOFOLLOW);
}

std::string path_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// Of somebody who may say what the directory is: in /tmp others may leave anything, which must not be in everybody's
// way.
bool has_mark(int directory, const char* name) {
  struct stat mark {};
  struct stat holder {};
  if (::fstatat(directory, name, &mark, AT_SYMLINK_NOFOLLOW) != 0 || ::fstat(directory, &holder) != 0) return false;
  return mark.st_uid == holder.st_uid || mark.st_uid == ::geteuid();
}

// Not if it is empty: a power cut can bring that back. One that cannot be read counts.
bool has_attempts(int directory) {
  if (!has_mark(directory, output::kAttemptsName)) return false;
  const Descriptor attempts = open_below(directory, output::kAttemptsName);
  std::error_code error;
  return !attempts.is_open() || fs::directory_iterator(path_of(attempts.get()), error) != fs::directory_iterator() ||
         error;
}

bool is_output(int directory) {
  return has_attempts(directory) || has_mark(directory, output::kManifestName) ||
         has_mark(directory, output::kSuccessName);
}

// The innermost output among a directory and those above it; empty if there is none. Asks each directory itself: names
// and links that lead there do not count.
std::string output_from(Descriptor at) {
  struct stat here {};
  if (::fstat(at.get(), &here) != 0) return {};
  for (;;) {
    note_progress();
    if (is_output(at.get())) return files::place_of(at.get()).value_or("a directory above it");
    Descriptor above = files::open({at.get(), ".."}, kPlace);
    struct stat there {};
    if (!above.is_open() || ::fstat(above.get(), &there) != 0) return {};
    const bool is_same = there.st_dev == here.st_dev && there.st_ino == here.st_ino;
    // The root, and not a directory that is mounted within itself.
    if (is_same && files::place_of(above.get()) == files::place_of(at.get())) return {};
    at = std::move(above);
    here = there;
  }
}

// What is there of the way to a directory, opened, and the names that are missing.
struct Way {
  Descriptor last;
  std::vector<std::string> missing;  // the innermost first
  int problem = 0;
};

Way explore(const std::string& directory) {
  Way way;
  for (fs::path at = directory;; at = at.parent_path()) {
    way.last = files::open(at.string(), kPlace);
    way.problem = way.last.is_open() ? 0 : errno;
    if (way.problem != ENOENT || !at.has_relative_path()) return way;
    way.missing.push_back(at.filename().string());
  }
}

}  // namespace

Error cannot_make_output(const std::string& directory, int problem) {
  if (problem == ENOSPC || problem == EDQUOT || problem == EIO) return system_error("create", directory, problem);
  if (problem == ENOTDIR) {
    return bad_input("The output directory '" + readable(directory) +
                     "' is a file, or would lie in one; name a directory that does not exist yet.");
  }
  return bad_input("The output directory '" + readable(directory) + "' cannot be created: " + std::strerror(problem) +
                   ".");
}

OutputPlace::OutputPlace(std::string directory, Descriptor held, std::vector<Made> made)
    : directory_(std::move(directory)),
      path_("/proc/self/fd/" + std::to_string(held.get())),
      held_(std::move(held)),
      made_(std::move(made)) {}

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
  // Before anything is made: a name that is taken in another job's output is in that job's way.
  if (way.last.is_open() && !way.missing.empty()) {
    const std::string above = output_from(files::open({way.last.get(), "."}, kPlace));
    if (!above.empty()) return inside_of_output(directory, above);
  }
  std::vector<Made> made;
  // Nobody can put a link where a directory has just been made without being refused.
  for (; !way.missing.empty(); way.missing.pop_back()) {
    std::string name = way.missing.back();
    const int problem = files::make_directory({way.last.get(), name});
    if (problem != 0 && problem != EEXIST) return cannot_make_output(directory, problem);
    Descriptor next = files::open({way.last.get(), name}, kPlace | O_NOFOLLOW);
    if (!next.is_open()) return cannot_make_output(directory, errno);
    if (problem == 0) made.push_back({std::move(way.last), std::move(name)});
    way.last = std::move(next);
  }
  return OutputPlace(directory, std::move(way.last), std::move(made));
}

std::string OutputPlace::output_above() const { return output_from(files::open({held_.get(), ".."}, kPlace)); }

void OutputPlace::take_back() const {
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) {
    if (files::remove_directory({made->directory.get(), made->name}) != 0) return;
  }
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

namespace {

namespace fs = std::filesystem;

std::string unfinished(const std::string& id) { return output::kUnfinishedClaim + id; }

bool is_of_claim(const std::string& name) { return name.starts_with(output::kAttemptsName); }

// Three of the names in a directory, and one that is no claim's if there is any: more is not kept, or looked at.
Result<std::vector<std::string>> names_in(const std::string& directory) {
  std::vector<std::string> names;
  bool has_others = false;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    note_progress();
    std::string name = at->path().filename().string();
    const bool is_other = !is_of_claim(name);
    if (names.size() < 3 || is_other) names.push_back(std::move(name));
    has_others |= is_other;
    if (names.size() >= 3 && has_others) break;
  }
  if (error) return system_error("read the directory", directory, error.value());
  return names;
}

// The same of one below; none if it is no directory.
std::vector<std::string> names_below(int directory, const std::string& name) {
  const Descriptor below = open_below(directory, name);
  if (!below.is_open()) return {};
  auto names = names_in(path_of(below.get()));
  return names ? std::move(*names) : std::vector<std::string>();
}

}  // namespace

Result<Contents> look_at(const OutputPlace& place) {
  const auto names = names_in(place.path());
  if (!names) return names.error();
  Contents contents;
  contents.is_free = names->empty();
  for (const std::string& name : *names) {
    contents.is_claimed |= is_of_claim(name);
    contents.has_others |= !is_of_claim(name);
  }
  if (names->size() != 1) return contents;
  const std::string& name = names->front();
  if (name.starts_with(output::kUnfinishedClaim)) {
    contents.idle_claim = name.substr(std::string_view(output::kUnfinishedClaim).size());
  }
  if (name != output::kAttemptsName) return contents;
  const Descriptor attempts = open_below(place.descriptor(), name);
  const std::vector<std::string> claims = names_below(place.descriptor(), name);
  contents.is_free = attempts.is_open() && claims.empty();
  if (claims.size() == 1 && names_below(attempts.get(), claims.front()).empty()) contents.idle_claim = claims.front();
  return contents;
}

Status sync_with_parents(const OutputPlace& place) {
  if (Status status = sync_directory(place.path()); !status) return status;
  const auto real = files::place_of(place.descriptor());
  if (!real) return {};
  files::sync_names_above(*real, note_progress);
  return {};
}

Status put_claim(const OutputPlace& place, const std::string& id, Lasting lasting) {
  const std::string name = unfinished(id);
  pass_kill_point("claim-before-mkdir");
  const auto make = [&](const std::string& below) {
    const int problem = files::make_directory({place.descriptor(), below}, 0755);
    return problem == 0 ? Status() : cannot_make_output(place.path(), problem);
  };
  if (Status made = make(name); !made) return made;
  pass_kill_point("claim-directory-made");
  if (Status made = make(name + "/" + id); !made) return made;
  if (lasting == Lasting::SinceSeal) {
    // Its name must not outlive a power cut without the claim.
    if (Status status = sync_directory(place.path() + "/" + name); !status) return status;
  }
  pass_kill_point("claim-written");
  // Fails if somebody else's is there, which is not empty: so of two masters one is first.
  const int problem = files::rename({place.descriptor(), name}, {place.descriptor(), output::kAttemptsName});
  if (problem != 0) return cannot_make_output(place.path(), problem);
  pass_kill_point("claim-renamed");
  return {};
}

Descriptor open_claim(const OutputPlace& place, const std::string& id) {
  const Descriptor attempts = open_below(place.descriptor(), output::kAttemptsName);
  return open_below(attempts.get(), id);
}

bool has_unfinished_claim(const OutputPlace& place, const std::string& id) {
  return open_below(place.descriptor(), unfinished(id)).is_open();
}

namespace {

// Removes the files in an open directory, which messages call `path`; whether there were any.
Result<bool> remove_files(int directory, const std::string& path) {
  bool has_removed = false;
  std::error_code error;
  for (fs::directory_iterator at(path_of(directory), error), end; !error && at != end; at.increment(error)) {
    note_progress();
    const std::string name = at->path().filename().string();
    const int problem = files::remove({directory, name});
    has_removed |= problem == 0;
    if (problem != 0 && problem != ENOENT && problem != EISDIR)
      return system_error("remove", path + "/" + name, problem);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return system_error("read the directory", path, error.value());
  return has_removed;
}

// The same, and then the directory itself, if it is one: a link may lead to somebody else's. Copes with files that a
// process which is just being killed still creates.
Status remove_with_files(int above, const std::string& name, const std::string& path) {
  constexpr int kTries = 10;
  for (int i = 0; i < kTries; ++i) {
    const Descriptor directory = open_below(above, name);
    if (!directory.is_open()) {
      const bool is_one = errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
      return is_one ? Status(system_error("read the directory", path, errno)) : Status();
    }
    const auto has_removed = remove_files(directory.get(), path);
    if (!has_removed) return has_removed.error();
    const int problem = files::remove_directory({above, name});
    if (problem != ENOTEMPTY && problem != ENOENT && problem != 0) return system_error("remove", path, problem);
    if (problem != ENOTEMPTY || !*has_removed) break;
  }
  return {};
}

}  // namespace

Status remove_claim(const OutputPlace& place, const std::string& id) {
  const std::string name = unfinished(id);
  if (open_claim(place, id).is_open()) {
    const int problem = files::rename({place.descriptor(), output::kAttemptsName}, {place.descriptor(), name});
    if (problem != 0) return system_error("remove", place.path() + "/" + output::kAttemptsName, problem);
  }
  pass_kill_point("claim-released");
  const std::string path = place.path() + "/" + name;
  if (const Descriptor released = open_below(place.descriptor(), name); released.is_open()) {
    if (Status status = remove_with_files(released.get(), id, path + "/" + id); !status) return status;
  }
  return remove_with_files(place.descriptor(), name, path);
}

}  // namespace ontime::master
