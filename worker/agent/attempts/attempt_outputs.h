#pragma once
// The attempts' half of a job's output, as their worker handles it (the master's half: master/outputs/output.h). The
// process of an attempt makes one file, and appends and syncs blocks (OutputFile in worker/data/segment_writer.h). In a
// directory that file is the output. For a store it lies in a scratch directory of this worker, because attempts have
// no keys: the worker stores each segment that they have synced as an object of its own (common/base/ids.h has its
// name).
//
// Called on the worker's one thread, which never waits; a few threads talk to stores, and remove what is left in
// scratch.

#include <asio/any_io_executor.hpp>
#include <asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/files/roots.h"
#include "common/files/temporary_directory.h"

namespace ontime::worker {

// The output of one attempt. The attempt is over when the object is destroyed, which removes its scratch files.
class AttemptOutput {
 public:
  virtual ~AttemptOutput() = default;

  // The file that the attempt's process makes.
  virtual const std::string& path() const = 0;

  // A segment that the process has synced to its file; not empty.
  struct Segment {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
  };
  // Failed, with a sentence. It says whether the segment is still wanted; if not, what was stored is removed again.
  using Done = std::function<bool(const Status&)>;
  // Makes it last where the master looks for it. `done` is called within, or later on the executor unless this object
  // goes or the AttemptOutputs are stopped before.
  virtual void sync(Segment segment, Done done) = 0;
};

// Makes them, and outlives them.
class AttemptOutputs {
 public:
  static constexpr std::size_t kThreads = 4;
  static constexpr Duration kPatience = std::chrono::seconds(2);

  // `roots`: where outputs in a store have to lie; a process that makes its file itself looks at its own. `patience`:
  // how long a store may take for what it was asked for by an attempt that is over.
  explicit AttemptOutputs(asio::any_io_executor executor, files::Roots roots = {}, Duration patience = kPatience);
  ~AttemptOutputs();  // stops

  // `claim`: "/data/out/_attempts/CLAIM", "s3://bucket/out/_attempts/CLAIM". BadInput: it is the output that is not
  // allowed here; Failed: this machine's own state.
  Result<std::unique_ptr<AttemptOutput>> create(const std::string& claim, AttemptId attempt);

  // An output root of attempts, beside those that they are given. Made now, if it is not there.
  Result<std::string> scratch();
  // Nothing that attempts below the claim have written stays in scratch.
  void forget(const std::string& claim);
  // Ends what is under way: at once where a store is silent or sends, within 5 s where it cannot even be reached.
  void stop();

 private:
  struct Stores;
  class InStore;
  std::string scratch_of(const std::string& claim) const;

  const files::Roots roots_;
  files::Scratch scratch_{"ontime-output-"};
  const std::unique_ptr<Stores> stores_;
};

}  // namespace ontime::worker
