#include "worker/confine/confinement.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "common/base/units.h"

namespace ontime::worker {
namespace {

std::string members_of(const std::string& directory) { return directory + "/cgroup.procs"; }

}  // namespace

Status check_control_group(const std::string& directory) {
  if (::access(members_of(directory).c_str(), W_OK) == 0) return {};
  const std::string why = errno == ENOENT || errno == ENOTDIR ? "it has no cgroup.procs" : std::strerror(errno);
  return bad_input("'" + directory + "' is no control group that this worker can put attempts into: " + why +
                   "; make one with mkdir below /sys/fs/cgroup and let the worker's user write its cgroup.procs");
}

Status enter_control_group(const std::string& directory) {
  const int members = ::open(members_of(directory).c_str(), O_WRONLY | O_CLOEXEC);
  const bool has_entered = members >= 0 && ::write(members, "0", 1) == 1;  // 0: the writing process
  const int problem = errno;
  if (members >= 0) ::close(members);
  if (has_entered) return {};
  return failed("cannot enter the control group " + directory + ": " + std::strerror(problem));
}

namespace {

constexpr std::string_view kRunAs = "--run-as";
constexpr std::string_view kSweeper = "--sweeper";
constexpr std::string_view kOutputRoot = "--output-root";
constexpr std::string_view kControlGroup = "--control-group";

// The limits with their names as arguments.
template <class Limits>
auto named(Limits& limits) {
  return std::vector<std::pair<std::string_view, decltype(&limits.files)>>{{"--memory", &limits.memory_bytes},
                                                                           {"--files", &limits.files},
                                                                           {"--processes", &limits.processes},
                                                                           {"--cpu", &limits.cpu_seconds}};
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto read = number_in<Number>(text);
  number = read.value_or(0);
  return read.has_value();
}

// "USER,GROUP" and further groups.
bool read_identity(std::string_view text, Identity& identity) {
  std::vector<std::uint32_t> numbers;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find(','), text.size());
    if (!read_number(text.substr(0, size), numbers.emplace_back())) return false;
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  if (numbers.size() < 2) return false;
  identity = {numbers[0], numbers[1], {numbers.begin() + 2, numbers.end()}};
  return true;
}

bool read(std::string_view name, const std::string& value, Confinement& to) {
  if (name == kRunAs) return read_identity(value, to.run_as.emplace());
  if (name == kSweeper) return read_number(value, to.sweeper);
  if (name == kOutputRoot || name == kControlGroup) {
    (name == kOutputRoot ? to.output_roots : to.control_groups).push_back(value);
    return true;
  }
  for (const auto& [limit, number] : named(to.limits)) {
    if (name == limit) return read_number(value, *number);
  }
  return false;
}

}  // namespace

std::vector<std::string> to_arguments(const Confinement& confinement) {
  std::vector<std::string> arguments;
  const auto add = [&](std::string_view name, std::string value) {
    arguments.emplace_back(name);
    arguments.push_back(std::move(value));
  };
  if (confinement.run_as) {
    std::string text = std::to_string(confinement.run_as->user) + "," + std::to_string(confinement.run_as->group);
    for (const gid_t group : confinement.run_as->groups) text += "," + std::to_string(group);
    add(kRunAs, std::move(text));
  }
  if (confinement.sweeper > 0) add(kSweeper, std::to_string(confinement.sweeper));
  for (const auto& [name, number] : named(confinement.limits)) {
    if (*number > 0) add(name, std::to_string(*number));
  }
  for (const std::string& root : confinement.output_roots) add(kOutputRoot, root);
  for (const std::string& group : confinement.control_groups) add(kControlGroup, group);
  return arguments;
}

Result<Confinement> from_arguments(const std::vector<std::string>& arguments) {
  Confinement confinement;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const bool is_read = i + 1 < arguments.size() && read(arguments[i], arguments[i + 1], confinement);
    if (!is_read) return bad_input("'" + arguments[i] + "' is not understood");
  }
  return confinement;
}

Status confine(const Confinement& confinement) {
  for (const std::string& group : confinement.control_groups) {
    if (Status status = enter_control_group(group); !status) return status;
  }
  if (confinement.run_as) {
    if (Status status = become(*confinement.run_as); !status) return status;
    if (::chdir("/") != 0) return failed(std::string("cannot leave the worker's directory: ") + std::strerror(errno));
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return failed(std::string("cannot do without new privileges: ") + std::strerror(errno));
  }
  ::umask(::umask(0) | S_IWOTH);
  return apply(confinement.limits);
}

}  // namespace ontime::worker
