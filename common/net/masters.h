#pragma once
// Where the masters of one cluster listen. One of them leads; the others follow it and name it to peers that ask.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/net/endpoint.h"

namespace ontime::net {

// The addresses, and which of them is tried now. Not thread-safe.
class Masters {
 public:
  Masters() = default;                               // REQUIRES: assigned to before it is used
  Masters(Endpoint only) : all_{std::move(only)} {}  // NOLINT: implicit by intent
  // REQUIRES: at least one.
  explicit Masters(std::vector<Endpoint> all) : all_(std::move(all)) {}

  const std::vector<Endpoint>& all() const { return all_; }
  bool are_several() const { return all_.size() > 1; }
  const Endpoint& current() const { return leader_ ? *leader_ : all_[next_]; }

  // The next of all().
  void try_next();
  // To the address that a master has named, or the next if it is none.
  void turn_to(std::string_view leader);
  bool is_sent_on() const { return leader_.has_value(); }

 private:
  std::vector<Endpoint> all_;
  std::size_t next_ = 0;
  std::optional<Endpoint> leader_;  // as a follower has named it: it need not be one of `all_`
};

std::string to_string(const Masters& masters);  // "a:7400,b:7400"

// "HOST:PORT[,HOST:PORT...]", each as parse_endpoint(), of which none has port 0.
Result<Masters> parse_masters(std::string_view text, std::uint16_t default_port);

}  // namespace ontime::net
