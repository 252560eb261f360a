#include "cli/spooled_input.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "cli/cluster/interrupt.h"
#include "cli/result/answer_output.h"
#include "cli/show/table.h"
#include "common/base/descriptor.h"
#include "common/base/units.h"
#include "common/files/disk.h"
#include "common/store/name.h"

namespace ontime::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardInput = "-";
constexpr std::size_t kReadBytes = 1 << 20;
constexpr std::string_view kPrefix = "ontime-stdin-";

// The directory that the output is to be made in, or the first above it that is there.
std::string directory_above(const std::string& output) {
  std::error_code ignored;
  fs::path above = fs::absolute(output, ignored).lexically_normal();
  if (!above.has_filename()) above = above.parent_path();  // it ends in a slash
  do above = above.parent_path();
  while (!fs::is_directory(above, ignored) && above.has_relative_path());
  return above.string();
}

mode_t mask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

// poll() ends with a signal; read() would not.
Result<std::uint64_t> copy_standard_input(int to, std::uint64_t bytes_max) {
  DescriptorOutput out(to, "it");
  for (;;) {
    pollfd ready{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    static_cast<void>(poll(&ready, 1, -1));
    if (Status status = check_interrupts(); !status) return status.error();
    const ssize_t size = ready.revents == 0 ? -1 : ::read(STDIN_FILENO, out.reserve(kReadBytes), kReadBytes);
    if (size < 0 && (ready.revents == 0 || errno == EINTR)) continue;
    if (size < 0) return failed(std::string("it cannot be read: ") + std::strerror(errno));
    if (size == 0) break;
    out.commit(static_cast<std::size_t>(size));
    if (out.bytes() > bytes_max)
      return bad_input("there are more than " + format_size(bytes_max) +
                       ", the most that is kept; give a larger --stdin-limit, or save it to a file and name that");
    if (!out.status()) return out.status().error();
  }
  const std::uint64_t copied = out.bytes();
  if (Status status = out.finish(); !status) return status.error();
  return copied;
}

}  // namespace

bool SpooledInput::is_asked(const JobOptions& job) {
  return std::find(job.inputs.begin(), job.inputs.end(), kStandardInput) != job.inputs.end();
}

Status SpooledInput::read(JobOptions& job) { return read_into(job, files::TemporaryDirectory::parent(), false); }

Status SpooledInput::read_for_others(JobOptions& job) {
  if (is_asked(job) && store::is_name(job.output))
    return bad_input("input '-' is kept in a file beside the output, and '" + job.output +
                     "' is in a store; save it in the store and name that");
  return read_into(job, directory_above(job.output), true);
}

Status SpooledInput::read_into(JobOptions& job, const std::string& parent, bool is_for_others) {
  const auto named = std::find(job.inputs.begin(), job.inputs.end(), kStandardInput);
  if (named == job.inputs.end()) return {};
  if (std::find(named + 1, job.inputs.end(), kStandardInput) != job.inputs.end())
    return bad_input("input '-' is given twice, and standard input can be read once");
  install_interrupt_handlers();
  auto directory = is_for_others ? files::TemporaryDirectory::make(parent, kPrefix) : files::TemporaryDirectory::make();
  if (!directory) return directory.error();
  directory_ = std::move(*directory);
  if (is_for_others) chmod(directory_->path().c_str(), 0777 & ~mask());
  const std::string path = directory_->path() + "/stdin";
  const Descriptor file = files::open(path, files::kNewFile, 0666);
  const auto copied = file ? copy_standard_input(file.get(), job.stdin_bytes_max) : failed(std::strerror(errno));
  if (!copied) {
    const std::string message = "input '-', kept in '" + path + "': " + copied.error().message;
    return copied.error().kind == ErrorKind::BadInput ? bad_input(message) : failed(message);
  }
  *named = path;
  if (is_quiet_) return {};
  std::fprintf(stderr, "ontime: standard input (%s) is kept in '%s' until the job has ended\n",
               format_size(*copied).c_str(), printable(path).c_str());
  return {};
}

void SpooledInput::keep() {
  if (!directory_) return;
  directory_->keep();
  std::fprintf(stderr, "ontime: the job reads '%s'; remove it when the job has ended\n",
               printable(directory_->path()).c_str());
}

}  // namespace ontime::cli
