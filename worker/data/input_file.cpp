#include "worker/data/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "common/files/within.h"

namespace ontime::worker {

Outcome<OpenedInput> OpenedInput::open(InputFile file, const files::Roots& roots) {
  const files::Opened opened = files::open_within(roots, file.path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (opened.is_outside) {
    return Fault{FaultKind::Input, "the input " + file.path + " lies outside of the input roots (" + roots.text() +
                                       ") of this worker; give master and workers the same roots"};
  }
  Descriptor fd(opened.descriptor);
  errno = opened.problem;
  if (!fd) return system_fault(FaultKind::Input, "cannot open the input " + file.path);
  // Advice only: read ahead farther than usual.
  ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  OpenedInput input(std::move(file), std::move(fd));
  if (auto same = input.check_unchanged(); !same) return std::move(same).error();
  return input;
}

Outcome<std::size_t> OpenedInput::read_at(char* to, std::size_t size, std::uint64_t offset) const {
  if (offset >= file_.size) return std::size_t{0};
  size = static_cast<std::size_t>(std::min<std::uint64_t>(size, file_.size - offset));
  for (;;) {
    const ssize_t got = ::pread(fd_.get(), to, size, static_cast<off_t>(offset));
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) return changed("it ends at byte " + std::to_string(offset) + " of " + std::to_string(file_.size));
    if (errno != EINTR) {
      return system_fault(FaultKind::Input, "cannot read " + file_.path + " at byte " + std::to_string(offset));
    }
  }
}

Outcome<void> OpenedInput::check_unchanged() const {
  struct stat now {};
  if (::fstat(fd_.get(), &now) != 0) return system_fault(FaultKind::Input, "cannot examine " + file_.path);
  if (!S_ISREG(now.st_mode)) return changed("it is no longer a regular file");
  const auto size = static_cast<std::uint64_t>(now.st_size);
  if (size != file_.size) {
    return changed("it has " + std::to_string(size) + " bytes instead of " + std::to_string(file_.size));
  }
  const std::int64_t mtime_ns = std::int64_t{now.st_mtim.tv_sec} * 1'000'000'000 + now.st_mtim.tv_nsec;
  if (mtime_ns != file_.mtime_ns) return changed("it was modified");
  return {};
}

Fault OpenedInput::changed(const std::string& how) const {
  return {FaultKind::InputChanged,
          "the input " + file_.path + " changed after the job was submitted: " + how + "; submit the job again"};
}

}  // namespace ontime::worker
