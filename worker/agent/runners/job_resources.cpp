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

#include "common/files/disk.h"
#include "common/files/file_system.h"
#include "common/log/fields.h"

namespace ontime::worker {
namespace {

Error cannot(const std::string& what, const std::string& path, int problem) {
  return failed("cannot " + what + " '" + path + "' for a job to work in: " + std::strerror(problem));
}

// Programs that a job's attempts start are its parameter `command`.
bool starts_programs(const wire::JobSpec& job) {
  return std::any_of(job.parameters().begin(), job.parameters().end(),
                     [](const wire::Entry& parameter) { return parameter.key() == "command"; });
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
  if (setup->spec().files().empty() && !starts_programs(setup->spec())) return std::string();
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
  const int problem = files::make_directory(directory, 0700);
  if (problem != 0) return cannot("make the directory", directory, problem);
  for (const wire::ShippedFile& file : setup.spec().files()) {
    if (Status written = write(directory, file); !written) return written;
  }
  if (user != ::geteuid() && ::chown(directory.c_str(), user, static_cast<gid_t>(-1)) != 0)
    return cannot("hand over the directory", directory, errno);
  return {};
}

Status JobFiles::write(const std::string& directory, const wire::ShippedFile& file) {
  const std::string path = directory + "/" + file.name();
  before_each_();
  if (file.name().find('/') != std::string::npos) return cannot("write", path, EINVAL);
  const Descriptor copy = files::open(path, files::kNewFile, 0600);
  int problem = copy ? files::append(copy.get(), file.content()) : errno;
  if (problem == 0 && ::fchmod(copy.get(), file.executable() ? 0555 : 0444) != 0) problem = errno;
  return problem == 0 ? Status() : cannot("write", path, problem);
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
