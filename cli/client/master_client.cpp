#include "cli/client/master_client.h"

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "common/net/connection.h"
#include "common/net/coroutine.h"
#include "common/net/handshake.h"
#include "common/protocol/frame.h"

namespace ontime::cli {
namespace {

using Clock = std::chrono::steady_clock;
using ConnectionPointer = std::shared_ptr<net::Connection>;

constexpr auto kWatchInterval = std::chrono::milliseconds(20);

asio::awaitable<Result<ConnectionPointer>> open(net::Masters* masters, std::string token, net::TlsPointer tls,
                                                Duration limit) {
  wire::Hello hello;
  hello.set_role(wire::CLIENT);
  auto reached = co_await net::reach_leader(masters, tls, std::move(hello), std::move(token), limit);
  if (!reached) co_return reached.error();
  co_return std::move(reached->connection);
}

asio::awaitable<Result<wire::Reply>> exchange(ConnectionPointer connection, wire::Request request) {
  if (!connection->send(request)) co_return unavailable("the connection to the master is closed");
  const auto payload = co_await connection->receive();
  if (!payload) co_return unavailable("the connection to the master broke: " + payload.error().message);
  wire::Reply reply;
  if (!reply.ParseFromArray(payload->data(), static_cast<int>(payload->size())))
    co_return failed("the master's answer is damaged; are both of the same version?");
  co_return reply;
}

template <class T>
asio::awaitable<void> deliver(asio::awaitable<Result<T>> work, std::shared_ptr<std::optional<Result<T>>> into) {
  auto result = co_await std::move(work);
  into->emplace(std::move(result));
}

// Listing the inputs takes time; the master reports a file system that does not answer sooner.
constexpr Duration kSubmitMax = std::chrono::minutes(2);

// A master on this machine can be started here; elsewhere it is the address that may be wrong.
std::string advice_without(const net::Masters& masters) {
  const net::Endpoint& endpoint = masters.all().front();
  const bool is_here = !masters.are_several() &&
                       (endpoint.host == "localhost" || endpoint.host == "::1" || endpoint.host.starts_with("127."));
  return is_here ? "'ontime-master --listen " + net::to_string(endpoint) + "' starts one if there is none"
                 : "check the address in --master or $ONTIME_MASTER";
}

Error unexpected_answer() { return failed("the master answered another question; are both of the same version?"); }

// The part of the reply that answers this kind of question.
template <class Answer>
Result<Answer> answer_of(MasterClient& client, const wire::Request& request, bool (wire::Reply::*has)() const,
                         Answer* (wire::Reply::*part)(), Duration within = Duration(0)) {
  auto reply = client.ask(request, within);
  if (!reply) return reply.error();
  if (!((*reply).*has)()) return unexpected_answer();
  return std::move(*((*reply).*part)());
}

// How a list that does not fit into one answer goes on: where the next answer begins (0: there is no more), as the
// answer says it and as the question passes it on.
template <class Answer, class Item>
struct Pages {
  google::protobuf::RepeatedPtrField<Item>* (Answer::*items)();
  std::uint32_t (Answer::*next)() const;
  void (Answer::*set_next)(std::uint32_t);
  void (*go_on)(wire::Request& request, std::uint32_t first);
};

// All of a list, however many answers it takes.
template <class Answer, class Item>
Result<Answer> whole_answer(MasterClient& client, wire::Request request, bool (wire::Reply::*has)() const,
                            Answer* (wire::Reply::*part)(), const Pages<Answer, Item>& pages,
                            Duration within = Duration(0)) {
  auto whole = answer_of(client, request, has, part, within);
  for (std::uint32_t begun = 0; whole && ((*whole).*pages.next)() != 0;) {
    const std::uint32_t first = ((*whole).*pages.next)();
    if (first <= begun) return unexpected_answer();  // it would never end
    pages.go_on(request, begun = first);
    auto more = answer_of(client, request, has, part);
    if (!more) return more;
    for (Item& item : *((*more).*pages.items)()) *((*whole).*pages.items)()->Add() = std::move(item);
    ((*whole).*pages.set_next)(((*more).*pages.next)());
  }
  return whole;
}

}  // namespace

class MasterClient::Link {
 public:
  explicit Link(Options options)
      : options_(std::move(options)), masters_(options_.masters), io_(std::make_unique<asio::io_context>(1)) {}

  Status connect();
  Result<wire::Reply> ask(const wire::Request& request, Duration answer_within);

