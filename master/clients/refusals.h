#pragma once
// Replies that refuse what a client asks.

#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/protocol/client.pb.h"

namespace ontime::master {

inline wire::Reply refusal(const Error& error) {
  wire::Reply reply;
  reply.set_error(error.message);
  reply.set_bad_input(error.kind == ErrorKind::BadInput);
  return reply;
}

inline wire::Reply no_such_job(JobId id) {
  return refusal(bad_input("No such job: " + to_string(id) + ". Run 'ontime jobs' to list known jobs."));
}

}  // namespace ontime::master
