#include "cli/spooled_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "cli/cluster/interrupt.h"
#include "cli/parameter_lists.h"
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

// The descriptor that a name means to this process only, as a shell's <(...) gives one.
std::optional<int> own_descriptor(const std::string& input) {
  if (input == kStandardInput || input == "/dev/stdin") return STDIN_FILENO;
  for (const std::string_view directory : {"/dev/fd/", "/proc/self/fd/"}) {
    if (input.starts_with(directory)) return number_in<int>(std::string_view(input).substr(directory.size()));
  }
  return std::nullopt;
}
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
Result<std::uint64_t> copy(int from, int to, std::uint64_t bytes_max) {
  DescriptorOutput out(to, "it");
  for (;;) {
    pollfd ready{.fd = from, .events = POLLIN, .revents = 0};
    static_cast<void>(poll(&ready, 1, -1));
    if (Status status = check_interrupts(); !status) return status.error();
    const ssize_t size = ready.revents == 0 ? -1 : ::read(from, out.reserve(kReadBytes), kReadBytes);
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
  return !job.lists.empty() ||
         std::any_of(job.inputs.begin(), job.inputs.end(), [](const auto& input) { return own_descriptor(input); });
}

Status SpooledInput::read(JobOptions& job) { return read_into(job, files::TemporaryDirectory::parent(), false); }

Status SpooledInput::read_for_others(JobOptions& job) {
  if (is_asked(job) && store::is_name(job.output))
    return bad_input("input '-' is kept in a file beside the output, and '" + job.output +
                     "' is in a store; save it in the store and name that");
  return read_into(job, directory_above(job.output), true);
}

Status SpooledInput::read_into(JobOptions& job, const std::string& parent, bool is_for_others) {
  if (!is_asked(job)) return {};
  install_interrupt_handlers();
  auto directory = is_for_others ? files::TemporaryDirectory::make(parent, kPrefix) : files::TemporaryDirectory::make();
  if (!directory) return directory.error();
  directory_ = std::move(*directory);
  if (is_for_others) chmod(directory_->path().c_str(), 0777 & ~mask());
  std::set<int> read;
  for (std::string& input : job.inputs) {
    if (!job.lists.empty() && input == kListsInput) {
      if (Status kept = keep_lists(job, input); !kept) return kept;
      continue;
    }
    const auto descriptor = own_descriptor(input);
    if (!descriptor) continue;
    // The other end of a pipe would be waited for until somebody ends it.
    const int mode = ::fcntl(*descriptor, F_GETFL);
    if (*descriptor != STDIN_FILENO && mode >= 0 && (mode & O_ACCMODE) == O_WRONLY)
      return bad_input("input '" + input + "' is only open for writing");
    if (!read.insert(*descriptor).second)
      return bad_input("input '" + input + "' is given twice, and what it stands for can be read once");
    if (Status kept = keep_in_file(input, *descriptor, job.stdin_bytes_max); !kept) return kept;
  }
  return {};
}

// The file takes the place of the input.
Status SpooledInput::keep_in_file(std::string& input, int descriptor, std::uint64_t bytes_max) {
  const bool is_standard = descriptor == STDIN_FILENO;
  const std::string path = directory_->path() + (is_standard ? "/stdin" : "/fd-" + std::to_string(descriptor));
  const Descriptor file = files::open(path, files::kNewFile, 0666);
  const auto copied = file ? copy(descriptor, file.get(), bytes_max) : failed(std::strerror(errno));
  if (!copied) {
    const std::string message = "input '" + input + "', kept in '" + path + "': " + copied.error().message;
    return copied.error().kind == ErrorKind::BadInput ? bad_input(message) : failed(message);
  }
  if (!is_quiet_)
    std::fprintf(stderr, "ontime: %s (%s) is kept in '%s' until the job has ended\n",
                 is_standard ? "standard input" : printable(input).c_str(), format_size(*copied).c_str(),
                 printable(path).c_str());
  input = path;
  return {};
}

// The application learns what divides the values of a record.
Status SpooledInput::keep_lists(JobOptions& job, std::string& input) {
  const auto lists = ParameterLists::read(job.lists);
  if (!lists) return lists.error();
  const std::string path = directory_->path() + "/list";
  const Descriptor file = files::open(path, files::kNewFile, 0666);
  if (!file) return failed("the lists cannot be kept in '" + path + "': " + std::strerror(errno));
  DescriptorOutput out(file.get(), "the lists, kept in '" + path + "',");
  Status written = lists->for_each([&](std::string_view record) -> Status {
    out.write(record);
    if (Status going_on = check_interrupts(); !going_on) return going_on;
    if (out.bytes() > job.stdin_bytes_max)
      return bad_input("::: the lists make more than " + format_size(job.stdin_bytes_max) +
                       " of records, the most that is kept; give a larger --stdin-limit");
    return out.status();
  });
  if (!written) return written;
  if (job.application == "each" && lists->columns() > 1) job.parameters.emplace("colsep", "\\t");
  input = path;
  return out.finish();
}

void SpooledInput::keep() {
  if (!directory_) return;
  directory_->keep();
  std::fprintf(stderr, "ontime: the job reads '%s'; remove it when the job has ended\n",
               printable(directory_->path()).c_str());
}

}  // namespace ontime::cli
