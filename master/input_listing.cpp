#include "master/input_listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/files/roots.h"
#include "master/file_system.h"
#include "master/settings.h"
#include "master/text.h"

namespace ontime::master {
namespace {

using scheduler::Codec;
using scheduler::InputFile;

std::string shown(std::string_view path) { return "'" + readable(path) + "'"; }

Error cannot(const char* what, std::string_view path, int problem) {
  return bad_input("The input " + shown(path) + " cannot be " + what + ": " + std::strerror(problem) + ".");
}

Error outside(std::string_view path, const files::Roots& roots) {
  return bad_input("The input " + shown(path) + " lies outside of the directories that this cluster reads (" +
                   roots.text() +
                   "), perhaps behind a link; put it into one of them, or let the operator add its "
                   "directory with --input-root.");
}

// What of a pattern is no pattern: the directory that is searched. Any other path as it is.
std::string fixed_part(const std::string& path) {
  const std::size_t wildcard = path.find_first_of("*?[");
  return wildcard == path.npos ? path : path.substr(0, path.rfind('/', wildcard) + 1);
}

std::optional<unsigned> hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return std::nullopt;
}

// The path of a file:// URL; any other argument as it is.
Result<std::string> path_of(const std::string& argument) {
  constexpr std::string_view kScheme = "file://";
  const std::size_t colon = argument.find("://");
  if (colon == argument.npos || argument.find('/') < colon) return argument;
  if (!argument.starts_with(kScheme)) {
    return bad_input("The input " + shown(argument) +
                     " names a scheme that Ontime cannot read; give a path or file:// URL.");
  }
  std::string_view rest = std::string_view(argument).substr(kScheme.size());
  if (rest.starts_with("localhost/")) rest.remove_prefix(std::string_view("localhost").size());
  if (!rest.starts_with('/')) {
    return bad_input("The input " + shown(argument) +
                     " names another host; write file:///path for a file of this one.");
  }
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] != '%') {
      path += rest[i];
      continue;
    }
    const auto high = i + 2 < rest.size() ? hex_value(rest[i + 1]) : std::nullopt;
    const auto low = i + 2 < rest.size() ? hex_value(rest[i + 2]) : std::nullopt;
    if (!high || !low)
      return bad_input("The input " + shown(argument) + " holds a '%' without two hexadecimal digits.");
    path += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return path;
}

Codec codec_of(std::string_view path) {
  if (path.ends_with(".gz")) return Codec::Gzip;
  if (path.ends_with(".zst")) return Codec::Zstd;
  return Codec::Plain;
}

// Opens it too: permission, a dangling mount or a broken disk shows now and not in a thousand attempts.
Result<InputFile> inspect_file(const std::string& path, const files::Roots& roots) {
  if (!is_utf8(path))
    return bad_input("The name of the input " + shown(path) + " is not valid UTF-8; rename the file.");
  const auto [descriptor, unopened, is_outside] =
      files::open_within(roots, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (is_outside) return outside(path, roots);
  if (descriptor < 0) return cannot("read", path, unopened);
  struct stat status {};
  const int problem = ::fstat(descriptor, &status) == 0 ? 0 : errno;
  ::close(descriptor);
  if (problem != 0) return cannot("read", path, problem);
  if (!S_ISREG(status.st_mode)) return bad_input("The input " + shown(path) + " is not a regular file.");
  const std::int64_t mtime_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return InputFile{path, static_cast<std::uint64_t>(status.st_size), mtime_ns, codec_of(path)};
}

// The matches of a pattern. glob() would say nothing on its way through the directories, however many there are.
int find_matches(const std::string& pattern, glob_t& matches) {
  matches.gl_opendir = [](const char* path) -> void* {
    note_progress();
    return ::opendir(path);
  };
  matches.gl_readdir = [](void* directory) {
    note_progress();
    return ::readdir(static_cast<DIR*>(directory));
  };
  matches.gl_closedir = [](void* directory) { ::closedir(static_cast<DIR*>(directory)); };
  matches.gl_stat = [](const char* path, struct stat* status) {
    note_progress();
    return ::stat(path, status);
  };
  matches.gl_lstat = [](const char* path, struct stat* status) {
    note_progress();
    return ::lstat(path, status);
  };
  return ::glob(pattern.c_str(), GLOB_NOSORT | GLOB_ALTDIRFUNC, nullptr, &matches);
}

}  // namespace

// Collects files over all arguments.
class InputListing::Files {
 public:
  explicit Files(files::Roots roots) : roots_(std::move(roots)) {}

