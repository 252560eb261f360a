#pragma once
// A file of which a server sends ranges: its size, its version, and its bytes.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/http/connection.h"
#include "common/http/sink.h"

namespace ontime::http {

struct State {
  std::uint64_t size = 0;
  // The ETag, or else "modified " and the Last-Modified of the server. Empty if it gives neither: only the size is
  // compared then.
  std::string version;
  bool has_parts = true;  // the server sends ranges of it
  std::string moved_to{};  // the address that the server redirects to; empty: to none

  // The file is the same.
  bool operator==(const State& other) const { return size == other.size && version == other.version; }
};

// A file of which ranges can be had. Not for several threads at a time.
class RangedFile {
 public:
  virtual ~RangedFile() = default;
  virtual Answer<State> look() = 0;
  virtual bool has_parts_always() const { return false; }  // true: nobody needs to look for that
  // Whether a request costs the server so much that one is to bring many ranges.
  virtual bool has_costly_requests() const { return false; }
  // All of [offset, offset + size), which lies within the file, of this version. Ends early, and anyhow, if the sink
  // wants no more.
  virtual Answer<void> read(const State& state, std::uint64_t offset, std::uint64_t size, Sink& to) = 0;
  Answer<void> read(const State& state, std::uint64_t offset, std::size_t size, char* to) {
    BufferSink buffer({to, size});
    return read(state, offset, size, buffer);
  }
  // From the begin to the end, of a server that cannot send parts. `take` gets each byte once, and ends it by false. A
  // connection that breaks costs what was sent before.
  virtual Answer<void> read_whole(const State& /*state*/, const std::function<bool(std::string_view)>& /*take*/) {
    return Failure{Trouble::Refused, "its server sends parts only"};
  }
};

}  // namespace ontime::http
