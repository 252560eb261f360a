#include "cli/job_fields.h"

#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/show/job_text.h"
#include "common/base/clock_time.h"
#include "common/base/compression.h"
#include "common/base/limits.h"
#include "common/base/units.h"
#include "common/base/wording.h"
#include "master/inputs/input_listing.h"
#include "master/submissions/notify.h"
#include "scheduler/policies/policy.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;

void add_attempt_timeout(CLI::App& app, Duration& value) {
  app.add_option_function<std::string>(
         "--attempt-timeout",
         [&value](const std::string& text) {
           const auto given = text == "never" ? Result<Duration>(Duration::max()) : parse_duration(text);
           if (!given) throw CLI::ValidationError("--attempt-timeout", given.error().message);
           if (*given < kAttemptTimeoutMin)
             throw CLI::ValidationError("--attempt-timeout",
                                        "'" + text + "' is too short; give 100ms or more, or never");
           value = *given;
         },
         "End an attempt that makes no progress for this long, or never (default: 20 times what the job's attempts "
         "need from one offset to the next, at least 30s; to seal what it has mapped at least 1m)")
      ->type_name("TIME");
}

void add_on_miss(CLI::App& app, bool& kill) {
  app.add_option_function<std::string>(
         "--on-miss", [&kill](const std::string& what) { kill = what == "kill"; },
         "When the deadline has passed: finish the job, or kill it (default finish)")
      ->check(flags::one_of({"finish", "kill"}))
      ->needs(app.get_option("--deadline"))
      ->type_name("WHAT");
}

void add_priority(CLI::App& app, std::int32_t& value) {
  app.add_option_function<std::string>(
         "--priority",
         [&value](const std::string& text) {
           const auto priority = number_in<std::int32_t>(text);
           if (!priority || !is_priority(*priority))
             throw CLI::ValidationError("--priority", "'" + text + "' is not a whole number from " +
                                                          std::to_string(-kPriorityMost) + " to " +
                                                          std::to_string(kPriorityMost));
           value = *priority;
         },
         "Of one owner's jobs, those with a higher priority get slots first (default 0)")
      ->type_name("N");
}

Json shown_interval(std::int64_t ns) { return ns > 0 ? Json(seconds(Duration(ns))) : Json(nullptr); }

std::string policy_text(const wire::JobSummary& job) {
  const std::string parameters = parameters_text(job);
  return job.settings().policy() + (job.policy_chosen().empty() ? "" : " (" + job.policy_chosen() + ")") +
         (parameters.empty() ? "" : " with " + parameters);
}

std::string deadline_and_end(const wire::JobSummary& job) {
  const std::string deadline = deadline_text(job);
  return deadline + (job.settings().kill_on_miss() && !deadline.empty() ? "; the job is killed then" : "");
}

struct JobField {
  void (*add_flag)(CLI::App& app, JobOptions& job) = [](CLI::App&, JobOptions&) {};
  const char* key = nullptr;  // in JSON; null: not shown
  Json (*value)(const wire::JobSettings& settings) = nullptr;
  const char* title = nullptr;  // in text; null: not shown
  std::string (*text)(const wire::JobSummary& job) = nullptr;
};

