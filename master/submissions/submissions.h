#pragma once
// Jobs on their way in: inputs listed and the output claimed by FileWork, handed to the scheduler, answered when they
// are durable. Control thread only.

#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/client.pb.h"
#include "master/actions/submit_answers.h"
#include "master/base/settings.h"
#include "master/base/signal.h"
#include "master/inputs/input_listing.h"
#include "master/loop/control_loop.h"
#include "master/mounts/file_work.h"
#include "master/outputs/output.h"
#include "master/outputs/output_committer.h"
#include "master/submissions/room_for_jobs.h"

namespace ontime::master {

class Submissions {
 public:
  // `cluster_id` begins the ids of claims; `committer` may still have an output in hand; `room` is for all jobs.
  // `policy` is for jobs that name none, `roots` are where all of them read and write.
  Submissions(ControlLoop& control, SubmitAnswers& answers, FileWork& file_work, const OutputCommitter& committer,
              RoomForJobs& room, std::string cluster_id, PolicyChoice policy = {}, JobRoots roots = {},
              KnownIndex known_index = {}, std::vector<std::string> notices = {})
      : control_(control),
        answers_(answers),
        file_work_(file_work),
        committer_(committer),
        room_(room),
        cluster_id_(std::move(cluster_id)),
        policy_(std::move(policy)),
        roots_(std::move(roots)),
        known_index_(std::move(known_index)),
        notices_(std::move(notices)) {}

  // Takes as long as listing the inputs takes; Failed once a file system has not answered for long. `is_wanted` is
  // asked before the job is accepted: a client that is gone has not submitted it. `owner`: see scheduler::JobSpec.
  using IsWanted = std::function<bool()>;
  asio::awaitable<Result<wire::Reply::Submitted>> submit(wire::JobSpec request, std::string owner, IsWanted is_wanted);

  // Why the commit of a job does not get on; empty if nothing is known to hold it up.
  std::string commit_problem(JobId job) const { return committer_.problem_of(job); }

 private:
  using Arguments = std::vector<std::string>;

  bool is_asked_for(const std::string& output) const;
  // Whether the claim is one of this cluster's that no job has, because a master died before it accepted the job.
  bool is_abandoned(const std::string& claim) const;
  asio::awaitable<Status> run(FileWork::Job job);
  // `left_out` is filled in: see ListedInputs.
  asio::awaitable<Result<scheduler::JobSpec>> list(wire::JobSpec request, scheduler::JobSpec begun,
                                                   std::string& left_out);
  // With an error the directory is not claimed, or not any more as soon as its file system answers.
  asio::awaitable<Status> claim(std::string output, std::string claim);
  asio::awaitable<ClaimOutcome> try_claim(std::string output, std::string claim);
  FileWork::Job discarding(const std::string& output, const std::string& claim) const;
  void give_back(const std::string& output, const std::string& claim);
  asio::awaitable<wire::Reply::Submitted> hand_over(scheduler::JobSpec spec);

  ControlLoop& control_;
  SubmitAnswers& answers_;
  FileWork& file_work_;
  const OutputCommitter& committer_;
  RoomForJobs& room_;
  const std::string cluster_id_;
  const PolicyChoice policy_;
  const JobRoots roots_;
  const KnownIndex known_index_;
  const std::vector<std::string> notices_;  // of jobs that ask for none
  // Output directories of submissions being prepared, or that were given up and are not cleared yet, by their claims.
  std::map<std::string, std::string> claims_;
};

}  // namespace ontime::master
