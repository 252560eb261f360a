#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/kill_point.h"
#include "common/files/disk.h"
#include "common/files/sync.h"
#include "master/mounts/file_system.h"
#include "master/outputs/output_directory.h"

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

bool has(int directory, const char* name) {
  struct stat ignored {};
  return ::fstatat(directory, name, &ignored, AT_SYMLINK_NOFOLLOW) == 0;
}

// One commit under way.
class Commit {
 public:
  // `name` and `claim` are the output's.
  Commit(const std::string& name, const std::string& claim, Lasting lasting, const CommitPlan& plan,
         const OutputPlace& place, const MayGoOn& may_go_on)
      : name_(name),
        claim_(claim),
        lasting_(lasting),
        plan_(plan),
        place_(place),
        output_(place.descriptor()),
        directory_(place.path()),
        may_go_on_(may_go_on) {}

  PublishOutcome run() {
    Status status = commit();
    if (!status && may_go_on_()) take_back();
    return {place_.in_words(std::move(status)), std::move(lost_)};
  }

 private:
  Status commit() {
    attempts_ = open_claim(place_, claim_);
    const bool has_success = has(output_, output::kSuccessName);
    if (!attempts_.is_open() && !has_manifest()) return lost();  // without attempts this is a repetition
    if (has_success && (attempts_.is_open() || !has_manifest())) return foreign_success();
    if (has_success) return finish();
    if (Status status = place_parts(); !status) return status;
    return conclude();
  }

  // Of those that can be put in place none is left out for one that lacks bytes: only its task is mapped again.
  Status place_parts() {
    std::vector<std::uint32_t> lacking;
    Status why;
    for (std::uint32_t index = 0; index < plan_.parts.size(); ++index) {
      if (!may_go_on_()) return interrupted();
      const Part& part = plan_.parts[index];
      Status status = place(part);
      if (status) continue;
      if (has_been_taken_over()) return lost();
      if (!lacks_bytes(part)) return status;
      files::remove({output_, part.name});  // it is not what it was
      if (lacking.empty()) why = status;
      lacking.push_back(index);
    }
    if (!lacking.empty() && !open_claim(place_, claim_).is_open()) return lost();
    lost_ = std::move(lacking);
    return why;
  }

