#pragma once
// Who else has a pipe open, for people who wonder what their command has left.

#include <string>

#include "common/base/descriptor.h"

namespace ontime::apps {

// Another process that holds the pipe, as "sleep (process 17)"; empty if none of those that may be looked into does.
std::string holder_of(const Descriptor& pipe);

}  // namespace ontime::apps
