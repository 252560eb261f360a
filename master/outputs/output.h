#pragma once
// A job's output, as the master handles it: claimed before the job is accepted, published when it is committed,
// discarded when it was refused or did not succeed. It is a directory (output_directory.h) or a prefix in a store
// (store_output.h); nothing else in the master knows which.
//
// The attempts' half (create, append, sync) is an interface of its own, worker/agent/attempts/attempt_outputs.h:
// attempts hold neither the claim nor keys, and the master never has their bytes in its hands.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "common/output/attempt_log.h"
#include "common/output/manifest.h"
#include "master/mounts/file_work.h"
#include "scheduler/core/action.h"

namespace ontime::master {

// From when on an output survives a power cut.
enum class Lasting : std::uint8_t {
  SinceSeal,   // the claim from its making, segments as attempts seal them, and each step of the commit
  FromCommit,  // all of it together, for a cluster whose journal does not survive either
};

// An id that no claim had before. Begins with the cluster's, so that its masters know what one of them has made.
std::string make_claim_id(const std::string& cluster);
bool is_claim_of(std::string_view id, const std::string& cluster);

// What one attempt has sealed of one segment.
struct Extent {
  std::string file;  // of an attempt
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// How one part file comes to be. `extents` in the order of the part, empty ones left out.
struct Part {
  std::string name;
  std::uint64_t length = 0;
  std::vector<Extent> extents;
  // The file of the one attempt that mapped the whole task, has ended in success and so does not write any more: it may
  // become the part file as it is. Otherwise a late process might still write to it, and it is copied.
  bool may_rename = false;
};

// What the commit of a job has to do, taken from the ledgers of its tasks.
struct CommitPlan {
  std::vector<Part> parts;
  output::Manifest manifest;
  std::vector<output::AttemptLog> logs{};  // as far as they are known
};

// May take long for a million tasks: on a pool's thread.
CommitPlan make_commit_plan(const scheduler::action::CommitOutput& commit);

struct ClaimOutcome {
  Status status;
  std::string idle_claim;  // what is in the way, if that is a claim without any output
};

struct PublishOutcome {
  Status status;
  // Parts of which sealed bytes are not there, or not all: their tasks have to be mapped again. The status names what
  // the first of them lacks.
  std::vector<std::uint32_t> lost{};
};

// On threads of FileWork. An error is one sentence that names the output. Nothing is held between two calls, and each
// may be repeated after a crash at any point: so a new object may go on where the last one's process has died.
class Output {
 public:
  // `claim` is the job's (output::attempts_directory); `roots` are where outputs have to lie.
  static std::unique_ptr<Output> at(const std::string& name, const std::string& claim, const files::Roots& roots = {},
                                    Lasting lasting = Lasting::SinceSeal);
  Output(std::string name, std::string claim, files::Roots roots, Lasting lasting)
      : name_(std::move(name)), claim_(std::move(claim)), roots_(std::move(roots)), lasting_(lasting) {}
  virtual ~Output() = default;

  // Makes the output, which must not be there or be empty, and the claim in it: BadInput otherwise. It must not lie in
  // another one either, claimed or finished: what is below an output is its job's alone. A claim in the way
  // may be one that a master made for a job that it never got to accept: then the caller, who knows its jobs, discards
  // it and claims again. Durable when it returns, unless nothing is before the commit.
  virtual ClaimOutcome claim() = 0;

  // Puts the parts in place, then the manifest, then _SUCCESS. `may_go_on` is asked between any two changes; false ends
  // it where it stands (Unavailable). Once there is the job's _SUCCESS it has nothing to do.
  virtual PublishOutcome publish(const CommitPlan& plan, const MayGoOn& may_go_on) = 0;

  // Removes what attempts and an unfinished commit have left (`parts` part files at most, whose names end in
  // `parts_ending`), then the claim. Without the job's claim it does nothing: the output is committed, or belongs to
  // another job. Leaves a _SUCCESS and what it may stand for.
  virtual Status discard(std::uint32_t parts, const std::string& parts_ending = {}) = 0;

 protected:
  const std::string name_;
  const std::string claim_;
  const files::Roots roots_;
  const Lasting lasting_;  // of a directory; a store keeps what it has acknowledged
};

// BadInput: the output is in none of the roots.
Error outside_of_outputs(const std::string& name, const files::Roots& roots);
// BadInput: it would lie in another one.
Error inside_of_output(const std::string& name, const std::string& above);

}  // namespace ontime::master
