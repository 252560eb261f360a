#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "common/base/wording.h"
#include "scheduler/core/action.h"
#include "scheduler/core/event.h"

namespace ontime::scheduler {
namespace {

// A line in the making. Text from outside is quoted, so that no message can pose as a field.
class Line {
 public:
  explicit Line(std::string_view name, Ids ids = Ids::Own) : text_(name), ids_(ids) {}
  const std::string& text() const { return text_; }

  Line& about(JobId job) { return field("job", to_string(job)); }
  Line& about(NodeId node) { return field("node", to_string(node)); }
  Line& about(TaskId task) {
    if (ids_ == Ids::All) about(task.job);
    return field("task", to_string(task));
  }
  Line& about(AttemptId attempt) {
    if (ids_ == Ids::All) about(attempt.task);
    return field("attempt", to_string(attempt));
  }
  template <class What>
  Line& on(const What& what) {
    return about(what.attempt).about(what.node);
  }
  Line& field(std::string_view key, std::string_view value) {
    text_.append(" ").append(key).append("=").append(value);
    return *this;
  }
  Line& field(std::string_view key, std::uint64_t value) { return field(key, std::to_string(value)); }
  // All digits: two that differ must look different. Nothing of a number that is not known.
  Line& number(std::string_view key, double value) {
    if (std::isnan(value)) return *this;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 17);
    return field(key, std::string_view(digits.data(), end.ptr));
  }
  Line& range(ByteRange range) {
    const std::string end = range.is_open_ended() ? "" : std::to_string(range.end);
    return field("range", std::to_string(range.begin) + "-" + end);
  }
  Line& message(std::string_view key, std::string_view text) { return text.empty() ? *this : field(key, quoted(text)); }
  Line& flag(std::string_view name, bool is_set) { return is_set ? field(name, "yes") : *this; }
  Line& positions(const std::vector<AttemptProgress>& attempts) {
    for (const AttemptProgress& progress : attempts) {
      field("at", to_string(progress.attempt) + "@" + std::to_string(progress.offset));
    }
    return *this;
  }

 private:
  std::string text_;
  Ids ids_;
};

struct OfFact {
  Ids ids;

  Line line(std::string_view name) const { return Line(name, ids); }

