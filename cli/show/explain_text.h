#pragma once
// What was decided about stragglers, when, why, and what became of it, as people read it. Pure.

#include <string>

#include "common/protocol/client.pb.h"

namespace ontime::cli {

// `whole`: every decision of a task; otherwise the first and last few of one with many.
std::string explained_text(const wire::Reply::Explained& explained, bool whole);

}  // namespace ontime::cli
