#include "master/journal/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace ontime::journal {
namespace {

std::string quoted(const std::string& path) { return "'" + path + "'"; }

Error about(const char* what, const std::string& path) {
  return failed(std::string("Cannot ") + what + " " + quoted(path) + ": " + std::strerror(errno) + ".");
}

}  // namespace

Result<std::unique_ptr<DirectoryLock>> DirectoryLock::take(const std::string& directory) {
  const std::string path = directory + "/" + kName;
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return about("create", path);
  auto lock = std::unique_ptr<DirectoryLock>(new DirectoryLock(path, std::move(file)));
  if (::flock(lock->file_.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return about("lock", path);
  return failed("The journal in " + quoted(directory) +
                " is in use by another ontime-master; stop it or name another directory with --journal.");
}

bool DirectoryLock::is_in_place() const {
  struct stat held{};
  struct stat named{};
  return ::fstat(file_.get(), &held) == 0 && ::stat(path_.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

void DirectoryLock::note(const Chain& written) const {
  const std::string bytes = encode_chain(written);
  static_cast<void>(!::pwrite(file_.get(), bytes.data(), bytes.size(), 0));
}

std::optional<Chain> DirectoryLock::noted_in(const std::string& directory) {
  std::ifstream file(directory + "/" + kName, std::ios::binary);
  std::string bytes(kChainBytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file ? decode_chain(bytes) : std::nullopt;
}

}  // namespace ontime::journal
