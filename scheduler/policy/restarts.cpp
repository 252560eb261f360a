#include "scheduler/policy/restarts.h"

#include <algorithm>
#include <cmath>

namespace ontime::scheduler {

std::uint32_t slots_for_copies(const View& view) {
  return view.free_slots() > view.waiting ? view.free_slots() - view.waiting : 0;
}

std::uint32_t copies_of(const JobView& job) {
  const std::size_t attempts = job.job->live.size() + job.waiting;
  const std::size_t unfinished = job.job->tasks.size() - job.job->tasks_done;
  return attempts > unfinished ? static_cast<std::uint32_t>(attempts - unfinished) : 0;
}

std::uint32_t attempts_on(const JobView& job, std::uint32_t task) {
  const auto pending = job.pending.find(task);
  return job.outlook->attempts()[task] + (pending == job.pending.end() ? 0 : pending->second);
}

const Attempt* first_live(const JobView& job, std::uint32_t task) {
  for (const Attempt& attempt : job.job->tasks[task].attempts) {
    if (is_live(attempt.state)) return &attempt;
  }
  return nullptr;
}

std::optional<Piece> last_piece(const JobView& job, std::uint32_t task) {
  std::vector<Piece> pieces = open_pieces(job, task);
  if (pieces.empty()) return std::nullopt;
  const auto is_sooner = [](const Piece& a, const Piece& b) {
    return !std::isnan(b.completion()) && !(a.completion() >= b.completion());
  };
  return std::move(*std::max_element(pieces.begin(), pieces.end(), is_sooner));
}

Speculate race(const Piece& piece, std::uint32_t copies, Reason reason) {
  Speculate decision;
  decision.task = piece.task;
  decision.segment = piece.range.begin;
  decision.copies = {copies};
  decision.reason = reason;
  decision.completion = piece.completion();
  return decision;
}

double SplitSizes::next() {
  const InputFile& file = spec_.inputs[file_];
  if (file.codec != Codec::Plain) {
    ++file_;
    return 0;
  }
  const std::uint64_t bytes = std::min(spec_.split_bytes, file.size - begin_);
  begin_ += bytes;
  if (begin_ >= file.size) {
    ++file_;
    begin_ = 0;
  }
  return static_cast<double>(bytes);
}

void Declines::add(const JobView& job, std::uint32_t task, Reason reason) {
  if (full()) return;
  ++count_;
  plan_.add(Decline{{job.id, task}, reason});
}

void Declines::add_compressed(const JobView& job) {
  const JobSpec& spec = job.job->spec;
  const auto is_compressed = [](const InputFile& file) { return file.codec != Codec::Plain; };
  if (std::none_of(spec.inputs.begin(), spec.inputs.end(), is_compressed)) return;
  SplitSizes sizes(spec);
  const std::span<const double> completion = job.outlook->completion();
  for (std::uint32_t task = 0; task < completion.size() && !full(); ++task) {
    if (sizes.next() == 0 && std::isnan(completion[task])) add(job, task, Reason::NoEstimate);
  }
}

}  // namespace ontime::scheduler
