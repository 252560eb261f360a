#pragma once
// Requests to a server whose programs are asked by posting texts to it, one after another on one connection.

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "common/base/time.h"
#include "common/base/tls_files.h"
#include "common/http/connection.h"

namespace ontime::http {

struct PosterOptions {
  std::string origin;  // "https://host:443"
  TlsFiles tls{};      // without an authority the system's are believed; without a certificate none is shown
  Duration silence{};  // of the server, that is borne
  const std::atomic<bool>* is_over = nullptr;  // see Connection; outlives it
  std::size_t answer_bytes_max = 256u << 20;
};

struct Posted {
  std::string text;
  std::optional<Failure> failure{};  // what the status comes to, if it is not 200
};

// Not for several threads at a time.
class Poster {
 public:
  virtual ~Poster() = default;
  // JSON. Tried once. A failure: there is no whole answer. `authorization`: the field of that name, "" for none.
  virtual Answer<Posted> post(const std::string& target, const std::string& text, const std::string& authorization) = 0;
};

std::unique_ptr<Poster> make_poster(PosterOptions options);

}  // namespace ontime::http
