#include "master/output_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "common/base/ids.h"
#include "common/output/manifest.h"
#include "master/file_system.h"

namespace ontime::master {
namespace {

namespace fs = std::filesystem;

constexpr const char* kClaimName = ".claim";  // in _attempts; holds the id of the cluster

fs::path attempts_of(const std::string& directory) { return fs::path(directory) / output::kAttemptsName; }

Error refused(const std::string& directory, const std::string& why) {
  return bad_input("The output directory '" + directory + "' " + why + ".");
}

bool has_claim(const std::string& directory, const std::string& cluster) {
  std::ifstream claim(attempts_of(directory) / kClaimName);
  std::string owner;
  return std::getline(claim, owner) && owner == cluster;
}

// Number of entries; negative if it cannot be read.
std::ptrdiff_t entries_of(const fs::path& directory, std::error_code& error) {
  std::ptrdiff_t count = 0;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) ++count;
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
  const bool only_claim = entries == 1 && entries_of(attempts_of(directory), error) == 1;
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

Status write_claim(const std::string& directory, const std::string& cluster) {
  const std::string path = attempts_of(directory) / kClaimName;
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.is_open()) return system_error("create", path, errno);
  const std::string text = cluster + "\n";
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return system_error("write", path, errno);
  }
  return {};
}

Status sync_claim(const std::string& directory) {
  const std::string parent = fs::path(directory).parent_path();
  for (const std::string& path : {attempts_of(directory).string(), directory, parent}) {
    if (Status status = sync_directory(path); !status) return status;
  }
  return {};
}

}  // namespace

Status claim_output(const std::string& directory, const std::string& cluster) {
  const Result<Found> found = look_at(directory, cluster);
  if (!found) return found.error();
  if (*found == Found::SomethingElse) {
    return refused(directory, "is not empty; name one that does not exist yet, or empty it");
  }
  if (*found == Found::OurClaim) return sync_claim(directory);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return refused(directory, "cannot be created: " + error.message());
  // mkdir tells which of two masters that claim the same directory was first.
  if (::mkdir(attempts_of(directory).c_str(), 0755) != 0) {
    if (errno == EEXIST) return refused(directory, "is being used by another job");
    return refused(directory, "cannot be written: " + std::system_category().message(errno));
  }
  Status status = write_claim(directory, cluster);
  if (status) status = sync_claim(directory);
  if (!status) static_cast<void>(remove_tree(attempts_of(directory)));
  return status;
}

Status discard_output(const std::string& directory, std::uint32_t parts, const std::string& cluster) {
  if (!has_claim(directory, cluster)) return {};
  const fs::path path(directory);
  std::error_code error;
  if (fs::exists(path / output::kSuccessName, error)) return {};
  for (std::uint32_t task = 0; task < parts; ++task) fs::remove(path / part_file_name(task), error);
  fs::remove(path / output::kManifestName, error);
  fs::remove(path / (std::string(output::kManifestName) + ".new"), error);
  if (Status status = remove_attempt_files(directory); !status) return status;
  if (Status status = remove_tree(attempts_of(directory)); !status) return status;
  fs::remove(path, error);  // only if it is empty; anything left is not ours
  return {};
}

}  // namespace ontime::master
