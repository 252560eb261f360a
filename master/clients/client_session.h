#pragma once
// One client's connection after the handshake: one request, one reply, in order. What a reply tells is durable when it
// is sent. A request that needs a right which the client has not is refused and does nothing. Control thread only; ends
// when the connection does.

#include <asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/net/connection.h"
#include "common/net/handshake.h"
#include "common/protocol/client.pb.h"
#include "master/base/machine_uses.h"
#include "master/base/measures.h"
#include "master/clients/job_pictures.h"
#include "master/clients/shared_answers.h"
#include "master/clients/views.h"
#include "master/history/job_history.h"
#include "master/inputs/index_store.h"
#include "master/loop/control_loop.h"
#include "master/outputs/attempt_logs.h"
#include "master/submissions/submissions.h"

namespace ontime::master {

// What answers requests; outlives the sessions.
struct ClientServices {
  ControlLoop& control;
  Submissions& submissions;
  JobWatch& watch;
  JobLists& lists;
  Accounts& accounts;
  JobPictures& pictures;
  AttemptMessages& messages;
  AttemptLogs& logs;
  history::JobHistory& history;
  IndexStore& indexes;
  MachineUses& machine_uses;
  // What a client needs for a job that runs what has the rights of the master's user (commands of --notify, a policy
  // from a file); nothing: none has it.
  const std::optional<net::Right>& command_right;
  bool advises = false;     // Hadoop, and takes no jobs of clients
  std::string injection{};  // what disturbs attempts on purpose, as in the log; empty: nothing
};

class ClientSession {
 public:
  ClientSession(std::shared_ptr<net::Connection> connection, ClientServices services, net::Guest guest,
                SessionCounters& counters);

  asio::awaitable<void> run();

  // May end anybody's jobs and take nodes out.
  bool is_controller() const { return guest_.rights.has(net::Right::Control); }
  bool is_open() const { return connection_->is_open(); }
  // Since when it asks for nothing; nothing while it is being answered.
  std::optional<std::chrono::steady_clock::time_point> idle_since() const { return idle_since_; }
  void end() { connection_->close(); }

 private:
  using Answer = std::shared_ptr<const wire::Reply>;
  asio::awaitable<Answer> durable_answer(wire::Request request);
  asio::awaitable<Answer> answer(wire::Request request);
  wire::Reply forbid(std::string sentence);
  asio::awaitable<wire::Reply> submit(wire::JobSpec request);
  asio::awaitable<Answer> list_jobs(wire::Request::ListJobs request);
  asio::awaitable<wire::Reply> describe_job(wire::Request::DescribeJob request);
  asio::awaitable<bool> add_cost(wire::Reply::Job& reply, const std::function<const scheduler::Job*()>& find,
                                 scheduler::JobAccount account);
  asio::awaitable<wire::Reply> explain(wire::Request::Explain request);
  asio::awaitable<void> give_others_their_turn();
  wire::Reply list_nodes(const wire::Request::ListNodes& request) const;
  wire::Reply profile(const wire::Request::Profile& request) const;
  wire::Reply kill_job(JobId id);
  asio::awaitable<wire::Reply> read_logs(wire::Request::ReadLogs request) const;
  bool owns(const scheduler::Job& job) const;
  wire::Reply drain_node(const wire::Request::DrainNode& request);

  const std::shared_ptr<net::Connection> connection_;
  const ClientServices services_;
  const net::Guest guest_;
  std::optional<std::chrono::steady_clock::time_point> idle_since_;
  SessionCounters& counters_;
};

}  // namespace ontime::master
