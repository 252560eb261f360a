// job: one job and its tasks, of which there may be millions: they are asked for and shown a page at a time.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include "cli/client/follow.h"
#include "cli/client/selector.h"
#include "cli/cluster/interrupt.h"
#include "cli/commands/execute.h"
#include "cli/show/job_text.h"
#include "cli/show/listing.h"

namespace ontime::cli {
namespace {

constexpr std::uint32_t kPage = 1000;  // tasks that are in memory at once, and share a table

void show_text(const std::string& text) { std::fputs(text.c_str(), stdout); }

// Shows the job's progress until it has ended.
Result<ExitCode> follow_job(MasterClient& client, JobId id, const JobCommand& command) {
  ProgressView view(false);
  const auto ended = follow(client, id, view, kMasterAwayMost);
  view.clear();
  if (interrupts() > 0) return ExitCode::Interrupted;
  if (!ended) return ended.error();
  ReportStyle style;
  style.json = command.json;
  style.slots = slots_if_late(client, ended->summary());
  return report_end(*ended, std::move(style));
}

// Shows the tasks that were asked for. Returns where the rest begins; 0: there is none.
template <class Show>
Result<std::uint32_t> for_each_page(MasterClient& client, JobId id, const JobCommand& command, Show show) {
  MasterClient::TaskQuery query{command.first_task, 0, command.open_tasks_only ? "open" : ""};
  std::uint32_t left = command.tasks == 0 ? std::numeric_limits<std::uint32_t>::max() : command.tasks;
  do {
    query.max = std::min(left, kPage);
    const auto page = client.list_tasks(id, query);
    if (!page) return page.error();
    show(*page);
    left -= static_cast<std::uint32_t>(page->tasks_size());
    query.first = page->next_task();
  } while (query.first != 0 && left > 0);
  return query.first;
}

Status show_as_json(MasterClient& client, JobId id, const JobCommand& command, const wire::Reply::Job& job) {
  bool has_begun = false, is_first = true;
  const auto next = for_each_page(client, id, command, [&](const wire::Reply::Job& page) {
    if (!std::exchange(has_begun, true)) show_text(job_json_begin(job));
    for (const wire::TaskDetail& task : page.tasks()) show_text(task_json_line(task, std::exchange(is_first, false)));
  });
  if (!next) return next.error();
  show_text(job_json_end(*next));
  return {};
}

Status show_as_text(MasterClient& client, JobId id, const JobCommand& command, const wire::Reply::Job& job) {
  show_text(job_text(job) + "\n");
  bool is_first = true;
  const auto next = for_each_page(client, id, command, [&](const wire::Reply::Job& page) {
    const Look look = look_of(STDOUT_FILENO);
    if (!std::exchange(is_first, false) && page.tasks_size() == 0) return;
    show_text(tasks_table(page, look));
    if (command.show_segments) show_text("\n" + segments_table(page, look));
  });
  if (!next) return next.error();
  const std::string again = "ontime job " + std::to_string(id.value) + (command.open_tasks_only ? " --open" : "") +
                            (command.show_segments ? " --segments" : "");
  if (*next != 0) show_text(more_tasks_text(again, *next));
  return {};
}

}  // namespace

Result<ExitCode> execute(const JobCommand& command) {
  auto options = client_options(command.master);
  if (!options) return options.error();
  if (command.follow) {
    install_interrupt_handlers();
    options->watch = [] { return check_interrupts(); };
  }
  MasterClient client(std::move(*options));
  const auto id = find_job(client, command.job);
  if (!id) return id.error();
  if (command.follow) return follow_job(client, *id, command);
  const auto job = client.describe(*id, {.forecast = true, .account = true});
  if (!job) return job.error();
  const auto show = command.json ? show_as_json : show_as_text;
  if (Status shown = show(client, *id, command, *job); !shown) return shown.error();
  return ExitCode::Done;
}

}  // namespace ontime::cli
