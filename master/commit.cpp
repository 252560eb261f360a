#include "master/commit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "common/base/kill_point.h"
#include "master/file_system.h"
#include "master/output_place.h"
#include "master/stitch.h"

namespace ontime::master {
namespace {

Error interrupted() { return unavailable("The commit was interrupted; it will be repeated."); }

// The size of a regular file in a directory; nothing if there is none of that name.
std::optional<std::uint64_t> size_of(int directory, const std::string& name) {
  struct stat status {};
  if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(status.st_size);
}

// One commit under way.
class Commit {
 public:
  // `directory`: the one of the plan, or another name for it.
  Commit(const CommitPlan& plan, const std::string& directory, const MayGoOn& may_go_on)
      : plan_(plan), directory_(directory), may_go_on_(may_go_on) {}

  // A job that is reported to have failed must not look committed, whatever the last step was.
  Status run() {
    Status status = commit();
    if (!status && may_go_on_()) static_cast<void>(::unlinkat(output_.get(), output::kSuccessName, 0));
    return status;
  }

 private:
  Status commit() {
    Result<Descriptor> output = open_directory(directory_);
    if (!output) return output.error();
    output_ = std::move(*output);
    if (size_of(output_.get(), output::kSuccessName)) return sync(directory_);
    // May be gone already, if this is a repetition.
    attempts_ =
        Descriptor(::openat(output_.get(), output::kAttemptsName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    for (const Part& part : plan_.parts) {
      if (!may_go_on_()) return interrupted();
      if (Status status = place(part); !status) return status;
    }
    return conclude();
  }

  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
  std::string attempt_path_of(const std::string& name) const { return path_of(output::kAttemptsName) + "/" + name; }
  Status sync(const std::string& path) const { return sync_directory(path); }

  Status place(const Part& part) {
    if (part.may_rename) {
      // The common case first: two system calls.
      const auto size = size_of(attempts_.get(), part.pieces.front().file);
      if (size && *size >= part.length) return rename_part(part, *size);
    }
    if (size_of(output_.get(), part.name) == part.length) return {};
    if (part.length == 0) return create_empty(part);
    return stitch_part(part);
  }

  Status rename_part(const Part& part, std::uint64_t size) {
    const std::string& file = part.pieces.front().file;
    if (size > part.length) {
      if (Status status = shorten(file, part.length); !status) return status;
    }
    pass_kill_point("part-before-rename");
    if (::renameat(attempts_.get(), file.c_str(), output_.get(), part.name.c_str()) != 0) {
      return system_error("rename to", path_of(part.name), errno);
    }
    pass_kill_point("part-renamed");
    return {};
  }

  // What lies behind was written for a range that was never sealed.
  Status shorten(const std::string& name, std::uint64_t length) {
    const Descriptor file(::openat(attempts_.get(), name.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.is_open() || ::ftruncate(file.get(), static_cast<off_t>(length)) != 0 || ::fsync(file.get()) != 0) {
      return system_error("truncate", attempt_path_of(name), errno);
    }
    return {};
  }

  Status create_empty(const Part& part) {
    const Descriptor file(
        ::openat(output_.get(), part.name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!file.is_open()) return system_error("create", path_of(part.name), errno);
    return {};  // the sync of the directory makes it last
  }

  Status stitch_part(const Part& part) {
    if (!attempts_.is_open()) return system_error("open the directory", path_of(output::kAttemptsName), ENOENT);
    const std::string temporary = part.name + ".stitch";
    const StitchPlace place{attempts_.get(), path_of(output::kAttemptsName)};
    if (Status status = stitch(place, part, temporary, may_go_on_); !status) return status;
    if (!may_go_on_()) return interrupted();
    if (::renameat(attempts_.get(), temporary.c_str(), output_.get(), part.name.c_str()) != 0) {
      return system_error("rename to", path_of(part.name), errno);
    }
    pass_kill_point("stitch-renamed");
    return {};
  }

  Status conclude() {
    if (!may_go_on_()) return interrupted();
    pass_kill_point("parts-before-sync");
    if (Status status = sync(directory_); !status) return status;
    pass_kill_point("parts-synced");
    if (!may_go_on_()) return interrupted();
    if (Status status = output::write_manifest(directory_, plan_.manifest); !status) return status;
    if (!may_go_on_()) return interrupted();
    if (Status status = remove_tree(path_of(output::kAttemptsName)); !status) return status;
    pass_kill_point("attempts-removed");
    if (!may_go_on_()) return interrupted();
    const Descriptor success(
        ::openat(output_.get(), output::kSuccessName, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!success.is_open()) return system_error("create", path_of(output::kSuccessName), errno);
    pass_kill_point("success-created");
    if (Status status = sync(directory_); !status) return status;
    pass_kill_point("success-synced");
    return {};
  }

  const CommitPlan& plan_;
  const std::string& directory_;
  const MayGoOn& may_go_on_;
  Descriptor output_;
  Descriptor attempts_;
};

}  // namespace

Status commit_output(const CommitPlan& plan, const MayGoOn& may_go_on, const files::Roots& roots) {
  const Result<OutputPlace> place = OutputPlace::find(plan.directory, roots);
  if (!place) return place.error();
  return place->in_words(Commit(plan, place->path(), may_go_on).run());
}

}  // namespace ontime::master
