#pragma once
// A shell command that runs while bytes are sent to its stdin and its stdout and stderr are received. One thread; no
// side can block the other: whatever is ready is moved, and nothing is kept.

#include <sys/types.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/exec/pipe.h"

namespace ontime::apps {

class Command {
 public:
  using Receiver = std::function<void(std::string_view)>;

  // Starts `/bin/sh -c line` with our environment and `environment` (NAME=VALUE) on top. The process stays in our
  // process group and dies with us.
  Command(const std::string& line, const std::vector<std::string>& environment, Receiver on_stdout, Receiver on_stderr);
  // A command that still runs is killed.
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Returns when all bytes have been taken, or dropped because the command has closed its stdin.
  void send(std::string_view bytes);
  // Closes the command's stdin, receives until it has closed its ends, and waits for it. Throws a sentence unless it
  // ended with status 0.
  void finish();

 private:
  void receive_or_send(std::string_view& bytes);
  void receive(Descriptor& from, const Receiver& receiver);
  void send_some(std::string_view& bytes);

  std::string line_;
  Receiver on_stdout_;
  Receiver on_stderr_;
  Descriptor stdin_;
  Descriptor stdout_;
  Descriptor stderr_;
  pid_t process_ = -1;
  std::vector<char> buffer_;
};

}  // namespace ontime::apps
