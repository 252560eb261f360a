#pragma once
// Tells people what their jobs ask to be told (master/submissions/notify.h), once for each job and condition. What was
// told is in the journal when it was; a master that dies in between leaves it to the next one, which tells it under the
// same id. Control thread only: the telling itself is done elsewhere (Tell).

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/protocol/client.pb.h"
#include "master/base/settings.h"
#include "master/clients/job_pictures.h"
#include "master/loop/control_loop.h"
#include "master/notices/job_notices.h"
#include "scheduler/core/record.h"

namespace ontime::master {

class Notices {
 public:
  struct Parts {
    ControlLoop& control;
    JobPictures& pictures;
    Tell tell;
    std::string cluster;  // begins the ids
    std::string secret;
  };
  explicit Notices(Parts parts) : parts_(std::move(parts)), looks_(parts_.control.executor()) {}

  // Once the control loop has started: of the jobs that the journal has, too.
  void start();
  void stop() { looks_.cancel(); }
  void observe(const scheduler::JournalRecord& record);
  // A new forecast of a running job was made.
  void foresee(JobId id, const wire::Forecast& forecast);
  // What is due by now.
  void look();

  static constexpr Duration kLooks = std::chrono::seconds(1);
  static constexpr std::size_t kAtOnce = 8;  // told at the same time; the others wait for them

 private:
  struct Watched {
    JobNotices notices;
    std::set<std::uint32_t> under_way{};  // being told
  };

  void watch(JobId id, const scheduler::Job& job);
  void arm();
  // False: nothing of the job is left to be told.
  bool look_at(JobId id, Watched& watched);
  void tell(JobId id, const scheduler::Job& job, Watched& watched, std::uint32_t number);
  void on_told(JobId id, std::uint32_t number, const std::string& problem);

  const Parts parts_;
  std::map<JobId, Watched> watched_;
  std::size_t under_way_ = 0;
  bool is_armed_ = false;
  asio::steady_timer looks_;
  const std::shared_ptr<Notices*> self_ = std::make_shared<Notices*>(this);  // the telling may outlive it
};

}  // namespace ontime::master