  // Not where nobody can tell: what cannot be read may be there.
  bool lacks_bytes(const Part& part) const {
    return std::any_of(part.extents.begin(), part.extents.end(), [this](const Extent& extent) {
      struct stat status {};
      if (::fstatat(attempts_.get(), extent.file.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
      return S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) < extent.offset + extent.length;
    });
  }

  // The claim was there and is not: a master that leads now has committed what this one, which stood still, has not.
  bool has_been_taken_over() const {
    return attempts_.is_open() && !has_removed_claim_ && !open_claim(place_, claim_).is_open();
  }

  bool has_manifest() const { return output::is_manifest_of(output_, claim_); }
  Error lost() const {
    return failed("The output directory '" + name_ +
                  "' is not this job's any more; was it moved or replaced? Submit the job again.");
  }
  Error foreign_success() const {
    return failed("The output directory '" + name_ +
                  "' holds a _SUCCESS that this job did not write; submit the job again with another directory.");
  }
  // A job that is reported to have failed must not look committed, whatever the last step was. The manifest stays
  // unless it would stand beside somebody else's _SUCCESS: once the claim is gone, nothing else tells the discard whose
  // parts these are.
  void take_back() {
    if (has_been_taken_over()) return;
    if (made_success_) {
      files::remove({output_, output::kSuccessName});
    } else if (has(output_, output::kSuccessName) && has_manifest()) {
      files::remove({output_, output::kManifestName});
    }
  }

  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
  std::string attempt_path_of(const std::string& name) const {
    return output::attempts_directory(name_, claim_) + "/" + name;
  }

  Status place(const Part& part) {
    if (part.may_rename) {
      // The common case first: two system calls.
      const auto size = size_of(attempts_.get(), part.extents.front().file);
      if (size && *size >= part.length) return rename_part(part, *size);
    }
    if (size_of(output_, part.name) == part.length) return {};
    if (part.length == 0) return create_empty(part);
    return stitch_part(part);
  }

  Status rename_part(const Part& part, std::uint64_t size) {
    const std::string& file = part.extents.front().file;
    if (size > part.length) {
      if (Status status = shorten(file, part.length); !status) return status;
    }
    pass_kill_point("part-before-rename");
    if (Status status = put_in_place(file, part); !status) return status;
    pass_kill_point("part-renamed");
    return {};
  }

  Status put_in_place(const std::string& file, const Part& part) {
    const int problem = files::rename({attempts_.get(), file}, {output_, part.name});
    return problem == 0 ? Status() : system_error("rename to", path_of(part.name), problem);
  }

  // What lies behind was written for a range that was never sealed.
  Status shorten(const std::string& name, std::uint64_t length) {
    const Descriptor file = files::open({attempts_.get(), name}, O_WRONLY | files::kPlainFile);
    int problem = file ? files::truncate(file.get(), length) : errno;
    if (problem == 0) problem = files::sync(file.get());
    return problem == 0 ? Status() : system_error("truncate", attempt_path_of(name), problem);
  }

  Status create_empty(const Part& part) {
    const Descriptor file = files::open({output_, part.name}, files::kEmptyFile);
    if (!file.is_open()) return system_error("create", path_of(part.name), errno);
    return {};  // the sync of the directory makes it last
  }

  Status stitch_part(const Part& part) {
    if (!attempts_.is_open()) return lost();
    const std::string temporary = part.name + ".stitch";
    const StitchPlace place{attempts_.get(), output::attempts_directory(name_, claim_)};
    if (Status status = stitch(place, part, temporary, may_go_on_); !status) return status;
    if (!may_go_on_()) return interrupted();
    if (Status status = put_in_place(temporary, part); !status) return status;
    pass_kill_point("stitch-renamed");
    return {};
  }

  Status conclude() {
    if (!may_go_on_()) return interrupted();
    pass_kill_point("parts-before-sync");
    if (goes_on_after_power_cut()) {
      if (Status status = sync_directory(directory_); !status) return status;
    }
    pass_kill_point("parts-synced");
    if (!may_go_on_()) return interrupted();
    keep_logs();
    if (Status status = output::write_manifest(directory_, plan_.manifest, goes_on_after_power_cut()); !status)
      return status;
    if (!may_go_on_()) return interrupted();
    if (has_been_taken_over()) return lost();
    if (Status status = remove_claim(place_, claim_); !status) return status;
    has_removed_claim_ = true;
    // Also the claim's end, or it could stand beside _SUCCESS, which then looks like somebody else's.
    if (Status status = sync_what_success_means(); !status) return status;
    pass_kill_point("attempts-removed");
    if (!may_go_on_()) return interrupted();
    const Descriptor success = files::open({output_, output::kSuccessName}, files::kNewFile);
    // All is there and the claim is gone: a master that leads now has made an empty one.
    if (!success.is_open() && errno == EEXIST)
      return size_of(output_, output::kSuccessName) == 0 ? finish() : foreign_success();
    if (!success.is_open()) return system_error("create", path_of(output::kSuccessName), errno);
    made_success_ = true;
    pass_kill_point("success-created");
    return finish();
  }

  // If somebody does, each step has to last before the next one; otherwise it is enough that all last before _SUCCESS.
  bool goes_on_after_power_cut() const { return lasting_ == Lasting::SinceSeal; }

  Status sync_what_success_means() const {
    if (goes_on_after_power_cut()) return sync_directory(directory_);
    std::vector<const char*> names{output::kManifestName};
    names.reserve(1 + plan_.parts.size());
    for (const Part& part : plan_.parts) names.push_back(part.name.c_str());
    const int problem = files::sync_files(output_, names, note_progress);
    if (problem != 0) return system_error("sync the files in", name_, problem);
    return sync_with_parents(place_);
  }

  // No job fails for its logs. A master that was restarted has none, and leaves those that are there.
  void keep_logs() const {
    if (!plan_.logs.empty()) static_cast<void>(output::write_logs(directory_, plan_.logs));
    files::remove({output_, output::kNewLogsName});
  }

  // All is there, and the job's directory is found by its name.
  Status finish() {
    // A power cut can bring names back that were removed.
    static_cast<void>(remove_claim(place_, claim_));
    files::remove_directory({output_, output::kAttemptsName});
    if (Status status = sync_directory(directory_); !status) return status;
    pass_kill_point("success-synced");
    return place_.is_in_place() ? Status() : lost();
  }

  const std::string& name_;
  const std::string& claim_;
  const Lasting lasting_;
  const CommitPlan& plan_;
  const OutputPlace& place_;
  const int output_;
  const std::string& directory_;
  const MayGoOn& may_go_on_;
  Descriptor attempts_;
  bool has_removed_claim_ = false;
  bool made_success_ = false;
  std::vector<std::uint32_t> lost_;
};

}  // namespace

PublishOutcome DirectoryOutput::publish(const CommitPlan& plan, const MayGoOn& may_go_on) {
  const Result<OutputPlace> place = OutputPlace::find(name_, roots_);
  if (!place) return {place.error()};
  return Commit(name_, claim_, lasting_, plan, *place, may_go_on).run();
}

}  // namespace ontime::master
