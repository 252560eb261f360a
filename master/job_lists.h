#pragma once
// Lists of jobs for clients, part by part. Many clients that ask for the same at the same moment share one answer: the
// last one is kept until something durable changes, at most kSharedFor, in which only what is not durable (progress,
// elapsed time) may have moved. Control thread only.

#include <cstdint>
#include <memory>

#include "common/base/time.h"
#include "common/protocol/client.pb.h"
#include "master/control_loop.h"

namespace ontime::master {

class JobLists {
 public:
  explicit JobLists(const ControlLoop& control) : control_(control) {}

  using Answer = std::shared_ptr<const wire::Reply>;
  // Without accounts.
  Answer list(const wire::Request::ListJobs& request);

 private:
  static constexpr Duration kSharedFor = std::chrono::milliseconds(20);

  Answer make(const wire::Request::ListJobs& request, TimePoint now) const;

  const ControlLoop& control_;
  Answer last_;
  std::uint32_t latest_ = 0;  // that was asked for
  std::uint32_t first_job_ = 0;
  std::uint64_t changes_ = 0;  // when it was made
  TimePoint made_at_;
};

}  // namespace ontime::master