 private:
  template <class T>
  Result<T> run(asio::awaitable<Result<T>> work, Duration limit);
  void disconnect();

  const Options options_;
  net::Masters masters_;
  std::unique_ptr<asio::io_context> io_;
  ConnectionPointer connection_;  // null: not connected
};

void MasterClient::Link::disconnect() {
  if (connection_) connection_->close();
  connection_.reset();
  io_ = std::make_unique<asio::io_context>(1);  // destroys what is still waiting in the old one
}

template <class T>
Result<T> MasterClient::Link::run(asio::awaitable<Result<T>> work, Duration limit) {
  auto outcome = std::make_shared<std::optional<Result<T>>>();
  asio::co_spawn(*io_, deliver<T>(std::move(work), outcome), net::AbortOnException{"master_client"});
  const auto give_up_at = Clock::now() + limit;
  while (!outcome->has_value()) {
    io_->restart();
    const Duration left = give_up_at - Clock::now();
    io_->run_one_for(options_.watch ? std::min<Duration>(kWatchInterval, left) : left);
    if (outcome->has_value()) break;
    if (options_.watch) {
      if (auto status = options_.watch(); !status) {
        disconnect();
        return status.error();
      }
    }
    if (Clock::now() >= give_up_at) {
      disconnect();
      return unavailable("the master at " + net::to_string(masters_) + " does not answer");
    }
  }
  return std::move(**outcome);
}

Status MasterClient::Link::connect() {
  if (connection_ && connection_->is_open() && !connection_->peer_is_gone()) return {};
  disconnect();
  auto opening = open(&masters_, options_.token, options_.tls, options_.patience);
  auto opened = run<ConnectionPointer>(std::move(opening), 4 * options_.patience);
  if (!opened) {
    if (opened.error().kind != ErrorKind::Unavailable) return opened.error();
    return unavailable(opened.error().message + "; " + advice_without(masters_));
  }
  connection_ = std::move(*opened);
  return {};
}

Result<wire::Reply> MasterClient::Link::ask(const wire::Request& request, Duration answer_within) {
  if (auto connected = connect(); !connected) return connected.error();
  auto reply = run<wire::Reply>(exchange(connection_, request), answer_within + options_.patience);
  if (!reply) {
    disconnect();
    return reply.error();
  }
  if (!reply->error().empty()) return reply->bad_input() ? bad_input(reply->error()) : failed(reply->error());
  return reply;
}

MasterClient::MasterClient(Options options) : link_(std::make_unique<Link>(std::move(options))) {}

MasterClient::~MasterClient() = default;

Status MasterClient::connect() { return link_->connect(); }

Result<wire::Reply> MasterClient::ask(const wire::Request& request, Duration answer_within) {
  return link_->ask(request, answer_within);
}

using wire::Reply;
using wire::Request;

Result<Reply::Submitted> MasterClient::submit(const wire::JobSpec& spec) {
  Request request;
  *request.mutable_submit() = spec;
  return answer_of(*this, request, &Reply::has_submitted, &Reply::mutable_submitted, kSubmitMax);
}

Result<Reply::Jobs> MasterClient::list_jobs(Listing listing) {
  Request request;
  request.mutable_list_jobs()->set_accounts(listing.accounts);
  request.mutable_list_jobs()->set_latest(listing.latest);
  const auto go_on = [](Request& next, std::uint32_t first) {
    next.mutable_list_jobs()->clear_accounts();
    next.mutable_list_jobs()->set_first_job(first);
  };
  const Pages<Reply::Jobs, wire::JobSummary> pages{&Reply::Jobs::mutable_jobs, &Reply::Jobs::next_job,
                                                   &Reply::Jobs::set_next_job, go_on};
  return whole_answer(*this, std::move(request), &Reply::has_jobs, &Reply::mutable_jobs, pages);
}

Result<Reply::Job> MasterClient::describe(JobId job, Details details, Duration wait) {
  Request request;
  request.mutable_describe_job()->set_job(job.value);
  request.mutable_describe_job()->set_tasks(details.tasks);
  request.mutable_describe_job()->set_forecast(details.forecast);
  request.mutable_describe_job()->set_account(details.account);
  request.mutable_describe_job()->set_account_at_end(details.account_at_end);
  request.mutable_describe_job()->set_overview(details.overview);
  request.mutable_describe_job()->set_wait_ns(wait.count());
  const auto go_on = [](Request& next, std::uint32_t first) {
    const std::uint32_t job_again = next.describe_job().job();
    next.mutable_describe_job()->Clear();
    next.mutable_describe_job()->set_job(job_again);
    next.mutable_describe_job()->set_tasks(true);
    next.mutable_describe_job()->set_first_task(first);
  };
  const Pages<Reply::Job, wire::TaskDetail> pages{&Reply::Job::mutable_tasks, &Reply::Job::next_task,
                                                  &Reply::Job::set_next_task, go_on};
  return whole_answer(*this, std::move(request), &Reply::has_job, &Reply::mutable_job, pages, wait);
}

Result<Reply::Job> MasterClient::list_tasks(JobId job, const TaskQuery& query) {
  Request request;
  Request::DescribeJob& wanted = *request.mutable_describe_job();
  wanted.set_job(job.value);
  wanted.set_tasks(true);
  wanted.set_task_state(query.state);
  wanted.set_first_task(query.first);
  Reply::Job all;
  do {
    wanted.set_tasks_max(query.max - static_cast<std::uint32_t>(all.tasks_size()));
    auto part = answer_of(*this, request, &Reply::has_job, &Reply::mutable_job);
    if (!part) return part;
    if (part->next_task() != 0 && part->next_task() <= wanted.first_task()) return unexpected_answer();
    wanted.set_first_task(part->next_task());
    for (auto& task : *part->mutable_tasks()) *all.add_tasks() = std::move(task);
    *all.mutable_summary() = part->summary();
  } while (wanted.first_task() != 0 && all.tasks_size() < static_cast<int>(query.max));
  all.set_next_task(wanted.first_task());
  return all;
}

Result<Reply::Explained> MasterClient::explain(Request::Explain wanted) {
  Request request;
  *request.mutable_explain() = std::move(wanted);
  const auto go_on = [](Request& next, std::uint32_t first) { next.mutable_explain()->set_first_task(first); };
  const Pages<Reply::Explained, wire::ExplainedTask> pages{
      &Reply::Explained::mutable_tasks, &Reply::Explained::next_task, &Reply::Explained::set_next_task, go_on};
  return whole_answer(*this, std::move(request), &Reply::has_explained, &Reply::mutable_explained, pages);
}

Result<Reply::Nodes> MasterClient::list_nodes() {
  Request request;
  request.mutable_list_nodes();
  const auto go_on = [](Request& next, std::uint32_t first) { next.mutable_list_nodes()->set_first_node(first); };
  const Pages<Reply::Nodes, wire::NodeSummary> pages{&Reply::Nodes::mutable_nodes, &Reply::Nodes::next_node,
                                                     &Reply::Nodes::set_next_node, go_on};
  return whole_answer(*this, std::move(request), &Reply::has_nodes, &Reply::mutable_nodes, pages);
}

// Later answers hold what is newer; the last one tells how things stand.
Result<Reply::Logs> MasterClient::read_logs(Request::ReadLogs wanted) {
  Reply::Logs whole;
  do {
    Request request;
    *request.mutable_read_logs() = wanted;
    auto part = answer_of(*this, request, &Reply::has_logs, &Reply::mutable_logs);
    if (!part) return part;
    if (part->next() < wanted.since()) return unexpected_answer();
    for (auto& log : *whole.mutable_logs()) *part->add_logs() = std::move(log);
    whole = std::move(*part);
    wanted.set_since(whole.next());
  } while (whole.is_partial());
  return whole;
}

Result<Reply::Profile> MasterClient::profile(const wire::JobSpec& spec) {
  Request request;
  request.mutable_profile()->set_application(spec.application());
  *request.mutable_profile()->mutable_parameters() = spec.parameters();
  return answer_of(*this, request, &Reply::has_profile, &Reply::mutable_profile);
}

Result<wire::JobState> MasterClient::kill(JobId job) {
  Request request;
  request.mutable_kill_job()->set_job(job.value);
  const auto killed = answer_of(*this, request, &Reply::has_killed, &Reply::mutable_killed);
  if (!killed) return killed.error();
  return killed->state();
}

Result<wire::NodeSummary> MasterClient::drain(const std::string& node, bool undo) {
  Request request;
  request.mutable_drain_node()->set_node(node);
  request.mutable_drain_node()->set_undo(undo);
  return answer_of(*this, request, &Reply::has_drained, &Reply::mutable_drained);
}

}  // namespace ontime::cli
