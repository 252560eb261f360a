#pragma once
// What the link to the master asks of the rest of the worker. Called on the worker's one thread.

#include <google/protobuf/repeated_field.h>

#include "common/base/result.h"
#include "common/protocol/control.pb.h"

namespace ontime::worker {

class OrderTaker {
 public:
  virtual ~OrderTaker() = default;

  // The master let us in and says which attempts are not ours any more and what is to disturb them. Orders follow. An
  // error as with obey().
  virtual Status begin_session(const wire::ToWorker::Welcome& welcome) = 0;

  // An error means that the master does not keep to the protocol: the connection is closed.
  virtual Status obey(const wire::Order& order) = 0;

  // Appends how far each attempt has got that has not ended.
  virtual void add_progress(google::protobuf::RepeatedPtrField<wire::AttemptProgress>& to) = 0;
};

}  // namespace ontime::worker
