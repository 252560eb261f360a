#pragma once
// Where a journal in etcd is: etcd://[user:password@]host[:port][,host[:port]...]/prefix; etcds:// for TLS.

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace ontime::journal {

struct EtcdAddress {
  std::vector<std::string> hosts;  // "name:2379", "[::1]:2379": each with its port, at least one
  std::string prefix;              // of all keys, without a slash at its ends; not empty
  std::string user;                // "": none
  std::string password;
  bool is_encrypted = false;

  std::string text() const;  // as it was given, with all ports and without user and password
};

bool is_etcd_address(std::string_view text);  // whether it begins as one

// BadInput with one sentence for anything else. %XX is understood in user and password.
Result<EtcdAddress> parse_etcd_address(const std::string& text);

}  // namespace ontime::journal
