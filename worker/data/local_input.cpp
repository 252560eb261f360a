// Inputs of the file system.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "common/base/descriptor.h"
#include "worker/data/input_source.h"

namespace ontime::worker {
namespace {

FaultKind kind_of(int problem) {
  if (problem == ENOENT || problem == ENOTDIR || problem == ESTALE) return FaultKind::Vanished;
  return problem == EACCES || problem == EPERM ? FaultKind::Unreadable : FaultKind::Input;
}

class LocalInput final : public StoredInput {
 public:
  LocalInput(InputFile file, Descriptor descriptor)
      : StoredInput(std::move(file)), descriptor_(std::move(descriptor)) {}

  Outcome<std::size_t> read_at(char* to, std::size_t size, std::uint64_t offset) override {
    if (offset >= file().size) return std::size_t{0};
    size = static_cast<std::size_t>(std::min<std::uint64_t>(size, file().size - offset));
    for (;;) {
      const ssize_t got = ::pread(descriptor_.get(), to, size, static_cast<off_t>(offset));
      if (got > 0) return static_cast<std::size_t>(got);
      if (got == 0) {
        return changed("it ends at byte " + std::to_string(offset) + " of " + std::to_string(file().size));
      }
      if (errno != EINTR) {
        return system_fault(kind_of(errno), "cannot read " + file().path + " at byte " + std::to_string(offset));
      }
    }
  }

  Outcome<void> check_unchanged() override {
    struct stat now {};
    if (::fstat(descriptor_.get(), &now) != 0) return system_fault(kind_of(errno), "cannot examine " + file().path);
    if (!S_ISREG(now.st_mode)) return changed("it is no longer a regular file");
    const auto size = static_cast<std::uint64_t>(now.st_size);
    const bool may_grow = files::is_growing(file().version);
    if (may_grow && files::growing_version_of(now) != file().version) return changed("another file has its name");
    if (may_grow && size >= file().size) return {};
    if (size != file().size) {
      const char* const hint = size > file().size ? ", which --growing allows" : "";
      return changed("it has " + std::to_string(size) + " bytes instead of " + std::to_string(file().size) + hint);
    }
    if (files::version_of(now) != file().version) return changed("it was modified");
    return {};
  }

 private:
  const Descriptor descriptor_;
};

}  // namespace

Outcome<std::unique_ptr<StoredInput>> open_local_input(InputFile file, const InputAccess& access) {
  const files::Opened opened =
      files::open_within(access.roots, file.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (opened.is_outside) {
    return Fault{FaultKind::Input, "the input " + file.path + " lies outside of the input roots (" +
                                       access.roots.text() +
                                       ") of this worker; give master and workers the same roots"};
  }
  Descriptor descriptor(opened.descriptor);
  errno = opened.problem;
  if (!descriptor) return system_fault(kind_of(opened.problem), "cannot open the input " + file.path);
  // Advice only: read ahead farther than usual.
  ::posix_fadvise(descriptor.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  std::unique_ptr<StoredInput> input = std::make_unique<LocalInput>(std::move(file), std::move(descriptor));
  if (auto same = input->check_unchanged(); !same) return std::move(same).error();
  return input;
}

}  // namespace ontime::worker
