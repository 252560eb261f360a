#include "worker/data/input_source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "common/files/roots.h"

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

namespace {

class PlainSource final : public InputSource {
 public:
  explicit PlainSource(const OpenedInput& input) : input_(input) {}

  Outcome<std::size_t> read(char* to, std::size_t size) override {
    std::size_t total = 0;
    while (total < size) {
      auto got = input_.read_at(to + total, size - total, offset_);
      if (!got) return std::move(got).error();
      if (*got == 0) break;
      total += *got;
      offset_ += *got;
    }
    return total;
  }

  Outcome<std::uint64_t> skip_to(std::uint64_t offset) override {
    offset_ = std::min(offset, input_.file().size);
    return offset_;
  }

 private:
  const OpenedInput& input_;
  std::uint64_t offset_ = 0;
};

}  // namespace

std::unique_ptr<InputSource> make_source(const OpenedInput& input) {
  switch (input.file().codec) {
    case Codec::Gzip:
      return make_gzip_source(input);
    case Codec::Zstd:
      return make_zstd_source(input);
    case Codec::Plain:
      break;
  }
  return std::make_unique<PlainSource>(input);
}

Outcome<std::size_t> CompressedSource::read(char* to, std::size_t size) {
  std::size_t total = 0;
  while (total < size) {
    const Step step =
        decompress({stored_.data() + stored_begin_, stored_end_ - stored_begin_}, to + total, size - total);
    stored_begin_ += step.consumed;
    total += step.produced;
    offset_ += step.produced;
    if (step.error != nullptr) return broken(step.error);
    if (step.produced > 0 || stored_begin_ < stored_end_) continue;
    auto more = refill();
    if (!more) return std::move(more).error();
    if (*more) continue;
    if (!may_end()) return broken("the file ends in the middle of it");
    break;
  }
  return total;
}

Outcome<std::uint64_t> CompressedSource::skip_to(std::uint64_t offset) {
  std::vector<char> discarded(kStoredBytes);
  while (offset_ < offset) {
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(discarded.size(), offset - offset_));
    auto got = read(discarded.data(), want);
    if (!got) return std::move(got).error();
    if (*got == 0) break;
  }
  return offset_;
}

Outcome<bool> CompressedSource::refill() {
  auto got = input_.read_at(stored_.data(), stored_.size(), stored_offset_);
  if (!got) return std::move(got).error();
  stored_begin_ = 0;
  stored_end_ = *got;
  stored_offset_ += *got;
  return *got > 0;
}

// A file that was changed under our hands looks broken too; that is then the better thing to say.
Fault CompressedSource::broken(const char* why) const {
  if (auto same = input_.check_unchanged(); !same) return std::move(same).error();
  const std::uint64_t at = stored_offset_ - (stored_end_ - stored_begin_);
  return {FaultKind::BadRecord, "the compressed stream in " + input_.file().path + " is broken at byte " +
                                    std::to_string(at) + " (byte " + std::to_string(offset_) +
                                    " of its content): " + why};
}

}  // namespace ontime::worker
