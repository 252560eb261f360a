#include "master/clients/client_session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common/base/wording.h"
#include "common/log/fields.h"
#include "common/log/log.h"
#include "common/protocol/machine_use.h"
#include "common/protocol/version.h"
#include "master/base/settings.h"
#include "master/base/text.h"
#include "master/clients/refusals.h"
#include "master/clients/rights_of_jobs.h"
#include "master/clients/views.h"
#include "master/journal/sample_fields.h"
#include "master/submissions/notify.h"

namespace ontime::master {
namespace {

bool waits_for_job(const wire::Request& request) {
  return request.has_describe_job() && request.describe_job().wait_ns() > 0;
}

wire::Reply journal_full(const ControlLoop& control) {
  return refusal(failed("The master takes no orders for now: " + control.journal_full() +
                        " What runs goes on, and so will the master as soon as there is room."));
}

// What says nothing is no request; a newer client's says something that is not known here.
std::optional<wire::Request> parse(std::string_view payload) {
  wire::Request request;
  const bool parsed = request.ParseFromArray(payload.data(), static_cast<int>(payload.size()));
  const bool says_nothing =
      request.what_case() == wire::Request::WHAT_NOT_SET && protocol::is_understood(request.needs_minor());
  if (!parsed || says_nothing) return std::nullopt;
  return request;
}

wire::Reply not_known(const wire::Hello& client) {
  return refusal(bad_input(protocol::describe_unknown_request(protocol::version_of(client), client.release())));
}

std::string need_to_kill(JobId id, const scheduler::Job& job) {
  const std::string& owner = job.spec.owner;
  return to_string(id) + " belongs to " + (owner.empty() ? "nobody by name" : readable(owner)) +
         "; killing it needs the role admin";
}

std::shared_ptr<const wire::Reply> share(wire::Reply reply) {
  return std::make_shared<const wire::Reply>(std::move(reply));
}

// What a client must be allowed to ask it.
net::Right right_for(const wire::Request& request) {
  switch (request.what_case()) {
    case wire::Request::kSubmit:
      return net::Right::Submit;
    case wire::Request::kDrainNode:
      return net::Right::Control;
    case wire::Request::kKillJob:  // whose job it is decides the rest
    case wire::Request::kListJobs:
    case wire::Request::kDescribeJob:
    case wire::Request::kListNodes:
    case wire::Request::kExplain:
    case wire::Request::kProfile:
    case wire::Request::kReadLogs:
    case wire::Request::WHAT_NOT_SET:
      return net::Right::Read;
  }
  return net::Right::Control;
}

bool only_asks(const wire::Request& request) {
  return right_for(request) == net::Right::Read && !request.has_kill_job() && !waits_for_job(request);
}

}  // namespace

ClientSession::ClientSession(std::shared_ptr<net::Connection> connection, ClientServices services, net::Guest guest,
                             SessionCounters& counters)
    : connection_(std::move(connection)), services_(services), guest_(std::move(guest)), counters_(counters) {}

asio::awaitable<void> ClientSession::run() {
  for (;;) {
    idle_since_ = std::chrono::steady_clock::now();
    const Result<std::string_view> payload = co_await connection_->receive();
    idle_since_.reset();
    if (!payload) break;
    std::optional<wire::Request> request = parse(*payload);
    if (!request) {
      ++counters_.malformed;
      spdlog::warn("client_malformed peer={}", connection_->peer());
      break;
    }
    if (!protocol::is_understood(request->needs_minor())) {
      if (!connection_->send(not_known(guest_.hello))) break;
      continue;
    }
    const Answer reply = co_await durable_answer(std::move(*request));
    if (!connection_->send(*reply)) break;
    co_await connection_->flush();
  }
  connection_->close();
}

// While nothing becomes durable nothing can be promised and nothing new be told. Clients that wait for a job go on
// waiting, and so do those whose request has changed something already.
asio::awaitable<ClientSession::Answer> ClientSession::durable_answer(wire::Request request) {
  ControlLoop& control = services_.control;
  if (!control.journal_full().empty() && !waits_for_job(request)) co_return share(journal_full(control));
  const bool may_be_refused = only_asks(request);
  const Answer reply = co_await answer(std::move(request));
  if (!may_be_refused) {
    co_await control.durable();
    co_return reply;
  }
  const bool is_durable = co_await control.durable_unless_full();
  co_return is_durable ? reply : share(journal_full(control));
}

wire::Reply ClientSession::forbid(std::string sentence) {
  ++counters_.forbidden;
  const Error error = bad_input(std::move(sentence));
  spdlog::warn("request_forbidden peer={} reason={}", connection_->peer(), log::Quoted{error.message});
  return refusal(error);
}

asio::awaitable<ClientSession::Answer> ClientSession::answer(wire::Request request) {
  if (const net::Right needed = right_for(request); !guest_.rights.has(needed)) {
    co_return share(forbid(net::describe_refusal(needed, guest_.credentials)));
  }
  switch (request.what_case()) {
    case wire::Request::kSubmit:
      co_return share(co_await submit(std::move(*request.mutable_submit())));
    case wire::Request::kListJobs:
      co_return co_await list_jobs(request.list_jobs());
    case wire::Request::kDescribeJob:
      co_return share(co_await describe_job(request.describe_job()));
    case wire::Request::kListNodes:
      co_return share(list_nodes(request.list_nodes()));
    case wire::Request::kKillJob:
      co_return share(kill_job(JobId{request.kill_job().job()}));
    case wire::Request::kDrainNode:
      co_return share(drain_node(request.drain_node()));
    case wire::Request::kExplain:
      co_return share(co_await explain(request.explain()));
    case wire::Request::kProfile:
      co_return share(profile(request.profile()));
    case wire::Request::kReadLogs:
      co_return share(co_await read_logs(request.read_logs()));
    case wire::Request::WHAT_NOT_SET:
      break;
  }
  co_return share(refusal(failed("The request says nothing.")));
}

asio::awaitable<wire::Reply> ClientSession::submit(wire::JobSpec request) {
  if (services_.advises)
    co_return refusal(bad_input("This master advises Hadoop and runs no jobs itself; start one without --advise."));
  std::optional<std::string> need = need_for_code(request, services_.command_right, guest_);
  if (need) co_return forbid(std::move(*need));
  const auto is_wanted = [connection = connection_] { return connection->is_open() && !connection->peer_is_gone(); };
  Result<wire::Reply::Submitted> submitted =
      co_await services_.submissions.submit(std::move(request), guest_.name, is_wanted);
  if (!submitted) co_return refusal(submitted.error());
  wire::Reply reply;
  *reply.mutable_submitted() = std::move(*submitted);
  co_return reply;
}

asio::awaitable<ClientSession::Answer> ClientSession::list_jobs(wire::Request::ListJobs request) {
  if (!request.accounts()) co_return services_.lists.list(request);
  const auto accounts = co_await services_.accounts.by_policy();
  wire::Reply reply = *services_.lists.list(request);
  for (const auto& [policy, sum] : accounts) {
    wire::Reply::Jobs::PolicyAccount* account = reply.mutable_jobs()->add_accounts();
    account->set_policy(policy);
    account->set_jobs(sum.jobs);
    *account->mutable_account() = view_of(sum.account);
  }
  co_return share(std::move(reply));
}

wire::Reply ClientSession::list_nodes(const wire::Request::ListNodes& request) const {
  wire::Reply reply;
  wire::Reply::Nodes& list = *reply.mutable_nodes();
  *list.mutable_measures() = view_of(services_.control.measures(), counters_);
  list.mutable_measures()->set_log_lines_dropped(log::lines_dropped());
  list.set_injection(services_.injection);
  list.set_slots_wanted(services_.pictures.slots_wanted());
  const scheduler::NodeTable& nodes = services_.control.cluster().nodes();
  auto at = nodes.from(NodeId{request.first_node()});
  std::size_t bytes = 0;
  for (; at != nodes.end() && bytes <= kReplyBytesMax; ++at) {
    wire::NodeSummary& node = *list.add_nodes();
    node = summary_of(at->first, services_.control.scheduler(), services_.control.now());
    const auto use = services_.machine_uses.find(at->first);
    if (use != services_.machine_uses.end()) *node.mutable_machine() = protocol::to_wire(use->second);
    bytes += list.nodes().rbegin()->ByteSizeLong();
  }
  if (at != nodes.end()) list.set_next_node(at->first.value);
  return reply;
}

wire::Reply ClientSession::profile(const wire::Request::Profile& request) const {
  const scheduler::Cluster& cluster = services_.control.cluster();
  scheduler::JobSpec spec;
  spec.application = request.application();
  for (const wire::Entry& entry : request.parameters()) spec.parameters[entry.key()] = entry.value();
  wire::Reply reply;
  wire::Reply::Profile& profile = *reply.mutable_profile();
  std::uint32_t slots = 0;
  for (const auto& [id, node] : cluster.nodes()) {
    const bool serves = node.duty == scheduler::Duty::Serves && node.state == scheduler::NodeState::Live;
    if (serves) slots += node.slots;
  }
  profile.set_slots(slots);
  if (const auto* sample = cluster.find_profile(spec)) journal::put_sample(*sample, &profile);
  return reply;
}

wire::Reply ClientSession::drain_node(const wire::Request::DrainNode& request) {
  const scheduler::Cluster& cluster = services_.control.cluster();
  const Result<NodeId> id = named_node(cluster, request.node());
  if (!id) return refusal(id.error());
  const scheduler::Duty duty = cluster.find_node(*id)->duty;
  if (request.undo() && (duty == scheduler::Duty::Left || duty == scheduler::Duty::Leaves)) {
    return refusal(bad_input("The worker of " + to_string(*id) + " was told to end and " +
                             (duty == scheduler::Duty::Left ? "has left" : "is leaving") + "; start a new one there."));
  }
  services_.control.step(scheduler::event::DrainRequested{*id, !request.undo()});
  wire::Reply reply;
  *reply.mutable_drained() = summary_of(*id, services_.control.scheduler(), services_.control.now());
  return reply;
}

bool ClientSession::owns(const scheduler::Job& job) const {
  return guest_.rights.has(net::Right::Submit) && !guest_.name.empty() && guest_.name == job.spec.owner;
}

wire::Reply ClientSession::kill_job(JobId id) {
  const scheduler::Cluster& cluster = services_.control.cluster();
  const scheduler::Job* job = cluster.find_job(id);
  if (job == nullptr) return no_such_job(id);
  if (!guest_.rights.has(net::Right::Control) && !owns(*job)) {
    return forbid(net::describe_refusal(need_to_kill(id, *job), guest_.credentials));
  }
  const std::string by = guest_.name.empty() ? "a client" : readable(guest_.name);
  services_.control.step(scheduler::event::JobKillRequested{id, "killed by " + by, true});
  wire::Reply reply;
  job = cluster.find_job(id);
  reply.mutable_killed()->set_state(job == nullptr ? wire::KILLED : state_of(job->state));
  return reply;
}

}  // namespace ontime::master
