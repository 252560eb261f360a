#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/show/job_text.h"
#include "cli/show/table.h"
#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/protocol/job_state.h"
#include "scheduler/policies/decision.h"

namespace ontime::cli {
namespace {

constexpr const char* kIndent = "             ";
constexpr int kDecisionsAtEitherEnd = 4;  // of the decisions about one task
constexpr int kHeldNodesShown = 10;

std::string at(std::int64_t ns) { return fmt::format("{:.2f} s", seconds(Duration(ns))); }

// A line that begins with an instant.
std::string timed(std::int64_t ns, const std::string& text) {
  const std::string time = at(ns);
  return std::string(time.size() < 11 ? 11 - time.size() : 0, ' ') + time + "  " + printable(text) + "\n";
}

std::string indented(const std::string& text) { return kIndent + printable(text) + "\n"; }

std::string attempt_name(std::uint32_t number) { return "a" + std::to_string(number); }

std::string action_text(const wire::DecisionDetail& decision) {
  const std::string copies = counted(decision.copies(), "copy", "copies");
  std::string text;
  if (decision.what() == "divide") return "divided into " + counted(decision.pieces(), "piece");
  if (decision.what() == "end-attempt") return attempt_name(decision.attempt()) + " is ended";
  if (decision.what() == "clone") return "tasks launched from now on start with " + copies + " beside the original";
  if (!decision.has_resume_at())
    return copies + (decision.copies() == 1 ? " races" : " race") + " from byte " + std::to_string(decision.segment());
  text = copies + " from byte " + std::to_string(decision.resume_at()) + " on";
  if (decision.pieces() > 1) text += " in " + counted(decision.pieces(), "piece");
  if (decision.when_ready()) text += ", as soon as the first is ready";
  if (decision.has_attempt())
    text += "; " + attempt_name(decision.attempt()) +
            (decision.release() ? " stops where they begin"
                                : " goes on beside " + std::string(decision.copies() == 1 ? "it" : "them"));
  return text;
}

std::string fate_of(const wire::CopyFate& fate) {
  const std::string sealed = fate.sealed_bytes() > 0 ? "sealed " + counted(fate.sealed_bytes(), "byte") : "";
  if (fate.state() == "launching") return fate.standby() ? "stands by" : "is being launched";
  if (fate.state() == "running")
    return "is at byte " + std::to_string(fate.offset()) + (sealed.empty() ? "" : ", " + sealed);
  const std::string when = " at " + at(fate.ended_ns());
  if (fate.state() == "succeeded") return "won" + when + (sealed.empty() ? "" : ", " + sealed);
  if (fate.state() == "failed") return "failed" + when + (sealed.empty() ? "" : ", " + sealed + " before");
  if (fate.state() == "lost")
    return "was lost with its node" + when + (sealed.empty() ? "" : ", " + sealed + " before");
  if (fate.standby()) return "was not needed" + when;
  return sealed.empty() ? "lost" + when : "was ended" + when + ", " + sealed + " before";
}

std::string fate_text(const wire::CopyFate& fate, bool is_new) {
  std::string text = attempt_name(fate.attempt()) + " on " + fate.node_name();
  if (is_new && !fate.standby()) text += " from byte " + std::to_string(fate.from());
  text += " " + fate_of(fate);
  if (fate.saved_bytes() > 0)
    text += "; " + counted(fate.saved_bytes(), "byte") + " not mapped again, about " +
            format_duration(Duration(fate.saved_ns()));
  return text;
}

std::string expectation_text(const wire::DecisionDetail& decision, const wire::ExplainedTask& task) {
  std::string text;
  if (decision.has_completion_ns()) {
    text = "without this expected to be done at " + at(decision.completion_ns());
    if (task.has_done_ns()) text += ", the task was done at " + at(task.done_ns());
  }
  if (decision.has_pocd_before() && decision.has_pocd_after())
    text += (text.empty() ? "PoCD " : "; PoCD ") + pocd_text(decision.pocd_before()) + " -> " +
            pocd_text(decision.pocd_after());
  return text;
}

std::string decision_text(const wire::DecisionDetail& decision, const wire::ExplainedTask& task) {
  std::string text = timed(decision.at_ns(), decision_sentence(decision));
  if (decision.what() == "note") return text;
  const std::string expectation = expectation_text(decision, task);
  if (!expectation.empty()) text += indented(expectation);
  const bool has_launched = decision.what() != "end-attempt";
  for (const auto& fate : decision.fates()) {
    if (has_launched || fate.sealed_bytes() > 0) text += indented(fate_text(fate, has_launched));
  }
  return text;
}

std::string declined_text(const wire::ExplainedTask& task) {
  if (!task.has_declined()) return "";
  const auto& declined = task.declined();
  std::string text = std::string(task.decisions().empty() ? "nothing" : "nothing more") + " was done";
  if (declined.last_ns() > declined.since_ns()) text += " until " + at(declined.last_ns());
  return timed(declined.since_ns(), text + ": " + reason_text(declined.reason()));
}

std::string task_text(const wire::ExplainedTask& task, bool whole) {
  const auto& split = task.split();
  std::string text = task_name(task.index()) + "  bytes " + std::to_string(split.begin()) + ".." +
                     (split.end() == kUnknownEnd ? "end" : std::to_string(split.end())) + ", " + task.state();
  if (task.has_done_ns()) text += " at " + at(task.done_ns());
  text += "\n";
  const int count = task.decisions_size();
  for (int i = 0; i < count; ++i) {
    if (!whole && count > 2 * kDecisionsAtEitherEnd + 1 && i == kDecisionsAtEitherEnd) {
      const int left_out = count - 2 * kDecisionsAtEitherEnd;
      text += kIndent + std::to_string(left_out) + " decisions are left out; --task " + std::to_string(task.index()) +
              " shows them\n";
      i += left_out;
    }
    text += decision_text(task.decisions(i), task);
  }
  for (const auto& clone : task.clones()) text += timed(clone.launched_ns(), "started with " + fate_text(clone, true));
  text += declined_text(task);
  if (count == 0 && task.clones().empty() && !task.has_declined()) text += indented("nothing was decided about it");
  return text;
}

// When it began before the job was there, that is said as 0.
std::string held_text(const wire::HeldNode& held) {
  std::string text = to_string(NodeId{held.node()}) + " (" + held.node_name() + ") was held back as " + held.cause();
  text += (held.is_over() ? " until " : ", at most until ") + at(held.until_ns()) + ": " + held.reason();
  return timed(std::max<std::int64_t>(held.since_ns(), 0), text);
}

std::string held_text(const wire::Reply::Explained& explained, bool whole) {
  if (explained.held_nodes().empty()) return "";
  std::string text = "\nnodes that were held back\n";
  const int shown = whole ? explained.held_nodes_size() : std::min(explained.held_nodes_size(), kHeldNodesShown);
  for (int i = 0; i < shown; ++i) text += held_text(explained.held_nodes(i));
  const int more = explained.held_nodes_size() - shown;
  if (more > 0) text += kIndent + std::to_string(more) + " more; --all shows all\n";
  return text;
}

std::string head_text(const wire::JobSummary& job) {
  std::string text =
      to_string(JobId{job.job()}) + " " + protocol::name_of(job.state()) + ", policy " + job.settings().policy();
  const std::string parameters = parameters_text(job);
  if (!parameters.empty()) text += " with " + parameters;
  return printable(text + ", " + counted(job.tasks(), "task")) + ", " +
         (protocol::has_ended(job) ? "ended at " : "now at ") + at(job.elapsed_ns()) + " after submission\n";
}

// What the reason rests on: ", at 4.1 KiB/s where others have 33.0 KiB/s".
std::string pace_text(const wire::DecisionDetail& decision) {
  const auto rate = [](double bytes) { return format_size(static_cast<std::uint64_t>(bytes)) + "/s"; };
  constexpr double kMost = 1e15;
  const auto can_be_said = [](double bytes) { return bytes > 0 && bytes <= kMost; };
  if (!can_be_said(decision.rate()) || !can_be_said(decision.usual_rate())) return "";
  return ", at " + rate(decision.rate()) + " where others have " + rate(decision.usual_rate());
}

}  // namespace

std::string reason_text(const std::string& code) {
  const std::optional<scheduler::Reason> reason = scheduler::reason_of_code(code);
  return reason ? code + " (" + std::string(scheduler::sentence_of(*reason)) + ")" : code;
}

std::string decision_sentence(const wire::DecisionDetail& decision) {
  if (decision.what() == "note") return decision.text();
  return reason_text(decision.reason()) + pace_text(decision) + ": " + action_text(decision);
}

std::string explained_text(const wire::Reply::Explained& explained, bool whole) {
  std::string text = head_text(explained.summary());
  if (!explained.decisions().empty()) text += "\nthe whole job\n";
  for (const auto& decision : explained.decisions()) text += decision_text(decision, {});
  text += held_text(explained, whole);
  for (const auto& task : explained.tasks()) text += "\n" + task_text(task, whole);
  if (explained.decisions().empty() && explained.tasks().empty())
    text += "Nothing was decided and no straggler was passed over.\n";
  if (explained.tasks_left_out() > 0)
    text += "\n" + counted(explained.tasks_left_out(), "more task is", "more tasks are") +
            " left out; --all shows all, --task N one\n";
  if (explained.decisions_dropped() > 0)
    text += "\n" + counted(explained.decisions_dropped(), "later decision was", "later decisions were") +
            " not kept: there were too many\n";
  return text;
}

}  // namespace ontime::cli
