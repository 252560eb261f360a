#pragma once
// Whether an application exists, loads, and takes the parameters of a job. Its code may do anything, so it runs in a
// process of its own: a crash there is an error here.

#include <sys/types.h>

#include <optional>
#include <string>

#include "cli/command.h"
#include "common/base/descriptor.h"
#include "common/base/result.h"

namespace ontime::cli {

// A check under way. Its process is killed with it. Not to be copied or moved; for one thread.
class ApplicationCheck {
 public:
  // Begins it, and does not wait: loading an application takes a while in which more can be done.
  explicit ApplicationCheck(const JobOptions& options);
  ~ApplicationCheck();
  ApplicationCheck(const ApplicationCheck&) = delete;

  // What has come of it; the second time at once.
  const Status& wait();

 private:
  [[noreturn]] void tell(const Status& status, int to) const;
  Status outcome();
  std::string read_message() const;

  const std::string whose_;
  Descriptor from_;    // what the process says
  pid_t process_ = 0;  // 0: none, or it has ended
  int problem_ = 0;    // errno, if it could not be started
  std::optional<Status> result_;
};

Status check_application(const JobOptions& options);

}  // namespace ontime::cli
