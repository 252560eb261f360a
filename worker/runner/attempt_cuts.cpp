// How an attempt answers cuts, and how it learns that its worker has answered one in its place.
#include <algorithm>
#include <utility>

#include "worker/runner/attempt_run.h"

namespace ontime::worker {

// Everything that begins below is its own: mapped, or in hand.
std::uint64_t AttemptRun::claimed() const {
  const ByteRange segment = points_.segment();
  return std::max(segment.begin, std::min(reader_->position(), segment.end));
}

// If the worker has cut in its place.
bool AttemptRun::obey_worker() {
  ProgressBlock& block = parts_.progress;
  if (!block.claims.is_cut()) return false;
  // Before the worker sees that it was heard: it asks for nothing else until then.
  cut_answered_ = block.cut_sequence.load(std::memory_order_acquire);
  const auto cut = block.claims.take_cut(claimed());
  if (cut) points_.cut(points_.segment().begin, true, cut->at, cut->release);
  return true;
}

AttemptStatus AttemptRun::answer_cut() {
  const std::uint64_t sequence = parts_.progress.cut_sequence.load(std::memory_order_acquire);
  if (obey_worker() || sequence <= cut_answered_) return {};
  std::uint64_t at = parts_.progress.cut_at.load(std::memory_order_relaxed);
  const bool release = parts_.progress.cut_release.load(std::memory_order_relaxed) != 0;
  const std::uint64_t position = reader_->position();
  if (at > position) {
    auto boundary = reader_->align(at, points_.end());
    if (!boundary) return to_failure(std::move(boundary).error());
    at = *boundary;
  }
  if (!parts_.progress.claims.take_answer(claimed())) return obey_worker(), AttemptStatus();
  cut_answered_ = sequence;
  return send_answer(points_.cut(position, has_mapped_, at, release), release);
}

AttemptStatus AttemptRun::send_answer(std::uint64_t at, bool release) {
  wire::FromRunner message;
  message.set_cut_sequence(cut_answered_);
  message.mutable_cut()->set_at(at);
  message.mutable_cut()->set_release(release);
  return send(std::move(message));
}

// From within map(), where the mapper waits and has handed on nothing of the record at `from`. A cut that would be
// answered behind the block, or by the worker, is answered there. What a worker that is gone does not hear of is
// noticed with the next message.
bool AttemptRun::gives_back(std::uint64_t from) {
  ProgressBlock& block = parts_.progress;
  const std::uint64_t sequence = block.cut_sequence.load(std::memory_order_acquire);
  const bool is_wanted = sequence > cut_answered_ && block.cut_release.load(std::memory_order_relaxed) != 0 &&
                         block.cut_at.load(std::memory_order_relaxed) <= from;
  if (!is_wanted || !block.claims.take_answer(from)) return false;
  cut_answered_ = sequence;
  given_back_ = from;
  static_cast<void>(send_answer(points_.cut(from, true, from, true), true).has_value());
  return true;
}

// How many of the block's records begin before that place of the input.
std::uint64_t AttemptRun::records_before(std::uint64_t place, const RecordBlock& block) const {
  const std::uint64_t offset = place - file_begin_;
  std::uint64_t records = 0;
  for (const app::Record record : block.batch.records()) records += record.offset < offset ? 1 : 0;
  return records;
}

}  // namespace ontime::worker
