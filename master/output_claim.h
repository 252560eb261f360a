#pragma once
// The mark by which one job holds an output directory: OUT/_attempts/ID, the directory that its attempts write to. The
// id is random and the job's own, so it means the same job after a restart of the master, and nobody who reaches the
// directory by another name, or another directory by this name, takes it for his. Below OUT no link is followed.
// Pool thread.

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "master/file_system.h"
#include "master/output_place.h"

namespace ontime::master {

// An id that no claim had before. Begins with the cluster's, so that its masters know what one of them has made.
std::string make_claim_id(const std::string& cluster);
bool is_claim_of(std::string_view id, const std::string& cluster);

// What a directory holds, as far as a claim on it is concerned.
struct Contents {
  bool is_free = false;    // nothing that counts
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