  Line operator()(const fact::MasterStarted& f) const { return line("master_started").field("epoch", f.epoch); }
  Line operator()(const fact::NodeAdded& f) const {
    return line("node_added").about(f.node).message("name", f.name).message("host", f.host).field("slots", f.slots);
  }
  Line operator()(const fact::DutyChanged& f) const {
    return line(std::string("node_") + name_of(f.duty)).about(f.node);
  }
  Line operator()(const fact::JobAccepted& f) const {
    return line("job_accepted")
        .about(f.job)
        .message("owner", f.spec.owner)
        .message("application", f.spec.application)
        .field("inputs", count_files(f.spec))
        .field("split_bytes", f.spec.split_bytes)
        .field("policy", f.spec.policy)
        .message("output", f.spec.output);
  }
  Line operator()(const fact::AttemptLaunched& f) const {
    return line("attempt_launched").on(f).range(f.range).flag("speculative", f.speculative).flag("standby", f.standby);
  }
  Line operator()(const fact::StandbyBegun& f) const { return line("standby_begun").about(f.attempt).range(f.range); }
  Line operator()(const fact::SegmentCut& f) const {
    return line("segment_cut").about(f.attempt).field("begin", f.begin).field("at", f.at).flag("release", f.release);
  }
  Line operator()(const fact::SegmentDivided& f) const {
    return line("segment_divided").about(f.task).field("begin", f.begin).field("at", f.at);
  }
  Line operator()(const fact::SegmentSealed& f) const {
    return line("segment_sealed")
        .about(f.attempt)
        .range(f.range)
        .field("records", f.output.records)
        .field("output_bytes", f.output.length)
        .field("output_offset", f.output.file_offset);
  }
  Line operator()(const fact::AttemptEnded& f) const {
    return line("attempt_ended").about(f.attempt).message("end", name_of(f.end)).message("message", f.message);
  }
  Line operator()(const fact::PolicyDecided& f) const {
    const DecisionNote& note = f.decision;
    if (note.reason == kPolicyMissing) return line("policy_missing").about(f.job).message("message", note.text);
    if (note.what == DecisionNote::What::Note)
      return line("policy_note").about(f.job).message("reason", note.reason).message("text", note.text);
    Line all = line("policy_decided");
    if (!note.task)
      all.about(f.job);
    else if (note.attempt)
      all.about(AttemptId{{f.job, *note.task}, *note.attempt});
    else
      all.about(TaskId{f.job, *note.task});
    all.field("what", name_of(note.what)).field("reason", note.reason).field("segment", note.segment);
    if (note.resume_at) all.field("resume_at", *note.resume_at);
    return all.field("pieces", note.pieces)
        .field("copies", note.copies)
        .flag("release", note.release)
        .flag("when_ready", note.when_ready)
        .number("completion", note.completion)
        .number("pocd_before", note.pocd_before)
        .number("pocd_after", note.pocd_after);
  }
  Line operator()(const fact::ProfileUpdated& f) const {
    return line("profile_updated")
        .field("finished", f.sample.finished().size())
        .field("censored", f.sample.censored().size())
        .field("launches", f.sample.launches().size());
  }
  Line operator()(const fact::ProfileForgotten&) const { return line("profile_forgotten"); }
  Line operator()(const fact::NodeForgotten& f) const { return line("node_forgotten").about(f.node); }
  Line operator()(const fact::CommitStarted& f) const { return line("job_commit_started").about(f.job); }
  Line operator()(const fact::TaskReopened& f) const { return line("task_reopened").about(f.task); }
  Line operator()(const fact::InputLeftOut& f) const {
    return line("input_left_out").about(f.attempt).message("why", f.why);
  }
  Line operator()(const fact::JobEnded& f) const {
    return line("job_ended").about(f.job).field("state", name_of(f.state)).message("message", f.message);
  }
  Line operator()(const fact::JobNotified& f) const {
    return line("job_notified").about(f.job).field("number", f.number).message("problem", f.problem);
  }
  Line operator()(const fact::JobForgotten& f) const { return line("job_forgotten").about(f.job); }
};

struct OfEvent {
  Line operator()(const event::NodeRegistered& e) const {
    Line line = Line("node_registered").message("incarnation", e.incarnation).field("slots", e.slots);
    return e.leaves_in > Duration(0) ? line.number("leaves_in", seconds(e.leaves_in)) : line;
  }
  Line operator()(const event::NodeInventory& e) const {
    return Line("node_inventory").about(e.node).positions(e.running);
  }
  Line operator()(const event::Heartbeat& e) const { return Line("heartbeat").about(e.node).positions(e.attempts); }
  Line operator()(const event::AttemptStarted& e) const { return Line("attempt_started").on(e); }
  Line operator()(const event::AttemptReady& e) const { return Line("attempt_ready").on(e); }
  Line operator()(const event::CutAnswered& e) const {
    return Line("cut_answered").on(e).field("at", e.at).flag("release", e.release);
  }
  Line operator()(const event::SegmentSealed& e) const { return Line("segment_sealed").on(e).range(e.range); }
  Line operator()(const event::AttemptExited& e) const {
    return Line("attempt_exited").on(e).message("message", e.message);
  }
  Line operator()(const event::JobSubmitted& e) const {
    return Line("job_submitted")
        .message("application", e.spec.application)
        .field("policy", e.spec.policy)
        .field("splits", count_splits(e.spec));
  }
  Line operator()(const event::JobKillRequested& e) const { return Line("kill_requested").about(e.job); }
  Line operator()(const event::CommitFinished& e) const {
    Line line("commit_finished");
    line.about(e.job).message("error", e.error);
    for (const std::uint32_t task : e.lost) line.field("lost", to_string(TaskId{e.job, task}));
    return line;
  }
  Line operator()(const event::NodeLeaving& e) const {
    return Line("node_leaving").about(e.node).flag("at_once", e.at_once);
  }
  Line operator()(const event::DrainRequested& e) const {
    return Line(e.drain ? "drain_requested" : "drain_withdrawn").about(e.node);
  }
  Line operator()(const event::LaunchedElsewhere& e) const {
    return Line("launched_elsewhere").about(e.task).about(e.node).field("begin", e.begin);
  }
  Line operator()(const event::JobNotified& e) const {
    return Line("notified").about(e.job).field("number", e.number).message("problem", e.problem);
  }
  Line operator()(const event::TimePassed&) const { return Line("time_passed"); }
};

struct OfAction {
  Line operator()(const action::LaunchAttempt& a) const {
    return Line("launch").on(a).range(a.range).flag("standby", a.standby);
  }
  Line operator()(const action::BeginAttempt& a) const { return Line("begin").on(a).range(a.range); }
  Line operator()(const action::CutAttempt& a) const {
    return Line("cut").on(a).field("at", a.at).flag("release", a.release);
  }
  Line operator()(const action::KillAttempt& a) const { return Line("kill").on(a).message("reason", a.reason); }
  Line operator()(const action::WelcomeNode& a) const {
    Line line("welcome");
    line.about(a.node);
    for (const AttemptId fenced : a.fenced) line.field("fenced", to_string(fenced));
    return line;
  }
  Line operator()(const action::DropNode& a) const { return Line("drop").about(a.node); }
  Line operator()(const action::ReleaseNode& a) const { return Line("release").about(a.node); }
  Line operator()(const action::CommitOutput& a) const { return Line("commit").about(a.job); }
  Line operator()(const action::DiscardOutput& a) const { return Line("discard").about(a.job); }
  Line operator()(const action::ForgetJob& a) const { return Line("forget").about(a.node).about(a.job); }
  Line operator()(const action::AnswerSubmit& a) const { return Line("accept").about(a.job); }
};

}  // namespace

std::string describe(const Fact& fact, Ids ids) { return std::visit(OfFact{ids}, fact).text(); }
std::string describe(const Event& event) { return std::visit(OfEvent{}, event).text(); }
std::string describe(const Action& action) { return std::visit(OfAction{}, action).text(); }

}  // namespace ontime::scheduler
