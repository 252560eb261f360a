#include <array>

#include "common/base/wording.h"
#include "common/net/token.h"

namespace ontime::net {
namespace {

struct Role {
  std::string_view name;
  Rights rights;
};

constexpr std::array kRoles{
    Role{"read-only", Right::Read},
    Role{"submit", Rights(Right::Read) | Right::Submit},
    Role{"admin", Rights(Right::Read) | Right::Submit | Right::Control},
    Role{"worker", Rights(Right::Read) | Right::Register},
};

// What the right is for, and the roles that have it.
std::string_view describe_need(Right needed) {
  switch (needed) {
    case Right::Read:
      return "Reading about jobs needs a role: read-only, submit, admin or worker";
    case Right::Submit:
      return "Submitting a job needs the role submit or admin";
    case Right::Control:
      return "Draining a node needs the role admin";
    case Right::Register:
      return "Registering as a worker needs the role worker";
  }
  return "This needs another role";
}

}  // namespace

std::optional<Rights> rights_of_role(std::string_view role) {
  for (const Role& known : kRoles) {
    if (known.name == role) return known.rights;
  }
  return std::nullopt;
}

std::string role_names() { return listed(names_of(kRoles)); }

std::string describe_refusal(Right needed, std::string_view credentials) {
  return describe_refusal(describe_need(needed), credentials);
}

std::string describe_refusal(std::string_view need, std::string_view credentials) {
  std::string sentence(need);
  sentence += ", but this connection has only: ";
  sentence += credentials;
  return sentence + ".";
}

}  // namespace ontime::net
