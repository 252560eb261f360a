#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "worker/agent/runners/runner_link.h"

namespace ontime::worker {

Result<SharedProgress> SharedProgress::make(Descriptor& descriptor) {
  Descriptor memory(memfd_create("ontime-progress", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  void* page = MAP_FAILED;
  if (memory && ftruncate(memory.get(), sizeof(ProgressBlock)) == 0 &&
      fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    page = mmap(nullptr, sizeof(ProgressBlock), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  }
  if (page == MAP_FAILED) {
    return failed(std::string("cannot make shared memory for an attempt: ") + std::strerror(errno));
  }
  descriptor = std::move(memory);
  return SharedProgress(new (page) ProgressBlock);
}

SharedProgress::SharedProgress(SharedProgress&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)), cut_sequence_(other.cut_sequence_) {}

SharedProgress::~SharedProgress() {
  if (block_ != nullptr) munmap(block_, sizeof(ProgressBlock));
}

void SharedProgress::reset(std::uint64_t begin) {
  block_->offset.store(begin, std::memory_order_relaxed);
  block_->records.store(0, std::memory_order_relaxed);
  block_->output_bytes.store(0, std::memory_order_relaxed);
  block_->segment.store({});
  block_->claims.reset(begin);
}

wire::AttemptProgress SharedProgress::positions() const {
  wire::AttemptProgress positions;
  positions.set_offset(block_->offset.load(std::memory_order_acquire));
  positions.set_records(block_->records.load(std::memory_order_relaxed));
  positions.set_output_bytes(block_->output_bytes.load(std::memory_order_relaxed));
  return positions;
}

std::uint64_t SharedProgress::request_cut(std::uint64_t at, bool release) {
  block_->claims.expect_answer();
  block_->cut_at.store(at, std::memory_order_relaxed);
  block_->cut_release.store(release ? 1 : 0, std::memory_order_relaxed);
  block_->cut_sequence.store(++cut_sequence_, std::memory_order_release);
  return cut_sequence_;
}

}  // namespace ontime::worker
