#include "master/inputs/input_listing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/base/units.h"
#include "common/files/roots.h"
#include "common/http/url.h"
#include "common/store/name.h"
#include "master/base/settings.h"
#include "master/base/text.h"
#include "master/inputs/input_file.h"
#include "master/inputs/input_index.h"
#include "master/inputs/input_objects.h"
#include "master/inputs/input_path.h"
#include "master/inputs/input_pattern.h"
#include "master/inputs/left_out.h"
#include "master/inputs/named_files.h"
#include "master/mounts/file_system.h"

namespace ontime::master {
namespace {

using scheduler::InputFile;

// One file system object, whatever its names.
using Identity = std::pair<dev_t, ino_t>;

// The names in a directory, sorted; an errno if it cannot be listed.
int read_names(const std::string& directory, std::vector<std::string>& names) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    note_progress();
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return error.value();
}

std::string join(const std::string& directory, const std::string& name) {
  return directory.ends_with('/') ? directory + name : directory + "/" + name;
}

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace

// Collects files over all arguments.
class InputListing::Files {
 public:
  Files(files::Roots roots, InputChoice choice, KnownIndex known_index)
      : roots_(std::move(roots)), choice_(std::move(choice)), known_index_(std::move(known_index)) {}

  Status add_argument(const std::string& argument) {
    arguments_.push_back(argument);
    walked_.clear();
    if (argument.size() > kPathBytesMax) return too_long(argument);
    if (is_excluded(argument)) return {};
    if (http::is_url(argument)) return add_remote(argument);
    if (store::is_name(argument)) return add_objects(argument);
    const Result<std::string> path = path_of(argument);
    if (!path) return path.error();
    if (Status inside = check_place(fixed_part(*path)); !inside) return outside(*path, roots_);
    struct stat status {};
    if (::stat(path->c_str(), &status) == 0) return add_existing(*path, status);
    const int problem = errno;
    return is_pattern(*path) ? add_pattern(*path) : refuse(*path, cannot("read", *path, problem));
  }

  Result<ListedInputs> finish() {
    // Files without a byte are input too: their answer is empty.
    if (!files_.empty() || has_empty_)
      return ListedInputs{std::move(files_), left_out_.text(), left_out_.skipped(), choice_.chosen_records()};
    if (arguments_.empty()) return bad_input("There is nothing to read: the input names no file.");
    return bad_input("There is nothing to read: " + shown(arguments_.front()) + " holds no file" +
                     (left_out_.text().empty() ? "." : " (" + left_out_.text() + ")."));
  }

 private:
  static Error too_long(const std::string& path) {
    return bad_input("The input " + shown(path.substr(0, 100)) + "... is too long for a path.");
  }

  // Before anything is revealed of a path: BadInput if it lies outside.
  Status check_place(const std::string& path) const {
    if (roots_.are_everywhere()) return {};
    const files::Opened opened = files::open_within(roots_, path, O_PATH | O_CLOEXEC);
    if (opened.descriptor >= 0) ::close(opened.descriptor);
    return opened.is_outside ? Status(outside(path, roots_)) : Status();
  }

  Status add_existing(const std::string& path, const struct stat& status) {
    if (Status inside = check_place(path); !inside) return inside;
    if (is_excluded(path)) return {};
    return S_ISDIR(status.st_mode) ? add_directory(path, status) : add_file(path);
  }

  Status add_file(const std::string& path) {
    note_progress();
    const std::string plain = std::filesystem::path(path).lexically_normal().string();
    const auto* known = named_.add(without_links(plain), plain, arguments_.size() - 1);
    if (known == nullptr) {
      Inspected file = inspect_file(plain, roots_, choice_.changes(), records());
      if (file && choice_.chooses_records_by(*file)) file = inspect_file(plain, roots_, choice_.changes(), records());
      return keep(plain, std::move(file));
    }
    if (known->argument != arguments_.size() - 1) return named_twice(plain, known->argument);
    if (known->path != plain) left_out_.add(plain, "it is read as " + shown(known->path));
    return {};
  }

