#pragma once
// What a peer may ask of the master. A token or a certificate has a role; a role has rights; a request needs one.
//
//   role        reads  submits, kills its own  kills others' and drains  registers as a worker
//   read-only   yes
//   submit      yes    yes
//   admin       yes    yes                     yes
//   worker      yes                                                      yes

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ontime::net {

enum class Right : std::uint8_t { Read = 1, Submit = 2, Control = 4, Register = 8 };

// A set of rights. Pure value.
class Rights {
 public:
  constexpr Rights() = default;
  constexpr Rights(Right right) : bits_(static_cast<std::uint8_t>(right)) {}  // NOLINT: implicit by intent
  static constexpr Rights all() { return Rights(std::uint8_t{15}); }

  constexpr bool has(Right right) const { return (bits_ & static_cast<std::uint8_t>(right)) != 0; }
  constexpr bool is_empty() const { return bits_ == 0; }
  // Either's, and only those of both.
  constexpr Rights operator|(Rights other) const { return Rights(static_cast<std::uint8_t>(bits_ | other.bits_)); }
  constexpr Rights operator&(Rights other) const { return Rights(static_cast<std::uint8_t>(bits_ & other.bits_)); }
  constexpr bool operator==(const Rights&) const = default;

 private:
  explicit constexpr Rights(std::uint8_t bits) : bits_(bits) {}
  std::uint8_t bits_ = 0;
};

// Of the role of that name; nothing if there is no such role.
std::optional<Rights> rights_of_role(std::string_view role);
std::string role_names();  // "read-only, submit, admin, worker", for messages

// Why a request is refused: "Draining a node needs the role admin, but this connection has only: token of submit."
std::string describe_refusal(Right needed, std::string_view credentials);
// The same where the need is more particular: "job-1 belongs to bob; killing it needs the role admin".
std::string describe_refusal(std::string_view need, std::string_view credentials);

}  // namespace ontime::net
