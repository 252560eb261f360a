#include "worker/confine/identity.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

namespace ontime::worker {
namespace {

std::optional<std::uint32_t> number_of(const std::string& text) {
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = problem == std::errc() && end == text.data() + text.size() && number != ~std::uint32_t{0};
  return is_number ? std::optional(number) : std::nullopt;
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

}  // namespace ontime::worker
