// What ClientSession answers about one job. A job that had ended before the master's start is the one that the last
// master knew, as far as that is kept.
#include <algorithm>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <optional>
#include <utility>

#include "common/base/wording.h"
#include "master/base/settings.h"
#include "master/clients/client_session.h"
#include "master/clients/explanation.h"
#include "master/clients/kept_history.h"
#include "master/clients/refusals.h"
#include "master/clients/views.h"

namespace ontime::master {
namespace {

constexpr std::uint32_t kTasksInSlice = 1000;  // some milliseconds at most; then it is the others' turn

wire::Reply no_such_task(TaskId id, const scheduler::Job& job) {
  return refusal(bad_input("No such task: " + to_string(id) + ". " + to_string(id.job) + " has " +
                           counted(job.tasks.size(), "task") + ", counted from 0."));
}

// Null if it was not recalled.
std::shared_ptr<const scheduler::Job> job_of(const history::JobHistory::Pointer& recalled) {
  return recalled ? std::shared_ptr<const scheduler::Job>(recalled, &recalled->job) : nullptr;
}

}  // namespace

asio::awaitable<wire::Reply> ClientSession::describe_job(wire::Request::DescribeJob request) {
  const JobId id{request.job()};
  const scheduler::Cluster& cluster = services_.control.cluster();
  const history::JobHistory::Pointer before = co_await services_.history.recall(id);
  const std::function<const scheduler::Job*()> find = [&] { return before ? &before->job : cluster.find_job(id); };
  const scheduler::Job* job = find();
  if (job != nullptr && !is_final(job->state) && request.wait_ns() > 0) {
    co_await services_.watch.wait(id, std::min(Duration(request.wait_ns()), kLongPollMax));
    job = find();
  }
  if (job == nullptr) co_return no_such_job(id);
  std::optional<scheduler::JobAccount> account;
  if (request.account() || (request.account_at_end() && is_final(job->state))) {
    if (before)
      account = before->account;
    else
      account = co_await services_.accounts.of_job(id);
    job = find();
  }
  if (job == nullptr) co_return no_such_job(id);
  wire::Reply reply;
  wire::JobSummary& summary = *reply.mutable_job()->mutable_summary();
  const scheduler::Job* latest = cluster.find_job(id);  // notices may have been told since it was recalled
  summary = summary_of(id, latest == nullptr ? *job : *latest, services_.control.now(), ShowCounters::Yes);
  summary.set_waiting_for(waiting_for(*job, cluster));
  if (job->state == scheduler::JobState::Committing) summary.set_message(services_.submissions.commit_problem(id));
  const auto forecast = request.forecast() ? services_.pictures.forecast(id) : std::nullopt;
  if (forecast) *summary.mutable_forecast() = *forecast;
  if (account) {
    const bool is_known = co_await add_cost(*reply.mutable_job(), find, *account);
    if (!is_known) co_return no_such_job(id);
  }
  if (request.overview()) {
    const auto recalled = job_of(before);
    const auto overview = co_await services_.pictures.overview(id, recalled);
    job = find();
    if (!overview || job == nullptr) co_return no_such_job(id);
    *reply.mutable_job()->mutable_overview() = *overview;
    if (before)
      reply.mutable_job()->MergeFrom(before->kept.pictured());
    else
      services_.pictures.append_forecasts(*reply.mutable_job(), id);
  }
  if (request.tasks()) {
    const TaskViews views(cluster, services_.messages);
    views.append_to(*reply.mutable_job(), id, *job, {request.first_task(), request.tasks_max(), request.task_state()});
  }
  co_return reply;
}

// False: the job was forgotten meanwhile.
asio::awaitable<bool> ClientSession::add_cost(wire::Reply::Job& reply,
                                              const std::function<const scheduler::Job*()>& find,
                                              scheduler::JobAccount account) {
  const scheduler::Cluster& cluster = services_.control.cluster();
  const scheduler::Job& job = *find();
  *reply.mutable_account() = view_of(account);
  // It looks at every task, so only where there is something to count.
  const bool has_copies = account.speculative > 0 || !job.decisions.empty();
  const Explanation explanation(cluster, job, services_.control.now());
  Explanation::Tally tally;
  while (has_copies && !explanation.count(tally, kTasksInSlice)) {
    co_await give_others_their_turn();
    if (find() == nullptr) co_return false;
  }
  Explanation::append_to(reply, tally);
  co_return true;
}

asio::awaitable<void> ClientSession::give_others_their_turn() {
  co_await asio::post(services_.control.executor(), asio::use_awaitable);
}

asio::awaitable<wire::Reply> ClientSession::explain(wire::Request::Explain request) {
  const JobId id{request.job()};
  const scheduler::Cluster& cluster = services_.control.cluster();
  const history::JobHistory::Pointer before = co_await services_.history.recall(id);
  const auto find = [&] { return before ? &before->job : cluster.find_job(id); };
  const scheduler::Job* job = find();
  if (job == nullptr) co_return no_such_job(id);
  if (request.has_task() && request.task() >= job->tasks.size()) co_return no_such_task({id, request.task()}, *job);
  const TimePoint now = services_.control.now();
  wire::Reply reply;
  *reply.mutable_explained()->mutable_summary() = summary_of(id, *job, now, ShowCounters::No);
  const Explanation explanation(cluster, *job, now);
  Explanation::Telling telling;
  while (!explanation.append_to(*reply.mutable_explained(), request, telling, kTasksInSlice)) {
    co_await give_others_their_turn();
    if (find() == nullptr) co_return no_such_job(id);
  }
  if (request.first_task() == 0 && before) reply.mutable_explained()->MergeFrom(before->kept.explained());
  if (request.first_task() == 0 && !before)
    append_held_nodes(*reply.mutable_explained(), *find(), services_.control.scheduler(), now);
  co_return reply;
}

asio::awaitable<wire::Reply> ClientSession::read_logs(wire::Request::ReadLogs request) const {
  const JobId id{request.job()};
  const history::JobHistory::Pointer before = co_await services_.history.recall(id);
  const scheduler::Job* job = before ? &before->job : services_.control.cluster().find_job(id);
  if (job == nullptr) co_return no_such_job(id);
  if (request.has_task() && request.task() >= job->tasks.size()) co_return no_such_task({id, request.task()}, *job);
  if (request.has_task() && request.has_attempt()) {
    const auto had =
        job->tasks.look_at(request.task(), [](const scheduler::Task& task) { return task.attempts.size(); });
    if (request.attempt() >= had) {
      co_return refusal(bad_input("No such attempt: " + to_string(AttemptId{{id, request.task()}, request.attempt()}) +
                                  ". The task has had " + counted(had, "attempt") + ", counted from 0."));
    }
  }
  wire::Reply reply;
  wire::Reply::Logs& view = *reply.mutable_logs();
  AttemptLogs::Question question{.job = id, .since = request.since()};
  if (request.has_task()) question.task = request.task();
  if (request.has_attempt()) question.attempt = request.attempt();
  const AttemptLogs& logs = before ? before->logs : services_.logs;
  fill(view, logs.slice(question));
  if (before) view.set_dropped(before->kept.logs().dropped());
  view.set_state(state_of(job->state));
  view.set_output(job->spec.output);
  co_return reply;
}

}  // namespace ontime::master
