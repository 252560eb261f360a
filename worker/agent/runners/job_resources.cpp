#include "worker/agent/runners/job_resources.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "common/base/wording.h"
#include "common/files/disk.h"
#include "common/files/file_system.h"
#include "common/hash/sha256.h"
#include "common/log/fields.h"

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

JobFiles::JobFiles(asio::any_io_executor executor, Hook before_each)
    : executor_(std::move(executor)), before_each_(std::move(before_each)) {}

// What waits need not be done: the scratch directory goes with all that is in it.
JobFiles::~JobFiles() {
  for (auto* const thread : {&filling_, &removing_}) {
    if (!*thread) continue;
    (*thread)->stop();
    (*thread)->join();
  }
}

void JobFiles::start_threads() {
  if (filling_) return;
  filling_.emplace(1);
  removing_.emplace(1);
  asio::post(*removing_, [prefix = scratch_.prefix()] { files::TemporaryDirectory::remove_left_overs(prefix); });
}

Result<std::string> JobFiles::make_directory(std::uint64_t runner, const Setup& setup, uid_t user, Made made) {
  if (setup->spec().files().empty()) return std::string();
  if (Status ready = scratch_.make(); !ready) return ready.error();
  start_threads();
  runners_.insert(runner);
  asio::post(*filling_, [this, directory = directory_of(runner), setup, user, made = std::move(made)] {
    asio::post(executor_, [made, status = fill(directory, *setup, user)] { made(status); });
  });
  return directory_of(runner);
}

Status JobFiles::fill(const std::string& directory, const wire::JobSetup& setup, uid_t user) {
  before_each_();
  const int problem = files::make_directory(directory, 0755);
  if (problem != 0) return cannot("make the directory", directory, std::strerror(problem));
  ::chmod(directory.c_str(), user != 0 ? 0700 : 0755);
  if (user != 0 && ::chown(directory.c_str(), user, static_cast<gid_t>(-1)) != 0)
    return cannot("hand over the directory", directory, std::strerror(errno));
  const std::string scratch = directory.substr(0, directory.rfind('/'));
  for (const wire::ShippedFile& file : setup.spec().files()) {
    const auto kept = keep(scratch, file, JobId{setup.job()});
    if (!kept) return kept.error();
    const std::string name = directory + "/" + file.name();
    before_each_();
    if (file.name().find('/') != std::string::npos || ::symlink(kept->c_str(), name.c_str()) != 0)
      return cannot("link", name, std::strerror(errno));
  }
  return {};
}

Result<std::string> JobFiles::keep(const std::string& scratch, const wire::ShippedFile& file, JobId job) {
  const std::string path = scratch + "/" + hash_of(file);
  const auto [entry, is_new] = content_.emplace(path, std::set<JobId>());
  entry->second.insert(job);
  before_each_();
  if (!is_new && ::access(path.c_str(), F_OK) == 0) return path;
  const Descriptor copy = files::open(path, files::kNewFile, 0600);
  int problem = copy ? files::append(copy.get(), file.content()) : errno;
  if (problem == 0 && ::fchmod(copy.get(), file.executable() ? 0555 : 0444) != 0) problem = errno;
  if (problem == 0) return path;
  const Error error = cannot("write", path, std::strerror(problem));
  static_cast<void>(files::remove_all(path, before_each_));
  content_.erase(entry);
  return error;
}

// Behind its filling, which may be under way.
void JobFiles::remove_directory(std::uint64_t runner) {
  if (runners_.erase(runner) == 0) return;
  const std::string directory = directory_of(runner);
  // Its user may be another job's in a moment.
  if (::chmod(directory.c_str(), 0700) == 0 && ::geteuid() == 0)
    static_cast<void>(::chown(directory.c_str(), 0, static_cast<gid_t>(-1)));
  asio::post(*filling_, [this, directory] {
    asio::post(*removing_, [this, directory] {
      const int problem = files::remove_all(directory, before_each_);
      if (problem != 0)
        spdlog::warn("job_files_not_removed path={} message={}", log::Quoted{directory},
                     log::Quoted{std::strerror(problem)});
    });
  });
}

void JobFiles::forget(JobId job) {
  forget_if([job](JobId one) { return one == job; });
}

void JobFiles::forget_all_but(const std::set<JobId>& jobs) {
  forget_if([jobs](JobId one) { return !jobs.contains(one); });
}

void JobFiles::forget_if(std::function<bool(JobId)> is_over) {
  if (!filling_) return;
  asio::post(*filling_, [this, is_over = std::move(is_over)] {
    for (auto at = content_.begin(); at != content_.end();) {
      std::erase_if(at->second, is_over);
      if (!at->second.empty()) {
        ++at;
        continue;
      }
      static_cast<void>(files::remove_all(at->first, before_each_));
      at = content_.erase(at);
    }
  });
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
