#pragma once
// The page of memory that a worker shares with one runner: progress one way, cuts the other. No message per record and
// no system call: the runner stores its position after every block and looks at the cut words before the next one.
// Made by the worker (memfd), mapped by both; the layout is private to one build, both sides check `layout`.

#include <atomic>
#include <cstdint>

#include "worker/claim_word.h"
#include "worker/segment_marks.h"

namespace ontime::worker {

struct ProgressBlock {
  static constexpr std::uint32_t kLayout = 2;
  std::uint32_t layout = kLayout;

  // Runner -> worker. `offset`: everything of the run's range below is mapped.
  alignas(64) std::atomic<std::uint64_t> offset{0};
  std::atomic<std::uint64_t> records{0};
  std::atomic<std::uint64_t> output_bytes{0};
  SharedMarks segment;

  // Worker -> runner. A request is written as at, release, then sequence (store-release); the runner reads sequence
  // (load-acquire) and answers each new one exactly once with FromRunner.CutAnswer, unless the worker has answered it
  // in its place (`claims` says who does). There is never a second request before the first is answered or its run has
  // ended, nor before the runner has seen what the worker has answered. The sequence goes on counting from one run to
  // the next (Run.cut_sequence tells which requests are older); the words above are set anew before each Run is sent.
  alignas(64) std::atomic<std::uint64_t> cut_sequence{0};
  std::atomic<std::uint64_t> cut_at{0};
  std::atomic<std::uint32_t> cut_release{0};

  // Both ways. The runner claims before it maps; the worker cuts off what is not claimed if the runner does not answer.
  ClaimWord claims;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace ontime::worker
