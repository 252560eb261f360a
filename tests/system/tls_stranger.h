#pragma once
// Somebody at a master's port who does not use Ontime's code: OpenSSL alone, or bare bytes. Blocking.

#include <string>

namespace ontime::test {

struct StrangerTls {
  std::string authority;    // believed; empty: everybody is
  std::string certificate;  // empty: none is shown
  std::string key;
  bool only_tls_1_2 = false;
};

// Connects to 127.0.0.1:port in TLS and waits for the host to say something: OpenSSL's words for the result,
// such as "tlsv13 alert certificate required".
std::string try_tls(const std::string& port, const StrangerTls& stranger);

// Shakes hands and waits for the host's greeting; then sends the first message of another handshake over the same
// connection and gives OpenSSL's words for what comes back.
std::string try_second_handshake(const std::string& port, const StrangerTls& stranger);

// Sends the bytes and gives all that comes back until the host closes.
std::string try_bytes(const std::string& port, const std::string& bytes);

}  // namespace ontime::test