  // Many files are many tasks, whether they are divided or not.
  const app::RecordFormat* records() const {
    constexpr std::size_t kFilesWorthIt = 64;
    return files_.size() < kFilesWorthIt ? choice_.records() : nullptr;
  }

  Status add_remote(const std::string& address) {
    const auto* known = named_.add(address, address, arguments_.size() - 1);
    return known == nullptr ? keep(address, inspect_remote(address, roots_)) : named_twice(address, known->argument);
  }

  Status add_objects(const std::string& argument) {
    if (choice_.would_write_below(argument)) return output_below(argument);
    std::vector<InputFile> found;
    const ObjectSink sink{[&](const std::string& path, const http::Object& object) {
                            const auto* known = named_.add(path, path, arguments_.size() - 1);
                            if (known != nullptr) return Status(named_twice(path, known->argument));
                            if (files_.size() + found.size() >= kFilesMax) return Status(too_many_files());
                            found.push_back({path, object.size, object.version, Codec::Plain});
                            return Status();
                          },
                          [&](const std::string& path, std::string why) { left_out_.add(path, std::move(why)); },
                          [&](const std::string& path) { return choice_.excludes(path); },
                          [&](const std::string& path, const Refusal& refusal) { return refuse(path, refusal); }};
    if (Status listed = find_objects(argument, roots_, choice_.directories(), sink); !listed) return listed;
    if (Status known = complete_objects(found, sink); !known) return known;
    for (InputFile& file : found) {
      const std::string path = file.path;
      if (Status kept = keep(path, std::move(file)); !kept) return kept;
    }
    return {};
  }

  Error named_twice(const std::string& name, std::size_t first) const {
    return bad_input("The input names the file " + shown(name) + " twice, by " + shown(arguments_[first]) + " and by " +
                     shown(arguments_.back()) + "; leave out one of them, as it would be counted twice.");
  }

  static Error too_many_files() {
    return bad_input("The input has more than " + std::to_string(kFilesMax) +
                     " files, and a job can read at most that many; join files or run several jobs.");
  }

  Status refuse(const std::string& path, const Refusal& refusal) {
    return choice_.skips(refusal) ? left_out_.skip(path, refusal.error.message) : refusal.error;
  }

  bool is_excluded(const std::string& path) {
    const bool is = choice_.excludes(path);
    if (is) left_out_.add(path, kExcluded);
    return is;
  }

  Status keep(const std::string& path, Inspected file) {
    if (!file) return refuse(path, file.error());
    if (file->size == 0) {
      has_empty_ = true;
    } else if (files_.size() >= kFilesMax) {
      return too_many_files();
    } else if (choice_.has_yet_to_choose_records()) {
      return bad_input("Records by content are told by plain and gzip files on a disk; say which records " +
                       shown(path) + " holds.");
    } else {
      files_.push_back(std::move(*file));
      add_known_index(files_.back());
      keep_few_points();
      return count_bytes(files_.back(), bytes_);
    }
    return {};
  }

  void add_known_index(InputFile& file) const {
    const bool has_marks = file.codec == Codec::Plain && !file.points.empty();
    const bool is_known = choice_.records() != nullptr ? has_marks : file.knows_length();
    if (!known_index_ || is_known || file.codec == Codec::Stream) return;
    InputIndex index = known_index_(file);
    if (file.knows_length() && index.content_bytes != file.length()) return;
    if (file.codec != Codec::Plain) file.content_bytes = index.content_bytes;
    file.points = std::move(index.points);
  }

  // They are part of the job, which is kept in memory and in the journal.
  void keep_few_points() {
    points_ += files_.back().points.size();
    if (points_ <= kPointsMax) return;
    points_ = 0;
    for (InputFile& file : files_) {
      thin_out(file.points, file.points.size() / 2);
      points_ += file.points.size();
    }
  }

