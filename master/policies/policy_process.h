#pragma once
// The process in which a policy of one's own plans, and the messages to and from it: 8 bytes of length in this
// machine's byte order, then the bytes. Not thread-safe but for what says so.

#include <sys/types.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/base/descriptor.h"
#include "common/base/time.h"

namespace ontime::master {

// Why a policy cannot be asked any more, as the end of a sentence: "it has not answered within 1.0 s".
class PolicyEnded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of the file as it is: another one whenever it changes.
std::string identity_of(const std::string& file);

class Limit;

class PolicyProcess {
 public:
  // Python, which waits for a message (python/ontime/lab/policy_process.py): a process that this file was given back
  // from, if it has not changed since, or a new one. Throws PolicyEnded.
  static PolicyProcess of(const std::string& file);
  // One that listens at a Unix socket already, and takes up to a second for it. Throws PolicyEnded.
  static PolicyProcess at(const std::string& socket);

  PolicyProcess(PolicyProcess&& other) noexcept;
  PolicyProcess& operator=(PolicyProcess&& other) noexcept;
  ~PolicyProcess();  // ends one that it has started, whatever that does

  // Sends the message and waits for the answer to it, `most` at the longest; 0: as long as it takes. Throws
  // PolicyEnded, and ends it then.
  std::string ask(std::string_view message, Duration most);
  // It is to forget what it was told, and kept for the next policy of its file. Thread-safe.
  static void give_back(PolicyProcess process);
  bool has_ended() const;  // on its own

 private:
  PolicyProcess(Descriptor socket, pid_t pid, std::string file = {})
      : socket_(std::move(socket)), pid_(pid), file_(std::move(file)) {}
  static PolicyProcess start(std::string file);
  void tell(std::string_view message, const Limit& limit);
  [[noreturn]] void give_up();
  void end();

  Descriptor socket_;
  pid_t pid_ = 0;     // 0: not ours
  std::string file_;  // as it was when it was loaded
};

}  // namespace ontime::master
