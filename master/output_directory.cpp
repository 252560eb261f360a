#include "master/output_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "common/base/ids.h"
#include "common/base/kill_point.h"
#include "common/output/manifest.h"
#include "master/file_system.h"
#include "master/output_place.h"
#include "master/progress.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;

constexpr const char* kClaimName = ".claim";  // in _attempts; holds the id of the cluster

fs::path attempts_of(const std::string& directory) { return fs::path(directory) / output::kAttemptsName; }

// Where _attempts is made ready before it gets its name. What a crash leaves there is told by the name.
fs::path unclaimed_attempts_of(const std::string& directory, const std::string& cluster) {
  return fs::path(directory) / (std::string(output::kAttemptsName) + ".of-" + cluster);
}

Error refused(const std::string& directory, const std::string& why) {
  return bad_input("The output directory '" + directory + "' " + why + ".");
}

// A disk that is full or broken is nothing that the submission did wrong.
Error cannot_make(const std::string& directory, int problem) {
  if (problem == ENOSPC || problem == EDQUOT || problem == EIO) return system_error("create", directory, problem);
  return refused(directory, "cannot be created: " + std::system_category().message(problem));
}

bool has_claim(const std::string& directory, const std::string& cluster) {
  std::ifstream claim(attempts_of(directory) / kClaimName);
  std::string owner;
  return std::getline(claim, owner) && owner == cluster;
}

// Number of entries; negative if it cannot be read.
std::ptrdiff_t entries_of(const fs::path& directory, std::error_code& error) {
  std::ptrdiff_t count = 0;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error), ++count) {
    note_progress();
  }
  return error ? -1 : count;
}

enum class Found { Nothing, Empty, OurClaim, SomethingElse };

// What lies where the output is to go.
Result<Found> look_at(const std::string& directory, const std::string& cluster) {
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0) {
    if (errno == ENOENT) return Found::Nothing;
    return refused(directory, "cannot be used: " + std::system_category().message(errno));
  }
  if (!S_ISDIR(status.st_mode)) return refused(directory, "is a file; name a directory that does not exist yet");
  std::error_code error;
  const std::ptrdiff_t entries = entries_of(directory, error);
  if (entries < 0) return refused(directory, "cannot be read: " + error.message());
  if (entries == 0) return Found::Empty;
  if (entries > 1) return Found::SomethingElse;
  if (fs::exists(unclaimed_attempts_of(directory, cluster), error)) return Found::Empty;
  const bool only_claim = entries_of(attempts_of(directory), error) == 1;
  return only_claim && has_claim(directory, cluster) ? Found::OurClaim : Found::SomethingElse;
}

// Everything in _attempts but the claim.
Status remove_attempt_files(const std::string& directory) {
  std::error_code error;
  for (fs::directory_iterator at(attempts_of(directory), error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename() == kClaimName) continue;
    if (Status status = remove_tree(at->path()); !status) return status;
  }
  return {};
}

Status write_claim(const fs::path& attempts, const std::string& cluster) {
  const std::string path = attempts / kClaimName;
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.is_open()) return system_error("create", path, errno);
  const std::string text = cluster + "\n";
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) || ::fsync(file.get()) != 0) {
    return system_error("write", path, errno);
  }
  return {};
}

// _attempts appears with its claim in it or not at all, and the rename tells which of two masters that claim the same
// directory was first.
Status make_claim(const std::string& directory, const std::string& cluster) {
  const fs::path unclaimed = unclaimed_attempts_of(directory, cluster);
  pass_kill_point("claim-before-mkdir");
  if (Status status = remove_tree(unclaimed); !status) return status;
  if (::mkdir(unclaimed.c_str(), 0755) != 0) {
    return cannot_make(directory, errno);
  }
  pass_kill_point("claim-directory-made");
  Status status = write_claim(unclaimed, cluster);
  if (status) status = sync_directory(unclaimed);  // its name must not outlive a power cut without the claim
  pass_kill_point("claim-written");
  if (status && ::rename(unclaimed.c_str(), attempts_of(directory).c_str()) != 0) {
    const bool is_taken = errno == ENOTEMPTY || errno == EEXIST;
    status = is_taken ? refused(directory, "is being used by another job") : cannot_make(directory, errno);
  }
  if (!status) static_cast<void>(remove_tree(unclaimed));
  return status;
}

Status sync_claim(const std::string& directory) {
  std::error_code error;
  const fs::path parent = fs::canonical(directory, error).parent_path();
  for (const std::string& path : {attempts_of(directory).string(), directory, parent.string()}) {
    if (Status status = sync_directory(path); !status) return status;
  }
  // Any of those above may be new as well; one that cannot be opened is not.
  for (fs::path at = parent; at.has_relative_path(); at = at.parent_path()) {
    static_cast<void>(sync_directory(at.parent_path()));
  }
  return {};
}

Status claim(const std::string& directory, const std::string& cluster) {
  const Result<Found> found = look_at(directory, cluster);
  if (!found) return found.error();
  if (*found == Found::SomethingElse) {
    return refused(directory, "is not empty; name one that does not exist yet, or empty it");
  }
  if (*found == Found::OurClaim) return sync_claim(directory);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return cannot_make(directory, error.value());
  if (Status made = make_claim(directory, cluster); !made) return made;
  pass_kill_point("claim-renamed");
  Status status = sync_claim(directory);
  if (!status) static_cast<void>(remove_tree(attempts_of(directory)));
  return status;
}

Status discard(const std::string& directory, std::uint32_t parts, const std::string& cluster) {
  if (!has_claim(directory, cluster)) return {};
  const fs::path path(directory);
  std::error_code error;
  if (fs::exists(path / output::kSuccessName, error)) return {};
  pass_kill_point("discard-before-parts");
  for (std::uint32_t task = 0; task < parts; ++task) {
    note_progress();
    fs::remove(path / part_file_name(task), error);
  }
  fs::remove(path / output::kManifestName, error);
  fs::remove(path / (std::string(output::kManifestName) + ".new"), error);
  pass_kill_point("discard-parts-removed");
  if (Status status = remove_attempt_files(directory); !status) return status;
  // The claim goes last, in a power cut too.
  for (const std::string& place : {attempts_of(directory).string(), directory}) {
    if (Status status = sync_directory(place); !status) return status;
  }
  pass_kill_point("discard-attempt-files-removed");
  if (Status status = remove_tree(attempts_of(directory)); !status) return status;
  pass_kill_point("discard-attempts-removed");
  ::rmdir(fs::canonical(path, error).c_str());  // only if it is empty; anything left is not ours
  pass_kill_point("discard-done");
  return {};
}

}  // namespace

Status claim_output(const std::string& directory, const std::string& cluster, const files::Roots& roots) {
  const Result<OutputPlace> place = OutputPlace::make(directory, roots);
  return place ? place->in_words(claim(place->path(), cluster)) : place.error();
}

Status discard_output(const std::string& directory, std::uint32_t parts, const std::string& cluster,
                      const files::Roots& roots) {
  const Result<OutputPlace> place = OutputPlace::find(directory, roots);
  if (place) return place->in_words(discard(place->path(), parts, cluster));
  std::error_code error;
  if (!fs::exists(directory, error)) return {};
  return place.error();
}

}  // namespace ontime::master
