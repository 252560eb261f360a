#include "master/journal/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "common/base/crc32c.h"
#include "common/base/wording.h"

namespace ontime::journal {
namespace {

constexpr std::size_t kCheckedBytes = 12;  // before the checksum of the encoding itself

void put(std::string& bytes, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
}

std::uint64_t get(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return number;
}

}  // namespace

Chain Chain::with(std::string_view batch) const {
  std::string before;
  put(before, checksum, 4);
  return {batches + 1, crc32c(crc32c(before), batch.data(), batch.size())};
}

std::string encode_chain(const Chain& chain) {
  std::string bytes;
  put(bytes, chain.batches, 8);
  put(bytes, chain.checksum, 4);
  put(bytes, crc32c(bytes), 4);
  return bytes;
}

std::optional<Chain> decode_chain(std::string_view bytes) {
  if (bytes.size() != kChainBytes || get(bytes.substr(kCheckedBytes)) != crc32c(bytes.substr(0, kCheckedBytes)))
    return std::nullopt;
  return Chain{get(bytes.substr(0, 8)), static_cast<std::uint32_t>(get(bytes.substr(8, 4)))};
}

namespace {

Error about(const char* what, const std::string& path) {
  return failed(std::string("Cannot ") + what + " " + in_quotes(path) + ": " + std::strerror(errno) + ".");
}

}  // namespace

Result<std::unique_ptr<DirectoryLock>> DirectoryLock::take(const std::string& directory) {
  const std::string path = directory + "/" + kName;
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return about("create", path);
  auto lock = std::unique_ptr<DirectoryLock>(new DirectoryLock(path, std::move(file)));
  if (::flock(lock->file_.get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return about("lock", path);
  return failed("The journal in " + in_quotes(directory) +
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
