#include "worker/confine/identity.h"

#include <grp.h>
#include <pwd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

namespace ontime::worker {
namespace {

std::optional<std::pair<std::uint32_t, std::uint32_t>> numbers_of(const std::string& text) {
  std::pair<std::uint32_t, std::uint32_t> numbers;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, numbers.first);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto last = std::from_chars(first.ptr + 1, end, numbers.second);
  if (last.ec != std::errc() || last.ptr != end) return std::nullopt;
  return numbers;
}

}  // namespace

bool is_user_range(const std::string& text) { return numbers_of(text).has_value(); }

Result<UserRange> parse_user_range(const std::string& text) {
  const auto numbers = numbers_of(text);
  if (!numbers) return bad_input("'" + text + "' is no range of user numbers, such as 60000-60099");
  const auto [first, last] = *numbers;
  if (first >= last) return bad_input("the range " + text + " has nobody for a job; write the lower number first");
  if (first == 0) return bad_input("the range " + text + " has root in it; begin it at nobody's number, say 60000");
  const UserRange range{first, last};
  if (last == ~std::uint32_t{0} || range.size() > UserRange::kUsersMax) {
    return bad_input("the range " + text + " has more than " + std::to_string(UserRange::kUsersMax) + " users");
  }
  for (std::uint32_t number = first; number <= last; ++number) {
    const passwd* const user = ::getpwuid(number);
    const group* const members = user != nullptr ? nullptr : ::getgrgid(number);
    if (user == nullptr && members == nullptr) continue;
    const std::string name =
        user != nullptr ? std::string("user ") + user->pw_name : std::string("group ") + members->gr_name;
    return bad_input("the range " + text + " has " + std::to_string(number) + " in it, which is the " + name +
                     " of this machine; name numbers that are nobody's");
  }
  return range;
}

// Who may signal whom goes by the effective user of the one and the real and saved ones of the other.
Status become_sweeper_of(uid_t user, uid_t sweeper) {
  if (::setgroups(0, nullptr) != 0 || ::setresgid(sweeper, sweeper, sweeper) != 0 ||
      ::setresuid(sweeper, user, sweeper) != 0 || ::geteuid() != user || ::getuid() != sweeper) {
    return failed("cannot become the sweeper of user " + std::to_string(user) + ": " + std::strerror(errno));
  }
  return {};
}

bool has_processes(uid_t user) {
  errno = 0;
  ::getpriority(PRIO_USER, user);
  return errno != ESRCH;
}

}  // namespace ontime::worker
