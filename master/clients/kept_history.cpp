#include "master/clients/kept_history.h"

#include <utility>

#include "master/clients/views.h"

namespace ontime::master {

void fill(wire::Reply::Logs& view, AttemptLogs::Slice slice) {
  for (output::AttemptLog& log : slice.logs) {
    wire::Reply::Logs::Log& added = *view.add_logs();
    added.set_task(log.task);
    added.set_attempt(log.attempt);
    added.set_node_name(std::move(log.node));
    added.set_begin(log.begin);
    added.set_text(std::move(log.text));
  }
  view.set_next(slice.next);
  view.set_is_partial(slice.is_partial);
  view.set_dropped(slice.dropped);
}

history::stored::JobHistory told_of(JobId id, const scheduler::Job& job, const scheduler::Scheduler& scheduler,
                                    const JobPictures& pictures, const AttemptLogs& logs) {
  history::stored::JobHistory kept;
  pictures.append_forecasts(*kept.mutable_pictured(), id);
  append_held_nodes(*kept.mutable_explained(), job, scheduler, job.ended_at);
  do {
    fill(*kept.mutable_logs(), logs.slice({.job = id, .since = kept.logs().next()}));
  } while (kept.logs().is_partial());
  return kept;
}

}  // namespace ontime::master
