#pragma once
// Somebody at a master's port who may say anything: bytes as they are, or messages of the real protocol. Blocking.

#include <google/protobuf/message_lite.h>

#include <optional>
#include <string>
#include <string_view>

#include "common/protocol/control.pb.h"
#include "common/protocol/frame.h"
#include "common/protocol/version.h"
#include "tests/system/loopback_socket.h"

namespace ontime::test {

class HostilePeer {
 public:
  // "127.0.0.1:7400". Check is_connected().
  explicit HostilePeer(const std::string& address);

  bool is_connected() const { return socket_.is_connected(); }
  // False if the other side has closed the connection.
  bool send(std::string_view bytes);
  bool say(const google::protobuf::MessageLite& message);
  // All that comes before the master's reply: the role, the cluster that it claims to know, and that it knows the token,
  // if there is one. False if it hears no challenge.
  bool greet(wire::Role role, const std::string& cluster = "", const std::string& token = "");

  // The next message; nothing at the end of the connection, after a minute, or if it is none of that kind.
  template <class Message>
  std::optional<Message> hear() {
    Message message;
    const std::optional<std::string> payload = next_payload();
    if (!payload || !message.ParseFromString(*payload)) return std::nullopt;
    return message;
  }
  // Whether the other side ends the connection within a minute, whatever it says before.
  bool is_shown_out();

  // What it has sent so far, to be sent again.
  const std::string& said() const { return said_; }

 private:
  std::optional<std::string> next_payload();

  LoopbackSocket socket_;
  bool has_ended_ = false;
  std::string said_;
  protocol::FrameDecoder heard_;
};

}  // namespace ontime::test
