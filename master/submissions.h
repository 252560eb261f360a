#pragma once
// Jobs on their way in: prepared on a pool thread, handed to the scheduler, answered when they are durable. Control
// thread only.

#include <asio/awaitable.hpp>
#include <asio/thread_pool.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "common/base/result.h"
#include "common/protocol/client.pb.h"
#include "master/control_loop.h"
#include "master/output_committer.h"
#include "master/settings.h"
#include "master/signal.h"

namespace ontime::master {

class Submissions {
 public:
  // `cluster_id` marks the output directories that are claimed; `committer` may still have one in hand.
  // `policy` is for jobs that name none, `roots` are where all of them read and write.
  Submissions(ControlLoop& control, const OutputCommitter& committer, std::string cluster_id, PolicyChoice policy = {},
              JobRoots roots = {})
      : control_(control),
        committer_(committer),
        cluster_id_(std::move(cluster_id)),
        policy_(std::move(policy)),
        roots_(std::move(roots)) {}
  ~Submissions();

  // Takes as long as listing the inputs takes.
  asio::awaitable<Result<wire::Reply::Submitted>> submit(wire::JobSpec request);

  // The scheduler's answer; an unknown request (of a client that is gone) is fine.
  void on_answer(const scheduler::action::AnswerSubmit& answer);

 private:
  struct Waiting {
    explicit Waiting(const asio::any_io_executor& executor) : answered(executor) {}
    Signal answered;
    wire::Reply::Submitted reply;
  };
  // With a pool thread until `done` has fired.
  struct Preparing {
    explicit Preparing(const asio::any_io_executor& executor) : done(executor) {}
    Signal done;
    Result<scheduler::JobSpec> spec = failed("The job was not prepared.");
  };
  bool is_output_in_use(const std::string& directory) const;
  std::shared_ptr<Preparing> prepare(wire::JobSpec request);
  asio::awaitable<Result<wire::Reply::Submitted>> hand_over(scheduler::JobSpec spec);

  ControlLoop& control_;
  const OutputCommitter& committer_;
  const std::string cluster_id_;
  const PolicyChoice policy_;
  const JobRoots roots_;
  std::uint64_t last_request_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Waiting>> waiting_;
  std::set<std::string> outputs_;  // of submissions being prepared
  asio::thread_pool threads_{2};
};

}  // namespace ontime::master
