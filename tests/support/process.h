#pragma once
// Real processes in tests: started, killed, waited for, and never left behind.

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace ontime::test {

using Arguments = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;  // added to the test's own

struct Finished {
  int status = 0;   // exit code, or 128 + the signal that ended it
  std::string out;  // stdout
  std::string err;  // stderr
};

class Process {
 public:
  Process() = default;
  // Output goes to `log`.out and `log`.err. The first argument is the program's path.
  Process(const Arguments& arguments, const std::string& log, const Environment& environment = {});
  ~Process();  // SIGKILL and wait
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;

  pid_t pid() const { return pid_; }
  bool is_running();
  void signal(int number);
  void kill();      // SIGKILL and wait
  Finished wait();  // ends the test program after two minutes: nothing here takes that long
  Finished output() const;

 private:
  pid_t pid_ = 0;
  int status_ = 0;
  std::string log_;
};

// Runs to the end.
Finished run(const Arguments& arguments, const Environment& environment = {});
// Through /bin/sh, for pipelines of coreutils.
Finished shell(const std::string& command);

// Polls until `holds`, four minutes at most, for a busy machine under a sanitizer; the wait is no criterion.
bool eventually(const std::function<bool()>& holds);

// Processes whose program is called `name` and that have `ancestor` among their ancestors.
std::vector<pid_t> descendants(pid_t ancestor, const std::string& name);
std::size_t open_descriptors(pid_t pid);

}  // namespace ontime::test
