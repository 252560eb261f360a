#include "worker/agent/job_resources.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "common/base/wording.h"
#include "common/files/disk.h"
#include "common/hash/sha256.h"

namespace ontime::worker {
namespace {

Error cannot(const std::string& what, const std::string& path, const std::string& why) {
  return failed("cannot " + what + " '" + path + "' for the files of a job: " + why);
}

// Also of whether it may be run: the copies differ in that.
std::string hash_of(const wire::ShippedFile& file) {
  return hex_digits(hash::sha256(file.content())) + (file.executable() ? "-x" : "");
}

}  // namespace

Result<std::string> JobFiles::keep(const wire::ShippedFile& file, JobId job) {
  const std::string path = scratch_.path() + "/" + hash_of(file);
  const auto [entry, is_new] = content_.emplace(path, std::set<JobId>());
  entry->second.insert(job);
  if (!is_new && ::access(path.c_str(), F_OK) == 0) return path;
  const Descriptor copy = files::open(path, files::kNewFile, 0600);
  int problem = copy ? files::append(copy.get(), file.content()) : errno;
  if (problem == 0 && ::fchmod(copy.get(), file.executable() ? 0555 : 0444) != 0) problem = errno;
  if (problem == 0) return path;
  const Error error = cannot("write", path, std::strerror(problem));
  files::remove_all(path);
  content_.erase(entry);
  return error;
}

Result<std::string> JobFiles::make_directory(std::uint64_t runner, const wire::JobSetup& setup, uid_t user) {
  if (setup.files().empty()) return std::string();
  if (Status made = scratch_.make(); !made) return made.error();
  const std::string directory = directory_of(runner);
  const int problem = files::make_directory(directory, 0755);
  if (problem != 0) return cannot("make the directory", directory, std::strerror(problem));
  runners_.insert(runner);
  ::chmod(directory.c_str(), user != 0 ? 0700 : 0755);
  if (user != 0 && ::chown(directory.c_str(), user, static_cast<gid_t>(-1)) != 0)
    return cannot("hand over the directory", directory, std::strerror(errno));
  for (const wire::ShippedFile& file : setup.files()) {
    const auto kept = keep(file, JobId{setup.job()});
    if (!kept) return kept.error();
    const std::string name = directory + "/" + file.name();
    if (file.name().find('/') != std::string::npos || ::symlink(kept->c_str(), name.c_str()) != 0)
      return cannot("link", name, std::strerror(errno));
  }
  return directory;
}

void JobFiles::remove_directory(std::uint64_t runner) {
  if (runners_.erase(runner) > 0) files::remove_all(directory_of(runner));
}

void JobFiles::forget(JobId job) {
  forget_if([job](JobId one) { return one == job; });
}

void JobFiles::forget_all_but(const std::set<JobId>& jobs) {
  forget_if([&jobs](JobId one) { return !jobs.contains(one); });
}

void JobFiles::forget_if(const std::function<bool(JobId)>& is_over) {
  for (auto at = content_.begin(); at != content_.end();) {
    std::erase_if(at->second, is_over);
    if (!at->second.empty()) {
      ++at;
      continue;
    }
    files::remove_all(at->first);
    at = content_.erase(at);
  }
}

JobUsers::JobUsers(UserRange range, IsBusy is_busy) : is_busy_(std::move(is_busy)) {
  for (std::size_t i = 0; i < range.size(); ++i) waiting_.push_back(range.first + static_cast<uid_t>(i));
}

std::optional<uid_t> JobUsers::take(JobId job) {
  if (const auto found = taken_.find(job); found != taken_.end()) return found->second;
  const auto free = std::find_if_not(waiting_.begin(), waiting_.end(), is_busy_);
  if (free == waiting_.end()) return std::nullopt;
  const uid_t user = *free;
  waiting_.erase(free);
  taken_.emplace(job, user);
  return user;
}

std::vector<uid_t> JobUsers::left_behind() const {
  std::vector<uid_t> users;
  std::copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(users), is_busy_);
  return users;
}

std::optional<uid_t> JobUsers::give_back(JobId job) {
  const auto taken = taken_.extract(job);
  if (taken.empty()) return std::nullopt;
  waiting_.push_back(taken.mapped());
  return taken.mapped();
}

}  // namespace ontime::worker
