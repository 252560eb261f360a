#include "worker/confine/confinement.h"

#include <grp.h>
#include <pwd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "common/base/units.h"

namespace ontime::worker {
namespace {

std::optional<std::uint32_t> number_of(const std::string& text) {
  const auto number = number_in<std::uint32_t>(text);
  return number != ~std::uint32_t{0} ? number : std::nullopt;
}

Result<gid_t> group_of(const std::string& text) {
  if (const auto number = number_of(text)) return *number;
  if (const group* found = ::getgrnam(text.c_str())) return found->gr_gid;
  return bad_input("there is no group '" + text + "'");
}

std::vector<gid_t> groups_of(const passwd& user) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  if (::getgrouplist(user.pw_name, user.pw_gid, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(count));
    ::getgrouplist(user.pw_name, user.pw_gid, groups.data(), &count);
  }
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

bool is_taken(const Identity& identity) {
  std::array<uid_t, 3> users{};
  std::array<gid_t, 3> groups{};
  if (::getresuid(&users[0], &users[1], &users[2]) != 0 || ::getresgid(&groups[0], &groups[1], &groups[2]) != 0) {
    return false;
  }
  for (const uid_t user : users) {
    if (user != identity.user) return false;
  }
  for (const gid_t group : groups) {
    if (group != identity.group) return false;
  }
  return identity.user == 0 || (::setuid(0) != 0 && ::geteuid() == identity.user);
}

}  // namespace

Result<Identity> parse_identity(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto number = number_of(name);
  const passwd* const user = number ? ::getpwuid(*number) : ::getpwnam(name.c_str());
  if (user == nullptr && !number) return bad_input("there is no user '" + name + "'");
  Identity identity;
  identity.user = user != nullptr ? user->pw_uid : *number;
  if (colon != text.npos) {
    auto group = group_of(text.substr(colon + 1));
    if (!group) return std::move(group).error();
    identity.group = *group;
    return identity;
  }
  if (user == nullptr) return bad_input("the user " + name + " has no name here; say its group too, as USER:GROUP");
  identity.group = user->pw_gid;
  identity.groups = groups_of(*user);
  return identity;
}

Status become(const Identity& identity) {
  if (::setgroups(identity.groups.size(), identity.groups.data()) != 0 ||
      ::setresgid(identity.group, identity.group, identity.group) != 0 ||
      ::setresuid(identity.user, identity.user, identity.user) != 0) {
    return failed("cannot become user " + std::to_string(identity.user) + ": " + std::strerror(errno));
  }
  if (!is_taken(identity)) return failed("cannot become user " + std::to_string(identity.user) + " for good");
  return {};
}

namespace {

std::optional<std::pair<std::uint32_t, std::uint32_t>> numbers_of(const std::string& text) {
  const std::size_t dash = text.find('-');
  if (dash == text.npos) return std::nullopt;
  const auto first = number_in<std::uint32_t>(text.substr(0, dash));
  const auto last = number_in<std::uint32_t>(text.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  return std::pair(*first, *last);
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

// A process may send a signal if its real or effective user is the real or saved user of the receiver.
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
