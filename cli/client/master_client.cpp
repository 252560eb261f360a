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

asio::awaitable<Result<ConnectionPointer>> open(net::Endpoint endpoint, std::string token, net::TlsPointer tls,
                                                Duration limit) {
  auto opened = co_await net::open_connection(endpoint, tls, limit);
  if (!opened) co_return opened.error();
  const ConnectionPointer connection = std::move(*opened);
  wire::Hello hello;
  hello.set_protocol(protocol::kProtocolVersion);
  hello.set_role(wire::CLIENT);
  const auto welcome = co_await net::say_hello(connection, std::move(hello), std::move(token), limit);
  if (!welcome) co_return welcome.error();
  co_return connection;
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

// A list that is to go on where it has begun would never end.
bool is_no_progress(const wire::Request& request, const wire::Reply& reply) {
  return reply.jobs().next_job() != 0 && reply.jobs().next_job() <= request.list_jobs().first_job();
}

// Listing the inputs takes time; the master reports a file system that does not answer sooner.
constexpr Duration kSubmitMax = std::chrono::minutes(2);

// A master on this machine can be started here; elsewhere it is the address that may be wrong.
std::string advice_without(const net::Endpoint& endpoint) {
  const bool is_here = endpoint.host == "localhost" || endpoint.host == "::1" || endpoint.host.starts_with("127.");
  return is_here ? "'ontime-master --listen " + net::to_string(endpoint) + "' starts one"
                 : "check the address in --master or $ONTIME_MASTER";
}

Error unexpected_answer() { return failed("the master answered another question; are both of the same version?"); }

}  // namespace

class MasterClient::Link {
 public:
  explicit Link(Options options) : options_(std::move(options)), io_(std::make_unique<asio::io_context>(1)) {}

  Status connect();
  Result<wire::Reply> ask(const wire::Request& request, Duration answer_within);

 private:
  template <class T>
  Result<T> run(asio::awaitable<Result<T>> work, Duration limit);
  void disconnect();

  const Options options_;
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
    io_->run_one_for(kWatchInterval);
    if (outcome->has_value()) break;
    if (options_.watch) {
      if (auto status = options_.watch(); !status) {
        disconnect();
        return status.error();
      }
    }
    if (Clock::now() >= give_up_at) {
      disconnect();
      return unavailable("the master at " + net::to_string(options_.endpoint) + " does not answer");
    }
  }
  return std::move(**outcome);
}

