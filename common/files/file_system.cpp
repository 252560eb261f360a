#include "common/files/file_system.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace ontime::files {

Error system_error(std::string_view what, const std::string& path, int problem) {
  return failed("Cannot " + std::string(what) + " '" + path + "': " + std::strerror(problem) + ".");
}

int write_at(int file, std::uint64_t offset, std::string_view bytes) {
  return ::lseek(file, static_cast<off_t>(offset), SEEK_SET) < 0 ? errno : append(file, bytes);
}

Status write_file(const std::string& path, std::string_view bytes, mode_t mode) {
  const Descriptor file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  const int problem = file ? append(file.get(), bytes) : errno;
  return problem == 0 ? Status() : system_error("write", path, problem);
}

Status replace_file(const std::string& path, const std::string& unfinished, std::string_view bytes, mode_t mode) {
  static_cast<void>(remove(unfinished));  // what an earlier try has left may have another mode
  const Descriptor file = open(unfinished, kNewFile, mode);
  if (!file) return system_error("create", unfinished, errno);
  int problem = ::fchmod(file.get(), mode) == 0 ? append(file.get(), bytes) : errno;
  if (problem == 0) problem = sync(file.get());
  if (problem == 0) problem = rename(unfinished, path);
  return problem == 0 ? Status() : system_error("write", path, problem);
}

int make_directories(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path directory(path);
  if (fs::is_directory(directory, ignored)) return 0;
  if (directory.has_relative_path() && directory.has_parent_path()) {
    if (const int problem = make_directories(directory.parent_path().string()); problem != 0) return problem;
  }
  const int problem = make_directory(path);
  if (problem != EEXIST) return problem;
  return fs::is_directory(directory, ignored) ? 0 : ENOTDIR;  // somebody else has just made it, or a file
}

namespace {

// How often directories are read again in which something was left: somebody may keep making files. A directory with
// very many names is read in parts, so this is ten million names.
constexpr int kReadAgainMost = 1000;

// Empties a directory, going down and up again with two descriptors: a tree may be deeper than there are descriptors,
// or names reach. The way up is believed only where it leads back to where the way down began.
class Emptying {
 public:
  // `again_left`: how many directories may still be read again.
  Emptying(Descriptor top, const std::function<void()>& before_each, std::size_t names_max, int& again_left)
      : at_(std::move(top)), before_each_(before_each), names_max_(names_max), again_left_(again_left) {}

  // 0, or why the last thing that is left is left.
  int run() {
    if (!look_around()) return errno;
    while (problem_ != ESTALE && (levels_.size() > 1 || !levels_.back().ahead.empty())) {
      if (levels_.back().ahead.empty())
        go_up();
      else
        go_down();
    }
    return problem_;
  }
  bool has_removed() const { return has_removed_; }

 private:
  struct Level {
    dev_t device;
    ino_t number;
    std::vector<std::string> ahead;  // directories in it; the last one is the next, or the one that is being emptied
    bool has_removed = false;
  };

  // Removes the files, and takes note of the directories.
  bool look_around() {
    struct stat here {};
    if (::fstat(at_.get(), &here) != 0) return false;
    levels_.push_back({here.st_dev, here.st_ino, {}});
    for (std::string& name : names_in(at_.get())) {
      before_each_();
      const int problem = remove({at_.get(), name});
      if (problem == EISDIR || problem == EPERM)
        levels_.back().ahead.push_back(std::move(name));
      else
        note(problem);
    }
    return true;
  }

  void go_down() {
    const std::string& name = levels_.back().ahead.back();
    before_each_();
    int problem = remove_directory({at_.get(), name});
    Descriptor below = problem == 0 ? Descriptor() : open({at_.get(), name}, kDirectory | O_NOFOLLOW);
    if (problem != 0 && !below && errno == EACCES && let_in(name))
      below = open({at_.get(), name}, kDirectory | O_NOFOLLOW);
    if (!below) {
      note(problem);
      levels_.back().ahead.pop_back();
      return;
    }
    std::swap(at_, below);
    if (look_around()) return;
    at_ = std::move(below);
    levels_.back().ahead.pop_back();
  }

  // By descriptor: what has this name may be a link by now.
  bool let_in(const std::string& name) const {
    const Descriptor closed = open({at_.get(), name}, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return closed && ::chmod(("/proc/self/fd/" + std::to_string(closed.get())).c_str(), 0700) == 0;
  }

  void go_up() {
    Descriptor above = open({at_.get(), ".."}, kDirectory);
    const Level emptied = std::move(levels_.back());
    levels_.pop_back();
    struct stat there {};
    const bool is_found = above && ::fstat(above.get(), &there) == 0 && there.st_dev == levels_.back().device &&
                          there.st_ino == levels_.back().number;
    if (!is_found) {
      problem_ = ESTALE;  // somebody has moved it
      return;
    }
    at_ = std::move(above);
    before_each_();
    const int problem = remove_directory({at_.get(), levels_.back().ahead.back()});
    if (problem == ENOTEMPTY && emptied.has_removed && again_left_-- > 0) return;  // more than is read at once: again
    note(problem);
    levels_.back().ahead.pop_back();
  }

  void note(int problem) {
    if (problem == 0) has_removed_ = levels_.back().has_removed = true;
    if (problem != 0 && problem != ENOENT) problem_ = problem;
  }

  // Some of them where there are very many.
  std::vector<std::string> names_in(int directory) const {
    std::vector<std::string> names;
    Descriptor again = open({directory, "."}, kDirectory);
    DIR* const listing = again ? ::fdopendir(again.get()) : nullptr;
    if (listing == nullptr) return names;
    static_cast<void>(again.release());  // the listing's
    while (const dirent* entry = names.size() < names_max_ ? ::readdir(listing) : nullptr) {
      const std::string_view name(entry->d_name);
      if (name != "." && name != "..") names.emplace_back(name);
    }
    ::closedir(listing);
    return names;
  }

  Descriptor at_;
  const std::function<void()>& before_each_;
  const std::size_t names_max_;
  int& again_left_;
  std::vector<Level> levels_;  // from the top to where it is
  bool has_removed_ = false;
  int problem_ = 0;
};

}  // namespace

int remove_all(const std::string& path, const std::function<void()>& before_each, std::size_t names_max) {
  before_each();
  int problem = remove(path);
  if (problem == 0 || problem == ENOENT || problem == ENOTDIR) return 0;
  int left = 0;
  int again_left = kReadAgainMost;
  do {
    Descriptor directory = open(path, kDirectory | O_NOFOLLOW);
    if (!directory) return problem == EISDIR ? errno : problem;
    Emptying emptying(std::move(directory), before_each, names_max, again_left);
    left = emptying.run();
    problem = remove_directory(path);
    if (!emptying.has_removed()) break;
  } while (problem == ENOTEMPTY && again_left-- > 0);
  return problem != 0 && left != 0 ? left : problem;
}

}  // namespace ontime::files
