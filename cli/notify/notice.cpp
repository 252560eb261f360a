#include "cli/notify/notice.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/show/job_json.h"
#include "cli/show/job_text.h"
#include "cli/show/lateness.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/base/units.h"
#include "common/protocol/job_state.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;

// A variable has no NUL, and people and programs read it as one line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\0' || c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string pocd_of(const wire::JobSummary& job) {
  return job.forecast().has_pocd() ? pocd_text(job.forecast().pocd()) : "";
}

std::string what_happened(const wire::NoticeToTell& notice) {
  const wire::JobSummary& job = notice.job();
  const std::string& when = notice.when();
  if (when.starts_with("pocd"))
    return "will probably miss its deadline: PoCD " + pocd_of(job) + "; " + deadline_text(job);
  if (when == "late") return "is late: " + deadline_text(job);
  if (when == "missed") return std::string(protocol::name_of(job.state())) + " late: " + deadline_text(job);
  if (when == "stuck")
    return "is stuck" + (job.waiting_for().empty() ? ": it maps nothing new" : ": it waits for " + job.waiting_for());
  return protocol::name_of(job.state()) + (" after " + format_duration(Duration(job.elapsed_ns()))) +
         (job.message().empty() ? "" : ": " + job.message());
}

}  // namespace

std::string notice_sentence(const wire::NoticeToTell& notice) {
  const std::string& name = notice.job().settings().name();
  return one_line(to_string(JobId{notice.job().job()}) + (name.empty() ? "" : " '" + name + "'") + " " +
                  what_happened(notice));
}

std::string notice_json(const wire::NoticeToTell& notice) {
  Json json = {{"text", notice_sentence(notice)}, {"notice", {{"id", notice.id()}, {"when", notice.when()}}}};
  json.update(listed_job_value(notice.job()));
  return text_of(json);
}

std::vector<std::string> notice_variables(const wire::NoticeToTell& notice) {
  const wire::JobSummary& job = notice.job();
  const std::int64_t deadline = job.settings().deadline();
  const auto in_seconds = [](std::int64_t ns) { return std::to_string(seconds(Duration(ns))); };
  std::vector<std::pair<const char*, std::string>> variables{
      {"NOTICE", notice.id()},
      {"WHEN", notice.when()},
      {"TEXT", notice_sentence(notice)},
      {"JOB", to_string(JobId{job.job()})},
      {"NAME", job.settings().name()},
      {"OWNER", job.owner()},
      {"APPLICATION", job.application()},
      {"OUTPUT", job.output()},
      {"STATE", protocol::name_of(job.state())},
      {"MESSAGE", job.message()},
      {"POCD", job.forecast().has_pocd() ? std::to_string(job.forecast().pocd()) : ""},
      {"ELAPSED_SECONDS", in_seconds(job.elapsed_ns())},
      {"DEADLINE_SECONDS", deadline > 0 ? in_seconds(deadline) : ""},
      {"LEFT_SECONDS", deadline > 0 ? in_seconds(deadline - job.elapsed_ns()) : ""}};
  std::vector<std::string> texts;
  for (auto& [name, value] : variables)
    texts.push_back(std::string("ONTIME_") + name + "=" + one_line(std::move(value)));
  return texts;
}

}  // namespace ontime::cli