  Status add_argument(const std::string& argument) {
    if (first_.empty()) first_ = argument;
    Result<std::string> path = path_of(argument);
    if (!path) return path.error();
    if (path->empty() || path->front() != '/' || path->find('\0') != path->npos) {
      return bad_input("The input " + shown(argument) + " is not an absolute path.");
    }
    if (path->size() > kPathBytesMax)
      return bad_input("The input " + shown(path->substr(0, 100)) + "... is too long for a path.");
    if (Status inside = check_place(fixed_part(*path)); !inside) return outside(*path, roots_);
    struct stat status {};
    if (::stat(path->c_str(), &status) == 0) return add_existing(*path, S_ISDIR(status.st_mode));
    const int problem = errno;
    if (path->find_first_of("*?[") != path->npos) return add_glob(*path);
    return cannot("read", *path, problem);
  }

  Result<std::vector<InputFile>> finish() {
    // Files without a byte are input too: their answer is empty.
    if (!files_.empty() || has_empty_) return std::move(files_);
    if (first_.empty()) return bad_input("There is nothing to read: the input names no file.");
    return bad_input("There is nothing to read: " + shown(first_) +
                     " holds no file (names that begin with '.' or '_' are left out).");
  }

 private:
  // Before anything is revealed of a path: BadInput if it lies outside.
  Status check_place(const std::string& path) const {
    if (roots_.are_everywhere()) return {};
    const files::Opened opened = files::open_within(roots_, path, O_PATH | O_CLOEXEC);
    if (opened.descriptor >= 0) ::close(opened.descriptor);
    return opened.is_outside ? Status(outside(path, roots_)) : Status();
  }

  Status add_existing(const std::string& path, bool is_directory) {
    if (Status inside = check_place(path); !inside) return inside;
    return is_directory ? add_directory(path) : add_file(path);
  }

  Status add_file(const std::string& path) {
    note_progress();
    const std::string plain = std::filesystem::path(path).lexically_normal().string();
    if (!seen_.insert(plain).second) return {};
    Result<InputFile> file = inspect_file(plain, roots_);
    if (!file) return file.error();
    if (file->size == 0) {
      has_empty_ = true;
    } else if (files_.size() >= kTasksMax) {
      return bad_input("The input has more than " + std::to_string(kTasksMax) +
                       " files, and a job can have at most that many tasks; join files or run several jobs.");
    } else {
      files_.push_back(std::move(*file));
    }
    return {};
  }

  Status add_directory(const std::string& path) {
    std::error_code error;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
      note_progress();
      const std::string name = at->path().filename().string();
      if (name.starts_with('.') || name.starts_with('_')) continue;
      if (at->is_directory(error)) continue;
      error.clear();
      names.push_back(name);
    }
    if (error) return cannot("listed", path, error.value());
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      if (Status status = add_file(path + "/" + name); !status) return status;
    }
    return {};
  }

  Status add_glob(const std::string& pattern) {
    glob_t matches{};
    const int outcome = find_matches(pattern, matches);
    std::vector<std::string> paths(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
    ::globfree(&matches);
    if (outcome == GLOB_NOSPACE) return bad_input("The input " + shown(pattern) + " matches too many files.");
    if (paths.empty()) return bad_input("The input " + shown(pattern) + " matches no file.");
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
      note_progress();
      struct stat status {};
      if (::stat(path.c_str(), &status) != 0) return cannot("read", path, errno);
      if (Status added = add_existing(path, S_ISDIR(status.st_mode)); !added) return added;
    }
    return {};
  }

  const files::Roots roots_;
  std::vector<InputFile> files_;
  std::set<std::string> seen_;
  std::string first_;       // argument
  bool has_empty_ = false;  // files without a byte are left out
};

InputListing::InputListing(files::Roots roots) : files_(std::make_unique<Files>(std::move(roots))) {}
InputListing::~InputListing() = default;
Status InputListing::add(const std::string& argument) { return files_->add_argument(argument); }
Result<std::vector<InputFile>> InputListing::finish() { return files_->finish(); }

std::string searched_at(const std::string& argument) {
  const Result<std::string> path = path_of(argument);
  return path && path->starts_with('/') ? fixed_part(*path) : "/";
}

Result<std::vector<InputFile>> list_inputs(const std::vector<std::string>& arguments, const files::Roots& roots) {
  InputListing listing(roots);
  for (const std::string& argument : arguments) {
    if (Status status = listing.add(argument); !status) return status.error();
  }
  return listing.finish();
}

}  // namespace ontime::master
