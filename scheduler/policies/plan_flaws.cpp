#include "scheduler/policies/plan_flaws.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/base/utf8.h"

namespace ontime::scheduler {
namespace {

constexpr double kSecondsMost = 1e9;

// Nobody knows, or what stands still will never be done.
bool is_told(double seconds) { return !std::isfinite(seconds) || std::abs(seconds) <= kSecondsMost; }

std::string not_there(const std::string& name) { return "it names " + name + ", which is not there"; }

std::string too_many_copies(TaskId task) {
  return "it asks for no copy of " + to_string(task) + ", or for more than " + std::to_string(kCopiesMax);
}

bool is_known(Handover handover) { return handover == Handover::Predicted || handover == Handover::Ready; }

class Examiner {
 public:
  explicit Examiner(const View& view) : view_(view) {}

  std::size_t parts() const { return parts_; }

  std::string operator()(const Speculate& decision) {
    const Segment* segment = nullptr;
    if (std::string flaw = find(decision.task, decision.segment, segment); !flaw.empty()) return flaw;
    if (!is_told(decision.completion) || !is_told(decision.pocd_before) || !is_told(decision.pocd_after))
      return "it expects " + to_string(decision.task) + " at no time that there is";
    return std::visit([&](const auto& work) { return flaw_in(work, decision.task, segment->range); }, decision.work);
  }

  std::string operator()(const Divide& decision) {
    const Segment* segment = nullptr;
    if (std::string flaw = find(decision.task, decision.segment, segment); !flaw.empty()) return flaw;
    parts_ += decision.borders.size();
    std::uint64_t last = segment->range.begin;
    for (const std::uint64_t border : decision.borders) {
      if (border <= last || border >= segment->range.end) return outside(decision.task);
      last = border;
    }
    return segment->range.is_open_ended() ? "it divides " + to_string(decision.task) + ", whose end nobody knows" : "";
  }

  std::string operator()(const CloneTasks& decision) const {
    if (job_of(decision.job) == nullptr) return not_there(to_string(decision.job));
    if (decision.copies <= kCopiesMax) return {};
    return "it asks for more than " + std::to_string(kCopiesMax) + " clones of each task of " + to_string(decision.job);
  }

  std::string operator()(const EndAttempt& decision) const {
    const JobView* job = job_of(decision.attempt.task.job);
    return job != nullptr && job->job->live.contains(decision.attempt) ? "" : not_there(to_string(decision.attempt));
  }

  std::string operator()(const Decline& decision) const {
    return task_of(decision.task) != nullptr ? "" : not_there(to_string(decision.task));
  }

  std::string operator()(const Note& note) const {
    if (job_of(note.job) == nullptr) return not_there(to_string(note.job));
    if (!note.policy.empty()) return "it chooses a policy for " + to_string(note.job) + ", as only 'auto' does";
    if (note.text.size() <= kNoteBytesMax && is_utf8(note.text)) return {};
    return "its note about " + to_string(note.job) + " is longer than " + std::to_string(kNoteBytesMax) +
           " bytes, or no UTF-8";
  }

 private:
  const JobView* job_of(JobId id) const {
    const auto found = std::ranges::lower_bound(view_.jobs, id, {}, &JobView::id);
    return found != view_.jobs.end() && found->id == id ? &*found : nullptr;
  }

  const Task* task_of(TaskId id) const {
    const JobView* job = job_of(id.job);
    return job != nullptr && id.index < job->job->tasks.size() ? &job->job->tasks[id.index] : nullptr;
  }

  std::string find(TaskId id, std::uint64_t begin, const Segment*& segment) const {
    const Task* task = task_of(id);
    if (task == nullptr) return not_there(to_string(id));
    segment = task->ledger.find(begin);
    if (segment != nullptr && !segment->sealed) return {};
    return "it names a segment of " + to_string(id) + " that begins at " + std::to_string(begin) +
           ", and none that is open does";
  }

  static std::string outside(TaskId task) {
    return "it divides " + to_string(task) + " outside of its segment, or not in ascending order";
  }

  static std::string flaw_in(const WholeSegment& work, TaskId task, ByteRange) {
    return work.copies == 0 || work.copies > kCopiesMax ? too_many_copies(task) : "";
  }

  static std::string flaw_in(const SharedTail& work, TaskId task, ByteRange segment) {
    if (work.copies == 0 || work.copies > kCopiesMax || !is_known(work.handover)) return too_many_copies(task);
    return segment.contains(work.begin) ? "" : outside(task);
  }

  std::string flaw_in(const GivenTail& work, TaskId task, ByteRange segment) {
    parts_ += work.pieces.size();
    std::uint64_t copies = 0;
    std::uint64_t least = segment.begin;
    for (const TailPiece& piece : work.pieces) {
      if (piece.begin < least || piece.begin >= segment.end) return outside(task);
      if (piece.copies > kCopiesMax) return too_many_copies(task);
      copies += piece.copies;
      least = piece.begin + 1;
    }
    return copies == 0 || !is_known(work.handover) ? too_many_copies(task) : "";
  }

  const View& view_;
  std::size_t parts_ = 0;
};

}  // namespace

std::string flaw_of(const Plan& plan, const View& view) {
  Examiner examiner(view);
  for (const Decision& decision : plan.decisions) {
    if (std::string flaw = std::visit(examiner, decision); !flaw.empty()) return flaw;
  }
  if (plan.decisions.size() + examiner.parts() <= kPlanPartsMax) return {};
  return "its plan has more than " + std::to_string(kPlanPartsMax) + " parts";
}

}  // namespace ontime::scheduler
