#pragma once
// Requests to one server, one after the other on one connection where that lasts.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/http/connection.h"
#include "common/http/pace.h"
#include "common/http/poster.h"
#include "common/http/sink.h"
#include "common/http/store.h"

namespace ontime::http {

// However much a server sends that is no content, no more of it than this is kept.
inline constexpr std::size_t kHeadBytesMax = 16 << 10;

struct InAnyCase {
  bool operator()(const std::string& one, const std::string& other) const;
};
using Fields = std::map<std::string, std::string, InAnyCase>;

struct Request {
  std::string method = "GET";
  std::string target;  // as it is sent
  Fields fields{};
  Content content{};  // of a PUT or POST
  // Bytes may come as slowly as they do, but not nothing for a silence: what is sent takes its time, and who takes what
  // comes may let it wait.
  bool has_time = false;
  // Nothing is sent to an address of a private network: somebody else than the user has named the server.
  bool is_for_public = false;
  Duration silence_when_sent{};   // then, when all of the content is on its way; 0: as before
  const TlsFiles* tls = nullptr;  // the same for all requests of a connection
};

// Of an answer.
struct Head {
  int status = 0;
  std::string reason;
  Fields fields;
  bool is_private{};  // the server's address is one of a private network, or of this machine

  std::string field(const char* name) const;  // "": there is none
};

// What a request has come to.
enum class Ending {
  Whole,        // all of the answer has come
  Unwanted,     // more of it comes than is wanted
  Unreachable,  // there is no connection
  Refused,      // nothing listens on that port
  Unanswered,   // there is no connection in time
  Unknown,      // nor an address of that host
  Untrusted,    // nobody vouches for the server
  Private,      // though only a public server was to be asked
  NoTls,
  NoCertificate,  // our own, or its key
  NoHttp,
  Silent,  // or too slow
  Broken,  // or nobody waits any more
};

// Whether only who is near can reach it: this machine, its link, a private network. What is no address is not public.
bool is_private_address(const std::string& address);

class Client {
 public:
  // `origin`: "https://host:443". As patient as the tries of the connection, which outlives it.
  Client(std::string origin, Connection& connection);
  ~Client();
  Client(const Client&) = delete;

  // `on_head` gives where the content goes; null: none is wanted.
  using OnHead = std::function<Sink*(const Head&)>;
  Ending send(const Request& request, const OnHead& on_head);

  const std::string& origin() const { return origin_; }

 private:
  struct Handles;
  const std::string origin_;
  Connection& connection_;
  const std::unique_ptr<Handles> handles_;
};

}  // namespace ontime::http
