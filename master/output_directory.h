#pragma once
// A job's output directory before and after the job: claimed when it is submitted, given back when it is refused or did
// not succeed. A prefix of a store is one too (store_output.h). Touches the file system; runs on a pool thread. `roots`
// are where the directory has to lie.

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/files/roots.h"

namespace ontime::master {

struct ClaimOutcome {
  Status status;
  std::string idle_claim;  // what is in the way, if that is a claim without any output
};

// Makes the directory, and the claim of that id in it (output_place.h). It must not exist or be empty: BadInput with
// one sentence otherwise. A claim in the way may be one that a master made for a job that it never got to accept: then
// the caller, who knows its jobs, discards it and claims again. Durable when it returns.
ClaimOutcome claim_output(const std::string& directory, const std::string& claim, const files::Roots& roots = {});

// Removes what attempts and an unfinished commit have left (`parts` part files at most), and the directory if nothing
// else is in it. Only while the claim of that id is there: so it may be repeated after a crash, and touches neither a
// committed output nor a directory that has come in the place of this one. Leaves a _SUCCESS and what it may stand for.
Status discard_output(const std::string& directory, std::uint32_t parts, const std::string& claim,
                      const files::Roots& roots = {});

}  // namespace ontime::master
