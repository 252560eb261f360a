#include "master/journal/directory.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "common/base/crc32c.h"
#include "common/base/little_endian.h"
#include "common/base/wording.h"
#include "common/files/file_system.h"

namespace ontime::journal {

Chain Chain::with(std::string_view batch) const {
  return {batches + 1, crc32c(crc32c(little_endian(checksum, 4)), batch.data(), batch.size())};
}

std::string encode_chain(const Chain& chain) {
  const std::string bytes = little_endian(chain.batches, 8) + little_endian(chain.checksum, 4);
  return bytes + little_endian(crc32c(bytes), 4);
}

std::optional<Chain> decode_chain(std::string_view bytes) {
  if (bytes.size() != kChainBytes) return std::nullopt;
  const Chain chain{from_little_endian(bytes.substr(0, 8)), from_little_endian<std::uint32_t>(bytes.substr(8, 4))};
  return encode_chain(chain) == bytes ? std::optional(chain) : std::nullopt;
}

namespace {

constexpr mode_t kMode = 0600;

Error about(const char* what, const std::string& path) {
  return failed(std::string("Cannot ") + what + " " + in_quotes(path) + ": " + std::strerror(errno) + ".");
}

}  // namespace

Result<std::unique_ptr<DirectoryLock>> DirectoryLock::take(const std::string& directory) {
  const std::string path = directory + "/" + kName;
  Descriptor file = files::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (!file) return about("create", path);
  auto lock = std::unique_ptr<DirectoryLock>(new DirectoryLock(path, std::move(file)));
  if (::flock(lock->file_.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return about("lock", path);
  return unavailable("The journal in " + in_quotes(directory) +
                     " is in use by another ontime-master; stop it or name another directory with --journal.");
}

bool DirectoryLock::is_in_place() const {
  struct stat held {};
  struct stat named {};
  return ::fstat(file_.get(), &held) == 0 && ::stat(path_.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

void DirectoryLock::note(const Chain& written) const {
  static_cast<void>(files::write_at(file_.get(), 0, encode_chain(written)));
}

std::optional<Chain> DirectoryLock::noted_in(const std::string& directory) {
  std::ifstream file(directory + "/" + kName, std::ios::binary);
  std::string bytes(kChainBytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file ? decode_chain(bytes) : std::nullopt;
}

Status make_files_private(const std::string& directory) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    if (!entry.is_regular_file(ignored) || entry.is_symlink(ignored)) continue;
    if (::chmod(entry.path().c_str(), kMode) != 0 && errno != ENOENT) {
      return failed("Cannot keep others out of the journal's file '" + entry.path().string() +
                    "': " + std::strerror(errno) + ".");
    }
  }
  return {};
}

}  // namespace ontime::journal
