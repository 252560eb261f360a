#pragma once
// The worker's side of a runner's ProgressBlock: makes the memory (memfd, its size sealed so that the runner cannot
// shrink it under the worker), reads positions, writes cut requests.

#include <cstdint>

#include "common/base/descriptor.h"
#include "common/base/result.h"
#include "worker/progress_block.h"

namespace ontime::worker {

class SharedProgress {
 public:
  // The descriptor that the runner maps is left in `descriptor`.
  static Result<SharedProgress> make(Descriptor& descriptor);
  SharedProgress(SharedProgress&& other) noexcept;
  SharedProgress& operator=(SharedProgress&&) = delete;
  ~SharedProgress();

  // REQUIRES: the runner is idle, or a standby that waits.
  void reset(std::uint64_t begin);
  // Returns the number of the request. REQUIRES: the one before is answered or its run has ended.
  std::uint64_t request_cut(std::uint64_t at, bool release);
  std::uint64_t cut_sequence() const { return cut_sequence_; }

  std::uint64_t offset() const { return block_->offset.load(std::memory_order_acquire); }
  std::uint64_t records() const { return block_->records.load(std::memory_order_relaxed); }
  std::uint64_t output_bytes() const { return block_->output_bytes.load(std::memory_order_relaxed); }

 private:
  explicit SharedProgress(ProgressBlock* block) : block_(block) {}
  ProgressBlock* block_;
  std::uint64_t cut_sequence_ = 0;  // kept here: what the runner can write is not trusted
};

}  // namespace ontime::worker
