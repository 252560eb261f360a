#pragma once
// A job's output directory before and after the job: claimed when it is submitted, given back when it is refused or did
// not succeed. Touches the file system; runs on a pool thread. `roots` are where the directory has to lie; it is
// reached as OutputPlace says.

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/files/roots.h"

namespace ontime::master {

// Makes the directory, and `_attempts` in it with a mark of `cluster`. It must not exist or be empty; what a master of
// the same cluster claimed for a job that it never got to accept is taken over (the caller knows that no job of its own
// uses the directory). BadInput with one sentence otherwise. Durable when it returns.
Status claim_output(const std::string& directory, const std::string& cluster, const files::Roots& roots = {});

// Removes what attempts and an unfinished commit have left (`parts` part files at most), and the directory if nothing
// else is in it. Only while the claim of `cluster` is there, which goes last: so it may be repeated after a crash, and
// never touches a committed output or one that somebody else has put there since.
Status discard_output(const std::string& directory, std::uint32_t parts, const std::string& cluster,
                      const files::Roots& roots = {});

}  // namespace ontime::master
