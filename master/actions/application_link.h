#pragma once
// The ways to Hadoop's application masters: what the scheduler decides about the jobs of YARN becomes orders to them.
// Knows nothing of the cluster, like all that performs actions. Control thread only.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "common/base/ids.h"
#include "common/net/connection.h"
#include "common/protocol/advise.pb.h"
#include "scheduler/core/action.h"
#include "scheduler/core/record.h"

namespace ontime::master {

// To one of them: gathers orders and sends them in one message per turn of the control loop. Sends nothing before its
// application master has said all that has happened, but that the job is to end.
class ApplicationLink {
 public:
  explicit ApplicationLink(std::shared_ptr<net::Connection> connection) : connection_(std::move(connection)) {}

  void accept(JobId job, const std::string& policy);
  void refuse(const std::string& reason);
  void begin_orders() { may_order_ = true; }

  // The scheduler's attempt is that one of Hadoop's.
  void bind(AttemptId attempt, std::uint32_t hadoop) { hadoop_[attempt] = hadoop; }
  void add(AttemptId attempt, std::uint64_t begin);
  void cut(AttemptId attempt, std::uint64_t at);
  void end(AttemptId attempt, const std::string& reason);
  void tell_number(AttemptId attempt, std::uint32_t hadoop);
  void end_job(const std::string& reason);
  void note(const std::string& text);

  void flush();
  void beat();
  void close() { connection_->close(); }
  bool is_open() const { return connection_->is_open(); }

  // What stands for the attempt in orders, and the attempt's number again.
  static std::uint32_t order_of(AttemptId attempt) { return attempt.number + 1; }
  static std::uint32_t number_of(std::uint32_t order) { return order - 1; }

 private:
  wire::AdviceOrder* add_order() { return gathered_.mutable_orders()->add_orders(); }

  const std::shared_ptr<net::Connection> connection_;
  std::map<AttemptId, std::uint32_t> hadoop_;  // of attempts that YARN has started
  wire::ToApplication gathered_;
  bool may_order_ = false;
};

// All of them, by their jobs.
class ApplicationLinks {
 public:
  using Link = std::shared_ptr<ApplicationLink>;

  // An older one is closed.
  void attach(JobId job, const Link& link);
  // False if another one is the job's by now.
  bool release(JobId job, const Link& link);

  // False if the action is none for workers: application masters stand in their place.
  bool perform(const scheduler::Action& action);
  // What a policy has decided, and that the job has ended.
  void observe(const scheduler::JournalRecord& record);
  void flush();
  void beat();

 private:
  ApplicationLink* find(JobId job) const;
  std::map<JobId, Link> links_;
};

}  // namespace ontime::master