Status MasterClient::Link::connect() {
  if (connection_ && connection_->is_open() && !connection_->peer_is_gone()) return {};
  disconnect();
  auto opening = open(options_.endpoint, options_.token, options_.tls, options_.patience);
  auto opened = run<ConnectionPointer>(std::move(opening), 4 * options_.patience);
  if (!opened) {
    if (opened.error().kind != ErrorKind::Unavailable) return opened.error();
    return unavailable(opened.error().message + "; " + advice_without(options_.endpoint));
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

Result<wire::Reply::Submitted> MasterClient::submit(const wire::JobSpec& spec) {
  wire::Request request;
  *request.mutable_submit() = spec;
  auto reply = ask(request, kSubmitMax);
  if (!reply) return reply.error();
  if (!reply->has_submitted()) return unexpected_answer();
  return reply->submitted();
}

Result<wire::Reply::Jobs> MasterClient::list_jobs(Listing listing) {
  wire::Request request;
  request.mutable_list_jobs()->set_accounts(listing.accounts);
  request.mutable_list_jobs()->set_latest(listing.latest);
  wire::Reply::Jobs whole;
  do {
    auto reply = ask(request);
    if (!reply) return reply.error();
    if (!reply->has_jobs() || is_no_progress(request, *reply)) return unexpected_answer();
    wire::Reply::Jobs& part = *reply->mutable_jobs();
    if (request.list_jobs().first_job() == 0) {
      whole = std::move(part);
    } else {
      for (auto& job : *part.mutable_jobs()) *whole.add_jobs() = std::move(job);
      whole.set_next_job(part.next_job());
    }
    request.mutable_list_jobs()->clear_accounts();
    request.mutable_list_jobs()->set_first_job(whole.next_job());
  } while (whole.next_job() != 0);
  return whole;
}

Result<wire::Reply::Job> MasterClient::describe(JobId job, Details details, Duration wait) {
  auto whole = describe_from(job, details, 0, wait);
  while (whole && whole->next_task() != 0) {
    auto more = describe_from(job, {.tasks = true}, whole->next_task());
    if (!more) return more.error();
    for (auto& task : *more->mutable_tasks()) *whole->add_tasks() = std::move(task);
    whole->set_next_task(more->next_task());
  }
  return whole;
}

Result<wire::Reply::Job> MasterClient::describe_from(JobId job, Details details, std::uint32_t first_task,
                                                     Duration wait) {
  wire::Request request;
  request.mutable_describe_job()->set_first_task(first_task);
  request.mutable_describe_job()->set_job(job.value);
  request.mutable_describe_job()->set_tasks(details.tasks);
  request.mutable_describe_job()->set_forecast(details.forecast);
  request.mutable_describe_job()->set_account(details.account);
  request.mutable_describe_job()->set_account_at_end(details.account_at_end);
  request.mutable_describe_job()->set_wait_ns(wait.count());
  auto reply = ask(request, wait);
  if (!reply) return reply.error();
  if (!reply->has_job()) return unexpected_answer();
  return reply->job();
}

Result<wire::Reply::Explained> MasterClient::explain(wire::Request::Explain request) {
  wire::Reply::Explained whole;
  bool is_first = true;
  do {
    wire::Request asked;
    request.set_first_task(whole.next_task());
    *asked.mutable_explain() = request;
    auto reply = ask(asked);
    if (!reply) return reply.error();
    if (!reply->has_explained()) return unexpected_answer();
    wire::Reply::Explained& part = *reply->mutable_explained();
    if (is_first) {
      whole = std::move(part);
      is_first = false;
      continue;
    }
    for (auto& task : *part.mutable_tasks()) *whole.add_tasks() = std::move(task);
    whole.set_next_task(part.next_task());
  } while (whole.next_task() != 0);
  return whole;
}

Result<wire::Reply::Nodes> MasterClient::list_nodes() {
  wire::Request request;
  request.mutable_list_nodes();
  wire::Reply::Nodes whole;
  for (;;) {
    auto reply = ask(request);
    if (!reply) return reply.error();
    if (!reply->has_nodes()) return unexpected_answer();
    wire::Reply::Nodes& part = *reply->mutable_nodes();
    const std::uint32_t next = part.next_node();
    if (next != 0 && next <= request.list_nodes().first_node()) return unexpected_answer();
    if (request.list_nodes().first_node() == 0) {
      whole = std::move(part);
    } else {
      for (auto& node : *part.mutable_nodes()) *whole.add_nodes() = std::move(node);
    }
    if (next == 0) break;
    request.mutable_list_nodes()->set_first_node(next);
  }
  whole.clear_next_node();
  return whole;
}

Result<wire::Reply::Logs> MasterClient::read_logs(wire::Request::ReadLogs request) {
  wire::Reply::Logs whole;
  do {
    wire::Request asked;
    *asked.mutable_read_logs() = request;
    auto reply = ask(asked);
    if (!reply) return reply.error();
    if (!reply->has_logs() || reply->logs().next() < request.since()) return unexpected_answer();
    wire::Reply::Logs& part = *reply->mutable_logs();
    for (auto& log : *whole.mutable_logs()) *part.add_logs() = std::move(log);
    whole = std::move(part);
    request.set_since(whole.next());
  } while (whole.is_partial());
  return whole;
}

Result<wire::Reply::Profile> MasterClient::profile(const wire::JobSpec& spec) {
  wire::Request request;
  request.mutable_profile()->set_application(spec.application());
  *request.mutable_profile()->mutable_parameters() = spec.parameters();
  auto reply = ask(request);
  if (!reply) return reply.error();
  if (!reply->has_profile()) return unexpected_answer();
  return reply->profile();
}

Result<wire::JobState> MasterClient::kill(JobId job) {
  wire::Request request;
  request.mutable_kill_job()->set_job(job.value);
  auto reply = ask(request);
  if (!reply) return reply.error();
  if (!reply->has_killed()) return unexpected_answer();
  return reply->killed().state();
}

Result<wire::NodeSummary> MasterClient::drain(const std::string& node, bool undo) {
  wire::Request request;
  request.mutable_drain_node()->set_node(node);
  request.mutable_drain_node()->set_undo(undo);
  auto reply = ask(request);
  if (!reply) return reply.error();
  if (!reply->has_drained()) return unexpected_answer();
  return reply->drained();
}

}  // namespace ontime::cli
