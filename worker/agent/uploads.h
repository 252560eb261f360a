#pragma once
// Output that goes to a store. Attempts have no keys: they write to files below a scratch directory of this worker, and
// the worker stores each segment that they have sealed as an object of its own (common/base/ids.h has its name) before
// it reports the seal. Called on the worker's one thread, which never waits; a few threads talk to the store.

#include <asio/any_io_executor.hpp>
#include <asio/thread_pool.hpp>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/files/temporary_directory.h"
#include "common/http/store.h"
#include "common/store/name.h"

namespace ontime::worker {

class Uploads {
 public:
  static constexpr std::size_t kThreads = 4;

  explicit Uploads(asio::any_io_executor executor);
  ~Uploads();  // stops

  // Where attempts write meanwhile: an output root of theirs. Made now, if it is not there.
  Result<std::string> root();

  // The file that the attempt may write, below a directory that is made. `claim`: "s3://bucket/out/_attempts/CLAIM".
  Result<std::string> file_for(const std::string& claim, AttemptId attempt);

  struct Segment {
    std::string file;  // of file_for
    std::uint64_t offset = 0;
    std::uint64_t length = 0;  // > 0
    std::string claim;
    AttemptId attempt;
  };
  // `done` follows on the executor, unless this object is stopped before; Failed, with a sentence. It says whether the
  // segment is still wanted; if not, the object is removed again.
  using Done = std::function<bool(const Status&)>;
  void store(Segment segment, Done done);

  // What attempts have written below the claim.
  void forget(const std::string& claim);
  // Ends what is under way, within a second.
  void stop();

 private:
  struct Connections;
  // Calls it on a thread, with a connection.
  void post(const store::Name& name, std::function<void(http::Store&)> work);
  std::string directory_of(const std::string& claim) const;

  asio::any_io_executor executor_;
  files::Scratch scratch_{"ontime-output-"};
  const std::shared_ptr<Connections> connections_;
  std::optional<asio::thread_pool> threads_;  // since the first segment
};

}  // namespace ontime::worker
