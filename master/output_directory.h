#pragma once
// A job's output directory before and after the job: claimed when it is submitted, given back when it is refused or did
// not succeed. A prefix of a store is one too (store_output.h). Touches the file system; runs on a pool thread. `roots`
// are where the directory has to lie.

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "master/file_system.h"

namespace ontime::master {

struct ClaimOutcome {
  Status status;
  std::string idle_claim;  // what is in the way, if that is a claim without any output
};

// Makes the directory, and the claim of that id in it (put_claim). It must not exist or be empty: BadInput with
// one sentence otherwise. A claim in the way may be one that a master made for a job that it never got to accept: then
// the caller, who knows its jobs, discards it and claims again. Durable when it returns.
ClaimOutcome claim_output(const std::string& directory, const std::string& claim, const files::Roots& roots = {});

// Removes what attempts and an unfinished commit have left (`parts` part files at most), and the directory if nothing
// else is in it. Only while the claim of that id is there: so it may be repeated after a crash, and touches neither a
// committed output nor a directory that has come in the place of this one. Leaves a _SUCCESS and what it may stand for.
Status discard_output(const std::string& directory, std::uint32_t parts, const std::string& claim,
                      const files::Roots& roots = {});

// BadInput, or Failed where it is the disk that is full or broken, which is nothing that the submission did wrong.
Error cannot_make_output(const std::string& directory, int problem);
// BadInput: it is in none of the roots.
Error outside_of_outputs(const std::string& directory, const files::Roots& roots);

// An output directory, held open: everything is done to the very directory that was found, whatever becomes of the
// names on the way to it.
class OutputPlace {
 public:
  // The directory that has to be there. Failed if it cannot be opened, or lies outside of `roots`.
  static Result<OutputPlace> find(const std::string& directory, const files::Roots& roots);
  // The directory, which is made, and those above it, unless it is there. BadInput, with one sentence, if it lies
  // outside of `roots` or cannot be made.
  static Result<OutputPlace> make(const std::string& directory, const files::Roots& roots);

  int descriptor() const { return held_.get(); }
  // Another name for it, good for system calls while this object lives; the last link may have to be followed.
  const std::string& path() const { return path_; }
  // Whether its own name leads to it still.
  bool is_in_place() const;
  // Names the directory as its job does.
  Status in_words(Status status) const;

 private:
  OutputPlace(std::string directory, Descriptor held);

  std::string directory_;
  std::string path_;
  Descriptor held_;
};

// The mark by which one job holds an output directory: OUT/_attempts/ID, the directory that its attempts write to. The
// id is random and the job's own, so it means the same job after a restart of the master, and nobody who reaches the
// directory by another name, or another directory by this name, takes it for his. Below OUT no link is followed.
// Pool thread.

// An id that no claim had before. Begins with the cluster's, so that its masters know what one of them has made.
std::string make_claim_id(const std::string& cluster);
bool is_claim_of(std::string_view id, const std::string& cluster);

// What a directory holds, as far as a claim on it is concerned.
struct Contents {
  bool is_free = false;  // nothing that counts
  bool is_claimed = false;
  std::string idle_claim;  // the id, if there is a claim and nothing else: no attempt has written there
};
Result<Contents> look_at(const OutputPlace& place);

// The claim appears at once or not at all, and never beside another one. Failed if there is one; not synced.
Status put_claim(const OutputPlace& place, const std::string& id);
// The directory of the claim; not open if it is not there.
Descriptor open_claim(const OutputPlace& place, const std::string& id);
// Whether there is a claim that was not put, or not removed, to the end.
bool has_unfinished_claim(const OutputPlace& place, const std::string& id);
// Ends the claim, then removes what attempts have written. May be repeated; without a claim of that id it does nothing.
Status remove_claim(const OutputPlace& place, const std::string& id);

}  // namespace ontime::master
