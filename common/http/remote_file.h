#pragma once
// A file that a web server has: its size, its version, and ranges of it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/http/connection.h"
#include "common/http/url.h"

namespace ontime::http {

struct State {
  std::uint64_t size = 0;
  // The ETag, or else "modified " and the Last-Modified of the server. Empty if it gives neither: only the size is
  // compared then.
  std::string version;
  bool operator==(const State&) const = default;
};

// Not for several threads at a time.
class RemoteFile {
 public:
  // As Connection takes them.
  explicit RemoteFile(Url url, const std::atomic<bool>* is_over = nullptr, Patience patience = {});

  Answer<State> look();
  // All of [offset, offset + size), which lies within the file, of this version.
  Answer<void> read(const State& state, std::uint64_t offset, std::size_t size, char* to);

 private:
  const Url url_;
  Connection connection_;
};

}  // namespace ontime::http