  // Later jobs would count it.
  static Error output_below(const std::string& directory) {
    return bad_input(
        "The output lies in the input directory " + shown(directory) +
        ", and the next job that reads it would count that too; write elsewhere, or --exclude the output.");
  }

  // Links make cycles, and several names for one directory: it is read under the first.
  Status add_directory(const std::string& path, const struct stat& status) {
    if (path.size() > kPathBytesMax) return too_long(path);
    const auto [walked, is_new] = walked_.emplace(Identity(status.st_dev, status.st_ino), path);
    if (!is_new) {
      if (walked->second != path) left_out_.add(path, "it is read as " + shown(walked->second));
      return {};
    }
    if (walked_.size() > kFilesMax)
      return bad_input("The input " + shown(arguments_.back()) + " has more than " + std::to_string(kFilesMax) +
                       " directories; name fewer of them.");
    if (choice_.would_write_below(status)) return output_below(path);
    std::vector<std::string> names;
    if (const int problem = read_names(path, names); problem != 0) return refuse(path, cannot("listed", path, problem));
    for (const std::string& name : names) {
      if (Status added = add_entry(join(path, name), name); !added) return added;
    }
    return {};
  }

  Status add_entry(const std::string& path, const std::string& name) {
    if (is_hidden(name)) {
      left_out_.add(path, kHiddenName);
      return {};
    }
    if (is_excluded(path)) return {};
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return not_there(path, errno);
    if (S_ISDIR(status.st_mode) && choice_.directories() == Directories::TopLevelOnly) {
      left_out_.add(path, kNotTopLevel);
      return {};
    }
    if (S_ISDIR(status.st_mode) && is_there(join(path, kOutputMark))) {
      left_out_.add(path, kIsOutput);
      return {};
    }
    return add_existing(path, status);
  }

  // A link that leads to itself ends nowhere, so nothing that could be read is lost with it.
  Status not_there(const std::string& path, int problem) {
    if (problem != ELOOP) return refuse(path, cannot("read", path, problem));
    left_out_.add(path, "it is a link to itself");
    return {};
  }

  Status add_pattern(const std::string& pattern) {
    const auto patterns = without_braces(pattern);
    if (!patterns) return patterns.error();
    std::set<std::string> paths;
    for (const std::string& one : *patterns) {
      searched_.clear();
      if (Status found = search("/", names_of(one), 0, paths); !found) return found;
    }
    if (paths.empty()) return bad_input("The input " + shown(pattern) + " matches no file.");
    for (const std::string& path : paths) {
      note_progress();
      struct stat status {};
      const bool is_there = ::stat(path.c_str(), &status) == 0;
      if (is_there && pattern.ends_with('/') && !S_ISDIR(status.st_mode)) continue;
      if (Status added = is_there ? add_existing(path, status) : not_there(path, errno); !added) return added;
    }
    return {};
  }

  // Adds what in `directory` matches the names of a pattern from `at` on.
  Status search(const std::string& directory, const std::vector<std::string>& pattern, std::size_t at,
                std::set<std::string>& paths) {
    if (directory.size() > kPathBytesMax) return too_long(directory);
    if (pattern[at] == "**") return search_below(directory, pattern, at, paths);
    if (is_wildcard(pattern[at])) return search_names(directory, pattern, at, paths);
    return follow(join(directory, literal_name(pattern[at])), pattern, at, paths);
  }

