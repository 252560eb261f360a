#include "cli/show/job_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/job_fields.h"
#include "cli/show/job_json.h"
#include "cli/show/table.h"
#include "common/base/ids.h"
#include "common/base/units.h"
#include "common/base/wording.h"
#include "common/protocol/job_state.h"
#include "scheduler/policies/policy.h"

namespace ontime::cli {
namespace {

std::string job_name(const wire::JobSummary& job) { return to_string(JobId{job.job()}); }

void add_line(std::string& text, const std::string& name, const std::string& value) {
  if (value.empty()) return;
  text += name + ":" + std::string(name.size() < 11 ? 12 - name.size() : 1, ' ') + printable(value) + "\n";
}

std::string counter_text(const wire::Counter& counter) {
  return counter.group() + "." + counter.name() + " = " + std::to_string(static_cast<std::int64_t>(counter.value()));
}

// On one line; `ontime job` shows all.
std::string counters_text(const wire::JobSummary& job) {
  constexpr int kShown = 8;
  std::vector<std::string> counters;
  for (const auto& counter : job.counters())
    if (counters.size() < kShown) counters.push_back(counter_text(counter));
  if (job.counters_size() > kShown) counters.push_back(std::to_string(job.counters_size() - kShown) + " more");
  return listed(counters);
}

std::string duration(std::int64_t ns) { return format_duration(Duration(ns)); }

std::string percent(double share) { return fmt::format(" ({:.1f}%)", 100 * share); }

void add(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

std::string source_text(const std::string& source) {
  if (source == "profile") return "from the profile";
  if (source == "job") return "from this job";
  if (source == "flags") return "as given";
  return "assumed";
}

std::string durations_text(const wire::Durations& durations) {
  if (durations.t_min_ns() == 0) return "";
  std::string text = "t_min " + duration(durations.t_min_ns()) + ", beta " + fmt::format("{:.2f}", durations.beta());
  if (durations.beta_error() > 0) text += fmt::format(" +- {:.2f}", durations.beta_error());
  text += " " + source_text(durations.source());
  if (durations.attempts() > 0) text += ", " + counted(durations.attempts(), "attempt");
  return text + "; launch " + duration(durations.launch_ns()) + " " + source_text(durations.launch_source());
}

std::string copies_text(const wire::Reply::Job& job) {
  std::string text;
  for (const auto& copies : job.copies()) {
    const bool has_launched = copies.attempts() > 0;  // cutting and ending an attempt are decisions too
    if (has_launched) add(text, std::to_string(copies.attempts()) + " for " + copies.reason());
  }
  return text;
}

// "900 B useful (90.0%), 100 B duplicated (10.0%)"
template <class Value, class OfPart, class Format>
std::string shares_text(const wire::Account& account, Value total, OfPart of_part, Format format) {
  std::string text;
  for (const AccountPart& part : kAccountParts) {
    const Value value = part.*of_part == nullptr ? 0 : (account.*(part.*of_part))();
    const double share = static_cast<double>(value) / static_cast<double>(total);
    if (value > 0) add(text, format(value) + " " + part.name + percent(share));
  }
  return text;
}

std::string bytes_text(const wire::Account& account) {
  if (account.mapped_bytes() == 0) return "";
  return format_size(account.mapped_bytes()) +
         " mapped: " + shares_text(account, account.mapped_bytes(), &AccountPart::bytes, format_size);
}

std::string machine_text(const wire::Account& account) {
  if (account.total_ns() == 0) return "";
  return duration(account.total_ns()) + ": " +
         shares_text(account, account.total_ns(), &AccountPart::nanoseconds, duration);
}

std::string saved_text(const wire::Account& account) {
  if (account.saved_bytes() == 0) return "";
  return format_size(account.saved_bytes()) + " not mapped again, about " + duration(account.saved_ns()) + ", by " +
         counted(account.resumed(), "attempt") + " that resumed";
}

// "6 files: /data/a, /data/b and 4 more"
std::string inputs_text(const wire::JobSummary& job) {
  if (job.inputs().empty()) return "";
  std::string names;
  for (const auto& input : job.inputs()) add(names, input);
  const auto more = job.input_files() - static_cast<std::uint32_t>(job.inputs_size());
  return counted(job.input_files(), "file") + ": " + names + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::string sent_text(const wire::JobSummary& job) {
  std::string names;
  for (const auto& file : job.files()) add(names, file);
  return names;
}

// What its copies did, and where bytes and machine time have gone.
void add_account(std::string& text, const wire::Reply::Job& job) {
  add_line(text, "copies", copies_text(job));
  add_line(text, "bytes", bytes_text(job.account()));
  add_line(text, "machine", machine_text(job.account()));
  add_line(text, "saved", saved_text(job.account()));
}

// What an attempt wrote to stderr may be hundreds of lines, of which the first and above all the last say most.
std::string shortened(const std::string& message, const std::string& job) {
  constexpr std::ptrdiff_t kShownFirst = 15;  // lines
  constexpr std::ptrdiff_t kShownLast = 20;
  const auto lines = std::count(message.begin(), message.end(), '\n') + 1;
  const auto left_out = lines - kShownFirst - kShownLast;
  if (left_out <= 1) return message;
  std::size_t head = 0;
  for (std::ptrdiff_t i = 0; i < kShownFirst; ++i) head = message.find('\n', head) + 1;
  std::size_t tail = message.size();
  for (std::ptrdiff_t i = 0; i < kShownLast; ++i) tail = message.rfind('\n', tail - 1);
  return message.substr(0, head) + "... " + std::to_string(left_out) + " lines left out; 'ontime logs " + job +
         "' shows all ..." + message.substr(tail);
}

}  // namespace

std::string checkpoints_text(const wire::JobSummary& job) {
  const wire::JobSettings& settings = job.settings();
  if (settings.checkpoint_interval() > 0) return "every " + duration(settings.checkpoint_interval());
  if (!restarts_without_checkpoints(job)) return "off";
  return "off (" + settings.policy() + " restarts from the beginning; --checkpoint 5s switches them on)";
}

std::string task_name(std::uint32_t index) {
  const std::string name = attempt_file_name({{{}, index}, 0});
  return name.substr(0, name.find('-'));
}

std::string left_out_text(const wire::JobSummary& job) {
  constexpr int kShownMost = 20;
  const auto& inputs = job.settings().skip().inputs();
  if (inputs.empty()) return "";
  std::string text = counted(static_cast<std::uint64_t>(inputs.size()), "input") + ":";
  for (int i = 0; i < std::min(inputs.size(), kShownMost); ++i) text += " " + inputs[i].value();
  return text + (inputs.size() > kShownMost ? " The others are in --json and in the output's manifest." : "");
}

std::string notices_text(const wire::JobSummary& job) {
  std::string text;
  for (const wire::Notice& notice : job.notify()) {
    if (!text.empty()) text += "; ";
    text += notice.when() + ": " + notice.what();
    if (!notice.problem().empty())
      text += " (not told: " + notice.problem() + ")";
    else if (notice.told_unix_ns() != 0)
      text += " (told " + local_time(notice.told_unix_ns()) + ")";
  }
  return text;
}

std::string parameters_text(const wire::JobSummary& job) {
  std::string text;
  for (const auto& entry : job.settings().policy_parameters()) add(text, entry.key() + "=" + entry.value());
  return text;
}

std::string settings_text(const wire::JobSummary& job) {
  std::string text;
  for (const auto& entry : job.parameters()) add(text, entry.key() + "=" + entry.value());
  return text;
}

bool restarts_without_checkpoints(const wire::JobSummary& job) {
  const wire::JobSettings& settings = job.settings();
  return settings.checkpoint_interval() == 0 &&
         scheduler::default_checkpoint_interval(settings.policy()) == Duration(0);
}

ProgressState progress_of(const wire::JobSummary& job) {
  ProgressState state;
  state.done_bytes = job.mapped_bytes();
  state.total_bytes = job.input_bytes();
  state.tasks_done = job.tasks_done();
  state.tasks = job.tasks();
  state.copies_running = job.copies_running();
  state.attempts_failed = job.attempts_failed();
  const std::int64_t deadline = job.settings().deadline();
  if (deadline > 0 && !protocol::has_ended(job)) state.deadline_left = Duration(deadline - job.elapsed_ns());
  if (job.forecast().has_pocd()) state.pocd = job.forecast().pocd();
  if (job.forecast().has_median_ns() && !protocol::has_ended(job)) {
    state.expected_left = Duration(std::max<std::int64_t>(0, job.forecast().median_ns() - job.elapsed_ns()));
  }
  if (job.state() == wire::COMMITTING) state.note = "committing";
  if (job.waiting_for() == "workers")
    state.note = "no workers";
  else if (!job.waiting_for().empty())
    state.note = "waiting for " + job.waiting_for();
  return state;
}

std::string summary_text(const wire::JobSummary& job, const std::vector<std::string>& application_directories) {
  const double s = seconds(Duration(job.elapsed_ns()));
  std::string text = job_name(job) + " " + protocol::name_of(job.state()) + ": " + counted(job.tasks(), "task") + ", " +
                     counted(job.records(), "record") + ", " + format_size(job.input_bytes()) + " in " +
                     format_duration(Duration(job.elapsed_ns()));
  if (s > 0) text += " (" + format_size(static_cast<std::uint64_t>(static_cast<double>(job.input_bytes()) / s)) + "/s)";
  text += "\n";
  add_line(text, "deadline", deadline_text(job));
  if (job.attempts_failed() > 0)
    add_line(text, "retried", counted(job.attempts_failed(), "attempt") + " failed; their work was done again");
  if (restarts_without_checkpoints(job)) add_line(text, "checkpoints", checkpoints_text(job));
  add_line(text, "policy", job.policy_choice());
  add_line(text, "slower", job.policy_harm());
  add_line(text, "left out", left_out_text(job));
  add_line(text, "counters", counters_text(job));
  add_line(text, "output", job.output());
  if (job.output_content_bytes() > 0)
    add_line(text, "compressed", format_size(job.output_content_bytes()) + " to " + format_size(job.output_bytes()));
  std::string answer = "ontime result " + shell_word(job.output());
  for (const auto& directory : application_directories) answer += " --app-dir " + shell_word(directory);
  add_line(text, "answer", answer);
  return text;
}

std::string hint_text(const wire::Reply::Job& job, std::uint32_t slots) {
  std::string text;
  add_line(text, "may help", late_hint(job, slots));
  return text;
}

std::string failure_text(const wire::JobSummary& job) {
  std::string text = job_name(job) + (job.state() == wire::KILLED ? " was killed" : " failed");
  if (!job.message().empty()) text += ": " + shortened(printable_lines(job.message()), job_name(job));
  return text;
}

std::string drain_text(const wire::NodeSummary& node, bool undo) {
  const std::string who = to_string(NodeId{node.node()}) + " (" + node.name() + ")";
  if (node.state() == "lost")
    return who + " is lost: nothing runs there, and " + (undo ? "it gets work" : "it gets no work") +
           " should it come back\n";
  if (undo) return who + " gets work again\n";
  if (node.busy() == 0) return who + " is drained: nothing runs there and it gets no work\n";
  return who + " drains: " + counted(node.busy(), "attempt is", "attempts are") + " still being handed over\n";
}

std::string speculation_text(const wire::Reply::Job& job) {
  std::string text;
  if (job.copies().empty() && job.account().saved_bytes() == 0) return text;
  add_account(text, job);
  return text;
}

std::string job_text(const wire::Reply::Job& whole) {
  const wire::JobSummary& job = whole.summary();
  std::string text;
  add_line(text, "job", job_name(job) + ", " + protocol::name_of(job.state()));
  add_line(text, "owner", job.owner());
  add_line(text, "application", job.application());
  add_line(text, "parameters", settings_text(job));
  add_line(text, "input", inputs_text(job));
  add_line(text, "sent along", sent_text(job));
  for (const auto& [title, value] : settings_lines(job)) add_line(text, title, value);
  add_line(text, "choice", job.policy_choice());
  add_line(text, "slower", job.policy_harm());
  add_line(text, "warning", job.policy_problem());
  add_line(text, "submitted", local_time(job.submitted_unix_ns()));
  add_line(text, "due", local_time(due_unix_ns(job).value_or(0)));
  add_line(text, "ended", local_time(job.ended_unix_ns()));
  add_line(text, "elapsed", format_duration(Duration(job.elapsed_ns())));
  if (job.forecast().has_pocd()) add_line(text, "PoCD", pocd_text(job.forecast().pocd()));
  add_line(text, "expected", expected_text(job));
  add_line(text, "durations", durations_text(job.forecast().durations()));
  add_line(text, "progress", progress_text(progress_of(job)));
  add_line(text, "records", std::to_string(job.records()));
  add_line(text, "attempts",
           std::to_string(job.attempts_running()) + " running, " + std::to_string(job.attempts_launched()) +
               " launched, " + std::to_string(job.attempts_failed()) + " failed");
  add_account(text, whole);
  text += hint_text(whole, 0);
  add_line(text, "output", job.output());
  for (const auto& counter : job.counters()) add_line(text, "counter", counter_text(counter));
  if (!job.message().empty()) text += "message:     " + printable_lines(job.message()) + "\n";
  return text;
}

std::vector<output::AttemptLog> logs_of(const wire::Reply::Logs& logs) {
  std::vector<output::AttemptLog> kept;
  for (const auto& log : logs.logs())
    kept.push_back({log.task(), log.attempt(), log.node_name(), log.begin(), log.text()});
  return kept;
}

std::string LogText::next(std::vector<output::AttemptLog> logs) {
  std::ranges::sort(logs, {}, [](const auto& log) { return std::pair(log.task, log.attempt); });
  std::string text;
  for (output::AttemptLog& log : logs) text += next(std::move(log));
  return text;
}

std::string LogText::next(output::AttemptLog log) {
  const Key key{log.task, log.attempt};
  const auto [shown, is_new] = shown_.emplace(key, 0);
  const std::uint64_t end = log.begin + log.text.size();
  if (!is_new && end <= shown->second) return "";
  const std::uint64_t left_out = log.begin > shown->second ? log.begin - shown->second : 0;
  if (shown->second > log.begin) {
    log.text.erase(0, static_cast<std::size_t>(shown->second - log.begin));
    log.begin = shown->second;
  }
  shown->second = end;
  if (json_) return output::to_line(log) + "\n";
  std::string text;
  if (key != last_) {
    if (!ends_in_line_) text += "\n";
    text += "== " + attempt_file_name({{JobId{}, log.task}, log.attempt}) + " on " + printable(log.node) + "\n";
    last_ = key;
  }
  if (left_out > 0) text += "[" + format_size(left_out) + " are not kept]\n";
  text += printable_lines(log.text);
  ends_in_line_ = text.ends_with('\n');
  return text;
}

}  // namespace ontime::cli
