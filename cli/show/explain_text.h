#pragma once
// The decisions about stragglers: when, why, and their results, as text for people. Pure.

#include <string>

#include "common/protocol/client.pb.h"

namespace ontime::cli {

// `whole`: every decision of a task; otherwise the first and last few of one with many.
std::string explained_text(const wire::Reply::Explained& explained, bool whole);

}  // namespace ontime::cli
