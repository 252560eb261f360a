#pragma once
// Injection and disturbance as messages.

#include "common/base/result.h"
#include "common/injection/injection.h"
#include "common/protocol/injection.pb.h"

namespace ontime::injection {

wire::Injection to_wire(const Injection& injection);
// BadInput for values that are out of range.
Result<Injection> from_wire(const wire::Injection& message);

wire::Disturbance to_wire(const Disturbance& disturbance);
// Values that make no sense become harmless ones: the runner has nobody to complain to.
Disturbance from_wire(const wire::Disturbance& message);

}  // namespace ontime::injection
