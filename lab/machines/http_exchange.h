#pragma once
// One side of HTTP/1.1, as a simulated server needs it: requests are read from a connection, answers are written to it.
// By plain calls on a descriptor, which simulated processes make.

#include <map>
#include <optional>
#include <string>

#include "common/base/time.h"

namespace ontime::lab::machines {

struct HttpRequest {
  std::string method;
  std::string path;                            // decoded
  std::map<std::string, std::string> query;    // decoded
  std::map<std::string, std::string> headers;  // names in lower case
  std::string content;

  std::string header(const char* name) const;  // empty: there is none
};

struct HttpAnswer {
  int status = 200;
  std::map<std::string, std::string> headers{};
  std::string content{};
  std::optional<std::size_t> size{};  // Content-Length, if it is not the content's
};
std::string to_bytes(const HttpAnswer& answer);

// "%41" is "A".
std::string decoded(const std::string& text);

class HttpReader {
 public:
  explicit HttpReader(int connection) : connection_(connection) {}
  // None at the end of the connection, after a silence of `patience`, and for what is no request.
  std::optional<HttpRequest> next(Duration patience);

 private:
  bool read_more(Duration patience);

  const int connection_;
  std::string bytes_;  // that came and belong to the next request
};

}  // namespace ontime::lab::machines
