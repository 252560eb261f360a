#pragma once
// A master that advises Hadoop instead of running jobs: what all application masters share. Control thread only.
//
// To the scheduler each container that YARN can run is a node with one slot. Which machine it is on does not matter, as
// YARN chooses it. So the scheduler knows how many attempts run and how many more can, and a copy never counts as being
// in the place of the attempt that it is to overtake.

#include <asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "master/actions/application_link.h"
#include "master/base/settings.h"
#include "master/loop/control_loop.h"
#include "master/outputs/attempt_logs.h"
#include "master/submissions/room_for_jobs.h"

namespace ontime::master {

class Advisor {
 public:
  struct Parts {  // they outlive it
    ControlLoop& control;
    ApplicationLinks& links;
    AttemptLogs& logs;
    RoomForJobs& room;
  };
  // `containers`: so many map tasks run at once. `notices`: of every job (master/submissions/notify.h).
  Advisor(Parts parts, std::uint32_t containers, PolicyChoice policy, std::vector<std::string> notices);

  // After the control loop's start: the containers are there again, with what ran in them when the last master ended.
  void start();

  ControlLoop& control() { return parts_.control; }
  ApplicationLinks& links() { return parts_.links; }
  AttemptLogs& logs() { return parts_.logs; }

  // The job of that id; submits it if there is none.
  Result<JobId> admit(const wire::ToAdvisor::Job& job, const std::string& owner);
  void on_connected(JobId job) { away_.erase(job); }
  // The job is given up unless its application master comes back in time.
  void on_gone(JobId job);

  // YARN has launched an attempt, `age` ago, that maps all that is open of the task from `begin` on. More containers
  // than were said come into being if it runs more. Nothing if no open segment begins there.
  std::optional<AttemptId> launch(TaskId task, std::uint64_t begin, Duration age);

 private:
  NodeId register_container(const std::string& name);
  NodeId add_container();
  void take_inventory(NodeId container);
  void give_up(JobId job);
  void beat();

  const Parts parts_;
  const std::uint32_t containers_;
  const PolicyChoice policy_;
  const std::vector<std::string> notices_;
  std::map<JobId, std::unique_ptr<asio::steady_timer>> away_;
  asio::steady_timer beat_;
};

}  // namespace ontime::master
