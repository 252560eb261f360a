#pragma once
// A file that a web server has: its size, its version, and ranges of it. Stores fail often and briefly, so what fails
// is tried again: on a fresh connection where one was silent, slow or broken, and after a pause where the server asks
// for one (429) or is in trouble (500, 502, 503, 504).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/http/url.h"

namespace ontime::http {

struct State {
  std::uint64_t size = 0;
  // The ETag, or else "modified " and the Last-Modified of the server. Empty if it gives neither: only the size is
  // compared then.
  std::string version;
  bool operator==(const State&) const = default;
};

enum class Trouble {
  Changed,      // it is another version now
  Refused,      // trying again would not help: not there, not allowed, no ranges
  Unavailable,  // after all tries
};
struct Failure {
  Trouble trouble = Trouble::Unavailable;
  std::string message;  // the rest of a sentence: "the server answers 404 Not Found"
};
template <class T>
using Answer = Result<T, Failure>;

struct Patience {
  Duration connect = std::chrono::seconds(5);
  Duration silence = std::chrono::milliseconds(1500);  // of a connection that is waited for; twice as long each time
  Duration silence_max = std::chrono::seconds(30);
  double bytes_per_second_min = 64 << 10;  // what comes more slowly, on average and after a silence, is asked for anew
  unsigned tries = 7;                      // in a row that bring no byte
  Duration pause = std::chrono::milliseconds(100);  // before the second try; twice as long each time, less up to half
};

// One connection. Not for several threads at a time.
class RemoteFile {
 public:
  // Soon after `is_over` becomes true nobody waits for anything any more, and what is under way fails.
  explicit RemoteFile(Url url, const std::atomic<bool>* is_over = nullptr, Patience patience = {});
  ~RemoteFile();
  RemoteFile(const RemoteFile&) = delete;

  Answer<State> look();
  // All of [offset, offset + size), which lies within the file, of this version.
  Answer<void> read(const State& state, std::uint64_t offset, std::size_t size, char* to);

 private:
  class Connection;
  struct Try;
  template <class Once>
  Answer<void> insist(Once&& once);

  bool is_over() const { return is_over_ != nullptr && is_over_->load(); }

  const Url url_;
  const std::atomic<bool>* const is_over_;
  const Patience patience_;
  std::unique_ptr<Connection> connection_;  // null: to be made
  std::uint64_t jitter_;
};

}  // namespace ontime::http
