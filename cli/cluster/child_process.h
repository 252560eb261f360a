#pragma once
// Starting one program: a process group of its own (so that a terminal's Ctrl-C reaches only `ontime`), /dev/null as
// input, output and errors appended to a file, every other descriptor closed except one that may be handed on.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace ontime::cli {

struct ChildProgram {
  std::string name;  // "worker 2": for messages
  std::string path;
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // "NAME=value", replacing the parent's
  std::string log_path;
  std::optional<int> inherited_descriptor;  // becomes kInheritedDescriptor in the child
};

inline constexpr int kInheritedDescriptor = 3;

Result<pid_t> start(const ChildProgram& program);

// The path of a program that lies beside the running one.
Result<std::string> sibling_program(const std::string& name);

// "exited with code 1", "was killed by signal 9 (Killed)".
std::string describe_wait_status(int wait_status);

// The last line of a log file that is not empty; empty if there is none.
std::string last_line_of(const std::string& path);

}  // namespace ontime::cli
