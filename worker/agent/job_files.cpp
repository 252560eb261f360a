#include "worker/agent/job_files.h"

#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace ontime::worker {
namespace {

Error cannot(const std::string& what, const std::string& path, const std::string& why) {
  return failed("cannot " + what + " '" + path + "' for the files of a job: " + why);
}

// Also of whether it may be run: the copies differ in that.
std::string hash_of(const wire::ShippedFile& file) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(file.content().data()), file.content().size(), digest.data());
  std::string text;
  for (const unsigned char byte : digest) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    text += digits.data();
  }
  return text + (file.executable() ? "-x" : "");
}

}  // namespace

Result<std::string> JobFiles::keep(const wire::ShippedFile& file, JobId job) {
  const std::string path = scratch_.path() + "/" + hash_of(file);
  const auto [entry, is_new] = content_.emplace(path, std::set<JobId>());
  entry->second.insert(job);
  if (!is_new) return path;
  std::ofstream copy(path, std::ios::binary);
  copy << file.content();
  copy.close();
  if (copy && ::chmod(path.c_str(), file.executable() ? 0555 : 0444) == 0) return path;
  const Error error = cannot("write", path, std::strerror(errno));
  remove_all(path);
  content_.erase(entry);
  return error;
}

Result<std::string> JobFiles::make_directory(std::uint64_t runner, const wire::JobSetup& setup) {
  if (setup.files().empty()) return std::string();
  if (Status made = scratch_.make(); !made) return made.error();
  const std::string directory = directory_of(runner);
  if (::mkdir(directory.c_str(), 0755) != 0) return cannot("make the directory", directory, std::strerror(errno));
  ::chmod(directory.c_str(), 0755);
  runners_.insert(runner);
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
  if (runners_.erase(runner) > 0) remove_all(directory_of(runner));
}

void JobFiles::forget(JobId job) {
  for (auto at = content_.begin(); at != content_.end();) {
    at->second.erase(job);
    if (!at->second.empty()) {
      ++at;
      continue;
    }
    remove_all(at->first);
    at = content_.erase(at);
  }
}

}  // namespace ontime::worker