  // `path` matches the pattern up to its name `at`.
  Status follow(const std::string& path, const std::vector<std::string>& pattern, std::size_t at,
                std::set<std::string>& paths) {
    if (is_excluded(path)) return {};
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      const int problem = errno;
      const bool was_seen = is_wildcard(pattern[at]) && at + 1 == pattern.size();
      const bool is_absent = !was_seen && (problem == ENOENT || problem == ENOTDIR);
      return is_absent ? Status() : not_there(path, problem);
    }
    if (at + 1 < pattern.size()) return S_ISDIR(status.st_mode) ? search(path, pattern, at + 1, paths) : Status();
    paths.insert(path);
    if (paths.size() <= kFilesMax) return {};
    return bad_input("The input " + shown(arguments_.back()) + " matches more than " + std::to_string(kFilesMax) +
                     " files; name their directory.");
  }

  Status search_names(const std::string& directory, const std::vector<std::string>& pattern, std::size_t at,
                      std::set<std::string>& paths) {
    std::vector<std::string> names;
    if (Status listed = list_for_search(directory, names); !listed) return listed;
    for (const std::string& name : names) {
      if (!matches(pattern[at], name)) continue;
      if (is_hidden(name) && pattern[at].front() != name.front())
        left_out_.add(join(directory, name), kHiddenName);
      else if (Status found = follow(join(directory, name), pattern, at, paths); !found)
        return found;
    }
    return {};
  }

  // The names behind "**", in the directory and in all below it. If nothing follows, all files there are meant.
  Status search_below(const std::string& directory, const std::vector<std::string>& pattern, std::size_t at,
                      std::set<std::string>& paths) {
    struct stat status {};
    if (::stat(directory.c_str(), &status) != 0) return refuse(directory, cannot("read", directory, errno));
    if (!searched_.emplace(Identity(status.st_dev, status.st_ino), at).second) return {};
    if (at + 1 == pattern.size()) {
      paths.insert(directory);
      return {};
    }
    if (Status found = search(directory, pattern, at + 1, paths); !found) return found;
    std::vector<std::string> names;
    if (Status listed = list_for_search(directory, names); !listed) return listed;
    for (const std::string& name : names) {
      const std::string path = join(directory, name);
      if (is_hidden(name) || choice_.excludes(path) || ::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
        continue;
      if (Status found = search(path, pattern, at, paths); !found) return found;
    }
    return {};
  }

  Status list_for_search(const std::string& directory, std::vector<std::string>& names) {
    if (Status inside = check_place(directory); !inside) return inside;
    const int problem = read_names(directory, names);
    return problem == 0 ? Status() : refuse(directory, cannot("listed", directory, problem));
  }

  static constexpr std::size_t kPointsMax = 65'536;

  const files::Roots roots_;
  InputChoice choice_;
  const KnownIndex known_index_;
  std::vector<std::string> arguments_;
  std::vector<InputFile> files_;
  std::size_t points_ = 0;   // of all of them
  std::uint64_t bytes_ = 0;  // likewise
  NamedFiles named_;
  std::map<Identity, std::string> walked_;               // of this argument: directory -> path it was read as
  std::set<std::pair<Identity, std::size_t>> searched_;  // of this pattern: directory and place of its "**"
  LeftOut left_out_;
  bool has_empty_ = false;  // files without a byte
};

InputListing::InputListing(files::Roots roots, InputChoice choice, KnownIndex known_index)
    : files_(std::make_unique<Files>(std::move(roots), std::move(choice), std::move(known_index))) {}
InputListing::~InputListing() = default;
Status InputListing::add(const std::string& argument) { return files_->add_argument(argument); }
Result<ListedInputs> InputListing::finish() { return files_->finish(); }

std::string searched_at(const std::string& argument) {
  if (http::is_url(argument) || store::is_name(argument)) return argument;
  const Result<std::string> path = path_of(argument);
  return path ? fixed_part(*path) : "/";
}

Result<ListedInputs> list_inputs(const std::vector<std::string>& arguments, const files::Roots& roots,
                                 const InputChoice& choice) {
  InputListing listing(roots, choice);
  for (const std::string& argument : arguments) {
    if (Status status = listing.add(argument); !status) return status.error();
  }
  return listing.finish();
}

}  // namespace ontime::master
