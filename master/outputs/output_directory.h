#pragma once
// A job's output in a directory of a file system. Pool thread.

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "master/mounts/file_system.h"
#include "master/outputs/output.h"

namespace ontime::master {

// The order in which it is published makes that repeatable after a crash at any point, and _SUCCESS mean that all is
// there:
//
//   1 every part file in its place, each by one rename    a part file under its name is complete, always
//   2 sync of the directory                               the renames last before their sources' directory goes
//   3 _manifest.json                                      whole or not at all, synced
//   4 the job's claim, _attempts, removed, synced         nothing needs it any more
//   5 _SUCCESS, sync of the directory
//
// With Lasting::FromCommit, where nobody goes on after a power cut, the claim and steps 1 to 3 are not synced one by
// one: parts, manifest and directory are, before step 5.
//
// A repetition keeps the parts that are in place and goes on. A directory is the job's while it holds the claim or the
// manifest of the claim's id; nothing is changed in any other one, and a _SUCCESS that is there before step 5 is
// somebody else's: then it fails.
class DirectoryOutput final : public Output {
 public:
  using Output::Output;

  ClaimOutcome claim() override;
  PublishOutcome publish(const CommitPlan& plan, const MayGoOn& may_go_on) override;  // commit.cpp
  Status discard(std::uint32_t parts, const std::string& parts_ending) override;
};

// BadInput, or Failed where it is the disk that is full or broken, which is nothing that the submission did wrong.
Error cannot_make_output(const std::string& directory, int problem);

// An output directory, held open: everything is done to the very directory that was found, whatever becomes of the
// names on the way to it.
class OutputPlace {
 public:
  // The directory that has to be there. Failed if it cannot be opened, or lies outside of `roots`.
  static Result<OutputPlace> find(const std::string& directory, const files::Roots& roots);
  // The directory, which is made, and those above it, unless it is there. BadInput, with one sentence, if it lies
  // outside of `roots` or in another output, or cannot be made.
  static Result<OutputPlace> make(const std::string& directory, const files::Roots& roots);

  int descriptor() const { return held_.get(); }
  // Another name for it, good for system calls while this object lives; the last link may have to be followed.
  const std::string& path() const { return path_; }
  // Whether its own name leads to it still.
  bool is_in_place() const;
  // The output that it lies in, whatever the names that led here: one that is claimed or finished. Empty: in none.
  std::string output_above() const;
  // Removes what make() has made, as far as nothing is in it.
  void take_back() const;
  // Names the directory as its job does.
  Status in_words(Status status) const;

 private:
  // A name in a directory that make() has put there.
  struct Made {
    Descriptor directory;
    std::string name;
  };
  OutputPlace(std::string directory, Descriptor held, std::vector<Made> made = {});

  std::string directory_;
  std::string path_;
  Descriptor held_;
  std::vector<Made> made_;  // the outermost first
};

// Makes the names in the directory durable, its own, and those of the directories above it.
Status sync_with_parents(const OutputPlace& place);

// The mark by which one job holds an output directory: OUT/_attempts/ID, the directory that its attempts write to. The
// id is random and the job's own, so it means the same job after a restart of the master, and nobody who reaches the
// directory by another name, or another directory by this name, takes it for his. Below OUT no link is followed.

// What a directory holds, as far as a claim on it is concerned.
struct Contents {
  bool is_free = false;  // nothing that counts
  bool is_claimed = false;
  bool has_others = false;  // something that is no claim
  std::string idle_claim;   // the id, if there is a claim and nothing else: no attempt has written there
};
Result<Contents> look_at(const OutputPlace& place);

// The claim appears at once or not at all, and never beside another one. Failed if there is one. Its name is not
// synced.
Status put_claim(const OutputPlace& place, const std::string& id, Lasting lasting);
// The directory of the claim; not open if it is not there.
Descriptor open_claim(const OutputPlace& place, const std::string& id);
// Whether there is a claim that was not put, or not removed, to the end.
bool has_unfinished_claim(const OutputPlace& place, const std::string& id);
// Ends the claim, then removes what attempts have written, which is files: directories are not the job's and stay. May
// be repeated; without a claim of that id it does nothing.
Status remove_claim(const OutputPlace& place, const std::string& id);

// Puts the output of several attempts together into one file, in the order of the input.

// The _attempts directory: descriptor, and path for messages.
struct StitchPlace {
  int directory;
  std::string path;
};

// Writes `name` in the directory, complete and synced.
Status stitch(const StitchPlace& place, const Part& part, const std::string& name, const MayGoOn& may_go_on);

}  // namespace ontime::master
