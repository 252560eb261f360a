#pragma once
// Scenarios as text: commands in, the scheduler's records and actions out. A file is a sequence of blocks:
//
//   # Why this is so.
//   progress t0-a0 20
//   beat 5s
//   ----
//   > cut attempt=job-1/t00000/a0 node=node-1 at=20
//
// Above the line are commands, below it what they brought about: records as they are written to the journal, and behind
// ">" actions. Commands:
//
//   node NAME [slots=N] [runs=ATTEMPT@OFFSET]       a worker registers, with what it runs
//   submit bytes=N split=N [checkpoints=off|3s] [timeout=10s|never] [deadline=60s] [advised]
//   elsewhere NODE T BEGIN                          the engine of an advised job has launched an attempt there
//   order speculate T SEGMENT [at=N] [release] [ready] [borders=N,N] [copies=N,N,N]
//   order divide T SEGMENT borders=N,N | order clones N | order end ATTEMPT
//                                                   the policy's plan at its next check, within a second, which passes
//   prepare ...                                     the same, without letting a second pass
//   started A | ready A | progress A OFFSET | answer A OFFSET [release]
//   seal A BEGIN END | seal A all | fail A [kind=node|storage|missing|data]
//   drain NODE | kill | restart                     restart: of the master, from the records so far
//   commit [lost=N,N]                               it is over; what these tasks had stored was not there
//   beat 5s                                         time passes, nodes send heartbeats that name no attempt
//   pass 5s                                         time passes, nobody says anything
//   lose NODE                                       it is silent for six seconds, the others send heartbeats
//   show A                                          what is known of the attempt
//
// An attempt of job-1 is written t0-a1. Jobs have the product's defaults: checkpoints every five seconds.

#include <string>

namespace ontime::scheduler::test {

// The same file with everything below the lines as it is now. Throws std::runtime_error for a command that makes no
// sense.
std::string play(const std::string& scenario);

}  // namespace ontime::scheduler::test
