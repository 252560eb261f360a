#include "master/recording/record_text.h"

#include <array>
#include <cstdio>

namespace ontime::recording {
namespace {

namespace fact = scheduler::fact;
using scheduler::AttemptEnd;
using scheduler::DecisionNote;
using scheduler::JobState;

std::string text(ByteRange range) { return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")"; }

// All digits: two that differ must look different.
std::string text(double value) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.17g", value);
  return digits.data();
}

std::string text(const DecisionNote& note) {
  std::string all(name_of(note.what));
  if (note.task) all += " task " + std::to_string(*note.task);
  if (note.attempt) all += " attempt " + std::to_string(*note.attempt);
  if (!note.reason.empty()) all += " because " + note.reason;
  if (note.what != DecisionNote::What::Note) all += " segment " + std::to_string(note.segment);
  if (note.resume_at) all += " resume at " + std::to_string(*note.resume_at);
  if (note.what != DecisionNote::What::Note) {
    all += " pieces " + std::to_string(note.pieces) + " copies " + std::to_string(note.copies) + " completion " +
           text(note.completion) + " pocd " + text(note.pocd_before) + " to " + text(note.pocd_after);
  }
  if (note.release) all += " release";
  if (note.when_ready) all += " when ready";
  return note.text.empty() ? all : all + ": " + note.text;
}

struct Writer {
  std::string operator()(const fact::MasterStarted& r) { return "master started, epoch " + std::to_string(r.epoch); }
  std::string operator()(const fact::NodeAdded& r) {
    return to_string(r.node) + " added: " + r.name + ", slots " + std::to_string(r.slots);
  }
  std::string operator()(const fact::DutyChanged& r) { return to_string(r.node) + " " + name_of(r.duty); }
  std::string operator()(const fact::JobAccepted& r) {
    return to_string(r.job) + " accepted: " + r.spec.application + ", policy " + r.spec.policy;
  }
  std::string operator()(const fact::AttemptLaunched& r) {
    return to_string(r.attempt) + " launched on " + to_string(r.node) + " " + text(r.range) +
           (r.speculative ? " speculative" : "") + (r.standby ? " standby" : "");
  }
  std::string operator()(const fact::StandbyBegun& r) { return to_string(r.attempt) + " begins " + text(r.range); }
  std::string operator()(const fact::SegmentCut& r) {
    return to_string(r.attempt) + " cut [" + std::to_string(r.begin) + " at " + std::to_string(r.at) +
           (r.release ? ", released" : "");
  }
  std::string operator()(const fact::SegmentDivided& r) {
    return to_string(r.task) + " divided [" + std::to_string(r.begin) + " at " + std::to_string(r.at);
  }
  std::string operator()(const fact::SegmentSealed& r) {
    return to_string(r.attempt) + " sealed " + text(r.range) + ", output " + std::to_string(r.output.length) +
           " bytes at " + std::to_string(r.output.file_offset);
  }
  std::string operator()(const fact::AttemptEnded& r) {
    return to_string(r.attempt) + " " + name_of(r.end) + (r.message.empty() ? "" : ": " + r.message);
  }
  std::string operator()(const fact::PolicyDecided& r) { return to_string(r.job) + " decided: " + text(r.decision); }
  std::string operator()(const fact::ProfileUpdated& r) {
    return "profile updated: " + std::to_string(r.sample.finished().size()) + " durations, " +
           std::to_string(r.sample.censored().size()) + " ended early, " + std::to_string(r.sample.launches().size()) +
           " launches";
  }
  std::string operator()(const fact::ProfileForgotten&) { return "profile forgotten"; }
  std::string operator()(const fact::NodeForgotten& r) { return to_string(r.node) + " forgotten"; }
  std::string operator()(const fact::CommitStarted& r) { return to_string(r.job) + " commit started"; }
  std::string operator()(const fact::JobEnded& r) {
    return to_string(r.job) + " " + name_of(r.state) + (r.message.empty() ? "" : ": " + r.message);
  }
  std::string operator()(const fact::JobForgotten& r) { return to_string(r.job) + " forgotten"; }
};

}  // namespace

const char* name_of(DecisionNote::What what) {
  switch (what) {
    case DecisionNote::What::Speculate:
      return "speculate";
    case DecisionNote::What::Divide:
      return "divide";
    case DecisionNote::What::Clone:
      return "clone";
    case DecisionNote::What::EndAttempt:
      return "end-attempt";
    case DecisionNote::What::Note:
      break;
  }
  return "note";
}

std::string text_of(const scheduler::JournalRecord& record) { return std::visit(Writer{}, record.fact); }

}  // namespace ontime::recording