// In the order of --help, JSON and text.
constexpr JobField kJobFields[] = {
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           add_text(app, "--name", job.name, "TEXT", "Name of the job, shown beside its id");
         },
     .key = "name",
     .value =
         [](const wire::JobSettings& settings) { return settings.name().empty() ? Json() : Json(settings.name()); },
     .title = "name",
     .text = [](const wire::JobSummary& job) { return job.settings().name(); }},
    {.add_flag = [](CLI::App& app, JobOptions& job) { add_priority(app, job.priority); },
     .key = "priority",
     .value = [](const wire::JobSettings& settings) { return Json(settings.priority()); },
     .title = "priority",
     .text =
         [](const wire::JobSummary& job) {
           const auto priority = job.settings().priority();
           return priority == 0 ? "" : std::to_string(priority);
         }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           add_deadline(app, job,
                        "Time the job may take, or the clock time by which it must be done, such as 06:00, else "
                        "$ONTIME_DEADLINE; later than that, the exit code is 3")
               ->envname("ONTIME_DEADLINE");
         },
     .key = "deadline_seconds",
     .value = [](const wire::JobSettings& settings) { return shown_interval(settings.deadline()); },
     .title = "deadline",
     .text = deadline_and_end},
    {.add_flag = [](CLI::App& app, JobOptions& job) { add_on_miss(app, job.kill_on_miss); },
     .key = "on_miss",
     .value = [](const wire::JobSettings& settings) { return Json(settings.kill_on_miss() ? "kill" : "finish"); }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           flags::add_duration(
               app, "--checkpoint", job.checkpoint_interval,
               "Seal what is mapped at this interval; 0: never (default 5s; 0 for policies that restart)");
         },
     .key = "checkpoint_seconds",
     .value = [](const wire::JobSettings& settings) { return shown_interval(settings.checkpoint_interval()); },
     .title = "checkpoints",
     .text = checkpoints_text},
    {.add_flag = [](CLI::App& app, JobOptions& job) { add_attempt_timeout(app, job.attempt_timeout); }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           flags::add_whole(app, "--max-attempts", job.attempts_max, {1, kFailuresOfSegmentMax},
                            "Failures of one segment that fail the job");
         }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           flags::add_size(app, "--max-record", job.record_bytes_max,
                           "A longer record fails the job (default 64MiB, of csv 4MiB)");
         }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           flags::add_size(app, "--max-window", job.window_bytes_max,
                           "What decompressing an input may keep in memory (default 128MiB, most 4GiB); zstd --long "
                           "and large dictionaries of xz need more");
         }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           add_text(
               app, "--records", job.records, "FORMAT",
               "What a record is: lines, delimiter:TEXT, fixed:BYTES, csv, json, fastq, warc, xml:TAG or paragraph, or "
               "auto: as the first file plainly shows (default lines)");
         },
     .key = "record_format",
     .value =
         [](const wire::JobSettings& settings) {
           return settings.records().empty() ? Json() : Json(settings.records());
         },
     .title = "format",
     .text = [](const wire::JobSummary& job) { return job.settings().records(); }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           add_text(app, "--compress", job.compress, "NAME",
                    "Compress part files: zstd, gzip or none, with a level as zstd:9 or gzip:9 (default none)")
               ->check([](const std::string& text) {
                 const auto compression = read_compression(text);
                 return compression ? "" : compression.error().message;
               });
         },
     .key = "compress",
     .value =
         [](const wire::JobSettings& settings) {
           return settings.compress().empty() ? Json() : Json(settings.compress());
         },
     .title = "compress",
     .text = [](const wire::JobSummary& job) { return job.settings().compress(); }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           add_text(app, "--parts-suffix", job.parts_suffix, "SUFFIX",
                    "What names of part files end in, such as .jsonl; --compress adds .zst or .gz");
         },
     .key = "parts_suffix",
     .value =
         [](const wire::JobSettings& settings) {
           return settings.parts_suffix().empty() ? Json() : Json(settings.parts_suffix());
         },
     .title = "parts suffix",
     .text = [](const wire::JobSummary& job) { return job.settings().parts_suffix(); }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           add_text(
               app, "--skip", job.skip.kinds, "KINDS",
               "Leave out inputs that are unreadable, vanished, archived or corrupt, instead of refusing or failing "
               "the job; such as vanished,corrupt")
               ->envname("ONTIME_SKIP")
               ->check([](const std::string& kinds) {
                 const auto flaws = master::read_flaws(kinds);
                 return flaws ? "" : flaws.error().message;
               });
         },
     .key = "skip",
     .value =
         [](const wire::JobSettings& settings) {
           return settings.skip().kinds().empty() ? Json() : Json(settings.skip().kinds());
         }},
    {.key = "left_out",
     .value =
         [](const wire::JobSettings& settings) {
           Json inputs = Json::array();
           for (const wire::Entry& entry : settings.skip().inputs())
             inputs.push_back({{"path", entry.key()}, {"why", entry.value()}});
           return inputs;
         },
     .title = "left out",
     .text = left_out_text},
    {.add_flag = [](CLI::App& app, JobOptions& job) { add_application_directories(app, job.application_directories); }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           add_text(app, "--file", job.files, "FILE",
                    "Send this file along: attempts find it in their directory; repeatable");
         }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           add_text(app, "--notify", job.notify, "WHEN:WHAT",
                    "Tell once when the job is pocd<0.5 (or another number), late, missed, failed, ended or stuck: run "
                    "a command, or post JSON to an http(s):// URL; repeatable")
               ->check([](const std::string& text) {
                 const auto notify = master::read_notify(text);
                 return notify ? ""
                               : notify.error().message.substr(0, notify.error().message.size() - 1);  // no full stop
               });
         },
     .title = "notify",
     .text = notices_text},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           add_text(app, "--estimator", job.estimator, "NAME",
                    "How completion times are estimated: chronos, hadoop, exponential or simple-exponential")
               ->check(flags::one_of({"chronos", "hadoop", "exponential", "simple-exponential"}));
         },
     .key = "estimator",
     .value = [](const wire::JobSettings& settings) { return Json(settings.estimator()); },
     .title = "estimator",
     .text = [](const wire::JobSummary& job) { return job.settings().estimator(); }},
    {.add_flag =
         [](CLI::App& app, JobOptions& job) {
           flags::add_policy(app, job.policy, job.policy_parameters, scheduler::read_policy,
                             "What to do about stragglers: a name from 'ontime policies', or NAME:KEY=VALUE,... "
                             "(default: $ONTIME_POLICY, else auto)")
               ->check(flags::offering(names_of(scheduler::policies())))
               ->envname("ONTIME_POLICY");
         },
     .key = "policy",
     .value = [](const wire::JobSettings& settings) { return Json(settings.policy()); },
     .title = "policy",
     .text = policy_text},
    {.key = "policy_parameters",  // set by --policy and --policy-set
     .value =
         [](const wire::JobSettings& settings) {
           Json parameters = Json::object();
           for (const wire::Entry& entry : settings.policy_parameters()) parameters[entry.key()] = entry.value();
           return parameters;
         }},
};

}  // namespace

