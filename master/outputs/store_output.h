#pragma once
// A job's output in a store:
//
//   OUT/_claim                           the id of the job's claim; only created where there is none, so that one of
//                                        two jobs gets it
//   OUT/_attempts/CLAIM/t00003-a1.4096   the output of one segment: of the attempt's file, from byte 4096 on
//   OUT/part-m-00003                     put in place from those at commit (output::pieces_of): copied in a store that
//                                        speaks S3, renamed in HDFS; then _logs.jsonl and _manifest.json
//   OUT/_SUCCESS                         created last, only where there is none; holds the id of the claim
//
// Every step may be repeated: an object is put in the same place, or is there already, and nothing else is removed
// before there is a _SUCCESS but the rest of a part of which segments are lost. While the store does not answer,
// publish and discard wait.
//
// A worker without a connection may still store a segment of a job that is over: an object below _attempts that nobody
// reads stays then.

#include "master/outputs/output.h"

namespace ontime::master {

class StoreOutput final : public Output {
 public:
  using Output::Output;

  ClaimOutcome claim() override;
  PublishOutcome publish(const CommitPlan& plan, const MayGoOn& may_go_on) override;
  Status discard(std::uint32_t parts, const std::string& parts_ending) override;
};

}  // namespace ontime::master
