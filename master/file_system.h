#pragma once
// The few system calls that output directories need, with their errors as sentences.

#include <fcntl.h>

#include <string>

#include "common/base/descriptor.h"
#include "common/base/result.h"

namespace ontime::master {

// For opening a file of a name that others may have given to something else: no link is followed, no pipe waited for.
inline constexpr int kPlainFile = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

// "Cannot <what> '<path>': <reason of errno>."
Error system_error(const char* what, const std::string& path, int problem);

// Makes names created, renamed or removed in the directory last.
Status sync_directory(const std::string& path);
// Removes a directory and everything in it; one that does not exist is fine. Copes with files that a process which is
// just being killed still creates.
Status remove_tree(const std::string& path);

}  // namespace ontime::master