Status read_deadline(const std::string& text, JobOptions& job) {
  job.due_unix_ns = 0;
  if (!looks_like_clock_time(text)) {
    const auto given = parse_duration(text);
    if (!given && text.find_first_of("0123456789") == text.npos)
      return bad_input("'" + text + "' is not a duration, such as 90s or 1h30m, nor a time, such as 06:00");
    if (!given) return given.error();
    if (*given < std::chrono::milliseconds(1)) return bad_input("'" + text + "' is too short; give 1ms or more");
    job.deadline = *given;
    return {};
  }
  const std::int64_t now = now_unix_ns();
  const auto due = parse_clock_time(text, now);
  if (!due) return due.error();
  job.due_unix_ns = *due;
  job.deadline = Duration(*due - now);
  return {};
}

void add_setting_flags(CLI::App& app, JobOptions& job) {
  for (const JobField& field : kJobFields) field.add_flag(app, job);
}

Json settings_value(const wire::JobSettings& settings) {
  Json all = Json::object();
  for (const JobField& field : kJobFields) {
    if (field.key != nullptr) all[field.key] = field.value(settings);
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> settings_lines(const wire::JobSummary& job) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const JobField& field : kJobFields) {
    if (field.title != nullptr) lines.emplace_back(field.title, field.text(job));
  }
  return lines;
}

}  // namespace ontime::cli
